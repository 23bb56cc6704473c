"""SmolLM2-135M-Instruct, a real language model of 98 MB, and files made of it that fail or behave otherwise."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from longtake.benchmarks.parts.gguf_calls import packaged_smollm2
from longtake.errors import EngineError


def smollm2() -> Path:
    """The packaged file; skips the test where it or llama.cpp isn't installed."""
    if not (find_spec("xllamacpp") and find_spec("psutil")):
        pytest.skip("needs the extra `gguf`: pip install 'longtake[gguf]'")
    try:
        return Path(packaged_smollm2())
    except EngineError as error:
        pytest.skip(str(error))


def of_unknown_architecture(folder: Path) -> Path:
    """The same model, as one of an architecture that llama.cpp doesn't know."""
    return _written(folder / "unknown.gguf", smollm2().read_bytes().replace(b"llama", b"lhama"))


def cut_off(folder: Path, size: int) -> Path:
    """The first `size` bytes of the file, as a download that broke off leaves it."""
    return _written(folder / f"cut-{size}.gguf", smollm2().read_bytes()[:size])


def _written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path
