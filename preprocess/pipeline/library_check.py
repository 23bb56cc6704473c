"""What `longtake doctor` finds out about a library. Nothing is made or changed."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from longtake.errors import LibraryError
from longtake.memory.library import FORMAT, Library, VideoRecord
from longtake.memory.search.hybrid_search import HybridIndex
from longtake.preprocess.pipeline.index_sync import index_key


@dataclass(frozen=True, slots=True)
class LibraryCheck:
    """A library as it lies on disk: `size` and `free` are bytes, `problems` say what is wrong and what to do.

    `videos` is None where they cannot be read, `format` also where nothing was written yet.
    """

    path: str
    format: int | None
    videos: int | None
    size: int
    free: int
    problems: tuple[str, ...]


def check_library(root: Path) -> LibraryCheck:
    """Look at a library, or at the place where the first video will make one."""
    # `Path.exists` and `Path.is_dir` raise below a folder that may not be entered, those of `os.path` do not.
    place = next(folder for folder in (root, *root.absolute().parents) if os.path.exists(folder))
    written = videos = None
    problems = list(_access_problems(root, place))
    try:
        library = Library(root)
        held = library.videos()
        problems += [*_index_problems(library, held), *_reading_problems(library)]
        written, videos = FORMAT if (root / "library.json").exists() else None, len(held)
    except LibraryError as error:
        problems = problems or [str(error)]  # what may not be read is the reason
    return LibraryCheck(str(root), written, videos, _size(root), shutil.disk_usage(place).free, tuple(problems))


def _access_problems(root: Path, place: Path) -> Iterator[str]:
    """What may not be read or written; `place` is the part of the library's path that is there."""
    if not place.is_dir():
        yield f"{place} is a file and no folder: choose another library with --library."
    for folder in filter(os.path.isdir, dict.fromkeys((place, root / "videos", root / "index"))):
        if not os.access(folder, os.R_OK | os.X_OK):
            yield f"{folder} cannot be read: allow it, or choose another library with --library."
        elif not os.access(folder, os.W_OK):
            yield f"{folder} cannot be written to: allow it, or choose another library with --library."


def _reading_problems(library: Library) -> Iterator[str]:
    """What is wrong with the readings that closer looks left."""
    try:
        library.refined.check()
    except LibraryError as error:
        yield str(error)


def _size(root: Path) -> int:
    """Bytes of all files."""
    size = 0
    for folder, _, names in os.walk(root):
        for name in names:
            with suppress(OSError):  # another process may be indexing; and what may not be looked at is not counted
                size += os.lstat(os.path.join(folder, name)).st_size
    return size


def _index_problems(library: Library, videos: Sequence[VideoRecord]) -> Iterator[str]:
    """Where the search index does not hold what the layers hold."""
    index = HybridIndex(library.index_root)
    try:
        index.check()
    except LibraryError as error:
        yield str(error)
        return
    for video in videos:
        named = f"{video.name} ({video.id})"
        try:
            layers = {name: layer for name in video.layers if (layer := library.layer(video, name))}
        except LibraryError as error:
            yield str(error)
            continue
        if not index.holds(video.id):
            yield f"{named} is not in the search index: the next `longtake search` puts it there."
        elif video.indexed != index_key(layers):
            yield (
                f"The search index does not hold what the layers of {named} hold: unless it is being indexed right "
                f"now, `longtake index {shlex.quote(video.path)}` brings it up to them."
            )
