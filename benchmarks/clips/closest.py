"""Whether the closest lines of an uncertain answer together hold the gold.

They do if one of these is true:

- `longtake.evalharness.scoring.grading` finds it in an answer made of them: their texts, each followed by its time
  (`from 44.6 s to 48.1 s`), with a citation of every line. A duration must be stated in a text.
- The lines' texts contain enough of its words: all, if there are one or two, else at least half. These are the
  distinct words of the whole gold that are neither stop words nor words of the question as it was asked; if none is
  left, all of its words. Words and numbers are compared as in grading, whole and by value. A time in the gold counts
  as one of its words and never matches here: `chapter 6` doesn't state six seconds.

The second rule is for golds in prose, where a line states the half that matters. It makes no confident answer right.
"""

from __future__ import annotations

from collections.abc import Sequence

from longtake.benchmarks.clips.clip_questions import ClipQuestion
from longtake.evalharness.scoring.grading import Gold, holds, plain, take_times, words
from longtake.language.words import STOPWORDS
from longtake.memory.records import Answer, Citation, Closest

_FEW = 2  # gold words that must all match


def closest_hold(question: ClipQuestion, closest: Sequence[Closest]) -> bool:
    """Whether lines together hold the gold of a question."""
    timed = question.cited_times
    lines = [f"{line.text} from {line.start:.1f} s to {line.end:.1f} s" if timed else line.text for line in closest]
    citations = tuple(
        Citation(video=line.video, start=line.start, end=line.end, modality=line.modality, quote=line.text)
        for line in closest
    )
    answer = Answer(question=question.question, status="answered", answer="\n".join(lines), citations=citations)
    stated = holds(Gold.read(question.answer), answer, question.tolerance_s, cited_times=timed)
    return bool(closest) and (stated or _share_words(question, closest))


def _share_words(question: ClipQuestion, closest: Sequence[Closest]) -> bool:
    times, rest = take_times(plain(question.answer), short_clock=False)
    every = _words(rest)
    telling = every - STOPWORDS - _words(plain(question.question))
    required = telling if telling or times else every
    found = len(required & _words(plain("\n".join(line.text for line in closest))))
    total = len(required) + len(times)
    return total > 0 and (found == total if total <= _FEW else 2 * found >= total)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.text for word in words(text))
