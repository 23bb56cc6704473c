"""Checks a library for `longtake doctor`, without creating or changing anything."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from longtake.errors import ConfigError, LibraryError
from longtake.memory.library import FORMAT, LibraryStore, VideoRecord
from longtake.memory.search.index import Index
from longtake.preprocess.pipeline.index_sync import index_key
from longtake.settings import Settings

_LITTLE = 100_000_000  # bytes, about what an hour of video takes


@dataclass(frozen=True, slots=True)
class LibraryCheck:
    """The state of a library on disk: `size` and `free` are in bytes; `problems` say what is wrong and what to do.

    `videos` is None if they can't be read; `format` also if nothing was written yet.
    """

    path: str
    format: int | None
    videos: int | None
    size: int
    free: int
    problems: tuple[str, ...]


def check_library(root: Path, settings: Settings) -> LibraryCheck:
    """Check a library, or the place where the first video will create one."""
    # `Path.exists` and `Path.is_dir` raise below a folder without access; those of `os.path` don't.
    place = next(folder for folder in (root, *root.absolute().parents) if os.path.exists(folder))
    written = videos = None
    free = shutil.disk_usage(place).free
    unreadable = list(_unreadable(root, place))
    problems = [*_unwritable(root, place), *_room_problems(place, free)]
    try:
        library = LibraryStore(root, settings.library.database, settings.library.layers)
        records = library.videos()
        for found in (
            library.damaged_records(),
            _reading_problems(library),
            _video_problems(library, records, settings.search.chroma),
        ):
            problems.extend(found)  # an error further on leaves what was found
        written, videos = FORMAT if (root / "library.json").exists() else None, len(records)
    except LibraryError as error:
        problems += [] if unreadable else [str(error)]  # missing access explains this error
    return LibraryCheck(str(root), written, videos, size_of(root), free, (*unreadable, *problems))


def _unreadable(root: Path, place: Path) -> Iterator[str]:
    """Why the library can't be read; `place` is the part of its path that exists."""
    if not place.is_dir():
        yield f"{place} is a file, not a folder: choose another library with --library."
    for folder in _folders(root, place):
        if not os.access(folder, os.R_OK | os.X_OK):
            yield f"No read permission for {folder}: grant it, or choose another library with --library."


def _unwritable(root: Path, place: Path) -> Iterator[str]:
    """Why what can be read can't be written."""
    if os.statvfs(place).f_flag & os.ST_RDONLY:
        yield f"The disk of {place} is read-only: mount it writable, or choose another library with --library."
        return
    for folder in _folders(root, place):
        if os.access(folder, os.R_OK | os.X_OK) and not os.access(folder, os.W_OK):
            yield f"No write permission for {folder}: grant it, or choose another library with --library."


def _folders(root: Path, place: Path) -> Iterator[Path]:
    return filter(os.path.isdir, dict.fromkeys((place, root / "videos", root / "index")))


def _room_problems(place: Path, free: int) -> Iterator[str]:
    """A disk that is full, or nearly so, though Longtake can still read from it."""
    if free < _LITTLE:
        room = f"The disk of {place} has only {free / 1e6:.1f} MB free"
        yield f"{room}: free more, or choose another library with --library."


def _reading_problems(library: LibraryStore) -> Iterator[str]:
    """Problems with the readings of closer looks."""
    try:
        library.closer_readings.check()
    except (ConfigError, LibraryError) as error:  # the former if the database can't be used as it is named
        yield str(error)


def size_of(root: Path) -> int:
    """Total size of all files in bytes."""
    size = 0
    for folder, _, names in os.walk(root):
        for name in names:
            with suppress(OSError):  # another process may be indexing; inaccessible files don't count
                size += os.lstat(os.path.join(folder, name)).st_size
    return size


def _video_problems(library: LibraryStore, videos: Sequence[VideoRecord], chroma: str | None) -> Iterator[str]:
    """Where layers are damaged, and where the search index doesn't match them."""
    keys = {}  # of the videos whose layers are sound
    for video in videos:
        layers, problems = library.sound_layers(video)
        yield from problems.values()
        if not problems:
            keys[video.id] = index_key(layers)
    index = Index(library.index_root, chroma=chroma)
    try:
        index.check()
    except LibraryError as error:
        yield str(error)
        return
    for video in videos:
        named = f"{video.name} ({video.id})"
        if not index.holds(video.id):
            yield f"{named} is not in the search index: the next `longtake search` adds it."
        elif keys.get(video.id, video.indexed) != video.indexed:
            yield (
                f"The search index is out of date for {named}: unless it's being indexed right now, run "
                f"`longtake index {shlex.quote(video.path)}`."
            )
