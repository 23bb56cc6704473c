"""Runs the command line where the library's disk is mounted read-only."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_JAIL = ("bwrap", "--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc")

needs_jail = pytest.mark.skipif(
    shutil.which("bwrap") is None or subprocess.run([*_JAIL, "true"], capture_output=True).returncode != 0,
    reason="needs bubblewrap: apt-get install bubblewrap",
)


def run_read_only(library: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What `longtake` did with a library that exists and can't be written."""
    command = [*_JAIL, "--ro-bind", str(library), str(library), sys.executable, "-m", "longtake"]
    return subprocess.run(
        [*command, "--library", str(library), *arguments], capture_output=True, text=True, check=False, timeout=60
    )
