"""Chunks of a visual pass, with its state at their end, as bytes that become no objects but our own and NumPy's."""

from __future__ import annotations

import io
import pickle
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from longtake.preprocess.coverage import CoveredSpans
from longtake.preprocess.observers import Observer

Items = Mapping[str, Sequence[Mapping[str, Any]]]  # by layer

# A library may come from somebody else, and a pickle can name anything that Python could call.
_ALLOWED = ("longtake.", "numpy", "scenedetect.", "collections", "fractions")
_BUILTINS = {"set", "frozenset", "bytearray", "complex", "slice"}


@dataclass
class PassState:
    """The observers by layer, and how far they came: `seen` and `end` are those of the last frame, in seconds."""

    observers: Mapping[str, Observer]
    covered: CoveredSpans = field(default_factory=CoveredSpans)
    seen: float | None = None
    end: float = 0.0
    finished: bool = False


@dataclass(frozen=True)
class PassChunk:
    """What was found in a chunk, and the state at its end."""

    items: Items
    state: PassState


def save_chunk(chunk: PassChunk) -> bytes:
    """The chunk as bytes."""
    return zlib.compress(pickle.dumps(chunk, protocol=pickle.HIGHEST_PROTOCOL), 1)


def load_chunk(data: bytes) -> PassChunk | None:
    """The chunk again; None when another version wrote it, or something else did."""
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
    return chunk if isinstance(chunk, PassChunk) else None


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if module == "builtins" and name in _BUILTINS:
            return super().find_class(module, name)
        if f"{module}.".startswith(_ALLOWED) and "." not in name:
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is not part of a pass")
