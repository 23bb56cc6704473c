"""Chunks of a pass: what was saved comes back, and nothing else comes to life."""

from __future__ import annotations

import os
import pickle
import zlib

import numpy as np
import pytest

from longtake.preprocess.engines.process import EngineProcess
from longtake.preprocess.media.coverage import CoveredSpans
from longtake.preprocess.visual_pass.pass_state import PassChunk, PassState, load_chunk, save_chunk
from longtake.settings import Settings


def test_a_chunk_comes_back_as_it_was() -> None:
    covered = CoveredSpans()
    covered.observe(0.0, 0.04)
    items = {"shots": [{"start": 0.0}]}
    again = load_chunk(save_chunk(PassChunk(items, PassState({}, covered, seen=0.0, end=0.04))))
    assert again is not None
    assert (again.items, again.state.seen, again.state.end, again.state.finished) == (items, 0.0, 0.04, False)
    assert again.state.covered.spans() == covered.spans()


class Evil:
    """A pickle may name any function; this one would be called on loading."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch /tmp/longtake-was-here",)


class ByName:
    """One that hides behind a module of ours, which imports what it wants to call."""

    def __init__(self, target: str) -> None:
        self.target = target

    def __reduce__(self) -> tuple[object, tuple[str, Settings]]:
        return EngineProcess, (self.target, Settings())


@pytest.mark.parametrize("content", [Evil(), ByName("os:system"), {"a": 1}, np.zeros(3), os.getcwd])
def test_what_is_no_chunk_is_none_and_runs_nothing(content: object) -> None:
    assert load_chunk(zlib.compress(pickle.dumps(content))) is None
    assert not os.path.exists("/tmp/longtake-was-here")


@pytest.mark.parametrize("data", [b"", b"garbage", save_chunk(PassChunk({}, PassState({})))[:-9]])
def test_a_damaged_chunk_is_none(data: bytes) -> None:
    assert load_chunk(data) is None


def test_a_chunk_of_another_version_of_the_code_is_none() -> None:
    assert load_chunk(save_chunk(PassChunk({}, PassState({}), code="another"))) is None
