"""llama.cpp's server on loopback, in a child process: one for each model file, shared by everything in this process."""

from __future__ import annotations

import atexit
import json
import re
import secrets
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import IO, Literal

import httpx
import numpy as np

from longtake.errors import EngineError
from longtake.models.folder import installed
from longtake.models.machine import usable_cores
from longtake.preprocess.engines.llama_cpp import server_process
from longtake.preprocess.engines.llama_cpp.gguf_header import Header, read_header
from longtake.preprocess.engines.llama_cpp.transport import Address, LoopbackTransport
from longtake.settings import Settings

_CGROUP = Path("/sys/fs/cgroup")
_SIDE = 64  # of matrices that are small enough for a single thread to multiply them
_PRODUCTS = 2_000
_REACHED = 0.4  # share of the rate that llama.cpp reaches with 4-bit weights, measured with SmolLM2 on two cores


def memory_left() -> int:
    """Bytes that are free or can be freed, within the limit of the container if there is one."""
    import psutil

    left = int(psutil.virtual_memory().available)
    with suppress(OSError, ValueError):  # no cgroup, or "max": no limit
        used = int((_CGROUP / "memory.current").read_text())
        freeable = dict(line.split() for line in (_CGROUP / "memory.stat").read_text().splitlines())
        left = min(left, int((_CGROUP / "memory.max").read_text()) - used + int(freeable["inactive_file"]))
    return left


def threads_to_use() -> int:
    """All cores that this process may use but one, so that other work doesn't hold up every thread."""
    import psutil

    cores = usable_cores()
    return max(1, min(cores, psutil.cpu_count(logical=False) or cores) - 1)


@cache
def operations_a_second() -> float:
    """Floating-point operations a second at which a model is read here, by matrix products that are timed once."""
    one = np.ones((_SIDE, _SIDE), np.float32)
    took: list[float] = []
    for _ in range(_PRODUCTS):
        started = time.perf_counter()
        np.matmul(one, one)
        took.append(time.perf_counter() - started)
    # The slower products were disturbed.
    return _REACHED * 2.0 * _SIDE**3 / min(took) * threads_to_use()


PACKAGES = ("xllamacpp", "psutil")
Purpose = Literal["chat", "vectors", "scores"]
INSTALL = "pip install 'longtake[gguf]'"
FIRST_MESSAGE = 800  # tokens of a question with its tools, the median measured
_START_SECONDS = 60.0  # to load a small file
_READ_RATE = 50e6  # bytes a second of a slow disk
_END_SECONDS = 2.0  # to end before the process is killed
_PROBLEM = re.compile(r"error loading model: (?P<why>.+)|(?:mtmd|clip)\S*: error: (?P<clip>.+)")


def missing_gguf(settings: Settings, model: str | None, setting: str, purpose: Purpose = "chat") -> str | None:
    """Why a GGUF file can't be used here and what to do; None if it can. Nothing is loaded.

    Args:
        settings: its context and projector are checked too.
        model: the path in `setting`.
        setting: the name of the setting, such as `controller.model`.
        purpose: what the model is for.
    """
    absent = [name for name in PACKAGES if find_spec(name) is None]
    if absent:
        return f"{', '.join(absent)} not installed: {INSTALL}"
    if not model:
        return f"no model is set: give a GGUF file with --set {setting}=FILE.gguf"
    try:
        header = read_header(Path(model).expanduser())
        if purpose == "chat" and not header.writes:
            return f"{model} makes vectors of texts and writes none: name a language model in {setting}"
        if projector := projector_of(settings, model):
            read_header(projector)
        _check_memory(header, _usable(settings.gguf.context, header))
    except EngineError as error:
        return str(error)
    return None


def expected_costs(settings: Settings, model: str) -> tuple[int, float]:
    """Estimates for a GGUF file before it is loaded: bytes of memory, and seconds to read a first message.

    The time is for a CPU.

    Raises:
        EngineError: if the file can't be read.
    """
    header = read_header(Path(model).expanduser())
    seconds = header.operations(FIRST_MESSAGE) / operations_a_second()
    return header.needed_bytes(_usable(settings.gguf.context, header)), seconds


def projector_of(settings: Settings, model: str) -> Path | None:
    """The projector file of a model that sees; None for one that only reads."""
    fetched = next((each.projector for each in installed("pictures") if str(each.path) == model), None)
    if fetched:
        return fetched
    seeing = {settings.captions.model, settings.visual_question.model}
    return Path(settings.gguf.mmproj).expanduser() if settings.gguf.mmproj and model in seeing else None


def shared_server(settings: Settings, model: str) -> LlamaServer:
    """The server of a GGUF file; the same for all who name it. Nothing starts yet."""
    projector = projector_of(settings, model)
    return _server(Path(model).expanduser(), projector, settings.gguf.context, settings.gguf.idle_seconds)


def reading_server(settings: Settings, model: str, context: int, purpose: Purpose) -> LlamaServer:
    """The server that turns texts of at most `context` tokens into vectors or scores. Nothing starts yet."""
    return _server(Path(model).expanduser(), None, context, settings.gguf.idle_seconds, purpose)


@cache
def _server(
    file: Path, projector: Path | None, context: int, idle_seconds: int, purpose: Purpose = "chat"
) -> LlamaServer:
    server = LlamaServer(file, projector, context, idle_seconds, purpose)
    atexit.register(server.close)
    return server


class LlamaServer:
    """A server for one model. It starts with the first request, and again if it died.

    After the idle time llama.cpp takes the model out of memory, and loads it again for the next request.
    """

    def __init__(
        self, file: Path, projector: Path | None, context: int, idle_seconds: int, purpose: Purpose = "chat"
    ) -> None:
        self.file = file
        self._purpose = purpose
        self._projector = projector
        self._context = context
        self._idle_seconds = idle_seconds
        self._process: subprocess.Popen[str] | None = None
        self._address = Address("", "")
        self._starting = Lock()

    def client(self) -> httpx.Client:
        """An HTTP client whose requests go to this server, whatever host they name."""
        return httpx.Client(transport=LoopbackTransport(self.ready), follow_redirects=False, timeout=None)

    def ready(self) -> Address:
        """The address of the running server; starts it if necessary.

        Raises:
            EngineError: if the package or the file is missing or unsuitable, or there is too little memory.
        """
        with self._starting:
            if self._process is None or self._process.poll() is not None:
                self.close()
                self._address = self._start()
                self._check_health()
            return self._address

    def close(self) -> None:
        """End the process, whatever it is doing."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin
        assert process.stdout
        with suppress(OSError):
            process.stdin.close()  # the sign to end
        try:
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()

    def _start(self) -> Address:
        absent = [name for name in PACKAGES if find_spec(name) is None]
        if absent:
            raise EngineError(f"{self.file} needs {' and '.join(absent)}: {INSTALL}.")
        header = read_header(self.file)
        if self._projector:
            read_header(self._projector)
        context = _usable(self._context, header)
        _check_memory(header, context)
        key = secrets.token_urlsafe(32)
        given = {
            "model": str(self.file),
            "mmproj": str(self._projector or ""),
            "context": context,
            "cache_mib": header.cache_bytes(context) >> 20,
            "threads": threads_to_use(),
            "purpose": self._purpose,
            "pools": bool(header.number("pooling_type", 0)),
            "idle_seconds": self._idle_seconds,
            "key": key,
        }
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
            # -P: the script's folder doesn't become a place to import from.
            command = [sys.executable, "-P", str(server_process.__file__)]
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, encoding="utf-8"
            )
            self._process = process
            assert process.stdin
            assert process.stdout
            with suppress(OSError):  # it died already: there is no address then
                process.stdin.write(json.dumps(given) + "\n")
                process.stdin.flush()
            url = _line(process.stdout, _START_SECONDS + self.file.stat().st_size / _READ_RATE)
            if not url:
                slow = process.poll() is None and url is None
                self.close()
                log.seek(0)
                raise EngineError(f"llama.cpp couldn't load {self.file} ({_problem(log.read(), slow=slow)}).")
        return Address(url, key)

    def _check_health(self) -> None:
        try:
            httpx.get(f"{self._address.url}/health", trust_env=False, timeout=_START_SECONDS).raise_for_status()
        except httpx.HTTPError as error:
            self.close()
            raise EngineError(f"llama.cpp loaded {self.file} but doesn't answer ({error}): try again.") from error


def _usable(context: int, header: Header) -> int:
    """The context in tokens, at most what the model was trained to read."""
    return min(context, header.context or context)


def _check_memory(header: Header, context: int) -> None:
    needed, left = header.needed_bytes(context), memory_left()
    if needed > left:
        raise EngineError(
            f"{header.file} needs about {needed / 1e9:.1f} GB of memory and {left / 1e9:.1f} GB are available: "
            f"close other programs, name a smaller model, or lower gguf.context (now {context:,} tokens)"
        )


def _line(stream: IO[str], seconds: float) -> str | None:
    """The next line without its end, empty if the stream ended; None if none comes in time."""
    lines: SimpleQueue[str] = SimpleQueue()
    Thread(target=lambda: lines.put(stream.readline()), daemon=True).start()
    try:
        return lines.get(timeout=seconds).strip()
    except Empty:
        return None


def _problem(log: str, *, slow: bool) -> str:
    """Why loading failed and what to do, from llama.cpp's log."""
    if slow:
        return "it took too long: name a smaller model"
    found = _PROBLEM.search(log)
    why = (found["why"] or found["clip"]) if found else (log.strip().splitlines() or ["it ended without a word"])[-1]
    if "architecture" in why:
        return f"{why}: name another model, or upgrade with pip install --upgrade xllamacpp"
    return f"{why}: download the file again, or name another model"
