"""Processes that are started to be measured: this Python, and `longtake` in it with the options of a session."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from longtake.console import EXIT_PARTIAL, Session
from longtake.errors import EngineError

MAX_SECONDS = 120.0  # for one process, where nothing long is asked of it


def longtake(session: Session, library: Path, *arguments: str) -> list[str]:
    """The command line of `longtake` with the session's options and another library."""
    overrides = [part for override in session.overrides for part in ("--set", override)]
    offline = ["--offline"] if session.offline else []
    options = ["--config", session.profile, *overrides, *offline, "--library", str(library)]
    return python("-m", "longtake", *options, *arguments)


def python(*arguments: str) -> list[str]:
    """The command line of this Python."""
    return [sys.executable, *arguments]


def run(command: Sequence[str], seconds: float | None = MAX_SECONDS) -> str:
    """Run a command to its end, for at most `seconds`; what it wrote to standard output.

    Raises:
        EngineError: when it fails, or takes longer. Work that is done in part counts as done.
    """
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired as error:
        raise EngineError(f"`{shlex.join(command)}` was not done after {seconds:g} s; run it by hand.") from error
    check(command, done.returncode, done.stderr)
    return done.stdout


def check(command: Sequence[str], code: int, said: str) -> None:
    """Raise `EngineError` with the last line that a process said, when its exit code is that of a failure."""
    if code not in (0, EXIT_PARTIAL):
        last = (said.strip().splitlines() or ["it said nothing"])[-1]
        raise EngineError(f"`{shlex.join(command)}` failed: {last}")
