"""The protocol of a sandbox, which runs untrusted Python snippets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

RAN_OUT = "it ran for "  # the start of `Ran.ended` after a timeout
MAX_OUTPUT = 64 * 1024  # bytes of each of the two streams
TRIAL = "print(sum(inputs['numbers']))"


@dataclass(frozen=True, slots=True)
class Ran:
    """The output of a snippet, and what stopped it, if anything: a phrase such as `it ran for 10 s`."""

    stdout: str
    stderr: str
    ended: str = ""


class Sandbox(Protocol):
    """Runs code without access to this machine's network, files or environment, limiting time, memory and output."""

    @property
    def id(self) -> str:
        """Name and version."""
        ...

    def run(self, code: str, inputs: Mapping[str, Any], seconds: float, check_cancelled: Callable[[], None]) -> Ran:
        """Run Python source with `inputs`, plain JSON values, in a variable of that name.

        The result reports anything the snippet does wrong, such as an endless loop.

        Raises:
            EngineError: if the sandbox couldn't be set up, so nothing ran.
            Cancelled: from `check_cancelled`; the snippet is killed.
        """
        ...
