"""Finds the source file of a library video, and its media facts."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from longtake.errors import LibraryError, MediaError
from longtake.memory.library import Library, VideoRecord
from longtake.preprocess.media.contents import Part, contents
from longtake.preprocess.media.media import MediaInfo, survey
from longtake.remote import media_path

_MEDIA = TypeAdapter(MediaInfo)


def source(video: VideoRecord) -> Path | None:
    """The file a video was read from, or None if it is missing or has changed."""
    path = media_path(video.path)
    try:
        status = path.stat()
    except (OSError, MediaError):
        return None
    return path if (status.st_size, status.st_mtime_ns) == (video.size, video.modified) else None


def media_of(library: Library, video: VideoRecord) -> MediaInfo | None:
    """The media facts of a video, from its first layer or else the file; None if neither can be read."""
    if kept := _kept(library, video):
        return kept
    path = source(video)
    return survey(path) if path else None


def media_at(path: Path, library: Library, video: VideoRecord) -> MediaInfo:
    """The media facts of a video whose file is at `path`: those it was indexed with, else by reading the file.

    Raises:
        MediaError: if the file can't be read.
    """
    return (_kept(library, video) if path.exists() else None) or survey(path)


def contents_of(library: Library, video: VideoRecord, media: MediaInfo | None) -> list[Part]:
    """What the file of a video holds and what of it is read; nothing if it can't be read."""
    with suppress(LibraryError):
        layer = library.layer(video, "subtitles")
        return contents(media, sorted(layer.inputs) if layer else ()) if media else []
    return contents(media) if media else []


def _kept(library: Library, video: VideoRecord) -> MediaInfo | None:
    with suppress(LibraryError, ValidationError, StopIteration):
        if layer := library.layer(video, "probe"):
            return _MEDIA.validate_python(next(layer.items()))
    return None
