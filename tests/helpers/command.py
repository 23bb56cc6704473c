"""The command line in this process: a process of its own would first import everything again."""

from __future__ import annotations

import io
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import pytest

from longtake.cli.main import app
from longtake.console import error_border


@dataclass(frozen=True)
class Done:
    """The exit code of a command and what it printed."""

    code: int
    stdout: str
    stderr: str


def longtake(*arguments: object, library: Path | None = None, stdin: str | bytes = "") -> Done:
    """Run `longtake`; `--offline` needs a process of its own, since it cannot be taken back."""
    given = [*(("--library", library) if library else ()), *arguments]
    output, errors = io.StringIO(), io.StringIO()
    typed = io.BytesIO(stdin if isinstance(stdin, bytes) else stdin.encode())
    with (
        pytest.raises(SystemExit) as left,
        redirect_stdout(output),
        redirect_stderr(errors),
        patch.object(sys, "stdin", io.TextIOWrapper(typed, encoding="utf-8")),
        patch.object(os, "_exit", sys.exit),
        error_border(debug=False),
    ):
        app([str(argument) for argument in given])
    code = left.value.code
    return Done(code if isinstance(code, int) else int(code is not None), output.getvalue(), errors.getvalue())
