"""Finds the names of speakers in the text of cues: `Name: …`, `[Name] …` or `Name – …` on a line, or alone."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from longtake.preprocess.media.cues import Cue

# Up to six words, each with a capital, a digit or in a script without capitals, except for particles.
_PARTICLE = r"(?:and|al|bin|da|de|del|den|der|di|do|du|el|la|le|of|on|the|van|von|und|y)"
_WORD = r"[^\W_a-z][\w.'’-]*"
NAME = rf"[^\W\d_a-z][\w.'’-]*(?:,? (?:{_WORD}|{_PARTICLE})){{0,5}}"
_TURN = r"(?:(?:[-–—]|>{2,3})\s*)?"  # how captions mark a new speaker
_BEFORE_WORDS = re.compile(rf"{_TURN}\[?({NAME})\]?(?: ?[\[(][^\])]*[\])])?(?:\s?：\s*|\s?:\s+|:$)")
_IN_BRACKETS = re.compile(rf"{_TURN}[\[(（【]({NAME})[\])）】]\s*(?=\S)")  # sounds stand there, too: "[Music]"
_BEFORE_DASH = re.compile(rf"{_TURN}({NAME})\s+[-–—]\s+(?=\S)")
_ALONE = re.compile(rf"{_TURN}({NAME}):?")
_OFTEN, _DIFFERENT = 2, 2  # lines that begin with a name from which it is a speaker's, and speakers
_SHARE = 0.15  # of the cues that begin so
_MOST = 0.5  # of the cues: a transcript, in which a name that comes once is a speaker's too


def with_speakers(cues: Sequence[Cue]) -> list[Cue]:
    """Cues with the speakers whose names their texts give, without those names; one cue for each who speaks in it.

    Who speaks takes turns: what stands before colons are names only if one of several comes back after another, as
    titles and chapters don't. They stand before most cues, as in a transcript, or each of them more than once and
    before enough of the cues; those in brackets or before dashes before most.
    """
    unnamed = [cue for cue in cues if cue.speaker is None]
    for form, share in ((_BEFORE_WORDS, _SHARE), (_IN_BRACKETS, _MOST), (_BEFORE_DASH, _MOST)):
        if names := _before_words(unnamed, form, share):
            return [piece for cue in cues for piece in (_split(cue, names, form) if cue.speaker is None else [cue])]
    if names := _alone(unnamed):
        return [_under_name(cue, names) if cue.speaker is None else cue for cue in cues]
    return list(cues)


def _before_words(cues: Sequence[Cue], form: re.Pattern[str], share: float) -> set[str]:
    """The names before colons or dashes, or in brackets."""
    begun = [[found[1] for line in cue.text.split("\n") if (found := form.match(line))] for cue in cues]
    turns = [name for names in begun for name in names]
    times = Counter(turns)
    if not take_turns(turns):
        return set()
    if sum(map(bool, begun)) >= _MOST * len(cues):
        return set(times)
    often = {name for name, count in times.items() if count >= _OFTEN}
    named = sum(not often.isdisjoint(names) for names in begun)
    return often if len(often) >= _DIFFERENT and named >= share * len(cues) else set()


def take_turns(names: Sequence[str]) -> bool:
    """Whether a name comes back after another."""
    turns = [name for name, _ in groupby(names)]
    return len(set(turns)) < len(turns)


def _alone(cues: Sequence[Cue]) -> set[str]:
    """The names on the first lines of most cues, of which one comes back after another."""
    heads = (cue.text.split("\n", 1)[0] for cue in cues if "\n" in cue.text)
    turns = [found[1] for head in heads if (found := _ALONE.fullmatch(head))]
    return set(turns) if len(turns) > _MOST * len(cues) and take_turns(turns) else set()


def _split(cue: Cue, names: set[str], form: re.Pattern[str]) -> Iterator[Cue]:
    """The parts of a cue that begin with a name; what stands before the first has no speaker."""
    speaker: str | None = None
    said: list[str] = []
    for line in cue.text.split("\n"):
        found = form.match(line)
        if found and found[1] in names:  # someone else speaks
            if said:
                yield replace(cue, speaker=speaker, text="\n".join(said))
            speaker, said = found[1], []
            line = line[found.end() :]
        if line:
            said.append(line)
    if said:
        yield replace(cue, speaker=speaker, text="\n".join(said))


def _under_name(cue: Cue, names: set[str]) -> Cue:
    head, _, rest = cue.text.partition("\n")
    found = _ALONE.fullmatch(head)
    return replace(cue, speaker=found[1], text=rest) if rest and found and found[1] in names else cue
