"""Sandbox: runs a snippet of Python that nobody vouches for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

RAN_OUT = "it ran for "  # how `Ran.ended` begins where the time was over
MAX_OUTPUT = 64 * 1024  # bytes of each of the two streams
TRIAL = "print(sum(inputs['numbers']))"


@dataclass(frozen=True, slots=True)
class Ran:
    """What a snippet wrote, and what ended it before its own end: one phrase such as `it ran for 10 s`."""

    stdout: str
    stderr: str
    ended: str = ""


class Sandbox(Protocol):
    """Runs code without network, files or environment of this machine, within limits of time, memory and output."""

    @property
    def id(self) -> str:
        """Name and version."""
        ...

    def run(self, code: str, inputs: Mapping[str, Any], seconds: float, check_cancelled: Callable[[], None]) -> Ran:
        """Run Python source that finds `inputs`, plain JSON values, in a variable of that name.

        What the snippet does wrong, an endless loop for one, is told in the result.

        Raises:
            EngineError: when the sandbox could not be set up. Nothing ran then.
            Cancelled: as `check_cancelled` does; the snippet is killed.
        """
        ...
