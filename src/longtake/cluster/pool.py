"""Workers on a Ray cluster.

A worker takes one core and keeps its models loaded. Work waits for a free worker, so there is never more under way than
there are cores. Ray starts a lost worker again, and another one takes over its work.
"""

from __future__ import annotations

import logging
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from queue import Empty, Queue
from typing import Any, Self
from urllib.parse import urlsplit

from longtake import __version__
from longtake.errors import ConfigError, LongtakeError
from longtake.offline import refuse_other_machines

log = logging.getLogger(__name__)
MEMORY = 2 << 30  # bytes that Ray reserves for a worker: the visual pass of an hour with a small Whisper fits
TRIES = 3  # workers that one piece of work may lose
_POLL = 0.5  # seconds between two looks at it
_ANSWERS = 5.0  # seconds in which a cluster's address must answer; Ray itself tries for many minutes
_JOINING = ("RAY_gcs_server_port_wait_time_s", "3")  # tries to join a cluster; Ray prints a line for each that fails
_SMALL = 50_000  # bytes of an argument that Ray sends along with a call
_SLOW = 60.0  # seconds for a worker to start, after which something may be wrong
_STOPS = 10.0  # seconds in which work must end once it is stopped


class Worker:
    """Base of what a process of the cluster runs. It does one thing at a time; `progress` and `stop` are called
    meanwhile, by another thread.
    """

    def __init__(self) -> None:
        """Close standard input: workers inherit the terminal of `ray start`, and a background process that reads from
        a terminal is stopped.
        """
        with open(os.devnull, encoding="ascii") as nothing:
            os.dup2(nothing.fileno(), 0)

    def version(self) -> str:
        """The version of Longtake here."""
        return __version__

    def progress(self) -> Any:
        """How far the work is; None if it can't say."""

    def stop(self) -> None:
        """End the work as soon as what is finished can be kept."""


class _Workers:
    """Workers of which each can do the same work."""

    def __init__(self) -> None:
        self.free: Queue[Any] = Queue()
        self.size = 0
        self.ended: list[str] = []  # why those ended that can't start again

    def add(self, worker: Any) -> None:
        self.size += 1
        self.free.put(worker)


class Pool:
    """The workers of a cluster, called from as many threads as there are workers."""

    def __init__(self, address: str | None, kind: type[Worker], *given: Any, gpu: bool) -> None:
        """Connect to a cluster, or start one on this machine if no address is given.

        Args:
            address: of the cluster.
            kind: class of the workers.
            given: arguments of its constructor.
            gpu: whether some of the work computes on a GPU; workers with one are then left to it.

        Raises:
            ConfigError: if Ray isn't installed, the cluster can't be reached, the network is forbidden and the cluster
                is on another machine, no node has room for a worker, or one has another version of Longtake.
        """
        self._ray = _connected(address)
        try:
            self._start(kind, given, gpu)
        except BaseException:
            self._ray.shutdown()
            raise

    def _start(self, kind: type[Worker], given: Sequence[Any], gpu: bool) -> None:
        """Start as many workers as the nodes have room for."""
        nodes = [node["Resources"] for node in self._ray.nodes() if node["Alive"]]
        places = [min(int(node.get("CPU", 0)), int(node.get("memory", 0) // MEMORY)) for node in nodes]
        self.size = sum(places)
        if not self.size:
            raise ConfigError(f"No node of the Ray cluster has a core and {MEMORY >> 30} GiB of memory for a worker.")
        gpus = sum(min(most, int(node.get("GPU", 0))) for most, node in zip(places, nodes, strict=True)) if gpu else 0
        self._plain = _Workers()
        self._gpu = _Workers() if 0 < gpus < self.size else self._plain
        # Ray gives these to each worker that it starts again. It keeps small ones with the worker's class; large ones
        # only as long as something here refers to them, of which it warns.
        small = [len(self._ray.cloudpickle.dumps(each)) < _SMALL for each in given]
        self._given = [each if kept else self._ray.put(each) for each, kept in zip(given, small, strict=True)]
        workers = [self._starting(kind, gpus=int(number < gpus)) for number in range(self.size)]
        for number, worker in enumerate(workers):
            self._check(worker)
            (self._gpu if number < gpus else self._plain).add(worker)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ray.shutdown()

    def run(
        self,
        what: str,
        method: str,
        *given: Any,
        check: Callable[[], None],
        advance: Callable[[Any], None] = lambda progress: None,
        gpu: bool,
    ) -> Any:
        """Call a method of a worker; if that is lost, the next one is called.

        Args:
            what: is done, for error messages.
            method: name of the method.
            given: its arguments.
            check: called again and again; what it raises stops the work.
            advance: called with the worker's progress.
            gpu: whether it computes on a GPU; where only some workers have one, these are for such work.

        Raises:
            LongtakeError: if one worker after the other is lost, or none can start again.
            Exception: as the method raised it.
        """
        lost = ""
        for _ in range(TRIES):
            with self._free_worker(self._gpu if gpu else self._plain, check) as worker:
                try:
                    return self._followed(worker, getattr(worker, method).remote(*given), check, advance)
                except self._ray.exceptions.RayTaskError as error:
                    raise error.cause from error
                except self._ray.exceptions.RayError as error:
                    lost = _in_one_line(error)
                    if isinstance(error, self._ray.exceptions.ActorUnavailableError):
                        self._restart(worker)  # it may still be at work, only out of reach
        raise LongtakeError(f"{what}: {TRIES} workers were lost, the last one with the message: {lost}")

    def _followed(self, worker: Any, running: Any, check: Callable[[], None], advance: Callable[[Any], None]) -> Any:
        """The result of what a worker is doing, once it is there."""
        try:
            while not self._ray.wait([running], timeout=_POLL)[0]:
                check()
                if progress := self._ray.get(worker.progress.remote()):
                    advance(progress)
        except BaseException:
            worker.stop.remote()
            if not self._ray.wait([running], timeout=_STOPS)[0]:
                self._restart(worker)  # its next work would run beside this one
                self._ray.wait([running], timeout=_STOPS)
            raise
        return self._ray.get(running)

    def _restart(self, worker: Any) -> None:
        """End a worker's process, with whatever it is doing; Ray starts another one."""
        self._ray.kill(worker, no_restart=False)

    @contextmanager
    def _free_worker(self, workers: _Workers, check: Callable[[], None]) -> Iterator[Any]:
        """A worker that does nothing else meanwhile; those that Ray is restarting are left out."""
        while True:
            check()
            if len(workers.ended) == workers.size:
                raise LongtakeError(
                    f"No worker of the Ray cluster can start again, the last one with the message: {workers.ended[-1]}"
                )
            try:
                worker = workers.free.get(timeout=_POLL)
            except Empty:
                continue
            try:
                answers = self._answers(worker)
            except self._ray.exceptions.ActorDiedError as error:
                workers.ended.append(_in_one_line(error))
                log.warning("A worker of the Ray cluster can't start again: %s", workers.ended[-1])
                continue
            try:
                if answers:
                    yield worker
                    return
            finally:
                workers.free.put(worker)
            time.sleep(_POLL)

    def _answers(self, worker: Any) -> bool:
        """Whether a worker can take work now; raises `ActorDiedError` if it never will again."""
        try:
            self._ray.get(worker.version.remote(), timeout=_POLL)
        except self._ray.exceptions.ActorDiedError:
            raise
        except self._ray.exceptions.RayError:
            return False
        return True

    def _starting(self, kind: type[Worker], *, gpus: int) -> Any:
        """A worker, which Ray restarts as often as it is lost."""
        options = {"num_cpus": 1, "num_gpus": gpus, "memory": MEMORY, "max_restarts": -1, "max_concurrency": 2}
        return self._ray.remote(kind).options(**options).remote(*self._given)

    def _check(self, worker: Any) -> None:
        """Wait until a worker has started.

        Raises:
            ConfigError: if it can't, or its node has another version of Longtake.
        """
        starts = worker.version.remote()
        try:
            if not self._ray.wait([starts], timeout=_SLOW)[0]:
                log.warning("Waiting for workers: does something else use the cores of the Ray cluster?")
            there = self._ray.get(starts)
        except self._ray.exceptions.RayActorError as error:
            raise ConfigError(f"A worker of the Ray cluster couldn't start: {_in_one_line(error)}") from error
        if there != __version__:
            raise ConfigError(f"A node of the Ray cluster has Longtake {there}; install {__version__} on every node.")


def executor_address(executor: str) -> str | None:
    """The address of the cluster that an executor names: empty for one on this machine, None for `local`.

    Raises:
        ConfigError: if there is no such executor.
    """
    kind, named, address = executor.partition("=")
    if executor == "local":
        return None
    if kind != "ray":
        raise ConfigError(f"There is no executor {executor!r}; choose local, ray or ray=ADDRESS.")
    if named:
        _check_address(address)
    return address


def _check_address(address: str) -> None:
    """Refuse what is no address of a cluster: Ray would take minutes to say so."""
    scheme, _, place = address.rpartition("://")
    with suppress(ValueError):
        parts = urlsplit(f"//{place}")
        if scheme in ("", "ray") and parts.hostname and parts.port:
            return
    raise ConfigError(f"{address!r} isn't the address of a Ray cluster: give one such as 10.0.0.1:6379.")


def _connected(address: str | None) -> Any:
    if address:
        place = urlsplit(f"//{address.rpartition('://')[2]}")
        refuse_other_machines("the Ray cluster", [place.hostname or address])
        try:
            socket.create_connection((place.hostname or "", place.port or 0), timeout=_ANSWERS).close()
        except OSError as error:
            raise ConfigError(
                f"No Ray cluster answers at {address} ({error}): check the address, and that `ray start` runs there."
            ) from error
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # Ray would report its use to its makers
    try:
        import ray
        import ray.exceptions
    except ImportError as error:
        raise ConfigError("The executor ray needs an extra: pip install 'longtake[ray]'.") from error
    dashboard = None if address else False  # only a cluster that is started here may be told so
    try:
        with _soon_refused() if address else nullcontext(), _same_end():
            ray.init(
                address=address or "local",
                log_to_driver=False,
                logging_level=logging.ERROR,
                include_dashboard=dashboard,
            )
    except (ConnectionError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
        reason = _in_one_line(error)
        if not address:
            raise ConfigError(f"Couldn't start a Ray cluster on this machine: {reason}") from error
        raise ConfigError(
            f"Couldn't join the Ray cluster {address}: {reason.rstrip('.')}. If it asks for a token, give all machines "
            "the same token file and set RAY_AUTH_MODE=token."
        ) from error
    return ray


@contextmanager
def _soon_refused() -> Iterator[None]:
    """A token that is missing or wrong stays so: Ray gives up joining after three seconds rather than twenty."""
    name, tries = _JOINING
    if name in os.environ:
        yield
        return
    os.environ[name] = tries
    try:
        yield
    finally:
        del os.environ[name]  # it would also shorten the start of a cluster on this machine


@contextmanager
def _same_end() -> Iterator[None]:
    """Let SIGTERM end this process as it did before: Ray would print its stack and abort."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, before)


def _in_one_line(error: Exception) -> str:
    """The last line of an error of Ray's, whose messages hold tracebacks in colour; the whole goes to the log."""
    log.debug("error of Ray", exc_info=error)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).strip().splitlines()
    return re.sub(r"^longtake\.errors\.\w+: ", "", lines[-1].strip()) if lines else type(error).__name__
