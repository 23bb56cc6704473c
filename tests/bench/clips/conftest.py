"""A bank of a few hundred questions: fitting a reader anew on the whole one takes a minute and a half."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from longtake.agent.query import bank, reader
from longtake.bench.clips import clip_readers

ABOUT = "PySceneDetect/counter.mp4"  # the bank holds wordings about it


@pytest.fixture(scope="module", autouse=True)
def _small_bank() -> Iterator[None]:
    """Every fortieth example, and those about one clip."""
    kept = tuple(each for number, each in enumerate(bank.load_bank()) if each.clip == ABOUT or number % 40 == 0)
    with pytest.MonkeyPatch.context() as patch:
        for module in (reader, clip_readers):
            patch.setattr(module, "load_bank", lambda: kept)
        yield
