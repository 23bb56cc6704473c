"""Workers of a Ray cluster that are lost, can't start or don't stop."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from helpers.ray_cluster import two_nodes

from longtake.cluster import pool as pool_module
from longtake.cluster.pool import Pool, Worker
from longtake.errors import Cancelled, ConfigError, LongtakeError

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    cloudpickle = pytest.importorskip("ray.cloudpickle", reason="needs the extra `ray`: pip install 'longtake[ray]'")
    cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers can't import tests
    with two_nodes() as address:
        yield address


def run(pool: Pool, method: str, *given: object, check: Callable[[], None] = lambda: None) -> int:
    result: int = pool.run("the work", method, *given, check=check, gpu=False)
    return result


class Old(Worker):
    def version(self) -> str:
        return "0.0.1"


class Broken(Worker):
    def __init__(self) -> None:
        raise ConfigError("There is no such model.")


class Mortal(Worker):
    """Can't start while a file is there."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        if file.exists():
            raise ConfigError("There is no such model.")
        self._file = file

    def die(self) -> None:
        os._exit(1)

    def die_first(self) -> int:
        """The process, unless it is the first to be asked, which ends and can't start again."""
        if not self._file.exists():
            self._file.touch()
            os._exit(1)
        return os.getpid()


class Sleeper(Worker):
    """Sleeps until it is stopped, if it can be."""

    def __init__(self, stops: bool) -> None:
        super().__init__()
        self._stops = stops
        self._stopped = False

    def sleep_first(self, file: Path) -> int:
        """The process, unless it is the first to be asked."""
        if not file.exists():
            file.write_text(f"{os.getpid()}\n", encoding="utf-8")
            while not self._stopped:
                time.sleep(0.1)
        return os.getpid()

    def stop(self) -> None:
        self._stopped = self._stops


@pytest.mark.parametrize(
    ("kind", "memory", "said"),
    [
        (Old, pool_module.MEMORY, "0.0.1"),
        (Broken, pool_module.MEMORY, ": There is no such model."),
        (Worker, 1 << 50, "memory"),
    ],
)
def test_workers_that_cannot_be_are_refused_in_one_sentence(
    address: str, monkeypatch: pytest.MonkeyPatch, kind: type[Worker], memory: int, said: str
) -> None:
    monkeypatch.setattr(pool_module, "MEMORY", memory)
    with pytest.raises(ConfigError) as refused:
        Pool(address, kind, gpu=False)
    assert said in str(refused.value)
    assert not {"\n", "\x1b"} & set(str(refused.value))


def test_a_second_cluster_in_this_process_is_refused_in_one_sentence(address: str) -> None:
    with Pool(address, Worker, gpu=False), pytest.raises(ConfigError, match="on this machine") as refused:
        Pool("", Worker, gpu=False)
    assert not {"\n", "\x1b"} & set(str(refused.value))


def test_a_process_that_is_terminated_ends_as_without_ray(address: str) -> None:
    script = """
import os, signal, sys, time
from longtake.cluster.pool import Pool, Worker
Pool(sys.argv[1], Worker, gpu=False)
os.kill(os.getpid(), signal.SIGTERM)
time.sleep(60)
"""
    ended = subprocess.run([sys.executable, "-c", script, address], capture_output=True, text=True, timeout=120)
    assert (ended.returncode, "SIGTERM" in ended.stderr) == (-signal.SIGTERM, False), ended.stderr


def test_work_that_ends_every_worker_is_given_up(address: str, tmp_path: Path) -> None:
    with Pool(address, Mortal, tmp_path / "file", gpu=False) as pool:
        with pytest.raises(LongtakeError, match="the work") as given_up:
            run(pool, "die")
        assert not {"\n", "\x1b"} & set(str(given_up.value))
        (tmp_path / "file").touch()
        with pytest.raises(LongtakeError, match="no such model"):
            run(pool, "die")


def test_a_worker_that_cannot_start_again_gets_no_more_work(address: str, tmp_path: Path) -> None:
    with Pool(address, Mortal, tmp_path / "file", gpu=False) as pool, ThreadPoolExecutor(3) as threads:
        left = run(pool, "die_first")
        assert set(threads.map(lambda _: run(pool, "die_first"), range(6))) == {left}


@pytest.mark.parametrize("stops", [True, False])
def test_stopped_work_ends_before_its_worker_is_used_again(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stops: bool
) -> None:
    monkeypatch.setattr(pool_module, "_STOPS", 5 if stops else 0.5)
    file = tmp_path / "process"

    def stop_once_it_runs() -> None:
        if file.exists():
            raise Cancelled

    with Pool(address, Sleeper, stops, gpu=False) as pool:
        with pytest.raises(Cancelled):
            run(pool, "sleep_first", file, check=stop_once_it_runs)
        used: set[int] = set()
        end = time.monotonic() + 60
        while len(used) < 2 and time.monotonic() < end:  # a worker that was ended takes a while to start again
            used.add(run(pool, "sleep_first", file))
        sleeper = int(file.read_text(encoding="utf-8"))
        assert (sleeper in used, psutil.pid_exists(sleeper)) == (stops, stops)
        assert len(used) == 2


def test_a_worker_out_of_reach_is_ended(address: str, tmp_path: Path) -> None:
    file = tmp_path / "process"

    class Unreliable(Pool):
        """Its connection to a worker breaks once."""

        connected = True

        def _followed(
            self, worker: Any, running: Any, check: Callable[[], None], advance: Callable[[Any], None]
        ) -> Any:
            if not self.connected:
                return super()._followed(worker, running, check, advance)
            while not file.exists():
                time.sleep(0.1)
            self.connected = False
            raise self._ray.exceptions.ActorUnavailableError("the network is down", None)

    with Unreliable(address, Sleeper, False, gpu=False) as pool:
        done = run(pool, "sleep_first", file)
        sleeper = int(file.read_text(encoding="utf-8"))
        assert done != sleeper
        with suppress(psutil.NoSuchProcess):
            psutil.Process(sleeper).wait(timeout=30)
