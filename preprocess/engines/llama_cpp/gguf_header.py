"""Reads what a GGUF file says about its model, and estimates the memory and the arithmetic that the model needs.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. The package `gguf` reads it too, but takes seconds,
because it reads every word of the vocabulary; this stops before it.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from longtake.errors import EngineError

_SCALARS = dict(enumerate("BbHhIif?")) | {10: "Q", 11: "q", 12: "d"}  # value types as `struct` formats
_STRING, _ARRAY = 8, 9
_VOCABULARY = "tokenizer.ggml.tokens"
_VERSIONS = (2, 3)
_MAX_STRING, _MAX_COUNT = 1 << 24, 1 << 20  # larger numbers mean damage
_MAX_HEAD = 1 << 26  # bytes before the data; a vocabulary takes the most
_CLASSIFIERS = (b"cls.weight", b"cls.output.weight")
_BATCH = 512  # tokens that llama.cpp reads at once
_FIXED = 150_000_000  # bytes of the process without a model: measured 80 MB, and room for the tokenizer


class Header(NamedTuple):
    """Facts about a GGUF file: its architecture, and its metadata up to the vocabulary."""

    file: Path
    architecture: str
    values: Mapping[str, Any]

    def number(self, name: str, default: int) -> int:
        """A number of the architecture, such as `block_count`; the largest if layers differ."""
        value = self.values.get(f"{self.architecture}.{name}", default)
        return int(max(value, default=default) if isinstance(value, list) else value)

    @property
    def context(self) -> int:
        """Tokens that the model was trained to read; 0 if the file doesn't say."""
        return self.number("context_length", 0)

    @property
    def writes(self) -> bool:
        """Whether the model writes text: one that pools its tokens makes vectors or scores of a text."""
        return "bert" not in self.architecture and not self.number("pooling_type", 0)

    def cache_bytes(self, context: int) -> int:
        """Size of the cache of keys and values for `context` tokens, with 2 bytes per value."""
        heads = max(1, self.number("attention.head_count", 1))
        head = self.number("embedding_length", 0) // heads
        values = self.number("attention.key_length", head) + self.number("attention.value_length", head)
        return self.number("block_count", 0) * self.number("attention.head_count_kv", heads) * values * 2 * context

    def operations(self, tokens: int) -> float:
        """Estimate of the floating-point operations that reading so many tokens takes: two for each weight and token,
        and those of attention to the tokens before.
        """
        width, heads = self.number("embedding_length", 0), max(1, self.number("attention.head_count", 1))
        head = self.number("attention.key_length", width // heads)
        asked, kept = heads * head, self.number("attention.head_count_kv", heads) * head
        weights = width * (2 * asked + 2 * kept) + 3 * width * self.number("feed_forward_length", 0)
        return float(self.number("block_count", 0) * tokens * (2 * weights + 2 * asked * tokens))

    def needed_bytes(self, context: int) -> int:
        """Estimate of the memory in use: file, cache, one displaced prompt, a batch's buffers, the process."""
        widest = max(int(self.values.get(_VOCABULARY, 0)), 4 * self.number("embedding_length", 0))
        return self.file.stat().st_size + 2 * self.cache_bytes(context) + 4 * _BATCH * widest + _FIXED


def read_header(file: Path) -> Header:
    """Read the header of a GGUF file.

    Raises:
        EngineError: if the file is missing, isn't a GGUF file, or breaks off.
    """
    try:
        with file.open("rb") as stream:
            if stream.read(4) != b"GGUF":
                raise EngineError(f"{file} isn't a GGUF file: name another")
            values = _read_values(stream)
    except OSError as error:
        raise EngineError(f"{file} can't be read ({error.strerror}): name an existing GGUF file") from error
    except (struct.error, ValueError) as error:
        raise EngineError(f"{file} is damaged or incomplete: download it again") from error
    return Header(file, str(values.get("general.architecture", "")), values)


def has_classifier(file: Path) -> bool:
    """Whether a model ends in a score, as rerankers do: the names of its arrays, before all data, say so."""
    with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return any(content.find(name, 0, _MAX_HEAD) >= 0 for name in _CLASSIFIERS)


def _read_values(stream: BinaryIO) -> dict[str, Any]:
    """The metadata up to the vocabulary, of which only the size is kept."""
    (version,) = _unpack(stream, "I")
    if version not in _VERSIONS:
        raise ValueError(f"version {version} of the format is unknown")
    _, count = _unpack(stream, "QQ")
    values: dict[str, Any] = {}
    for _ in range(_limited(count, _MAX_COUNT)):
        name = _string(stream)
        (kind,) = _unpack(stream, "I")
        if name == _VOCABULARY:
            values[name] = _unpack(stream, "IQ")[1]
            break
        values[name] = _value(stream, kind)
    return values


def _value(stream: BinaryIO, kind: int) -> Any:
    if kind == _STRING:
        return _string(stream)
    if kind == _ARRAY:
        inner, count = _unpack(stream, "IQ")
        return [_value(stream, inner) for _ in range(_limited(count, _MAX_COUNT))]
    if kind not in _SCALARS:
        raise ValueError(f"type {kind} of a value is unknown")
    return _unpack(stream, _SCALARS[kind])[0]


def _string(stream: BinaryIO) -> str:
    (length,) = _unpack(stream, "Q")
    return stream.read(_limited(length, _MAX_STRING)).decode("utf-8", "replace")


def _limited(count: int, most: int) -> int:
    if count > most:
        raise ValueError(f"a length of {count:,}")
    return count


def _unpack(stream: BinaryIO, form: str) -> tuple[Any, ...]:
    form = "<" + form
    return struct.unpack(form, stream.read(struct.calcsize(form)))
