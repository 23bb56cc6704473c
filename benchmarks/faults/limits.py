"""Disks that are full, slow or read-only, clocks that were set back, and little memory."""

from __future__ import annotations

import math
import os
import random
import resource
import shutil
import subprocess
import time
from functools import partial
from pathlib import Path

from longtake.benchmarks.faults.ground import Ground, Trial, finish, misanswer
from longtake.errors import EngineUnavailable

# Python doesn't see that it wrote the bytecode of a module only in part, and couldn't import the module any more.
_NO_BYTECODE = {"PYTHONDONTWRITEBYTECODE": "1"}
# Each thread of a numerical library reserves address space, and some crash where they get none.
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
_YEAR = 365 * 24 * 3600.0  # seconds
_FASTEST, _SLOWEST = 1, 10  # milliseconds that each write takes; a hard disk takes the longer
_WRITES = "pwrite64,fsync,fdatasync,rename"
_LEAST, _MOST = 200, 4000  # megabytes of address space; imports alone need some 1,500


def full_disk(ground: Ground, library: Path, chance: random.Random, _: int) -> Trial:
    """Let no file grow beyond a random size; without the limit, the same command must come to its end."""
    largest = max(file.stat().st_size for file in ground.library("sound").rglob("*") if file.is_file())
    room = round(math.exp(chance.uniform(0, math.log(largest))))
    limits = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (room, room))  # Python raises OSError
    ended = finish(ground.index(library), limits=limits, environment=_NO_BYTECODE)
    problem = ended.bad_failure() or finish(ground.index(library)).failure()
    return Trial(f"no file may have more than {room} bytes", problem)


def memory(ground: Ground, library: Path, chance: random.Random, _: int) -> Trial:
    """Limit the memory of `index`; it may crash inside a library, but the same command with memory must finish."""
    megabytes = chance.randint(_LEAST, _MOST)
    limits = partial(resource.setrlimit, resource.RLIMIT_AS, (megabytes * 1_000_000, megabytes * 1_000_000))
    ended = finish(ground.index(library), limits=limits, environment=_ONE_THREAD)
    bad = "" if ended.code < 0 else ended.bad_failure()  # native code may end the process by a signal
    how = "done" if not ended.failure() else "refused" if ended.code > 0 else f"signal {-ended.code}"
    return Trial(f"index with {megabytes} MB ({how})", bad or finish(ground.index(library)).failure())


def slow_disk(ground: Ground, library: Path, chance: random.Random, _: int) -> Trial:
    """Delay every write of `index` and of `ask`; they must do the same as on a fast disk."""
    tracer = _usable("strace", ["-qq"], "A slow disk needs strace, which delays what is written")
    delay = chance.randint(_FASTEST, _SLOWEST)
    inject = f"inject={_WRITES}:delay_enter={delay}ms"
    slow = [*tracer, "-f", "-o", os.devnull, "--seccomp-bpf", "-e", f"trace={_WRITES}", "-e", inject]
    problem = finish([*slow, *ground.index(library)]).failure() or misanswer(finish([*slow, *ground.ask(library)]))
    return Trial(f"{delay} ms for each write", problem or ground.unlike(library))


def read_only(ground: Ground, library: Path, chance: random.Random, _: int) -> Trial:
    """Ask and index where the library can't be written: each is done, or refused in one sentence."""
    mounts = ["--bind", "/", "/", "--dev-bind", "/dev", "/dev", "--proc", "/proc"]
    jail = _usable("bwrap", mounts, "A read-only library needs bubblewrap, which mounts it")
    name = chance.choice(("ask", "index"))
    command = ground.ask(library) if name == "ask" else ground.index(library)
    ended = finish([*jail, "--ro-bind", str(library), str(library), *command])
    problem = misanswer(ended, may_refuse=True) if name == "ask" else ended.bad_failure()
    return Trial(f"{name} on a read-only library ({'refused' if ended.failure() else 'done'})", problem)


def clock(ground: Ground, library: Path, chance: random.Random, _: int) -> Trial:
    """Set the times of all files up to a year ahead, as if the clock had been set back, and index again."""
    ahead = chance.uniform(0, _YEAR)
    for file in library.rglob("*"):
        os.utime(file, (time.time() + ahead, time.time() + ahead))
    return Trial(f"clock set back by {ahead / 86400:.1f} days", finish(ground.index(library)).failure())


def _usable(name: str, options: list[str], why: str) -> list[str]:
    """A program with options.

    Raises:
        EngineUnavailable: if it isn't installed, or can't do its work here.
    """
    program = shutil.which(name)
    if program is None or subprocess.run([program, *options, "true"], check=False, capture_output=True).returncode:
        raise EngineUnavailable(f"{why}: install it.")
    return [program, *options]
