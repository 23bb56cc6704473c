"""Finds media files in folders, by their names."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from longtake.remote import RemoteFile

_SUFFIXES = frozenset(
    (
        ".264 .265 .3g2 .3gp .aac .ac3 .aif .aiff .amr .asf .avi .caf .dv .f4v .flac .flv .h264 .h265 .hevc .m2ts "
        ".m2v .m4a .m4b .m4v .mka .mkv .mov .mp2 .mp3 .mp4 .mpeg .mpg .mts .mxf .oga .ogg .ogv .opus .qt .ts .vob "
        ".wav .webm .wma .wmv .wv"
    ).split()
)

_PICTURES = frozenset((".apng", ".gif", ".png", ".webp"))
_HEAD, _ANIMATED = 4_096, (b"NETSCAPE2.0", b"acTL", b"ANIM")  # bytes read, and what a GIF, PNG or WebP has among them


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


def readable(path: Path) -> str:
    """A path as text that can be written anywhere: bytes that aren't UTF-8 become question marks."""
    return str(path).encode(errors="replace").decode()


def name_problem(path: Path) -> str | None:
    """Why the library can't keep a path, and what to do; None if it can."""
    whole = path if isinstance(path, RemoteFile) else path.absolute()
    if readable(whole) == str(whole):
        return None
    part = next(Path(part) for part in whole.parts if readable(Path(part)) != part)
    return f"the name {readable(part)} isn't UTF-8. Rename it"


def is_media(file: Path) -> bool:
    """Whether a file has the name of a video or an audio file, or is a picture that moves."""
    moving = file.suffix.lower() in _PICTURES and moves(file)
    return (has_media_name(file) or moving) and file.is_file()


def moves(file: Path) -> bool:
    """Whether a GIF, PNG or WebP file is animated, by its first bytes."""
    try:
        with file.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError:
        return False
    return any(sign in head for sign in _ANIMATED)
