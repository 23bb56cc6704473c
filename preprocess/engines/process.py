"""Engines in processes of their own: one that hangs or dies is killed, restarted once, and then reported.

An engine class says in `CALLS` which of its methods run there, and how many seconds each may take. The rest of it, its
id for one, is answered by an instance on this side, so building one must cost next to nothing.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache, partial
from importlib import import_module
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, Protocol, cast

from longtake.config import Settings
from longtake.errors import EngineError, LongtakeError

log = logging.getLogger(__name__)
_START_SECONDS = 60.0  # for a fresh interpreter; what an engine loads on first use, its first call has time for
_GONE = (EOFError, OSError)  # of which TimeoutError is one
_Question = tuple[str, tuple[Any, ...], dict[str, Any]]
_CONTEXT = multiprocessing.get_context("spawn")  # a fork would take locks of other threads along


class EngineClass(Protocol):
    """A class whose instances can be made on both sides."""

    CALLS: Mapping[str, float]

    def __call__(self, settings: Settings) -> Any:
        """An engine for these settings."""
        ...


class EngineProcess:
    """Stands in for an engine; its calls are answered by another process, one at a time."""

    def __init__(self, target: str, settings: Settings) -> None:
        """Nothing is started before the first call.

        Args:
            target: `module:class` of the engine.
            settings: what both instances are made with.
        """
        self._target = target
        self._settings = settings
        self._class = engine_class(target)
        self._local = self._class(settings)
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None
        self._alone = threading.Lock()

    def __getattr__(self, name: str) -> Any:
        """A method that runs in the process, or what the instance on this side says."""
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

    def _call(self, method: str, seconds: float, *arguments: Any, **named: Any) -> Any:
        question = method, arguments, named
        with self._alone:
            try:
                kind, value = self._answer(question, seconds)
            except _GONE as error:
                log.warning("the engine %s %s in `%s`; it is started anew", self._local.id, _how(error), method)
                kind, value = self._answer_at_last(question, seconds)
        if kind == "error":
            raise cast(LongtakeError, value)
        return value

    def _answer_at_last(self, question: _Question, seconds: float) -> tuple[str, Any]:
        try:
            return self._answer(question, seconds)
        except _GONE as error:
            raise EngineError(
                f"The engine {self._local.id} {_how(error)} twice in `{question[0]}` and was killed: index again to go "
                "on from there, or name another engine in the settings under `engines`."
            ) from error

    def _answer(self, question: _Question, seconds: float) -> tuple[str, Any]:
        """`value` and what the method returned, or `error` and why it did not."""
        try:
            connection = self._connected()
            connection.send(question)  # never waits for long: the other side does nothing but wait for it
            if not connection.poll(seconds):
                raise TimeoutError
            answer: tuple[str, Any] = connection.recv()
        except BaseException:
            self.close()  # an answer that nobody waits for must not meet the next question
            raise
        return answer

    def _connected(self) -> Connection:
        """The connection to a living process whose engine is there."""
        if self._connection is not None and self._process is not None and self._process.is_alive():
            return self._connection
        self.close()
        ours, theirs = _CONTEXT.Pipe()
        arguments = (theirs, self._target, self._settings)
        process = _CONTEXT.Process(target=serve, args=arguments, daemon=True, name=self._local.id)
        process.start()
        theirs.close()
        self._process, self._connection = process, ours
        if not ours.poll(_START_SECONDS):
            raise TimeoutError
        ours.recv()  # that it is ready
        return ours


def _how(error: Exception) -> str:
    return "did not answer in time" if isinstance(error, TimeoutError) else "died"


def engine_process(target: str, settings: Settings) -> EngineProcess:
    """The process of an engine and settings: libraries opened one after the other share it, and its loaded model.

    One that is used no more goes with its last user: the engine's end of the connection is closed then.
    """
    return _process(target, settings.model_dump_json())


@lru_cache(maxsize=4)
def _process(target: str, settings: str) -> EngineProcess:
    return EngineProcess(target, Settings.model_validate_json(settings))


def engine_class(target: str) -> EngineClass:
    """The class that `module:class` names."""
    module, _, attribute = target.partition(":")
    return cast(EngineClass, getattr(import_module(module), attribute))


def serve(connection: Connection, target: str, settings: Settings) -> None:
    """Answer calls until the other side is gone; runs in the engine's own process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group: the other side decides
    if settings.offline:
        from longtake.offline import forbid_network

        forbid_network()
    engine = engine_class(target)(settings)
    with suppress(EOFError, OSError):  # the other side is gone
        connection.send(None)  # ready
        while True:
            method, arguments, named = connection.recv()
            connection.send(_result(partial(getattr(engine, method), *arguments, **named)))


def _result(call: Callable[[], Any]) -> tuple[str, Any]:
    try:
        return "value", call()
    except LongtakeError as error:
        return "error", error
    except Exception as error:
        # The border of the engine's process: what goes wrong inside is told to the side that asked.
        log.debug("the engine failed", exc_info=True)
        return "error", EngineError(f"The engine failed ({type(error).__name__}: {error}).")
