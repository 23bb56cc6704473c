"""Content as strangers send it, and what may become of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from hypothesis import strategies as st

from longtake.errors import LongtakeError

DEEP = "[" * 5_000  # deeper than Python recurses
HUGE = "9" * 400  # more than a float holds
NUMBERS = st.one_of(st.integers(), st.floats(), st.just(int(HUGE)))
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(), inner, max_size=4)),
    max_leaves=8,
)
JSON_TEXTS = st.one_of(VALUES.map(json.dumps), st.text(), st.just(DEEP))


def fields(names: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects with some of these fields, and any values."""
    return st.dictionaries(st.sampled_from(names), VALUES, max_size=len(names))


@st.composite
def mutated(draw: st.DrawFn, content: bytes) -> bytes:
    """Content with some bytes replaced, and perhaps a piece cut out or doubled."""
    changed = bytearray(content)
    for place in draw(st.lists(st.integers(0, len(content) - 1), max_size=12)):
        changed[place] = draw(st.integers(0, 255))
    start = draw(st.integers(0, len(content)))
    end = draw(st.integers(start, min(len(content), start + 64)))
    piece = changed[start:end]
    changed[start:end] = piece * draw(st.sampled_from((0, 1, 1, 1, 2)))
    return bytes(changed)


@contextmanager
def read_or_refused() -> Iterator[None]:
    """What is read here is read, or refused in Longtake's own words; any other exception fails the test."""
    with suppress(LongtakeError):
        yield
