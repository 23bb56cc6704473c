"""The library on disk: its videos, their names and their layers."""

from __future__ import annotations

import hashlib
import logging
import os
import shlex
import shutil
import tempfile
import uuid
from collections.abc import Mapping
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, Field, SecretStr

from longtake.console import counted
from longtake.errors import LibraryError, MediaError, file_error
from longtake.language.text import parse_json
from longtake.memory.closer_readings import CloserReadings
from longtake.memory.entity_names import EntityNames
from longtake.memory.layers import Layer, LayerStore, canonical_json, write_atomic
from longtake.memory.postgres import Postgres
from longtake.memory.shared_layers import SharedLayers
from longtake.remote import media_path

ID_DIGITS = 16
SPARE = "video.spare.json"  # a second copy of `video.json`: without it, a damaged byte would cost the video
FORMAT = 1  # of the whole library; raise it when older versions of Longtake could no longer read it
# Every layer a video may have, cheapest first.
LAYERS = (
    "probe",
    "subtitles",
    "shots",
    "changes",
    "moments",
    "motion",
    "still",
    "keyframes",
    "text_frames",
    "sounds",
    "speech",
    "speakers",
    "scene_text",
    "frame_vectors",
    "detections",
    "faces",
    "captions",
    "entities",
    "text_vectors",
    "sections",
    "segments",
    "outline",
)

log = logging.getLogger(__name__)


class VideoRecord(BaseModel):
    """`video.json`: what the library knows about one video."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(description="BLAKE2b of the file's bytes.")
    name: str = Field(description="File name, with its extension.")
    path: str = Field(description="The file's path when it was last indexed.")
    size: int = Field(description="Bytes.")
    modified: int = Field(description="Modification time in nanoseconds; avoids rehashing an unchanged file.")
    duration: float = Field(description="Seconds.")
    layers: Mapping[str, str] = Field(default_factory=dict, description="Key of each layer in use, by layer name.")
    complete: bool = Field(default=False, description="Whether indexing has finished at least once.")
    other_names: tuple[str, ...] = Field(default=(), description="Other names under which the same bytes were indexed.")
    indexed: str | None = Field(default=None, description="Hash of the layers that the search index was built from.")


class LibraryStore:
    """Videos by id, name or path."""

    def __init__(self, root: Path, database: SecretStr | None = None, layers: str | None = None) -> None:
        """Open a library, which doesn't have to exist yet.

        Args:
            root: its folder.
            database: URL of the PostgreSQL database that holds threads, notes and readings; by default a file does.
            layers: address of a folder on object storage that holds all layers; by default, the library's folder does.

        Raises:
            LibraryError: if another version of Longtake wrote it in a format this one can't read.
        """
        self.root = root
        self._database = database
        self._layers = layers
        self._videos = root / "videos"
        self._warned: set[str] = set()
        _check_format(root / "library.json")

    def check_writable(self) -> None:
        """Check that files can be written to its folder.

        Raises:
            LibraryUnavailable: if they can't.
        """
        try:
            with tempfile.TemporaryFile(dir=self.root):
                pass
        except OSError as error:  # the name of a temporary file says nothing
            raise file_error(OSError(error.errno, error.strerror), self.root) from error

    @property
    def writable(self) -> bool:
        """Whether the system says that files may be written to its folder; a full disk doesn't count."""
        return os.access(self.root, os.W_OK)

    @property
    def index_root(self) -> Path:
        """Folder of the search index, which can always be rebuilt from layers."""
        return self.root / "index"

    @property
    def memory_file(self) -> Path:
        """SQLite file of threads, notes and readings, unless a server has them."""
        return self.root / "memory.sqlite"

    @property
    def memory(self) -> Path | Postgres:
        """Where threads, notes and readings are."""
        return self.memory_file if self._database is None else Postgres(self._database.get_secret_value())

    @property
    def closer_readings(self) -> CloserReadings:
        """The readings of closer looks."""
        return CloserReadings(self.memory)

    @property
    def trace_root(self) -> Path:
        """Folder of traces and their blobs."""
        return self.root / "traces"

    def videos(self) -> list[VideoRecord]:
        """Every video whose record isn't damaged, by name."""
        records = (video for file in self._records() if (video := _read(file)))
        return sorted(records, key=lambda video: (video.name, video.id))

    def damaged_records(self) -> list[str]:
        """A sentence for each video whose record can't be read; the next indexing of its file writes another."""
        return [
            f"{file} is damaged: run `longtake index` with the file of the video {file.parent.name}."
            for file in self._records()
            if file.parent.exists() and _read(file) is None
        ]

    def warn_of_damage(self) -> None:
        """Log a warning about each damaged record, once: who names no video misses none."""
        for sentence in self.damaged_records():
            if sentence not in self._warned:
                log.warning("%s", sentence)
                self._warned.add(sentence)

    def get(self, video_id: str) -> VideoRecord | None:
        """The video with exactly this id; None if there is none, or its record is damaged."""
        return _read(self._videos / video_id / "video.json")

    def save(self, video: VideoRecord) -> None:
        """Write `video.json` and its spare copy atomically, unless they already say this: a flush takes longer."""
        folder = self._videos / video.id
        folder.mkdir(parents=True, exist_ok=True)
        if _format(self.root / "library.json") is None:
            write_atomic(self.root / "library.json", canonical_json({"format": FORMAT, "same": FORMAT}) + "\n")
        content = (canonical_json(video.model_dump()) + "\n").encode()
        for file in (folder / "video.json", folder / SPARE):
            if not file.exists() or file.read_bytes() != content:
                write_atomic(file, content)

    def lock(self, name: str) -> FileLock:
        """The lock that a process holds, by video id, while it builds the video's layers; a crash releases it."""
        folder = self.root / "locks"
        folder.mkdir(parents=True, exist_ok=True)
        return FileLock(folder / f"{name}.lock")

    def layers(self, video_id: str, renewal: str = "") -> LayerStore:
        """The layer store of a video, with what to do about a damaged layer."""
        shared = SharedLayers(f"{self._layers}/{video_id}") if self._layers else None
        return LayerStore(self._videos / video_id / "layers", renewal, shared)

    def layer(self, video: VideoRecord, name: str) -> Layer | None:
        """The layer of this name in use, or None.

        Raises:
            LibraryError: if it is damaged or can't be read.
        """
        key = video.layers.get(name)
        return self.layers(video.id, _renewal(video)).get(name, key) if key else None

    def sound_layers(self, video: VideoRecord) -> tuple[dict[str, Layer], dict[str, str]]:
        """The layers in use, read through, and why others can't be used; both by name."""
        sound: dict[str, Layer] = {}
        problems: dict[str, str] = {}
        for name in video.layers:
            try:
                if layer := self.layer(video, name):
                    layer.check()
                    sound[name] = layer
                else:
                    problems[name] = f"The layer {name} is missing: {_renewal(video)}."
            except LibraryError as error:
                problems[name] = str(error)
        return sound, problems

    def coverage(self, video: VideoRecord) -> dict[str, float]:
        """Share of the timeline that each layer covers; 0 for a missing layer."""
        found = {name: self.layer(video, name) for name in LAYERS}
        return {name: layer.share(video.duration) if layer else 0.0 for name, layer in found.items()}

    def find(self, reference: str) -> VideoRecord | None:
        """The video with this path, name or id (six digits or more of it), or None.

        Raises:
            LibraryError: if the reference matches several videos.
        """
        path = media_path(reference)
        if path.is_file():
            return self._find_file(path)
        return self._only([video for video in self.videos() if _matches(video, reference)], reference)

    def resolve(self, reference: str) -> VideoRecord:
        """Like `find`, but an unknown video is an error that suggests a similar name."""
        video = self.find(reference)
        if video is None:
            raise LibraryError(self._unknown(reference))
        return video

    def entity_names(self, video_id: str) -> EntityNames:
        """The names that users gave to entities of a video."""
        return EntityNames(self.layers(video_id).root.parent)

    def named_subtitles(self, video_id: str) -> tuple[Path, ...]:
        """Copies of the subtitle files that the user named for a video, by name."""
        return tuple(sorted((self.layers(video_id).root.parent / "subtitles").glob("[!.]*")))

    def name_subtitles(self, video_id: str, files: Mapping[str, bytes]) -> None:
        """Keep subtitle files for a video, by name, instead of those that were named before.

        Raises:
            OSError: if they can't be written.
        """
        folder = self.layers(video_id).root.parent / "subtitles"
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            write_atomic(folder / name, data)
        for file in self.named_subtitles(video_id):
            if file.name not in files:
                file.unlink()

    def uploaded(self, video_id: str) -> list[Path]:
        """The file of a video that was uploaded, and the subtitles beside it; nothing if its file lies elsewhere."""
        return list((self.root / "uploads").glob(f"{video_id}.*"))

    def delete(self, video: VideoRecord) -> None:
        """Remove a video with its layers and readings, and its file if it was uploaded; no other file is touched.

        Raises:
            LibraryError: if the video is already gone; `LibraryUnavailable` if the folder or the readings can't be
                written.
        """
        try:
            if shared := self.layers(video.id).shared:  # first of all: the storage may be out of reach
                shared.remove_all()
            for file in self.uploaded(video.id):  # then these: without their video, nobody would find them again
                file.unlink()
            self.closer_readings.forget(video.id)
            (self._videos / video.id).rename(self._videos / f".deleted-{uuid.uuid4().hex}")
        except FileNotFoundError as error:
            raise LibraryError(f"{video.name} ({video.id}) is already gone from the library.") from error
        except OSError as error:
            raise file_error(error, self.root) from error
        for trash in self._videos.glob(".deleted-*"):  # including leftovers of an interrupted deletion
            shutil.rmtree(trash, ignore_errors=True)

    def export(self, video: VideoRecord, target: Path) -> None:
        """Copy a video's record, layers in use and readings to a new folder, atomically.

        Raises:
            LibraryError: if the target already exists or can't be written, or the readings can't be read.
        """
        readings = self.closer_readings.current(video.id, video.layers)
        building = target.parent / f".{target.name}-{uuid.uuid4().hex}"
        try:
            if target.exists():
                raise LibraryError(f"{target} already exists. Choose a new folder.")
            building.mkdir(parents=True)
            (building / "video.json").write_text(canonical_json(video.model_dump()) + "\n", encoding="utf-8")
            for name in video.layers:
                layer = self.layer(video, name)
                if layer:
                    shutil.copytree(layer.path, building / name)
            if readings:
                lines = "".join(f"{reading.model_dump_json()}\n" for reading in readings)
                (building / "readings.jsonl").write_text(lines, encoding="utf-8")
            building.rename(target)
        except OSError as error:
            raise LibraryError(f"Couldn't write {target}: {error.strerror or error}.") from error
        finally:
            shutil.rmtree(building, ignore_errors=True)

    def _records(self) -> list[Path]:
        """Where each video's record is, or was: the spare copy may be all that is left."""
        return sorted({file.with_name("video.json") for file in self._videos.glob("[!.]*/video*.json")})

    def _find_file(self, path: Path) -> VideoRecord | None:
        status = path.stat()
        resolved = str(path.resolve())
        for video in self.videos():
            if (video.path, video.size, video.modified) == (resolved, status.st_size, status.st_mtime_ns):
                return video
        return self.get(file_id(path))

    def _only(self, found: list[VideoRecord], reference: str) -> VideoRecord | None:
        if len(found) > 1:
            listed = ", ".join(f"{video.id} ({video.path})" for video in found[:5])
            raise LibraryError(f"{reference!r} matches {len(found)} videos: {listed}. Use the id instead.")
        return found[0] if found else None

    def _unknown(self, reference: str) -> str:
        if before := [video for video in self.videos() if video.path == str(media_path(reference).resolve())]:
            return f"{reference} has changed since it was indexed: index it again, or use the id {before[0].id}."
        names = {Path(video.name).stem: video.name for video in self.videos()}
        close = get_close_matches(Path(reference).stem, names, n=1)
        hint = f" Did you mean {names[close[0]]!r}?" if close else ""
        damaged = "".join(f" {sentence}" for sentence in self.damaged_records())
        contents = f"The library {self.root} has {counted(len(names), 'video')}; `longtake videos list` lists them."
        return f"{reference!r} is neither a file nor a video in the library.{hint} {contents}{damaged}"


def file_id(path: Path) -> str:
    """BLAKE2b of a file's bytes, sixteen hex digits.

    Raises:
        MediaError: if the file can't be read.
    """
    try:
        with path.open("rb") as stream:
            digest = hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=ID_DIGITS // 2))
    except OSError as error:
        raise MediaError(f"Couldn't read {path}: {error.strerror}.") from error
    return digest.hexdigest()


def _format(file: Path) -> Any:
    """The format of a library; None if nothing was written yet, or the file is damaged and says nothing."""
    try:
        facts = parse_json(file.read_text(encoding="utf-8"))
        # Written twice: one damaged digit doesn't look like another version.
        return facts["format"] if facts.get("same", facts["format"]) == facts["format"] else None
    except (FileNotFoundError, ValueError, LookupError, TypeError, AttributeError):
        return None
    except OSError as error:
        raise LibraryError(f"Couldn't read {file}: restore it, or choose another library with --library.") from error


def _check_format(file: Path) -> None:
    written = _format(file)
    if written not in (None, FORMAT):
        raise LibraryError(
            f"The library {file.parent} was written by another version of Longtake (format {written}; this version "
            f"reads {FORMAT}): upgrade Longtake, or choose another library with --library."
        )


def _renewal(video: VideoRecord) -> str:
    return f"`longtake index {shlex.quote(video.path)}` builds it again for {video.name}"


def _matches(video: VideoRecord, reference: str) -> bool:
    names = (video.id, video.name, *video.other_names)
    if any(reference in (name, Path(name).stem) for name in names):
        return True
    return len(reference) >= 6 and video.id.startswith(reference.lower())


def _read(file: Path) -> VideoRecord | None:
    """The record in a file, or in its spare copy; None if the video was deleted meanwhile, or both are damaged."""
    for each in (file, file.with_name(SPARE)):
        with suppress(OSError, ValueError):  # ValueError includes what Pydantic and JSON raise
            return VideoRecord.model_validate_json(each.read_bytes())
    return None
