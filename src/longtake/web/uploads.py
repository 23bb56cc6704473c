"""Uploads: bytes that come in chunks and go on after a break, and become a media file of the library once they are all
there.

On disk, beside the finished files `<hash>.<extension>`: `unfinished/<id>` holds the bytes so far, `<id>.json` their
name, size and, for a day, the video it became. Nothing of a request is ever part of a path.
"""

from __future__ import annotations

import re
import secrets
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import Field

from longtake.agent.traces.pages.media_types import media_type
from longtake.errors import MediaError
from longtake.memory.layers import write_atomic
from longtake.memory.library import file_id
from longtake.memory.records import Record
from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.step_run import DISK_FULL
from longtake.web.http.refusals import Refusal

CHUNK = 8 * 1024 * 1024  # bytes
LARGEST = 20 * 1000**3  # bytes of one file
MAX_UPLOADS = 8  # under way
MAX_NAME_LENGTH = 200  # characters
_RESERVE = 500 * 1000**2  # bytes of the disk that stay free
_IDLE = 24 * 3600.0  # seconds after which an upload that nobody goes on with is deleted
_ID = re.compile(r"[0-9a-f]{32}")


class Upload(Record):
    """A file on its way: the name people know it by, and its size in bytes."""

    name: str = Field(min_length=1, max_length=MAX_NAME_LENGTH, pattern=r"^[^/\\\x00-\x1f\x7f]+$")
    size: int = Field(gt=0)


class KeptUpload(Upload):
    """What is kept of an upload; once its bytes are gone, the id of the video that they became."""

    video: str | None = None


class Arrived(NamedTuple):
    """A media file whose bytes are all there: its name, their hash, where they lie, and where they are to lie."""

    name: str
    video: str
    upload: Path
    target: Path


class Uploads:
    """The uploads of one library; safe to use from every thread."""

    def __init__(self, root: Path) -> None:
        """Use a folder, which is made when the first upload begins."""
        self._root = root.resolve()
        self._unfinished = self._root / "unfinished"
        self._lock = threading.Lock()  # of what lies in the folder
        self._busy: set[str] = set()  # uploads that a thread is writing
        self._sweep()

    def file(self, video_id: str) -> Path | None:
        """The uploaded file of these bytes, if there is one."""
        return next(self._root.glob(f"{video_id}.*"), None)

    def begin(self, upload: Upload) -> str:
        """Make room for a file and return the id of its upload.

        Raises:
            Refusal: 413 when it is too large, 429 when too many are under way, 507 when the disk is too full, 500 when
                it cannot be written.
        """
        if upload.size > LARGEST:
            sentence = f"{upload.name} is larger than {LARGEST / 1e9:g} GB: add it from a folder (`serve --folder`)."
            raise Refusal(413, sentence)
        try:
            with self._lock:
                return self._begin(upload)
        except OSError as error:
            raise _unwritten(error) from error

    def get(self, upload_id: str) -> tuple[KeptUpload, int]:
        """An upload and the bytes of it that have arrived.

        Raises:
            Refusal: 404 when there is none of this id.
        """
        with suppress(FileNotFoundError):  # as with an id that cannot be one
            if _ID.fullmatch(upload_id):
                there = self._there(upload_id)  # before the facts are read: they name the video before its bytes go
                upload = KeptUpload.model_validate_json(self._facts(upload_id).read_bytes())
                if there is not None:
                    return upload.model_copy(update={"video": None}), there
                if upload.video:
                    return upload, upload.size
        raise Refusal(404, "There is no such upload: it was given up, or swept after a day without news.")

    def append(self, upload_id: str, offset: int, data: bytes) -> int:
        """Add bytes to what is there, and return how many are there then.

        Raises:
            Refusal: 409 with the right `offset` where it differs or another request is writing, 413 beyond the size,
                507 or 500 with the `offset` when the disk is full or cannot be written.
        """
        with self._alone(upload_id):
            upload, there = self.get(upload_id)
            if offset != there:
                raise Refusal(409, f"{there} bytes of {upload.name} are there: go on from these.", offset=there)
            if there + len(data) > upload.size:
                raise Refusal(413, f"{upload.name} was said to have {upload.size:,} bytes; these are more.")
            if upload.video:
                return there
            with self._bytes(upload_id).open("ab") as stream:
                stream.write(data)
            return there + len(data)

    @contextmanager
    def finishing(self, upload_id: str) -> Iterator[Arrived]:
        """Hold a whole upload while the library takes it; what it leaves of the bytes is deleted then.

        Raises:
            Refusal: 400 when it is no media file, and it is deleted then; 409 when another request has finished it.
        """
        with self._alone(upload_id):
            upload, _ = self.get(upload_id)
            if upload.video:
                raise Refusal(409, f"{upload.name} is a video by now: ask how far its upload is.")
            path = self._bytes(upload_id)
            try:
                extension = media_type(probe(path)).extension
            except MediaError as error:
                self._remove(upload_id)
                raise Refusal(
                    400, f"{upload.name} is no video or sound that can be read, and is not kept here: does it play?"
                ) from error
            video = file_id(path)
            write_atomic(self._facts(upload_id), upload.model_copy(update={"video": video}).model_dump_json())
            yield Arrived(upload.name, video, path, self._root / f"{video}.{extension}")
            path.unlink(missing_ok=True)

    def delete(self, upload_id: str) -> None:
        """Give an upload up.

        Raises:
            Refusal: 404 when there is none of this id, 409 while a request is writing.
        """
        with self._alone(upload_id):
            self.get(upload_id)
            self._remove(upload_id)

    def sweep(self) -> None:
        """Delete what nobody went on with for a day."""
        with self._lock:
            self._sweep()

    @contextmanager
    def _alone(self, upload_id: str) -> Iterator[None]:
        """Hold an upload while it is written; where the disk refuses that, its `offset` is told."""
        with self._lock:
            if upload_id in self._busy:
                raise Refusal(409, "Another request is writing this upload: ask how far it is.")
            self._busy.add(upload_id)
        try:
            yield
        except OSError as error:
            raise _unwritten(error, offset=self.get(upload_id)[1]) from error
        finally:
            with self._lock:
                self._busy.discard(upload_id)

    def _begin(self, upload: Upload) -> str:
        self._unfinished.mkdir(parents=True, exist_ok=True)
        self._sweep()
        pending = self._pending()
        if len(pending) >= MAX_UPLOADS:
            raise Refusal(429, f"{MAX_UPLOADS} uploads are under way: finish or delete one, then begin this one.")
        promised = sum(other.size - there for other, there in pending)
        if shutil.disk_usage(self._root).free - promised - upload.size < _RESERVE:
            raise Refusal(507, f"The disk of the library has no room for {upload.name}: make some, or ask for it.")
        upload_id = secrets.token_hex(16)
        write_atomic(self._facts(upload_id), upload.model_dump_json())
        self._bytes(upload_id).touch()
        return upload_id

    def _pending(self) -> list[tuple[Upload, int]]:
        pending: list[tuple[Upload, int]] = []
        for facts in self._unfinished.glob("*.json"):
            with suppress(Refusal):  # given up meanwhile
                upload, there = self.get(facts.stem)
                if not upload.video:
                    pending.append((upload, there))
        return pending

    def _sweep(self) -> None:
        for facts in self._unfinished.glob("*.json"):
            data = self._bytes(facts.stem)  # none if it is finished
            if facts.stem not in self._busy:
                latest = max((file.stat().st_mtime for file in (facts, data) if file.exists()), default=0.0)
                if time.time() - latest > _IDLE:
                    self._remove(facts.stem)

    def _remove(self, upload_id: str) -> None:
        # In this order: facts without bytes are swept, bytes without facts would never be found again.
        self._bytes(upload_id).unlink(missing_ok=True)
        self._facts(upload_id).unlink(missing_ok=True)

    def _there(self, upload_id: str) -> int | None:
        try:
            return self._bytes(upload_id).stat().st_size
        except FileNotFoundError:
            return None

    def _bytes(self, upload_id: str) -> Path:
        return self._unfinished / upload_id

    def _facts(self, upload_id: str) -> Path:
        return self._unfinished / f"{upload_id}.json"


def _unwritten(error: OSError, **facts: Any) -> Refusal:
    """507 where the disk is full, for once it has room the same may be asked again; else 500."""
    if error.errno in DISK_FULL:
        return Refusal(507, "The disk of the library is full: when it has room, the upload goes on.", **facts)
    return Refusal(500, f"The library cannot be written ({error.strerror}): allow that, and send again.", **facts)
