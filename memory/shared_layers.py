"""The layers of one video on object storage, for machines that share no folder.

Each layer is one archive, `<address>/<layer>/<key>.tar`, so it is there as a whole or not at all. Whoever needs a layer
unpacks a copy into the folder of the video's layers.
"""

from __future__ import annotations

import os
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock

from longtake.errors import LibraryUnavailable, MediaError, wrap_disk_errors
from longtake.remote import RemoteFile

_PACKING, _UNPACKING = ".packing", ".unpacking"


class SharedLayers:
    """Every method raises `LibraryUnavailable` if the storage can't be reached or refuses, or the disk is full."""

    def __init__(self, address: str) -> None:
        """Take the address of the video's layers."""
        self.address = address

    def holds(self, name: str, key: str) -> bool:
        """Whether a layer is there."""
        with _told():
            return self._archive(name, key).exists()

    def keys(self, name: str) -> set[str]:
        """The keys of the layers of a name that are there, whoever stored them."""
        with _told():
            return {archive.stem for archive in RemoteFile(f"{self.address}/{name}").files()}

    def put(self, folder: Path, run: Path) -> None:
        """Store a finished layer with the facts of its build."""
        archive = self._archive(folder.parent.name, folder.name)
        with _told(), wrap_disk_errors(folder), _place(folder.parents[1], _PACKING) as place:
            file = place / archive.name
            with tarfile.open(file, "w") as packed:
                for part in (*sorted(folder.iterdir()), *filter(Path.exists, (run,))):
                    packed.add(part, part.name, recursive=False)
            archive.write(file)

    def fetch(self, folder: Path, run: Path) -> None:
        """Unpack a layer into its folder; nothing happens if it isn't there.

        Raises:
            tarfile.TarError: if the archive is damaged.
        """
        archive = self._archive(folder.parent.name, folder.name)
        with _told(), wrap_disk_errors(folder):
            if not archive.exists():
                return
            folder.parent.mkdir(parents=True, exist_ok=True)
            with _place(folder.parents[1], _UNPACKING) as place:
                if folder.exists():  # another process was first
                    return
                with archive.open() as stream, tarfile.open(fileobj=stream, mode="r|") as packed:
                    _unpack(packed, place)
                with suppress(FileNotFoundError):
                    os.replace(place / run.name, run)
                with suppress(OSError):  # another process built it meanwhile
                    os.rename(place, folder)

    def remove(self, name: str, key: str) -> None:
        """Remove a layer."""
        with _told():
            self._archive(name, key).unlink()

    def remove_all(self) -> None:
        """Remove every layer."""
        with _told():
            for archive in RemoteFile(self.address).files():
                archive.unlink()

    def _archive(self, name: str, key: str) -> RemoteFile:
        return RemoteFile(f"{self.address}/{name}/{key}.tar")


@contextmanager
def _place(root: Path, name: str) -> Iterator[Path]:
    """A new folder beside the layers of a video, on the same disk, for an archive or its files.

    Only one process at a time has it: what is found there is of one that was killed.
    """
    place = root / name
    with FileLock(root / f"{name}.lock"):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        try:
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)


def _unpack(packed: tarfile.TarFile, place: Path) -> None:
    """Write the files of an archive to a folder; other members, and names with a folder in them, are left out."""
    for member in packed:
        content = packed.extractfile(member) if member.isfile() and member.name == Path(member.name).name else None
        if content:
            with (place / member.name).open("wb") as file:
                shutil.copyfileobj(content, file)


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except MediaError as error:
        raise LibraryUnavailable(str(error)) from error
