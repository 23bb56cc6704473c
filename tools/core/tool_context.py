"""What a tool receives in addition to the controller's arguments."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from longtake.errors import Cancelled
from longtake.memory.layers import Layer
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.notes import Notes
from longtake.memory.timespan import ParsedSpan, SpanError, TimeSpan, parse_span
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.media.media import MediaInfo
from longtake.preprocess.media.sources import media_at
from longtake.remote import media_path
from longtake.settings import Settings
from longtake.tools.core.result import ToolError

if TYPE_CHECKING:
    from longtake.memory.search.index import Index
    from longtake.tools.core.frames import Frames


class TextModel(Protocol):
    """The part of the controller's model that tools may use."""

    def complete(self, prompt: str, *, seconds: float) -> str:
        """The model's reply to one prompt, within at most `seconds`."""
        ...


class Budget:
    """The time left for a question, and the flag that stops it. A share of it, such as a call's, ends with it."""

    def __init__(self, seconds: float, *, whole: Budget | None = None) -> None:
        self._deadline = time.monotonic() + seconds
        self._stopped = threading.Event()
        self._whole = whole

    def share(self, seconds: float) -> Budget:
        """A part of this budget. It ends when either of them ends."""
        return Budget(seconds, whole=self)

    def stop(self) -> None:
        """Stop the work from outside."""
        self._stopped.set()

    @property
    def stopped(self) -> bool:
        """Whether the work was stopped."""
        return self._stopped.is_set() or bool(self._whole and self._whole.stopped)

    @property
    def left(self) -> float:
        """Seconds left, never below 0."""
        own = max(0.0, self._deadline - time.monotonic())
        return min(own, self._whole.left) if self._whole else own

    def check(self) -> None:
        """Raise `Cancelled` if stopped or out of time; called for every frame or chunk."""
        if self._whole:
            self._whole.check()
        if self._stopped.is_set():
            raise Cancelled("The work was stopped.")
        if not self.left:
            raise Cancelled("This call ran out of time." if self._whole else "The time for this question ran out.")


@dataclass(frozen=True)
class VideoHandle:
    """One open video: its record, its layers and, if the file still exists, its media."""

    record: VideoRecord
    library: LibraryStore

    @property
    def id(self) -> str:
        """The video's id in the library."""
        return self.record.id

    @property
    def duration(self) -> float:
        """How long the video lasts, in seconds."""
        return self.record.duration

    def layer(self, name: str) -> Layer | None:
        """The layer of this name in use; None if it is missing."""
        return self.library.layer(self.record, name)

    def items(self, name: str, span: TimeSpan | None = None) -> list[dict[str, Any]]:
        """The items of a layer that overlap a span; none if the layer is missing."""
        layer = self.layer(name)
        items = list(layer.items()) if layer else []
        if span is None:
            return items
        near = [i for i in items if i["start"] <= span.end and i["end"] >= span.start]
        return [i for i in near if TimeSpan(start=i["start"], end=i["end"]).overlaps(span)]

    def media(self) -> tuple[Path, MediaInfo]:
        """The file and its streams, for work at question time.

        Raises:
            MediaError: if the file is no longer where it was indexed.
        """
        path = media_path(self.record.path)
        return path, media_at(path, self.library, self.record)


@dataclass(frozen=True)
class ToolContext:
    """The open videos, the engines, the index, the budget, the controller's text model and the notes."""

    videos: Mapping[str, VideoHandle]
    engines: EngineTable
    index: Index
    settings: Settings
    budget: Budget
    text_model: TextModel | None = None
    chosen: str | None = None  # the id of the video that a call names
    notes: Notes | None = None
    thread: str = ""  # the conversation to which the notes belong
    call: str = ""  # the id of the call in a run
    question: str = ""  # the user's own
    frames: Frames | None = None  # of a controller that sees pictures itself

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
        """The same context for a call about one of the videos."""
        return replace(self, chosen=video_id)

    def span(self, timestamp: Any, *, window: float) -> ParsedSpan:
        """Read a `timestamp` argument and clip it to the video."""
        try:
            return parse_span(timestamp, window=window, duration=self.video.duration)
        except SpanError as error:
            raise ToolError("bad_arguments", f"timestamp: {error}.") from error
