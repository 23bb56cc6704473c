"""What subjects that only read have in common: they get the words of a view, and choose the option that fits best.

The words of a view are its transcript or captions, and the text that the index recognised in the frames shown. What
they can't tell apart they guess, so that the chance floor of an audit holds for them too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from longtake.evalharness.items import Reply
from longtake.evalharness.scoring.choices import LABELS
from longtake.evalharness.subjects.naive_baselines import abstained, chosen
from longtake.evalharness.subjects.subject import Asked
from longtake.evalharness.views.frame_views import Standard
from longtake.evalharness.views.view import Shown, media_of
from longtake.evalharness.views.view_table import view_named
from longtake.memory.records import Usage
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.core.tool_context import VideoHandle

_LONG_SIDE = 512  # pixels of frames; their text comes from the index, which read them at its own size


class TextSubject(ABC):
    """Chooses by a score of each option. Without a view it reads the frames of the standard one."""

    at_once = 1
    indexes, at_most = True, False

    def __init__(self, name: str, workspace: Workspace) -> None:
        self.name = name
        self._workspace = workspace
        self._read = lru_cache(maxsize=1)(self._read_frames)  # items of one video are asked one after the other

    @abstractmethod
    def scores(self, question: str, options: Sequence[str], lines: Sequence[str]) -> list[float]:
        """How well each option fits the question and what is shown; higher is better.

        Args:
            question: without its options.
            options: in the order shown.
            lines: what is shown, line by line; empty if nothing is.

        Raises:
            EngineError: if a model can't be used.
        """

    def reply(self, asked: Asked) -> Reply:
        """The best option; one of the best at random if several are."""
        if not asked.options:
            return abstained()
        shown = view_named(asked.variant.view or Standard.name).show(
            asked.item, self._workspace, _LONG_SIDE, asked.seed
        )
        scores = self.scores(asked.turn.question, asked.options, self._lines(asked, shown))
        best = [place for place, score in enumerate(scores) if score == max(scores)]
        drawn = Random(f"{self.name}/{asked.item.id}/{asked.number}/{asked.variant.name}/{asked.seed}")
        reply = chosen(asked, drawn.choice(best))
        told = ", ".join(f"{LABELS[place]} {score:.3f}" for place, score in enumerate(scores))
        return reply.model_copy(update={"text": f"{reply.text}\n({told})"})

    def expected(self, asked: Asked) -> Usage:
        """No model at an endpoint is asked."""
        return Usage()

    def _lines(self, asked: Asked, shown: Shown) -> list[str]:
        """The words shown, and the texts in the frames in the order of the frames, each text once."""
        said = [*shown.captions, *((line.text for line in shown.words.lines) if shown.words else ())]
        if not shown.frames:
            return said
        texts = self._read(media_of(asked.item))
        seen = (text["text"] for frame in shown.frames for text in texts if text["start"] <= frame.time <= text["end"])
        return [*said, *dict.fromkeys(seen)]

    def _read_frames(self, media: Path) -> list[dict[str, Any]]:
        """The texts recognised in a video, which is indexed if necessary."""
        return VideoHandle(self._workspace.add(media).video, self._workspace.library).items("scene_text")
