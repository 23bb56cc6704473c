"""The models folder: one folder per model, each with a record of its files, so that it can be carried elsewhere."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from longtake.config import models_folder
from longtake.errors import ConfigError, LibraryError
from longtake.models.catalogue import CatalogueModel, Task, catalogue, named

RECORD = "longtake-model.json"


class RecordedFile(BaseModel):
    """A file as it was fetched; `path` is relative to the model's folder."""

    model_config = ConfigDict(frozen=True)

    path: str
    size: int
    sha256: str


class FetchRecord(BaseModel):
    """What was fetched, written last."""

    model_config = ConfigDict(frozen=True)

    name: str
    repo: str
    revision: str
    files: tuple[RecordedFile, ...]


class InstalledModel(BaseModel):
    """A complete model in the models folder."""

    model_config = ConfigDict(frozen=True)

    model: CatalogueModel
    folder: Path
    record: FetchRecord

    @property
    def path(self) -> Path:
        """What an engine loads: the GGUF file, or else the folder."""
        return next((file for file in self._gguf() if not _is_projector(file)), self.folder)

    @property
    def projector(self) -> Path | None:
        """The file that turns pictures into tokens for a GGUF model."""
        return next(filter(_is_projector, self._gguf()), None)

    @property
    def size(self) -> int:
        """Bytes on disk."""
        return sum(file.size for file in self.record.files)

    def digest(self, path: str) -> str:
        """The recorded SHA-256 of one of its files."""
        return next(file.sha256 for file in self.record.files if file.path == path)

    @property
    def unpinned(self) -> list[str]:
        """Files whose digest nobody knew before they were fetched; what was converted was checked before that."""
        known = self.record.files if self.model.source == "npm" else ()
        return [file.path for file in self.record.files if file.path not in self.model.sha256 and file not in known]

    def damaged(self) -> list[str]:
        """Files that are missing or differ from the record. Reads all of them."""
        return [file.path for file in self.record.files if digest(self.folder / file.path) != file.sha256]

    def _gguf(self) -> list[Path]:
        return [self.folder / file.path for file in self.record.files if file.path.endswith(".gguf")]


def installed(task: Task | None = None) -> list[InstalledModel]:
    """The complete models of a task, best first, or of every task. Checks sizes, not contents."""
    best_first = [model for model in reversed(catalogue()) if task in (None, model.task)]
    return [found for model in best_first if (found := lookup(model.name)) and _is_complete(found)]


def find(name: str) -> Path | None:
    """What an engine loads for a catalogue name; None if it isn't in the models folder."""
    return next((each.path for each in installed() if each.model.name == name), None)


def lookup(name: str) -> InstalledModel | None:
    """A fetched model, complete or not; None if it has no readable record.

    Raises:
        ConfigError: if the catalogue has no model of that name.
    """
    folder = models_folder() / name
    model = named(name)
    try:
        record = FetchRecord.model_validate_json((folder / RECORD).read_bytes())
    except (OSError, ValidationError):
        return None
    return InstalledModel(model=model, folder=folder, record=record)


def require(name: str) -> InstalledModel:
    """A fetched model.

    Raises:
        ConfigError: if it isn't in the models folder.
    """
    found = lookup(name)
    if found is None:
        raise ConfigError(f"{name} isn't in {models_folder()}: fetch it with `longtake models pull {name}`.")
    return found


def remove(name: str) -> Path:
    """Delete a model's folder, also one that a broken download left, and return where it was.

    Raises:
        ConfigError: if there is none.
        LibraryError: if it can't be deleted.
    """
    folder = models_folder() / named(name).name
    if not folder.is_dir():
        raise ConfigError(f"{name} isn't in {models_folder()}, so there is nothing to remove.")
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise LibraryError(f"{folder} can't be deleted: {error.strerror}.") from error
    return folder


def digest(file: Path) -> str | None:
    """The SHA-256 of a file; None if it can't be read."""
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None


def _is_complete(found: InstalledModel) -> bool:
    files = [(found.folder / file.path, file.size) for file in found.record.files]
    return all(file.is_file() and file.stat().st_size == size for file, size in files)


def _is_projector(file: Path) -> bool:
    return file.name.startswith("mmproj")
