"""Resumable uploads in chunks; a complete upload becomes a media file of the library.

On disk, next to the finished files `<hash>.<extension>` and their subtitles: `unfinished/<id>` holds the bytes so far,
`<id>.json` the name, the size and, for a day, the resulting video. No part of a request is ever used in a path.
"""

from __future__ import annotations

import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from filelock import FileLock, Timeout
from pydantic import Field, ValidationError

from longtake.agent.traces.pages.media_types import media_type
from longtake.console import sized
from longtake.errors import DISK_FULL, MediaError
from longtake.memory.layers import write_atomic
from longtake.memory.library import file_id
from longtake.memory.records import Record
from longtake.preprocess.media.media import TRANSCRIPT, MediaInfo, probe
from longtake.preprocess.media.subtitle_formats import is_transcript
from longtake.web.http.refusals import Refusal

CHUNK = 8 * 1024 * 1024  # bytes
LARGEST = 20 * 1000**3  # bytes of one file
MAX_UPLOADS = 8  # unfinished
MAX_NAME_LENGTH = 200  # characters
NAME = r"^[^/\\\x00-\x1f\x7f]+$"  # pattern of a file's name
_RESERVE = 500 * 1000**2  # bytes kept free on the disk
_IDLE = 24 * 3600.0  # seconds without activity after which an upload is deleted
_ID = re.compile(r"[0-9a-f]{32}")


class Upload(Record):
    """A file to upload: its original name, and its size in bytes."""

    name: str = Field(min_length=1, max_length=MAX_NAME_LENGTH, pattern=NAME)
    size: int = Field(gt=0, lt=1 << 63)  # as file systems count


class KeptUpload(Upload):
    """The stored record of an upload; once it is finished, with the id of the video."""

    video: str | None = None


class Arrived(NamedTuple):
    """A completely uploaded file: its name, the id of its video, its current path and its final path.

    The final path is None for the subtitles of a video that is there.
    """

    name: str
    video: str
    upload: Path
    target: Path | None


class Uploads:
    """The uploads of one library; for several threads and servers at once."""

    def __init__(self, root: Path, lock: Callable[[str], FileLock]) -> None:
        """Use a folder; the first upload creates it.

        Args:
            root: the folder.
            lock: the lock of this name that all servers of the library share.
        """
        self._root = root.resolve()
        self._unfinished = self._root / "unfinished"
        self._named_lock = lock
        self._lock = lock("uploads")  # guards the folder
        self._sweep()

    @property
    def unfinished(self) -> Path:
        """Folder of the uploads that aren't complete."""
        return self._unfinished

    def file(self, video_id: str) -> Path | None:
        """The uploaded file with this hash, if there is one."""
        named = sorted(self._root.glob(f"{video_id}.*"), key=lambda file: (is_transcript(file), len(file.name)))
        return named[0] if named else None  # subtitles only if they are the file itself

    def place(self, video_id: str, media: MediaInfo, name: str) -> Path:
        """Where a file with this hash and this name is kept."""
        own = Path(name).suffix.lower() if media.container == TRANSCRIPT else f".{media_type(media).extension}"
        return self._root / f"{video_id}{own}"

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """A folder on the same disk, deleted at the end of the block."""
        self._root.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".fetched-", dir=self._root) as folder:
            yield Path(folder)

    def begin(self, upload: Upload) -> str:
        """Start an upload and return its id.

        Raises:
            Refusal: 413 if the file is too large, 429 if too many uploads are unfinished, 507 if the disk is too full,
                500 if it can't be written.
        """
        if upload.size > LARGEST:
            raise Refusal(
                413,
                f"{upload.name} has {sized(upload.size)}, and an upload has at most {LARGEST / 1e9:g} GB. Add it from "
                "a folder instead (`serve --folder`).",
            )
        try:
            with self._lock:
                return self._begin(upload)
        except OSError as error:
            raise self._unwritten(error, upload) from error

    def get(self, upload_id: str) -> tuple[KeptUpload, int]:
        """An upload and the number of bytes received.

        Raises:
            Refusal: 404 if there is no such upload.
        """
        with suppress(FileNotFoundError, ValidationError):  # treated like an invalid id
            if _ID.fullmatch(upload_id):
                received = self._received(upload_id)  # first: the record names the video before the bytes are deleted
                upload = KeptUpload.model_validate_json(self._facts(upload_id).read_bytes())
                if received is not None:
                    return upload.model_copy(update={"video": None}), received
                if upload.video:
                    return upload, upload.size
        raise Refusal(
            404, "There is no such upload. It was cancelled, or deleted after a day without activity. Start it again."
        )

    def append(self, upload_id: str, offset: int, data: bytes) -> int:
        """Append bytes and return the number received so far.

        Raises:
            Refusal: 409 with the right `offset` if it differs, 409 if another request is writing, 413 with the `offset`
                beyond the size, 507 or 500 with it if the disk is full or can't be written.
        """
        with self._alone(upload_id):
            upload, received = self.get(upload_id)
            if offset != received:
                raise Refusal(
                    409, f"Received {received:,} bytes of {upload.name}. Continue from there.", offset=received
                )
            if received + len(data) > upload.size:
                raise Refusal(
                    413,
                    f"The chunk goes beyond the announced {upload.size:,} bytes of {upload.name} and was left out. "
                    f"Continue after {received:,} bytes, or cancel the upload if the file is larger.",
                    offset=received,
                )
            if upload.video:
                return received
            with self._bytes(upload_id).open("ab") as stream:
                stream.write(data)
            return received + len(data)

    @contextmanager
    def finishing(self, upload_id: str, taker: Callable[[str, Path], str | None]) -> Iterator[Arrived]:
        """Lock a complete upload while the library takes it; bytes left behind are deleted afterwards.

        Args:
            upload_id: of the upload.
            taker: gives the id of the video that a transcript, given its name and where it lies, belongs to; None if it
                is a recording of its own.

        Raises:
            Refusal: 400 if it is neither a media file nor a transcript, or `taker` refuses it, which also deletes it;
                409 if another request has finished it.
        """
        with self._alone(upload_id):
            upload, _ = self.get(upload_id)
            if upload.video:
                raise Refusal(409, f"{upload.name} is already in the library. Get the upload's state for its id.")
            path = self._bytes(upload_id)
            try:
                media = probe(path, upload.name)
                owner = taker(upload.name, path) if media.container == TRANSCRIPT else None
            except MediaError as error:
                self._remove(upload_id)
                damaged = f"{upload.name} isn't a video or audio file, or is damaged: check that it plays."
                reason = str(error) if is_transcript(Path(upload.name)) else damaged
                raise Refusal(400, f"{reason} The upload was discarded.") from error
            video = owner or file_id(path)
            write_atomic(self._facts(upload_id), upload.model_copy(update={"video": video}).model_dump_json())
            yield Arrived(upload.name, video, path, None if owner else self.place(video, media, upload.name))
            path.unlink(missing_ok=True)

    def delete(self, upload_id: str) -> None:
        """Cancel an upload.

        Raises:
            Refusal: 404 if there is no such upload, 409 while a request is writing.
        """
        with self._alone(upload_id):
            self.get(upload_id)
            self._remove(upload_id)

    def sweep(self) -> None:
        """Delete uploads that were inactive for a day."""
        with self._lock:
            self._sweep()

    @contextmanager
    def _alone(self, upload_id: str) -> Iterator[None]:
        """Lock an upload while it is written; a disk error reports its `offset`."""
        self.get(upload_id)  # only the id of an upload gets a lock
        with self._locked(upload_id):
            try:
                yield
            except OSError as error:
                upload, received = self.get(upload_id)
                raise self._unwritten(error, upload, received, offset=received) from error

    @contextmanager
    def _locked(self, upload_id: str) -> Iterator[None]:
        lock = self._named_lock(f"upload-{upload_id}")
        try:
            lock.acquire(timeout=0)
        except Timeout as error:
            raise Refusal(409, "Another request is writing this upload. Get its state, then continue.") from error
        try:
            yield
        finally:
            lock.release()

    def _begin(self, upload: Upload) -> str:
        self._unfinished.mkdir(parents=True, exist_ok=True)
        self._sweep()
        pending = self._pending()
        if len(pending) >= MAX_UPLOADS:
            sentence = f"{MAX_UPLOADS} uploads are unfinished. Finish or cancel one, then start this one."
            raise Refusal(429, sentence, headers={"Retry-After": "30"})
        promised = sum(other.size - received for other, received in pending)
        free = shutil.disk_usage(self._root).free
        missing = upload.size + promised + _RESERVE - free
        if missing > 0:
            others = f" and {sized(promised)} are for other uploads" if promised else ""
            raise Refusal(
                507,
                f"{upload.name} has {sized(upload.size)}, and the library's disk has {sized(free)} free, of which "
                f"{sized(_RESERVE)} are kept free{others}. Free {sized(missing)} more and try again.",
            )
        upload_id = secrets.token_hex(16)
        write_atomic(self._facts(upload_id), upload.model_dump_json())
        self._bytes(upload_id).touch()
        return upload_id

    def _unwritten(self, error: OSError, upload: Upload, received: int = 0, **facts: Any) -> Refusal:
        """507 if the disk is full, because the same request works once there is room; else 500."""
        if error.errno in DISK_FULL:
            free = sized(shutil.disk_usage(self._root.parent).free)  # more than enough if a quota is used up
            return Refusal(
                507,
                f"The library's disk is full ({error.strerror}, {free} free): {sized(upload.size - received)} of the "
                f"{sized(upload.size)} of {upload.name} are missing. Free some space, and the upload resumes.",
                **facts,
            )
        return Refusal(500, f"Couldn't write to the library ({error.strerror}). Fix that and send again.", **facts)

    def _pending(self) -> list[tuple[Upload, int]]:
        pending: list[tuple[Upload, int]] = []
        for facts in self._unfinished.glob("*.json"):
            with suppress(Refusal):  # cancelled meanwhile
                upload, received = self.get(facts.stem)
                if not upload.video:
                    pending.append((upload, received))
        return pending

    def _sweep(self) -> None:
        for facts in self._unfinished.glob("*.json"):
            data = self._bytes(facts.stem)  # none if it is finished
            latest = max((file.stat().st_mtime for file in (facts, data) if file.exists()), default=0.0)
            if time.time() - latest > _IDLE:
                with suppress(Refusal), self._locked(facts.stem):
                    self._remove(facts.stem)

    def _remove(self, upload_id: str) -> None:
        # In this order: a record without bytes is swept later; bytes without a record would stay forever.
        self._bytes(upload_id).unlink(missing_ok=True)
        self._facts(upload_id).unlink(missing_ok=True)
        Path(self._named_lock(f"upload-{upload_id}").lock_file).unlink(missing_ok=True)

    def _received(self, upload_id: str) -> int | None:
        try:
            return self._bytes(upload_id).stat().st_size
        except FileNotFoundError:
            return None

    def _bytes(self, upload_id: str) -> Path:
        return self._unfinished / upload_id

    def _facts(self, upload_id: str) -> Path:
        return self._unfinished / f"{upload_id}.json"
