"""The layer store: derived data of one video, content-addressed, complete or absent, byte-for-byte reproducible.

On disk: `layers/<name>/<key>/layer.json`, `items.jsonl` and the files of the layer, written by `memory.building`. A
digest in `layer.json` shows damage to anything but the layer's pictures: a damaged picture costs only itself.
Timings and machine facts of a build go into `layers/<name>/<key>.run.json`, next to the layer and never into it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import uuid
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from tarfile import TarError
from typing import Any

from longtake.errors import LibraryError
from longtake.language.text import parse_json
from longtake.memory.shared_layers import SharedLayers
from longtake.memory.timespan import TimeSpan

_FACTS = "layer.json"
_FIGURES = ("seconds", "core_seconds", "memory", "chunks_made", "chunks_reused")  # of a build


@dataclass(frozen=True, slots=True)
class LayerRecipe:
    """Everything that determines a layer's bytes."""

    name: str
    version: int
    engine: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)

    def facts(self) -> dict[str, Any]:
        """The recipe as plain data, in a fixed order."""
        return {
            "name": self.name,
            "version": self.version,
            "engine": self.engine,
            "settings": dict(self.settings),
            "inputs": dict(self.inputs),
        }

    @property
    def key(self) -> str:
        """Sixteen hex digits that change whenever anything that affects the output does."""
        return content_key(canonical_json(self.facts()))


@dataclass(frozen=True, slots=True)
class Layer:
    """A finished layer on disk."""

    path: Path
    name: str
    key: str
    engine: str
    count: int
    covered: tuple[TimeSpan, ...]
    inputs: Mapping[str, str] = field(default_factory=dict)
    renewal: str = ""

    def items(self) -> Iterator[dict[str, Any]]:
        """The layer's items, in the order they were written.

        Raises:
            LibraryError: at an item that is damaged or can't be read.
        """
        try:
            with (self.path / "items.jsonl").open(encoding="utf-8") as lines:
                for line in lines:
                    yield parse_json(line)
        except (OSError, ValueError) as error:
            raise _damaged(self.path, self.renewal) from error

    def left_out(self) -> tuple[str, ...]:
        """A sentence for each part of the file that couldn't be read as the layer was built."""
        return tuple(_run_facts(_run_file(self.path)).get("left_out", ()))

    def told(self) -> tuple[str, ...]:
        """The same, and a sentence for each part that may have been read wrongly."""
        return (*self.left_out(), *_run_facts(_run_file(self.path)).get("remarks", ()))

    def check(self) -> None:
        """Read the layer as a whole, except its pictures.

        Raises:
            LibraryError: if it is damaged or can't be read.
        """
        try:
            facts = parse_json((self.path / _FACTS).read_text(encoding="utf-8"))
            if digest := facts.pop("digest", None):
                if digest != digest_of(self.path, facts):
                    raise _damaged(self.path, self.renewal)
            else:  # an earlier version wrote none
                deque(self.items(), maxlen=0)
        except (OSError, ValueError, AttributeError) as error:
            raise _damaged(self.path, self.renewal) from error

    def share(self, duration: float) -> float:
        """Share of a video of `duration` seconds that the layer examined, 0 to 1."""
        if duration <= 0:
            return 1.0 if self.covered else 0.0
        return min(1.0, round(sum(span.length for span in self.covered) / duration, 4))


class LayerStore:
    """The layers of one video."""

    def __init__(self, root: Path, renewal: str = "", shared: SharedLayers | None = None) -> None:
        """Open the layers of a video.

        Args:
            root: their folder.
            renewal: the part of a sentence that says how to build a damaged one again.
            shared: object storage that holds all of them.
        """
        self.root = root
        self.shared = shared
        self._renewal = renewal

    def get(self, name: str, key: str) -> Layer | None:
        """The finished layer with this key, or None.

        Raises:
            LibraryError: if it is damaged or can't be read.
        """
        path = self.root / name / key
        try:
            if self.shared and not (path / _FACTS).exists():
                self.shared.fetch(path, self._run_file(name, key))
            facts = parse_json((path / _FACTS).read_text(encoding="utf-8"))
            covered = tuple(TimeSpan(start=start, end=end) for start, end in facts["covered"])
            layer = Layer(path, name, key, facts["engine"], facts["count"], covered, facts["inputs"], self._renewal)
            (path / "items.jsonl").stat()
        except FileNotFoundError as error:
            if not (path / _FACTS).exists():  # also if the video was deleted after that was read
                return None
            raise _damaged(path, self._renewal) from error
        except (OSError, ValueError, KeyError, TypeError, TarError) as error:
            raise _damaged(path, self._renewal) from error
        return layer

    def sound(self, name: str, key: str) -> Layer | None:
        """The layer with this key if it is finished and undamaged; else None, so that it can be built again."""
        with suppress(LibraryError):
            if layer := self.get(name, key):
                layer.check()
                return layer
        return None

    def share(self, layer: Layer, *, built: bool) -> None:
        """Put a layer on object storage, if that holds the layers; unless it was just built, only if it isn't there.

        Raises:
            LibraryUnavailable: if it can't be reached or refuses.
        """
        if self.shared and (built or not self.shared.holds(layer.name, layer.key)):
            self.shared.put(layer.path, self._run_file(layer.name, layer.key))

    def remove_others(self, name: str, key: str) -> None:
        """Remove the layers of this name except the one in use, also those that an interrupted process left.

        Raises:
            LibraryUnavailable: if the object storage that holds them can't be reached or refuses.
        """
        folder = self.root / name
        stored = self.shared.keys(name) if self.shared else set()
        for other in {each.name for each in folder.glob("[!.]*") if each.is_dir()} | stored:
            if other == key:
                continue
            if self.shared and other in stored:
                self.shared.remove(name, other)
            with suppress(FileNotFoundError):
                (folder / other).rename(folder / f".deleted-{uuid.uuid4().hex}")  # a reader finds all of it or nothing
            self._run_file(name, other).unlink(missing_ok=True)
        for trash in folder.glob(".deleted-*"):  # including leftovers of an interrupted removal
            shutil.rmtree(trash, ignore_errors=True)

    def record_run(self, name: str, key: str, facts: Mapping[str, Any]) -> None:
        """Store timings and machine facts of a build next to the layer."""
        write_atomic(self._run_file(name, key), canonical_json(facts) + "\n")

    def run(self, name: str, key: str) -> dict[str, Any]:
        """What `record_run` stored and isn't damaged; empty if the process ended first or the file can't be read."""
        return _run_facts(self._run_file(name, key))

    def _run_file(self, name: str, key: str) -> Path:
        return _run_file(self.root / name / key)


def _run_file(layer: Path) -> Path:
    return layer.with_name(f"{layer.name}.run.json")


def _run_facts(file: Path) -> dict[str, Any]:
    try:
        facts = parse_json(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # the layer is as good without them
        return {}
    return {name: fact for name, fact in facts.items() if _sound(name, fact)} if isinstance(facts, dict) else {}


def _sound(name: str, fact: object) -> bool:
    if name in _FIGURES:
        return isinstance(fact, int | float) and 0 <= fact < inf
    return name not in ("left_out", "remarks") or (
        isinstance(fact, list) and all(isinstance(each, str) for each in fact)
    )


def _damaged(path: Path, renewal: str) -> LibraryError:
    renewal = renewal or f"index the video again to build {path} anew"
    return LibraryError(f"The layer {path.parent.name} is damaged: {renewal}.")


def digest_of(folder: Path, facts: Mapping[str, Any]) -> str:
    """A digest of a layer's facts and of its files except pictures, which may be many."""
    digest = hashlib.blake2b(canonical_json(facts).encode(), digest_size=8)
    for file in sorted(file for file in folder.iterdir() if file.suffix not in (".jpg", ".json")):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def content_key(*parts: str) -> str:
    """Sixteen hex digits that identify these strings in this order."""
    return hashlib.blake2b("\x1f".join(parts).encode(), digest_size=8).hexdigest()


def canonical_json(value: Any) -> str:
    """One spelling for equal values: sorted keys, no spaces, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def write_atomic(path: Path, data: str | bytes) -> None:
    """Write a temporary file, flush and rename it, so that a reader sees either the old content or the new."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data.encode() if isinstance(data, str) else data)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(name, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise
