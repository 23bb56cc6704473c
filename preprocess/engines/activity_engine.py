"""Activities: what is done in a stretch of video, when and where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.text.scene_text_engine import Box
from longtake.preprocess.media.media import MediaInfo


@dataclass(frozen=True, slots=True)
class Activity:
    """Something that goes on during a span, in words; `box` is all of the picture that it touched, as shares of it."""

    span: TimeSpan
    text: str
    box: Box
    score: float


class ActivityEngine(Protocol):
    """Looks at the frames of a span."""

    @property
    def id(self) -> str:
        """Method and version."""
        ...

    def activities(
        self,
        path: Path,
        media: MediaInfo,
        span: TimeSpan,
        cuts: Sequence[float],
        check_cancelled: Callable[[], None],
    ) -> list[Activity]:
        """What goes on in a span, the most prominent first; `cuts` are the times in it at which a shot begins.

        Raises:
            MediaError: when the file has no picture or cannot be opened.
        """
        ...
