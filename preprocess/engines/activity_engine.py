"""The protocol of activity engines: what happens in a span of video, when and where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.text.text_engines import Box
from longtake.preprocess.media.media import MediaInfo


@dataclass(frozen=True, slots=True)
class Activity:
    """Something that happens in a span, in words; `box` is the area it touched, in fractions of the picture."""

    span: TimeSpan
    text: str
    box: Box
    score: float


class ActivityEngine(Protocol):
    """Finds activities in the frames of a span."""

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
        """Activities in a span, most prominent first; `cuts` are the times in it at which a shot begins.

        Raises:
            MediaError: if the file has no picture or can't be opened.
        """
        ...
