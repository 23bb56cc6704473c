"""Stills: the picture of a video at a time, small enough to be shown under the pointer."""

from __future__ import annotations

from longtake.agent.traces.pages.kept_stills import kept_still, small_jpeg
from longtake.memory.library import Library, VideoRecord
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.frames import Picture, read_frames
from longtake.preprocess.media.media import probe
from longtake.preprocess.media.sources import source
from longtake.web.http.concurrency import Slots
from longtake.web.http.refusals import Refusal

WIDEST = 640  # pixels
DECODING = Slots(2, "Other pictures are being decoded: ask again in a while.", again=1)


def still(library: Library, video: VideoRecord, at: float, width: int) -> bytes:
    """The picture at a second, as JPEG: the keyframe of that second, or the decoded frame while there are none.

    Raises:
        Refusal: 404 when the video has no picture, or its file is gone.
    """
    return kept_still(library, video, at, width) or small_jpeg(_decoded(video, at), width)


def _decoded(video: VideoRecord, at: float) -> Picture:
    path = source(video)
    if path is None:
        raise Refusal(404, f"The file of {video.name} is no longer where it was indexed: add it again.")
    with DECODING.slot():
        media = probe(path)
        if media.video:
            for frame in read_frames(path, media, TimeSpan(start=at, end=at), lambda: None):
                return frame.bgr(WIDEST)
    raise Refusal(404, f"{video.name} has no picture at that time.")
