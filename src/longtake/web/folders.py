"""The media files of the folders that `serve --folder` allows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from longtake.web.http.refusals import Refusal

MAX_FILES = 5_000  # media files that are listed; every one may be added
_MAX_SEEN = 100_000  # files of any kind that are looked at
_SUFFIXES = frozenset(
    ".3gp .aac .avi .flac .flv .m2ts .m4a .m4v .mkv .mov .mp3 .mp4 .mpeg .mpg .mts .oga .ogg .ogv .opus .ts .wav .webm"
    " .wma .wmv".split()
)


class Folders:
    """What may be added by path."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = [root.resolve() for root in roots]

    def files(self) -> tuple[list[Path], bool]:
        """The media files, at most `MAX_FILES`, without hidden ones and links; and whether that cut the list."""
        found: list[Path] = []
        for seen, file in enumerate(self._every()):
            if len(found) == MAX_FILES or seen == _MAX_SEEN:
                return sorted(found), True
            if _is_media(file) and not file.is_symlink():
                found.append(file)
        return sorted(found), False

    def file(self, path: str) -> Path:
        """The media file of this path, where no link and nothing hidden is on the way from a root to it.

        Raises:
            Refusal: 403 when it is none, or in no allowed folder.
        """
        file = Path(path)
        try:
            if any(_leads_to(file, root) for root in self._roots):
                return file
        except (OSError, ValueError):  # a name too long for a disk, or with a null byte
            pass
        raise Refusal(403, "That is no media file in a folder allowed by `longtake serve --folder`.")

    def _every(self) -> Iterator[Path]:
        for root in self._roots:
            for folder, inner, names in os.walk(root):
                inner[:] = sorted(name for name in inner if not name.startswith("."))
                yield from (Path(folder, name) for name in sorted(names) if not name.startswith("."))


def _leads_to(file: Path, root: Path) -> bool:
    """Whether a path leads from a root to a media file; one that leads elsewhere is not looked up on the disk."""
    if not file.is_relative_to(root) or any(part.startswith(".") for part in file.relative_to(root).parts):
        return False  # `..` too
    return file.resolve() == file and _is_media(file)


def _is_media(file: Path) -> bool:
    return file.suffix.lower() in _SUFFIXES and file.is_file()
