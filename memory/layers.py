"""The layer store: derived data of one video, content-addressed, whole or not there, byte for byte reproducible.

On disk: `layers/<name>/<key>/layer.json`, `items.jsonl` and the files of the layer. Times and machine facts of a build
go into `layers/<name>/<key>.run.json`, beside the layer and never into it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from longtake.memory.timespan import TimeSpan


@dataclass(frozen=True, slots=True)
class LayerRecipe:
    """What determines a layer's bytes."""

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
        """Sixteen hex digits that change when anything that changes the output does."""
        return hashlib.blake2b(canonical_json(self.facts()).encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Layer:
    """A finished layer on disk."""

    path: Path
    name: str
    key: str
    engine: str
    count: int
    covered: tuple[TimeSpan, ...]

    def items(self) -> Iterator[dict[str, Any]]:
        """The layer's items, in the order they were written."""
        with (self.path / "items.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)

    def share(self, duration: float) -> float:
        """Share of a video of `duration` seconds that the layer examined, 0 to 1."""
        if duration <= 0:
            return 1.0 if self.covered else 0.0
        return min(1.0, round(sum(span.length for span in self.covered) / duration, 4))


class LayerWriter:
    """Collects the items and files of a layer before it is renamed into place."""

    def __init__(self, folder: Path, recipe: LayerRecipe) -> None:
        self.folder = folder
        self.recipe = recipe
        self.count = 0
        self._covered: list[TimeSpan] = []
        self._items = (folder / "items.jsonl").open("w", encoding="utf-8", newline="\n")

    def add(self, item: Mapping[str, Any]) -> None:
        """Append one item; floats should be rounded by the caller to what the engine really knows."""
        self._items.write(canonical_json(item) + "\n")
        self.count += 1

    def cover(self, spans: Sequence[TimeSpan]) -> None:
        """Say which parts of the timeline were examined."""
        self._covered.extend(spans)

    def finish(self) -> None:
        """Flush the items and write the description."""
        self._items.flush()
        os.fsync(self._items.fileno())
        self._items.close()
        facts = self.recipe.facts() | {
            "count": self.count,
            "covered": [[round(span.start, 3), round(span.end, 3)] for span in self._covered],
        }
        write_atomic(self.folder / "layer.json", canonical_json(facts) + "\n")

    def close(self) -> None:
        """Let go of the file."""
        self._items.close()


class LayerStore:
    """The layers of one video."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def get(self, name: str, key: str) -> Layer | None:
        """The finished layer with this key, if it is there."""
        path = self.root / name / key
        try:
            facts = json.loads((path / "layer.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        covered = tuple(TimeSpan(start=start, end=end) for start, end in facts["covered"])
        return Layer(path, name, key, facts["engine"], facts["count"], covered)

    @contextmanager
    def create(self, recipe: LayerRecipe) -> Iterator[LayerWriter]:
        """Build a layer beside its place and rename it there when the block ends without an error."""
        final = self.root / recipe.name / recipe.key
        final.parent.mkdir(parents=True, exist_ok=True)
        building = Path(tempfile.mkdtemp(prefix=f".{recipe.key}-", dir=final.parent))
        writer = LayerWriter(building, recipe)
        try:
            yield writer
            writer.finish()
            # Another process may have finished the same layer meanwhile: its bytes are the same, keep them.
            with suppress(OSError):
                os.rename(building, final)
        finally:
            writer.close()
            shutil.rmtree(building, ignore_errors=True)

    def record_run(self, name: str, key: str, facts: Mapping[str, Any]) -> None:
        """Keep times and machine facts of a build beside the layer."""
        write_atomic(self.root / name / f"{key}.run.json", canonical_json(facts) + "\n")


def canonical_json(value: Any) -> str:
    """One spelling for equal values: sorted keys, no spaces, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def write_atomic(path: Path, text: str) -> None:
    """Write beside, flush and rename, so that a reader sees the old text or the new one."""
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(name, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise
