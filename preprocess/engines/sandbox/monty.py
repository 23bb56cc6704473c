"""Sandbox with Monty (github.com/pydantic/monty), an isolated interpreter for a subset of Python.

No files, network, environment or packages, and only part of the standard library. It runs in a separate process, so a
crash affects nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, Literal

from longtake.errors import EngineError
from longtake.preprocess.engines.sandbox.sandbox import MAX_OUTPUT, RAN_OUT, Ran
from longtake.settings import Settings

_GRACE = 2.0  # seconds before an interpreter that exceeds its own time limit is killed


class Monty:
    """Interprets each snippet in a fresh process."""

    def __init__(self, settings: Settings) -> None:
        """Take the limits; nothing is started yet."""
        self._limits = settings.sandbox
        self.id = f"monty-{version('pydantic-monty')}"

    def run(self, code: str, inputs: Mapping[str, Any], seconds: float, check_cancelled: Callable[[], None]) -> Ran:
        """See `Sandbox`."""
        import pydantic_monty

        seconds = min(seconds, self._limits.seconds)
        written = {"stdout": "", "stderr": ""}
        limits = pydantic_monty.ResourceLimits(
            max_feed_duration_secs=seconds,
            max_total_sleep_secs=seconds,
            max_memory=self._limits.megabytes * 1024 * 1024,
        )

        def keep(stream: Literal["stdout", "stderr"], text: str) -> None:
            written[stream] += text
            if len(written[stream]) > MAX_OUTPUT:
                raise OverflowError  # stops the interpreter

        check_cancelled()
        ended = ""
        try:
            with (
                pydantic_monty.Monty(max_processes=1, request_timeout=seconds + _GRACE) as pool,
                pool.checkout(script_name="code.py", limits=limits) as session,
            ):
                session.feed_run(code, inputs={"inputs": dict(inputs)}, print_callback=keep)
        except (pydantic_monty.MontySyntaxError, pydantic_monty.MontyRuntimeError) as error:
            written["stderr"] += error.display()
            ended = f"{RAN_OUT}{seconds:g} s" if "time limit exceeded" in str(error) else ""
        except pydantic_monty.MontyCrashedError as error:
            ended = f"{RAN_OUT}{seconds:g} s" if error.timed_out else "it crashed the interpreter"
        except (pydantic_monty.MontyError, OSError) as error:
            raise EngineError(f"Monty didn't run ({error}): reinstall pydantic-monty.") from error
        if any(len(text) > MAX_OUTPUT for text in written.values()):
            ended = f"it wrote more than {MAX_OUTPUT} bytes"
        return Ran(written["stdout"][:MAX_OUTPUT], written["stderr"][:MAX_OUTPUT], ended)
