"""Finds the source file of a library video, and its media facts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from longtake.errors import LibraryError, MediaError
from longtake.memory.library import LibraryStore, VideoRecord, file_id
from longtake.memory.timespan import clock
from longtake.preprocess.media.contents import FilePart, contents
from longtake.preprocess.media.media import MediaInfo, survey
from longtake.preprocess.media.sidecars import NO_WORDS, Sidecar, find_sidecars, problem_of
from longtake.preprocess.media.subtitle_formats import is_transcript
from longtake.preprocess.media.subtitle_names import language_in
from longtake.remote import media_path

MEDIA_INFO = TypeAdapter(MediaInfo)
_SHORT = 2.0  # seconds by which picture and sound of most files differ
_NEW = "it isn't in the index yet: index the video again"


def source(video: VideoRecord) -> Path | None:
    """The file a video was read from, or None if it is missing or has changed."""
    path = media_path(video.path)
    try:
        status = path.stat()
    except (OSError, MediaError):
        return None
    return path if (status.st_size, status.st_mtime_ns) == (video.size, video.modified) else None


def media_of(library: LibraryStore, video: VideoRecord) -> MediaInfo | None:
    """The media facts of a video, from its first layer or else the file; None if neither can be read."""
    if kept := _kept(library, video):
        return kept
    path = source(video)
    return survey(path) if path else None


def media_at(path: Path, library: LibraryStore, video: VideoRecord) -> MediaInfo:
    """The media facts of a video whose file is at `path`: those it was indexed with, else by reading the file.

    Raises:
        MediaError: if the file can't be read.
    """
    return (_kept(library, video) if path.exists() else None) or survey(path)


def contents_of(library: LibraryStore, video: VideoRecord, media: MediaInfo | None) -> list[FilePart]:
    """What the file of a video holds and what of it was read, by its layers; nothing if it can't be read."""
    if media is None:
        return []
    sidecars: dict[str, str | None] = {}
    with suppress(LibraryError):
        if layer := library.layer(video, "subtitles"):
            sidecars = dict.fromkeys(sorted(layer.inputs), None if layer.count else NO_WORDS)
    return contents(media, sidecars, _outcomes(library, video, media))


def contents_now(library: LibraryStore, video: VideoRecord, media: MediaInfo | None) -> list[FilePart]:
    """The same by the file and the subtitles beside it as they are now; by the layers if it is gone."""
    path = source(video)
    if path is None or media is None:
        return contents_of(library, video, media)
    named = [Sidecar(file, language_in(file.name)) for file in library.named_subtitles(video.id)]
    indexed = set[str]()
    with suppress(LibraryError):
        layer = library.layer(video, "subtitles")
        indexed.update(layer.inputs.values() if layer else ())
    sidecars = {
        each.path.name: problem_of(each, media.duration) or (None if file_id(each.path) in indexed else _NEW)
        for each in [*named, *_beside(path)]
    }
    return contents(media, sidecars, _outcomes(library, video, media))


def contents_to_come(path: Path, media: MediaInfo) -> list[FilePart]:
    """What a file that isn't indexed holds, and what of it will be read.

    Raises:
        MediaError: if its folder can't be read.
    """
    return contents(media, {each.path.name: problem_of(each, media.duration) for each in _beside(path)}, ahead=True)


def _beside(path: Path) -> Sequence[Sidecar]:
    return [] if is_transcript(path) else find_sidecars(path)


def _outcomes(library: LibraryStore, video: VideoRecord, media: MediaInfo) -> dict[int, str]:
    """What was read of the streams that aren't wholly read or don't last as long as the file, by their index."""
    found: dict[int, str] = {}
    for stream, what, name in ((media.video, "picture", "changes"), (media.sound, "sound", "sounds")):
        with suppress(LibraryError):
            if stream and (layer := library.layer(video, name)) and layer.covered:
                first, last = layer.covered[0].start, layer.covered[-1].end
                lacks = [f"before {clock(first, decimals=1)}"] if first > _SHORT else []
                lacks += [f"after {clock(last, decimals=1)}"] if last < media.duration - _SHORT else []
                if lacks:
                    found[stream.index] = f"read; there is no {what} {' and '.join(lacks)}"
    with suppress(LibraryError):
        layer = library.layer(video, "subtitles")
        if layer is None:
            damaged_tracks = media.subtitles if video.complete else ()
            return found | dict.fromkeys((each.index for each in damaged_tracks), "not read: damaged")
        for track in media.subtitles:
            damaged = any(re.search(rf"\bstream {track.index}\b", told) for told in layer.left_out())
            held = any(item["source"] == f"stream {track.index}" for item in layer.items()) if damaged else layer.count
            if damaged or not held:
                found[track.index] = f"{'partly' if held else 'not'} read: {'damaged' if damaged else NO_WORDS}"
    return found


def _kept(library: LibraryStore, video: VideoRecord) -> MediaInfo | None:
    with suppress(LibraryError, ValidationError, StopIteration):
        if layer := library.layer(video, "probe"):
            return MEDIA_INFO.validate_python(next(layer.items()))
    return None
