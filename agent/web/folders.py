"""The media files of the folders that `serve --folder` allows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from longtake.agent.web.refusals import Refusal

MOST_FILES = 5_000  # media files that are listed
_MOST_SEEN = 100_000  # files of any kind that are looked at
_SUFFIXES = frozenset(
    ".3gp .aac .avi .flac .flv .m2ts .m4a .m4v .mkv .mov .mp3 .mp4 .mpeg .mpg .mts .oga .ogg .ogv .opus .ts .wav .webm"
    " .wma .wmv".split()
)


class Folders:
    """What may be added by path. A request chooses among these files: what it writes never reaches the disk."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = [root.resolve() for root in roots]

    def files(self) -> list[Path]:
        """The media files, at most `MOST_FILES`, without hidden ones and without links."""
        return sorted(islice(self._media(), MOST_FILES))

    def file(self, path: str) -> Path:
        """The listed file of this path.

        Raises:
            Refusal: 403 when it is not listed.
        """
        for file in self.files():
            if str(file) == path:
                return file
        raise Refusal(403, "That is no media file in a folder allowed by `longtake serve --folder`.")

    def _media(self) -> Iterator[Path]:
        for file in islice(self._every(), _MOST_SEEN):
            if file.suffix.lower() in _SUFFIXES and file.is_file() and not file.is_symlink():
                yield file

    def _every(self) -> Iterator[Path]:
        for root in self._roots:
            for folder, inner, names in os.walk(root):
                inner[:] = sorted(name for name in inner if not name.startswith("."))
                yield from (Path(folder, name) for name in sorted(names) if not name.startswith("."))
