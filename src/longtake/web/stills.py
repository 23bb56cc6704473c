"""Stills: the picture of a video at a time, small enough for previews."""

from __future__ import annotations

from pathlib import Path

from longtake.agent.traces.pages.page_videos import kept_still, small_jpeg
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.frames import Picture, read_frames
from longtake.preprocess.media.media import MediaInfo, probe
from longtake.preprocess.media.sources import media_at, source
from longtake.web.http.concurrency import Slots
from longtake.web.http.refusals import Refusal

WIDEST = 640  # pixels
THUMBNAIL_AT, THUMBNAIL_WIDTH = 0.1, 320  # share of the video, and pixels
DECODING = Slots(2, "Other pictures are being decoded. Try again in a while.", retry_after=1)


def gone(video: VideoRecord) -> str:
    """What to say of a video whose file was moved, changed or deleted."""
    return f"The file of {video.name} is no longer where it was indexed: add it again."


def still(library: LibraryStore, video: VideoRecord, at: float, width: int) -> bytes:
    """The picture at a second, as JPEG: that second's keyframe, or the decoded frame while there are no keyframes.

    Raises:
        Refusal: 404 when the video has no picture, or its file is missing.
    """
    return kept_still(library, video, at, width) or small_jpeg(_decoded(library, video, at), width)


def thumbnail_of(path: Path) -> bytes:
    """A picture of a media file that isn't in the library, as JPEG.

    Raises:
        MediaError: when the file can't be read.
        Refusal: 404 when it has no picture.
    """
    with DECODING.slot():
        media = probe(path)
        picture = _frame(path, media, THUMBNAIL_AT * media.duration)
    if picture is None:
        raise Refusal(404, f"{path.name} has no picture.")
    return small_jpeg(picture, THUMBNAIL_WIDTH)


def _decoded(library: LibraryStore, video: VideoRecord, at: float) -> Picture:
    path = source(video)
    if path is None:
        raise Refusal(404, gone(video))
    with DECODING.slot():
        picture = _frame(path, media_at(path, library, video), at)
    if picture is None:
        raise Refusal(404, f"{video.name} has no picture at that time.")
    return picture


def _frame(path: Path, media: MediaInfo, at: float) -> Picture | None:
    if media.video:
        for frame in read_frames(path, media, TimeSpan(start=at, end=at), lambda: None):
            return frame.bgr(WIDEST)
    return None
