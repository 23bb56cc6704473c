"""Saves and loads chunks of a visual pass with its state, allowing only our own and NumPy's classes when unpickling."""

from __future__ import annotations

import io
import pickle
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any

from longtake.memory.layers import content_key
from longtake.preprocess.analysis.observers import Observer
from longtake.preprocess.media.coverage import CoveredSpans

Items = Mapping[str, Sequence[Mapping[str, Any]]]  # by layer

# A library may come from someone else, and a pickle can name anything that Python can call. So only classes defined in
# these modules are allowed, and what NumPy arrays and a deque need.
_ANALYSIS = "blank_frozen changes keyframes moments motion novelty observers ocr_frame_selection"
_TRANSITIONS = "cuts dissolves fades fades_in shot_boundaries transition_finder"
_MODULES = (
    "longtake.memory.timespan",
    "longtake.preprocess.engines.shots.content",
    "longtake.preprocess.engines.shots.transnet",
    "longtake.preprocess.media.coverage",
    "longtake.preprocess.visual_pass.pass_state",
    *(f"longtake.preprocess.analysis.{name}" for name in _ANALYSIS.split()),
    *(f"longtake.preprocess.transitions.{name}" for name in _TRANSITIONS.split()),
)
_OTHERS = {
    ("collections", "deque"),
    ("numpy", "dtype"),
    ("numpy", "ndarray"),
    ("numpy._core.multiarray", "_reconstruct"),
    ("numpy._core.multiarray", "scalar"),
    ("numpy._core.numeric", "_frombuffer"),
}


@lru_cache(maxsize=1)
def _code() -> str:
    """A hash of the modules whose objects are in a state: another version of them couldn't resume from it."""
    return content_key(*(Path(str(import_module(name).__file__)).read_text(encoding="utf-8") for name in _MODULES))


@dataclass
class PassState:
    """The observers by layer, and their progress: `seen` and `end` are the last frame's start and end in seconds."""

    observers: Mapping[str, Observer]
    covered: CoveredSpans = field(default_factory=CoveredSpans)
    seen: float | None = None
    end: float = 0.0
    finished: bool = False
    looked_ahead: bool = False


@dataclass(frozen=True)
class PassChunk:
    """The items found in a chunk, the state at its end, and a hash of the only code that can resume from it."""

    items: Items
    state: PassState
    code: str = field(default_factory=_code)


def save_chunk(chunk: PassChunk) -> bytes:
    """The chunk as bytes."""
    return zlib.compress(pickle.dumps(chunk, protocol=pickle.HIGHEST_PROTOCOL), 1)


def load_chunk(data: bytes) -> PassChunk | None:
    """Load a chunk; None if it isn't one, or another version wrote it."""
    try:
        chunk = _Unpickler(io.BytesIO(zlib.decompress(data))).load()
    except (
        zlib.error,
        pickle.UnpicklingError,
        ImportError,
        LookupError,
        EOFError,
        TypeError,
        ValueError,
        AttributeError,
    ):
        return None
    return chunk if isinstance(chunk, PassChunk) and chunk.code == _code() else None


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _OTHERS:
            return super().find_class(module, name)
        if module in _MODULES:
            found = super().find_class(module, name)
            if isinstance(found, type) and found.__module__ == module:
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is not part of a pass")
