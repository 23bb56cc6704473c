"""Files on object storage (`s3://bucket/talk.mp4`, `gs://…`) through fsspec; videos are read by range, not copied."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import re
import stat
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path, PosixPath
from typing import Any, Self

from longtake.errors import LongtakeError, MediaError

_ADDRESS = re.compile(r"(?P<scheme>[a-z][a-z0-9]+)://(?P<rest>.*)", re.DOTALL)
_EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gcs", "gcs": "gcs"}
_WEB = {"http", "https"}  # links, which are fetched
_BLOCK = 1 << 20  # bytes of one request
_MOST_BLOCKS = 32  # kept of an open file: its index, and the neighbourhoods of its interleaved streams


def media_path(reference: str | os.PathLike[str]) -> Path:
    """The file that a path or an address stands for.

    Raises:
        MediaError: if it is an address that can't be used.
    """
    if isinstance(reference, RemoteFile):
        return reference
    text = os.fspath(reference)
    address = _ADDRESS.fullmatch(text)
    if address is None or address["scheme"] in _WEB:
        return Path(text).expanduser()
    if address["scheme"] == "file":
        return Path(address["rest"])
    bucket, _, key = address["rest"].partition("/")
    if "@" in bucket:
        raise MediaError("An address must not contain a password: leave out what stands before the @.")
    if not bucket or "//" in key or key.startswith("/"):
        raise MediaError(f"{text} isn't the address of a file: write one such as s3://bucket/folder/talk.mp4.")
    return RemoteFile(text)


class RemoteFile(PosixPath):
    """A path on object storage: what reads video files reads it as it reads local ones.

    Every method raises `MediaError` with one sentence if the storage can't be reached or refuses.
    """

    def __str__(self) -> str:
        scheme, *rest = self.parts
        return f"{scheme}//{'/'.join(rest)}"

    def __fspath__(self) -> str:
        return str(self)

    def as_posix(self) -> str:
        """The address."""
        return str(self)

    def expanduser(self) -> Self:
        """Itself."""
        return self

    def absolute(self) -> Self:
        """Itself: an address is whole."""
        return self

    def resolve(self, strict: bool = False) -> Self:
        """Itself: object storage has no links."""
        return self

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """Kind, size and modification time.

        Storage gives whole seconds; the rest of `st_mtime_ns` is a digest of the ETag, so that a rewrite within the
        same second is noticed too.

        Raises:
            FileNotFoundError: if there is no such object.
        """
        with self._storage() as storage:
            facts = storage.info(str(self))
        kind = stat.S_IFREG if facts["type"] == "file" else stat.S_IFDIR
        size, modified = facts.get("size") or 0, _modified(facts)
        return os.stat_result(
            (kind, 0, 0, 1, 0, 0, size, *[modified // 10**9] * 3, *[modified / 1e9] * 3, *[modified] * 3)
        )

    def exists(self, *, follow_symlinks: bool = True) -> bool:
        """Whether there is such an object or folder."""
        return self._mode() != 0

    def is_file(self) -> bool:
        """Whether there is such an object."""
        return stat.S_ISREG(self._mode())

    def is_dir(self) -> bool:
        """Whether objects lie below this address."""
        return stat.S_ISDIR(self._mode())

    def iterdir(self) -> Generator[Self, None, None]:
        """What lies in this folder."""
        with self._storage() as storage:
            inside = storage.ls(str(self), detail=False)
        yield from (self / name.rstrip("/").rpartition("/")[2] for name in inside)

    def files(self) -> list[Path]:
        """All files in this folder and the folders in it, in order, without hidden ones and those no path can name."""
        return self._listed("find")

    def matching(self) -> list[Path]:
        """The files that this address fits, read as a pattern with `*` and the like, in order."""
        return self._listed("glob")

    def _listed(self, method: str) -> list[Path]:
        """The files that a method of the storage lists, in order, without hidden ones and those no path can name."""
        with self._storage() as storage:
            found = getattr(storage, method)(str(self), detail=True)
            names = (name for name in sorted(found) if found[name]["type"] == "file" and "//" not in name)
            files = [media_path(storage.unstrip_protocol(name)) for name in names]
        shown = {part for part in self.parts if part.startswith(".")}
        return [file for file in files if not any(part.startswith(".") and part not in shown for part in file.parts)]

    def open(self, *_: Any, **__: Any) -> Any:
        """The bytes, as a stream that fetches the blocks it needs and keeps the last 32 MiB of them."""
        with self._storage() as storage:
            blocks = {"maxblocks": _MOST_BLOCKS}
            file = storage.open(str(self), "rb", block_size=_BLOCK, cache_type="blockcache", cache_options=blocks)
        return _Stream(self, file)

    def read_bytes(self) -> bytes:
        """All bytes, for small files."""
        with self._storage() as storage:
            content: bytes = storage.cat_file(str(self))
        return content

    def write(self, file: Path) -> None:
        """Store the content of a local file here, as a whole or not at all."""
        with self._storage("write") as storage:
            storage.put_file(str(file), str(self))

    def unlink(self, missing_ok: bool = True) -> None:
        """Delete the object; not every storage says whether there was one."""
        with suppress(FileNotFoundError), self._storage("delete") as storage:
            storage.rm_file(str(self))

    def _mode(self) -> int:
        with suppress(FileNotFoundError):
            return self.stat().st_mode
        return 0

    @contextmanager
    def _storage(self, doing: str = "read") -> Iterator[Any]:
        """The file system, whose errors become sentences. They may quote requests, so they aren't repeated."""
        scheme = self.parts[0].rstrip(":")
        try:
            import fsspec

            # A listing would hide that a file has changed since.
            yield fsspec.filesystem(scheme, use_listings_cache=False)
        except ImportError as error:
            extra = _EXTRAS.get(scheme)
            remedy = f"pip install 'longtake[{extra}]'" if extra else f"install fsspec's package for {scheme}://"
            raise MediaError(f"{self} takes another package: {remedy}.") from error
        except FileNotFoundError as error:
            if doing == "write":
                bucket = "/".join(str(self).split("/")[:3])
                raise MediaError(f"There is no {bucket}: create the bucket, or change the address.") from error
            raise FileNotFoundError(errno.ENOENT, "there is no such object or bucket", str(self)) from error
        except LongtakeError:
            raise
        except Exception as error:
            # Each kind of storage has errors of its own.
            raise MediaError(self._refused(doing, error)) from error

    def _refused(self, doing: str, error: BaseException) -> str:
        chain = list(_causes(error))
        if refused := next((each for each in chain if isinstance(each, LongtakeError)), None):
            return f"Couldn't {doing} {self}: {refused}"
        if any(isinstance(each, PermissionError) or "Credential" in type(each).__name__ for each in chain):
            return (
                f"No access to {self}: give this process credentials that may {doing} it, in the way the storage's own "
                "programs take them."
            )
        if "Protocol not known" in str(error):
            return f"{self} has an unknown kind of address: use s3://… or gs://…"
        return f"Couldn't {doing} {self} ({type(error).__name__}): check the address, the endpoint and the network."


class _Stream(io.RawIOBase):
    """An open file of object storage, for FFmpeg and for hashing."""

    def __init__(self, path: RemoteFile, file: Any) -> None:
        self.name = path.name
        self._path = path
        self._file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with self._path._storage():
            data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        position: int = self._file.seek(offset, whence)
        return position

    def tell(self) -> int:
        position: int = self._file.tell()
        return position


def _modified(facts: Mapping[str, Any]) -> int:
    time = next((facts[key] for key in ("LastModified", "mtime", "created") if facts.get(key)), 0)
    nanoseconds = int((time.timestamp() if isinstance(time, datetime) else float(time)) * 10**9)
    tag = facts.get("ETag") or facts.get("etag")
    if not tag:
        return nanoseconds
    digest = hashlib.blake2b(str(tag).encode(), digest_size=8).digest()
    return nanoseconds - nanoseconds % 10**9 + int.from_bytes(digest) % 10**9


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
