"""Writes GGUF files: metadata, then arrays. Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

_U32, _I32, _F32, _BOOL, _STRING, _ARRAY = 4, 5, 6, 7, 8, 9
_ALIGNMENT = 32


def write_gguf(path: Path, values: Mapping[str, Any], shapes: Mapping[str, Sequence[int]], seed: int = 5) -> Path:
    """Write a file whose arrays, (rows, columns), are random and small; norms are ones."""
    random = np.random.default_rng(seed)
    described, data = b"", b""
    for name, shape in shapes.items():
        drawn = np.ones(shape) if name.endswith("norm.weight") else random.normal(0, 0.02, shape)
        content = drawn.astype("<f4").tobytes()
        order = tuple(shape)[::-1]  # the format lists the fastest dimension first
        described += _string(name) + struct.pack(f"<I{len(order)}QIQ", len(order), *order, 0, len(data))
        data += content.ljust(_padded(len(content)), b"\0")
    head = b"".join(_string(name) + _value(value) for name, value in values.items())
    content = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(values)) + head + described
    path.write_bytes(content.ljust(_padded(len(content)), b"\0") + data)
    return path


def _value(value: Any) -> bytes:
    kind, content = _typed(value)
    return struct.pack("<I", kind) + content


def _typed(value: Any) -> tuple[int, bytes]:
    if isinstance(value, bool):
        return _BOOL, bytes([value])
    if isinstance(value, int):
        return _U32, struct.pack("<I", value)
    if isinstance(value, float):
        return _F32, struct.pack("<f", value)
    if isinstance(value, str):
        return _STRING, _string(value)
    if isinstance(value[0], int):  # only single numbers are unsigned
        return _ARRAY, struct.pack(f"<IQ{len(value)}i", _I32, len(value), *value)
    kinds, contents = zip(*map(_typed, value), strict=True)
    return _ARRAY, struct.pack("<IQ", kinds[0], len(contents)) + b"".join(contents)


def _string(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _padded(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT
