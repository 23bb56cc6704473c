"""Monty (github.com/pydantic/monty): an interpreter of a part of Python that has no way out.

No files, no network, no environment, no packages; of the standard library a part. It runs in a process of its own, so
what crashes it ends nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, Literal

from longtake.config import Settings
from longtake.errors import EngineError
from longtake.preprocess.engines.sandbox.sandbox import MAX_OUTPUT, RAN_OUT, Ran

_GRACE = 2.0  # seconds after which an interpreter that does not keep its own limit of time is killed


class Monty:
    """Interprets a snippet in a fresh process each time."""

    def __init__(self, settings: Settings) -> None:
        """Nothing is started."""
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
                raise OverflowError  # the interpreter stops then

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
            ended = f"{RAN_OUT}{seconds:g} s" if error.timed_out else "the interpreter died of it"
        except (pydantic_monty.MontyError, OSError) as error:
            raise EngineError(f"Monty did not run ({error}): install pydantic-monty anew.") from error
        if any(len(text) > MAX_OUTPUT for text in written.values()):
            ended = f"it wrote more than {MAX_OUTPUT} bytes"
        return Ran(written["stdout"][:MAX_OUTPUT], written["stderr"][:MAX_OUTPUT], ended)
