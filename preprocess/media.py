"""What a media file is: its streams, its length and where its clock starts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class VideoStream:
    """The picture, as it is to be shown: size after rotation, pixels made square."""

    index: int
    codec: str
    width: int
    height: int
    fps: float
    rotation: int


@dataclass(frozen=True, slots=True)
class AudioStream:
    """One sound track."""

    index: int
    codec: str
    rate: int
    channels: int
    language: str | None


@dataclass(frozen=True, slots=True)
class SubtitleStream:
    """One embedded subtitle track of a text format."""

    index: int
    codec: str
    language: str | None


@dataclass(frozen=True, slots=True)
class MediaInfo:
    """Streams and times. `origin` is the container time, in seconds, of the first presented frame or sample."""

    container: str
    duration: float
    origin: float
    video: VideoStream | None
    audio: tuple[AudioStream, ...]
    subtitles: tuple[SubtitleStream, ...]


def probe(path: Path) -> MediaInfo:
    """Read a file's streams without decoding it.

    Raises:
        MediaError: when the file is missing, empty, a folder, or holds neither picture nor sound.
    """
    raise NotImplementedError
