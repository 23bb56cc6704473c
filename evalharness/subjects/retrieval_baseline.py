"""Baselines that search without planning: the question's words in the speech or in the whole index.

They use the same index as the agent, and so the same subtitles or recognised speech. For a question with options, they
choose the option whose words match best what was found for the question and that option.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from longtake.evalharness.items import Reply
from longtake.evalharness.scoring.choices import LABELS
from longtake.evalharness.subjects.naive_baselines import abstained, chosen
from longtake.evalharness.subjects.subject import Asked, no_media, refuse_clip
from longtake.language.words import content_stems, coverage
from longtake.memory.records import Modality, Usage
from longtake.memory.search.search_index import Hit, SearchFilter
from longtake.preprocess.pipeline.retrieval import retrieve
from longtake.preprocess.pipeline.workspace import Workspace

RESULTS = 5
QUOTED = 2  # results that form the answer to an open question


class Finder:
    """Replies with the best hits for the unchanged question."""

    at_once = 1
    indexes, at_most = True, False

    def __init__(self, name: str, workspace: Workspace, modalities: Sequence[Modality] = ()) -> None:
        """Search these modalities, or all."""
        self.name = name
        self._workspace = workspace
        self._modalities = tuple(modalities)

    def reply(self, asked: Asked) -> Reply:
        """The best hits, or the option that they contain."""
        if asked.item.media is None:
            return no_media()
        refuse_clip(asked.item)
        video = self._workspace.add(Path(asked.item.media)).video.id
        if asked.options:
            return self._choose(asked, video)
        hits = self._find(asked.turn.question, video)[:QUOTED]
        if not hits:
            return abstained("NOT FOUND: nothing was found.")
        return Reply(text=" ".join(hit.document.text for hit in hits), cited=tuple(hit.document.span for hit in hits))

    def expected(self, asked: Asked) -> Usage:
        """Almost nothing: searching asks no model."""
        return Usage()

    def _choose(self, asked: Asked, video: str) -> Reply:
        held = [self._held(asked.turn.question, option, video) for option in asked.options]
        best = max(range(len(held)), key=lambda place: (held[place], -place))
        if not held[best] or held.count(held[best]) > 1:
            return abstained(f"NOT FOUND: the options can't be told apart ({', '.join(LABELS[: len(held)])}).")
        return chosen(asked, best)

    def _held(self, question: str, option: str, video: str) -> float:
        """How much of an option, and then of the question, is in the best hit for it."""
        wanted, asked = content_stems(option) or [option.casefold()], content_stems(question)
        texts = (hit.document.text for hit in self._find(f"{question} {option}", video))
        return max((coverage(wanted, text) * (1 + coverage(asked, text)) for text in texts), default=0.0)

    def _find(self, query: str, video: str) -> list[Hit]:
        where = SearchFilter((video,), self._modalities)
        hits = retrieve(query, where, RESULTS, self._workspace.engines, self._workspace.index)
        return [hit for hit in hits if hit.document.text and not hit.weak]
