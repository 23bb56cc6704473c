"""The media files and transcripts of the folders that `serve --folder` allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from longtake.preprocess.media.media_files import files_in, is_media
from longtake.preprocess.media.sidecars import alone
from longtake.preprocess.media.subtitle_formats import is_transcript
from longtake.web.http.refusals import Refusal

MAX_FILES = 5_000  # media files listed; unlisted ones can be added too
_MAX_SEEN = 100_000  # files of any kind examined


class Folders:
    """The media files that may be added by path."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = [root.resolve() for root in roots]

    def files(self) -> tuple[list[Path], bool]:
        """The media files and the transcripts of none, at most `MAX_FILES`, and whether the list was cut.

        Hidden files and links are left out.
        """
        found: list[Path] = []
        for seen, file in enumerate(self._every()):
            if len(found) == MAX_FILES or seen == _MAX_SEEN:
                return sorted(alone(found)), True
            if _wanted(file) and not file.is_symlink():
                found.append(file)
        return sorted(alone(found)), False

    def folder_of(self, file: Path) -> str:
        """The folder of a listed file as people see it: from the root's own name on, with slashes."""
        root = next(root for root in self._roots if file.is_relative_to(root))
        return (Path(root.name) / file.parent.relative_to(root)).as_posix()

    def file(self, path: str) -> Path:
        """The media file at this path, if it is in a root without a link or hidden folder in between.

        Raises:
            Refusal: 403 if it isn't a media file in an allowed folder.
        """
        file = Path(path)
        try:
            if any(_leads_to(file, root) for root in self._roots):
                return file
        except (OSError, ValueError):  # the name is too long, or contains a null byte
            pass
        raise Refusal(403, "That isn't a media file in a folder allowed by `longtake serve --folder`.")

    def _every(self) -> Iterator[Path]:
        for root in self._roots:
            yield from files_in(root)


def _wanted(file: Path) -> bool:
    return is_media(file) or is_transcript(file)


def _leads_to(file: Path, root: Path) -> bool:
    """Whether a path leads from a root to a media file; other paths are never looked up on disk."""
    if not file.is_relative_to(root) or any(part.startswith(".") for part in file.relative_to(root).parts):
        return False  # `..` too
    return file.resolve() == file and file.is_file() and _wanted(file) and bool(alone([file]))
