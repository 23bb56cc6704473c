"""Runs engines in separate processes: one that hangs or dies is killed, restarted once, and then reported.

An engine class lists in `CALLS` the methods that run there, and how many seconds each may take. Everything else, such
as its id, comes from a local instance, so creating one must be cheap.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache, partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.util import Finalize
from types import ModuleType
from typing import Any, cast

from longtake.errors import EngineError, LongtakeError
from longtake.preprocess.engines.built_in_engines import named
from longtake.settings import Settings

log = logging.getLogger(__name__)
_START_SECONDS = 60.0  # to start an interpreter; loading the model counts towards the first call
_END_SECONDS = 2.0
_GONE = (EOFError, OSError)  # includes TimeoutError
_Question = tuple[str, tuple[Any, ...], dict[str, Any]]
_CONTEXT = multiprocessing.get_context("spawn")  # a fork would copy other threads' locks
_STARTING = threading.Lock()


class EngineProcess:
    """A proxy for an engine whose calls run in another process, one at a time."""

    def __init__(self, target: str, settings: Settings) -> None:
        """Prepare the proxy; the process starts with the first call.

        Args:
            target: `module:class` of the engine.
            settings: passed to both instances.
        """
        self._target = target
        self._settings = settings
        self._class = named(target)
        self._local = self._class(settings)
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None
        self._alone = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        """A method that runs in the process, or an attribute of the local instance."""
        if name in self._class.CALLS:
            return partial(self._call, name, self._class.CALLS[name])
        return getattr(self._local, name)

    def close(self) -> None:
        """Kill the process, whatever it is doing."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process.close()
        if self._connection is not None:
            self._connection.close()
        self._process = self._connection = None

    def _call(self, method: str, seconds: float, *arguments: Any, **keywords: Any) -> Any:
        question = method, arguments, keywords
        with self._alone:
            try:
                kind, value = self._answer(question, seconds)
            except _GONE as error:
                log.warning("the engine %s %s in `%s`; restarting it", self._local.id, _how(error), method)
                kind, value = self._answer_at_last(question, seconds)
        if kind == "error":
            raise cast(LongtakeError, value)
        return value

    def _answer_at_last(self, question: _Question, seconds: float) -> tuple[str, Any]:
        try:
            return self._answer(question, seconds)
        except _GONE as error:
            raise EngineError(
                f"The engine {self._local.id} {_how(error)} twice in `{question[0]}` and was killed: index again to "
                "resume, or choose another engine in the settings under `engines`."
            ) from error

    def _answer(self, question: _Question, seconds: float) -> tuple[str, Any]:
        """`value` and the method's result, or `error` and the exception."""
        try:
            connection = self._connect()
            connection.send(question)  # never blocks for long, because the other side is waiting for it
            if not connection.poll(seconds):
                raise TimeoutError
            answer: tuple[str, Any] = connection.recv()
        except BaseException:
            self.close()  # a late answer must not be taken for the next one
            raise
        return answer

    def _connect(self) -> Connection:
        """The connection to a live process whose engine is ready."""
        if self._connection is not None and self._process is not None and self._process.is_alive():
            return self._connection
        self.close()
        ours, theirs = _CONTEXT.Pipe()
        arguments = (theirs, self._target, self._settings)
        process = _CONTEXT.Process(target=serve, args=arguments, daemon=True, name=self._local.id)
        with _main_left_out():
            process.start()
        theirs.close()
        self._process, self._connection = process, ours
        # When this proxy or the program ends: `multiprocessing` would kill the process and warn of its leftovers.
        Finalize(self, _end, args=(process, ours), exitpriority=1)
        if not ours.poll(_START_SECONDS):
            raise TimeoutError
        ours.recv()  # the ready message
        return ours


@contextmanager
def _main_left_out() -> Iterator[None]:
    """Start a process without the program's main module.

    `spawn` would run it again there: a script that isn't guarded by `if __name__ == "__main__"` would start itself.
    """
    with _STARTING:
        main = sys.modules["__main__"]
        sys.modules["__main__"] = ModuleType("__main__")
        try:
            yield
        finally:
            sys.modules["__main__"] = main


def _end(process: BaseProcess, connection: Connection) -> None:
    """Let the process end by itself, which it does at once unless it is in a call."""
    with suppress(ValueError, OSError):  # closed before
        connection.close()
        process.join(_END_SECONDS)


def _how(error: Exception) -> str:
    return "did not answer in time" if isinstance(error, TimeoutError) else "died"


def engine_process(target: str, settings: Settings) -> EngineProcess:
    """The process for an engine and settings, shared with its loaded model by libraries opened in succession.

    An unused process ends with its last user, which closes the connection.
    """
    return _process(target, settings.model_dump_json())


@lru_cache(maxsize=4)
def _process(target: str, settings: str) -> EngineProcess:
    return EngineProcess(target, Settings.model_validate_json(settings))


def serve(connection: Connection, target: str, settings: Settings) -> None:
    """Answer calls until the other side is gone; runs in the engine's process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the other side handles it
    if settings.offline:
        from longtake.offline import forbid_network

        forbid_network()
    engine = named(target)(settings)
    with suppress(EOFError, OSError):  # the other side is gone
        connection.send(None)  # ready
        while True:
            method, arguments, keywords = connection.recv()
            connection.send(_result(partial(getattr(engine, method), *arguments, **keywords)))


def _result(call: Callable[[], Any]) -> tuple[str, Any]:
    try:
        return "value", call()
    except LongtakeError as error:
        return "error", error
    except Exception as error:
        # The engine's process boundary: report any failure to the caller.
        log.debug("the engine failed", exc_info=True)
        return "error", EngineError(f"The engine failed ({type(error).__name__}: {error}).")
