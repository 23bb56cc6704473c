"""Frames that a model is shown. Messages and traces hold references to them; only requests hold the pictures."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from threading import Lock

from longtake.errors import MediaError
from longtake.memory.records import Moment
from longtake.preprocess.engines.endpoints.chosen_frames import read_chosen
from longtake.preprocess.engines.text.text_engines import Box
from longtake.tools.core.tool_context import VideoHandle

SCHEME = "frame:"
_KEPT = 200  # frames in memory; others are read again
_MOST_BYTES = 400_000  # of one frame as a JPEG file


class Frames:
    """The frames of one run, by reference: `frame:VIDEO/SECONDS`, or with `/LEFT,TOP,WIDTH,HEIGHT` a part of it."""

    def __init__(self, videos: Mapping[str, VideoHandle]) -> None:
        """Take the open videos by id."""
        self._videos = videos
        self._kept: dict[str, bytes] = {}
        self._lock = Lock()

    def keep(self, video: str, time: float, jpeg: bytes, crop: Box | None = None) -> str:
        """The reference of a frame that was read."""
        reference = reference_of(video, time, crop)
        with self._lock:
            self._kept[reference] = jpeg
            while len(self._kept) > _KEPT:
                self._kept.pop(next(iter(self._kept)))
        return reference

    def url(self, reference: str) -> str:
        """A frame as a data URL.

        Raises:
            MediaError: if the file is gone, or can't be read there.
        """
        with self._lock:
            jpeg = self._kept.pop(reference, None)
            if jpeg is not None:
                self._kept[reference] = jpeg  # the last used is the last to go
        if jpeg is None:
            jpeg = self._read(reference)
        return f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode()}"

    def _read(self, reference: str) -> bytes:
        video, time, *part = reference.removeprefix(SCHEME).split("/")
        crop = _box(part[0]) if part else None
        path, media = self._videos[video].media()
        found = read_chosen(path, media, [float(time)], _MOST_BYTES, lambda: None, crop)
        if not found:
            raise MediaError(f"No frame can be read at {time} s of {path.name}.")
        self.keep(video, float(time), found[0].jpeg, crop)
        return found[0].jpeg


def is_frame(item: Moment) -> bool:
    """Whether a moment is itself a picture that a model is shown."""
    return (item.frame or "").startswith(SCHEME)


def reference_of(video: str, time: float, crop: Box | None = None) -> str:
    """The reference of a frame, or of a part of it."""
    part = f"/{','.join(f'{side:g}' for side in crop)}" if crop else ""
    return f"{SCHEME}{video}/{time:.3f}{part}"


def _box(text: str) -> Box:
    left, top, width, height = map(float, text.split(","))
    return (left, top, width, height)
