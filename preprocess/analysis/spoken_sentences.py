"""The sentences of what is said, whatever the cues that hold them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from longtake.language.text import ends_sentence
from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.layers.speaker_lines import named_once

_PAUSE = 2.5  # seconds between cues of one sentence
_LONG = 40  # words from which a sentence without an end ends with its cue


class _Word(NamedTuple):
    text: str
    start: float
    end: float
    cue: int
    named: bool  # whether another speaker's name begins here


def spoken_sentences(cues: Sequence[Moment]) -> tuple[Moment, ...]:
    """Whole sentences of cues, which often hold a part of one, or several.

    The words of a cue are taken to be spoken at an even pace. A sentence is trusted if all its cues are; in all else it
    is like its first. A speaker is named where they begin to speak.

    Args:
        cues: of speech, in order of time.
    """
    sentences: list[list[_Word]] = []
    for word in _words(cues):
        last = sentences[-1] if sentences else []
        if last and not _ends(last, word, cues):
            last.append(word)
        else:
            sentences.append([word])
    return tuple(
        cues[words[0].cue].model_copy(
            update={
                "text": " ".join(word.text for word in words),
                "span": TimeSpan(start=words[0].start, end=words[-1].end),
                "trusted": all(cues[word.cue].trusted for word in words),
            }
        )
        for words in sentences
    )


def _words(cues: Sequence[Moment]) -> Iterator[_Word]:
    for number, (cue, told) in enumerate(zip(cues, named_once(cue.text for cue in cues), strict=True)):
        texts = told.split()
        named = ": " in told and told == " ".join(cue.text.split())
        times = np.linspace(cue.span.start, cue.span.end, len(texts) + 1).round(3).tolist()
        for place, text in enumerate(texts):
            yield _Word(text, times[place], times[place + 1], number, named and not place)


def _ends(sentence: Sequence[_Word], word: _Word, cues: Sequence[Moment]) -> bool:
    """Whether a sentence ends before a word. What goes on in small letters was an abbreviation."""
    last = sentence[-1]
    if word.named:
        return True
    if ends_sentence(last.text):
        return not word.text[:1].islower()
    if last.cue == word.cue:
        return False
    one, other = cues[last.cue], cues[word.cue]
    return len(sentence) >= _LONG or one.engine != other.engine or other.span.start - one.span.end > _PAUSE
