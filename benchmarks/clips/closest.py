"""Whether the closest lines of an uncertain answer together hold the gold, and whether anything was in scope.

The lines hold the gold if one of these is true:

- `longtake.evalharness.scoring.grading` finds it in an answer made of them: their texts, each followed by its time
  (`from 44.6 s to 48.1 s`), with a citation of every line. A duration must be stated in a text; as in grading, the
  times of a line don't count.
- The lines' texts contain enough of its words: all, if there are one or two, else at least half. These are the
  distinct words of the whole gold that are neither stop words nor words of the question as it was asked; if none is
  left, all of its words. Words and numbers are compared as in grading, whole and by value. A time in the gold counts
  as one of its words and never matches here: `chapter 6` doesn't state six seconds.

The second rule is for golds in prose, where a line states the half that matters. It makes no confident answer right.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from longtake.benchmarks.clips.clip_questions import ClipQuestion
from longtake.benchmarks.clips.failure_analysis import evidence_of
from longtake.evalharness.scoring.grading import Gold, holds, plain, take_times, words
from longtake.language.words import STOPWORDS
from longtake.memory.records import Answer, Citation, Closest, Moment
from longtake.preprocess.layers.layer_moments import moments_of
from longtake.preprocess.pipeline.workspace import Workspace

_FEW = 2  # gold words that must all match


def closest_hold(question: ClipQuestion, closest: Sequence[Closest]) -> bool:
    """Whether lines together hold the gold of a question."""
    if not closest:
        return False
    timed = question.kind != "duration"
    answer = _answer_of(question, closest, timed)
    stated = holds(Gold.read(question.answer), answer, question.tolerance_s, cited_times=timed)
    return stated or _share_words(question, closest)


def moments_about(workspace: Workspace, clip: Path) -> list[Moment]:
    """A clip's layers as moments; none if it isn't indexed."""
    video = workspace.library.find(str(clip))
    if video is None:
        return []
    layers = {name: layer for name in video.layers if (layer := workspace.library.layer(video, name))}
    return moments_of(video.id, layers)


def something_in_scope(question: ClipQuestion, moments: Sequence[Moment]) -> bool:
    """Whether a moment that may hold a gold of this modality overlaps the gold's evidence."""
    modalities = evidence_of(question.modality)
    return any(item.modality in modalities and item.span.overlaps(question.evidence) for item in moments)


def _answer_of(question: ClipQuestion, closest: Sequence[Closest], timed: bool) -> Answer:
    """An answer made of the lines."""
    lines = [f"{line.text} from {line.start:.1f} s to {line.end:.1f} s" if timed else line.text for line in closest]
    citations = [
        Citation(video=line.video, start=line.start, end=line.end, modality=line.modality, quote=line.text)
        for line in closest
    ]
    return Answer(question=question.question, status="answered", answer="\n".join(lines), citations=tuple(citations))


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
