"""Starts the processes that are measured: this Python, and `longtake` in it with the options of a session."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from longtake.console import EXIT_PARTIAL, Session
from longtake.errors import EngineError

MAX_SECONDS = 120.0  # for one process that has nothing long to do


def longtake(session: Session, library: Path, *arguments: str) -> list[str]:
    """The command line of `longtake` with the session's options and another library."""
    overrides = [part for override in session.overrides for part in ("--set", override)]
    offline = ["--offline"] if session.offline else []
    profile = ["--config", session.profile] if session.profile else []
    options = [*profile, *overrides, *offline, "--library", str(library)]
    return python("-m", "longtake", *options, *arguments)


def python(*arguments: str) -> list[str]:
    """The command line of this Python."""
    return [sys.executable, *arguments]


def run(command: Sequence[str], seconds: float | None = MAX_SECONDS) -> str:
    """Run a command for at most `seconds`; returns what it wrote to standard output.

    Raises:
        EngineError: if it fails or takes longer. Partly done work counts as done.
    """
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired as error:
        raise EngineError(
            f"`{shlex.join(command)}` took longer than {seconds:g} s; run it by hand to see why."
        ) from error
    check(command, done.returncode, done.stderr)
    return done.stdout


def check(command: Sequence[str], code: int, stderr: str) -> None:
    """Raise `EngineError` with the last line of a process's standard error if its exit code means failure."""
    if code not in (0, EXIT_PARTIAL):
        last = (stderr.strip().splitlines() or ["it printed no error"])[-1]
        raise EngineError(f"`{shlex.join(command)}` failed: {last}")
