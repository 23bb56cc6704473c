"""What an uncertain answer offers: whether its closest lines together hold the gold, and what else there was to offer.

The lines hold the gold when one of these is true:

- `longtake.evalharness.scoring.grading` finds it in an answer made of them: their texts, each followed by its time
  (`from 44.6 s to 48.1 s`), with a citation of every line. A duration has to be stated in a text: there, as in
  grading, the time of a line says nothing.
- Enough of its words stand among those of the lines' texts: of one or two all, of more at least half. These are the
  words of the whole gold, each once, that are neither stop words nor words of the question as it was asked; where none
  is left, all of its words. Words and numbers are compared as in grading, whole and by value. A time in the gold counts
  as one of its words and is never held here: `chapter 6` does not say six seconds.

The second rule is for golds of prose, of which a line says the half that matters. It makes no sure answer right.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from longtake.bench.clips.clip_questions import ClipQuestion
from longtake.bench.clips.failure_analysis import evidence_of
from longtake.evalharness.scoring.grading import Gold, holds
from longtake.evalharness.scoring.wording import plain, take_times, words
from longtake.language.words import STOPWORDS
from longtake.memory.records import Answer, Citation, Closest
from longtake.memory.search.search_index import Document
from longtake.preprocess.layers.documents import documents_of
from longtake.preprocess.pipeline.workspace import Workspace

_FEW = 2  # gold words, of which every one has to be held


def closest_hold(question: ClipQuestion, closest: Sequence[Closest]) -> bool:
    """Whether lines together hold the gold of a question."""
    if not closest:
        return False
    timed = question.kind != "duration"
    told = holds(Gold.read(question.answer), _told(question, closest, timed), question.tolerance_s, cited_times=timed)
    return told or _share_words(question, closest)


def documents_about(workspace: Workspace, clip: Path) -> list[Document]:
    """What the library's layers hold of a clip, as search is given it; nothing where it is not indexed."""
    video = workspace.library.find(str(clip))
    if video is None:
        return []
    layers = {name: layer for name in video.layers if (layer := workspace.library.layer(video, name))}
    return documents_of(video.id, layers)


def something_in_scope(question: ClipQuestion, documents: Sequence[Document]) -> bool:
    """Whether a document that may hold a gold of this modality lies where the gold is shown."""
    wanted = evidence_of(question.modality)
    return any(item.modality in wanted and item.span.overlaps(question.evidence) for item in documents)


def _told(question: ClipQuestion, closest: Sequence[Closest], timed: bool) -> Answer:
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
    wanted = telling if telling or times else every
    held = len(wanted & _words(plain("\n".join(line.text for line in closest))))
    total = len(wanted) + len(times)
    return total > 0 and (held == total if total <= _FEW else 2 * held >= total)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.text for word in words(text))
