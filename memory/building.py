"""Builds layers in a staging folder, in chunks that survive a crash, and renames complete layers into place.

On disk, inside a video's `layers/`: `.building/<build>/chunks/*`, `.building/<build>/layers/<name>/<key>/` and, once
those are complete, `.building/<build>/whole`. That marker lets a later process finish an interrupted move.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from longtake.memory.layers import LayerRecipe, LayerStore, canonical_json, content_key, digest_of, write_atomic
from longtake.memory.timespan import TimeSpan

FOLDER = ".building"
_WHOLE = "whole"


class LayerWriter:
    """Collects the items and files of a layer before it is renamed into place."""

    def __init__(self, folder: Path, recipe: LayerRecipe) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for leftover in folder.glob(".*"):  # from a process that was killed while writing
            leftover.unlink()
        self.folder = folder
        self.recipe = recipe
        self.count = 0
        self._covered: list[TimeSpan] = []
        self._items = (folder / "items.jsonl").open("w", encoding="utf-8", newline="\n")

    def add(self, item: Mapping[str, Any]) -> None:
        """Append one item. The caller should round floats to the engine's real precision."""
        self._items.write(canonical_json(item) + "\n")
        self.count += 1

    def write_file(self, name: str, data: bytes) -> None:
        """Write a file next to the items; it is on disk when this returns."""
        write_atomic(self.folder / name, data)

    def cover(self, spans: Sequence[TimeSpan]) -> None:
        """Record which parts of the timeline were examined."""
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
        facts["digest"] = digest_of(self.folder, facts)
        write_atomic(self.folder / "layer.json", canonical_json(facts) + "\n")

    def close(self) -> None:
        """Close the items file."""
        self._items.close()


class Chunks:
    """Finished parts of a build by name; given a folder, they outlive the process."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder
        self.reused: set[str] = set()
        self.made: set[str] = set()
        self._in_memory: dict[str, bytes] = {}
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)

    def get(self, name: str) -> bytes | None:
        """A part finished by this process or an earlier one, or None."""
        data = self._in_memory.get(name) if self.folder is None else _content(self.folder / name)
        if data is not None and name not in self.made:
            self.reused.add(name)
        return data

    def put(self, name: str, data: bytes) -> None:
        """Keep a finished part. The write is atomic: readers see all of it or nothing."""
        if self.folder is None:
            self._in_memory[name] = data
        else:
            write_atomic(self.folder / name, data)
        self.made.add(name)


@dataclass(frozen=True, slots=True)
class Building:
    """The outputs of a step: a writer for each recipe, by layer name, and its chunks."""

    folder: Path
    writers: Mapping[str, LayerWriter]
    chunks: Chunks

    def discard(self) -> None:
        """Delete the chunks, because their source turned out to be something else."""
        shutil.rmtree(self.folder, ignore_errors=True)


@contextmanager
def build_layers(root: Path, recipes: Sequence[LayerRecipe]) -> Iterator[Building]:
    """Build layers of the video whose layers are in `root`, and move them into place when the block succeeds.

    If the block raises, the chunks stay, and a later build of the same recipes resumes from them. Only one process at a
    time may build layers of a video: see `alone`.
    """
    folder = root / FOLDER / content_key(*sorted(recipe.key for recipe in recipes))
    with ExitStack() as stack:
        writers = {}
        for recipe in recipes:
            writers[recipe.name] = writer = LayerWriter(folder / "layers" / recipe.name / recipe.key, recipe)
            stack.callback(writer.close)
        yield Building(folder, writers, Chunks(folder / "chunks"))
        for writer in writers.values():
            writer.finish()
        write_atomic(folder / _WHOLE, "")
    settle(root)


@contextmanager
def alone(root: Path, check: Callable[[], None]) -> Iterator[None]:
    """Wait until nobody else builds layers in `root`, and keep others from it; what `check` raises ends the wait.

    The process that indexes a video has asked another machine to build a layer. If it loses sight of that and asks the
    next one, the first may still be building.
    """
    root.mkdir(parents=True, exist_ok=True)
    lock = FileLock(root / f"{FOLDER}.lock")
    while not lock.is_locked:
        check()
        with suppress(Timeout):
            lock.acquire(timeout=0.5)
    try:
        settle(root)
        yield
    finally:
        lock.release()


def settle(root: Path) -> None:
    """Move completed builds into place, including those of a process that was killed before it could."""
    store = LayerStore(root)
    for whole in sorted(root.glob(f"{FOLDER}/*/{_WHOLE}")):
        for layer in sorted(whole.parent.glob("layers/*/*")):
            final = root / layer.parent.name / layer.name
            final.parent.mkdir(parents=True, exist_ok=True)
            if store.sound(layer.parent.name, layer.name) is None:  # otherwise it is there already, with the same bytes
                shutil.rmtree(final, ignore_errors=True)  # damaged
                os.rename(layer, final)
        shutil.rmtree(whole.parent)


def forget_unfinished(root: Path) -> None:
    """Remove the chunks of builds that nobody will resume."""
    shutil.rmtree(root / FOLDER, ignore_errors=True)


def _content(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
