"""What a tool is handed besides the controller's arguments."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from longtake.config import Settings
from longtake.errors import Cancelled
from longtake.memory.layers import Layer
from longtake.memory.library import Library, VideoRecord
from longtake.memory.notes import Notes
from longtake.memory.search.search_index import Index
from longtake.memory.timespan import ParsedSpan, SpanError, TimeSpan, parse_span
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.media.media import MediaInfo, probe
from longtake.tools.core.result import ToolError


class TextModel(Protocol):
    """The controller's model, as far as a tool may use it."""

    def complete(self, prompt: str, *, seconds: float) -> str:
        """The model's reply to one prompt, awaited for at most `seconds`."""
        ...


class Budget:
    """Seconds left for a question, and the flag that ends its work; a call's own share ends with it."""

    def __init__(self, seconds: float, *, whole: Budget | None = None) -> None:
        self._deadline = time.monotonic() + seconds
        self._stopped = threading.Event()
        self._whole = whole

    def share(self, seconds: float) -> Budget:
        """A part of this budget: it is over when either is."""
        return Budget(seconds, whole=self)

    def stop(self) -> None:
        """End the work from outside."""
        self._stopped.set()

    @property
    def stopped(self) -> bool:
        """Whether somebody asked for the end."""
        return self._stopped.is_set() or bool(self._whole and self._whole.stopped)

    @property
    def left(self) -> float:
        """Seconds, never below 0."""
        own = max(0.0, self._deadline - time.monotonic())
        return min(own, self._whole.left) if self._whole else own

    def check(self) -> None:
        """Raise `Cancelled` when stopped or out of time; read at every frame or chunk."""
        if self._whole:
            self._whole.check()
        if self._stopped.is_set():
            raise Cancelled("The work was stopped.")
        if not self.left:
            raise Cancelled("The time for this call ran out." if self._whole else "The time for this question ran out.")


@dataclass(frozen=True)
class VideoHandle:
    """One open video: its record, its layers and, where the file is still there, its media."""

    record: VideoRecord
    library: Library

    @property
    def id(self) -> str:
        """Library id."""
        return self.record.id

    @property
    def duration(self) -> float:
        """Seconds."""
        return self.record.duration

    def layer(self, name: str) -> Layer | None:
        """The layer in use."""
        return self.library.layer(self.record, name)

    def items(self, name: str, span: TimeSpan | None = None) -> list[dict[str, Any]]:
        """The items of a layer that overlap a span; none when the layer is not there."""
        layer = self.layer(name)
        items = list(layer.items()) if layer else []
        return [i for i in items if span is None or TimeSpan(start=i["start"], end=i["end"]).overlaps(span)]

    def media(self) -> tuple[Path, MediaInfo]:
        """The file and its streams, for work at question time.

        Raises:
            MediaError: when the file is no longer where it was indexed.
        """
        path = Path(self.record.path)
        return path, probe(path)


@dataclass(frozen=True)
class ToolContext:
    """The videos in question, the engines, the index, the budget, the controller's text model and the notes."""

    videos: Mapping[str, VideoHandle]
    engines: EngineTable
    index: Index
    settings: Settings
    budget: Budget
    text_model: TextModel | None = None
    chosen: str | None = field(default=None)
    notes: Notes | None = None
    thread: str = ""  # the conversation whose notes they are
    call: str = ""  # the call's id in a run

    @property
    def video(self) -> VideoHandle:
        """The video this call is about."""
        if not self.videos:
            raise ToolError("bad_arguments", "No video is open: name one.", "A video of the library, by id or name.")
        if self.chosen is None and len(self.videos) != 1:
            raise ToolError(
                "bad_arguments", "Several videos are open: name one.", f"video: one of {', '.join(self.videos)}"
            )
        return self.videos[self.chosen or next(iter(self.videos))]

    def about(self, video_id: str) -> ToolContext:
        """The same context for a call about one of several videos."""
        return replace(self, chosen=video_id)

    def span(self, timestamp: Any, *, window: float) -> ParsedSpan:
        """Read a `timestamp` argument and fit it into the video."""
        try:
            return parse_span(timestamp, window=window, duration=self.video.duration)
        except SpanError as error:
            raise ToolError("bad_arguments", f"timestamp: {error}.") from error
