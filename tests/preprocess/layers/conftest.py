"""What the tests of layers share."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.memory.layers import LayerStore


@pytest.fixture
def store(tmp_path: Path) -> LayerStore:
    """Where layers of one video are kept."""
    return LayerStore(tmp_path / "layers")
