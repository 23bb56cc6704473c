"""Disks that are full, slow or read-only, and clocks that were set back."""

from __future__ import annotations

import math
import os
import random
import resource
import shutil
import subprocess
import time
from collections.abc import Generator
from functools import partial
from pathlib import Path

from longtake.benchmarks.faults.ground import Ground, Trial, finish, misanswer
from longtake.errors import EngineUnavailable

# Python doesn't see that it wrote the bytecode of a module only in part, and couldn't import the module any more.
_NO_BYTECODE = {"PYTHONDONTWRITEBYTECODE": "1"}
_YEAR = 365 * 24 * 3600.0  # seconds
_FASTEST, _SLOWEST = 1, 10  # milliseconds that each write takes; a hard disk takes the longer
_WRITES = "pwrite64,fsync,fdatasync,rename"


def full_disk(ground: Ground, chance: random.Random) -> Generator[Trial]:
    """Let no file grow beyond a random size; without the limit, the same command must come to its end."""
    largest = max(file.stat().st_size for file in ground.sound.rglob("*") if file.is_file())
    while True:
        with ground.place() as library:
            room = round(math.exp(chance.uniform(0, math.log(largest))))
            ended = finish(ground.index(library), None, partial(_limit_files, room), os.environ | _NO_BYTECODE)
            problem = ended.bad_failure() or finish(ground.index(library)).failure() or ground.unsound(library)
        yield Trial(did=f"no file may have more than {room} bytes", problem=problem)


def _limit_files(room: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))  # Python ignores the signal and raises OSError


def slow_disk(ground: Ground, chance: random.Random) -> Generator[Trial]:
    """Delay every write of `index` and of `ask`; they must do the same as on a fast disk.

    Raises:
        EngineUnavailable: without strace, which delays them.
    """
    tracer = shutil.which("strace")
    if tracer is None or subprocess.run([tracer, "-qq", "true"], check=False, capture_output=True).returncode:
        raise EngineUnavailable("A slow disk needs strace, which delays what is written: install strace.")
    while True:
        with ground.place() as library:
            delay = chance.randint(_FASTEST, _SLOWEST)
            inject = f"inject={_WRITES}:delay_enter={delay}ms"
            slow = [tracer, "-f", "-qq", "-o", os.devnull, "--seccomp-bpf", "-e", f"trace={_WRITES}", "-e", inject]
            problem = finish([*slow, *ground.index(library)]).failure() or misanswer(
                finish([*slow, *ground.ask(library)])
            )
            problem = problem or ground.unlike(library) or ground.unsound(library)
        yield Trial(did=f"{delay} ms for each write", problem=problem)


def read_only(ground: Ground, chance: random.Random) -> Generator[Trial]:
    """Ask and index where the library can't be written: each is done, or refused in one sentence.

    Raises:
        EngineUnavailable: without bubblewrap, which mounts the library.
    """
    jail = shutil.which("bwrap")
    mounts = ["--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc"]
    if jail is None or subprocess.run([jail, *mounts, "true"], check=False, capture_output=True).returncode:
        raise EngineUnavailable("A read-only library needs bubblewrap, which mounts it: install bubblewrap.")
    while True:
        with ground.copy() as library:
            name = chance.choice(("ask", "index"))
            command = ground.ask(library) if name == "ask" else ground.index(library)
            ended = finish([jail, *mounts, "--ro-bind", str(library), str(library), *command])
            problem = misanswer(ended, may_refuse=True) if name == "ask" else ended.bad_failure()
            problem = problem or ground.unsound(library)
        how = "refused" if ended.failure() else "done"
        yield Trial(did=f"{name} on a read-only library ({how})", problem=problem)


def clock(ground: Ground, chance: random.Random) -> Generator[Trial]:
    """Set the times of all files up to a year ahead, as if the clock had been set back; index again and ask."""
    while True:
        with ground.copy() as library:
            ahead = chance.uniform(0, _YEAR)
            for file in library.rglob("*"):
                _set_time(file, time.time() + ahead)
            problem = finish(ground.index(library)).failure() or ground.unsound(library)
        yield Trial(did=f"clock set back by {ahead / 86400:.1f} days", problem=problem)


def _set_time(file: Path, seconds: float) -> None:
    os.utime(file, (seconds, seconds))
