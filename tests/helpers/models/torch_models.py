"""torch and transformers for tiny checkpoints."""

from __future__ import annotations

from typing import Any

import pytest

from longtake.preprocess.engines.transformers_folders import make_importable


def torch_and_transformers() -> tuple[Any, Any]:
    """Both packages; skips the test where one is not installed."""
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'longtake[vision]'")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    make_importable()
    return torch, transformers
