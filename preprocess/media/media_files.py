"""Finds media files in folders, by their names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from longtake.remote import RemoteFile

_SUFFIXES = frozenset(
    ".3gp .aac .avi .flac .flv .m2ts .m4a .m4v .mkv .mov .mp3 .mp4 .mpeg .mpg .mts .oga .ogg .ogv .opus .ts .wav .webm"
    " .wma .wmv".split()
)


def files_in(root: Path) -> Iterator[Path]:
    """All files of a folder and the folders in it, in order, without hidden ones."""
    if isinstance(root, RemoteFile):
        yield from root.files()
        return
    for folder, inner, names in os.walk(root):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        yield from (Path(folder, name) for name in sorted(names) if not name.startswith("."))


def has_media_name(file: Path) -> bool:
    """Whether a path has the name of a video or an audio file."""
    return file.suffix.lower() in _SUFFIXES


def is_media(file: Path) -> bool:
    """Whether a path is a file with the name of a video or an audio file."""
    return has_media_name(file) and file.is_file()
