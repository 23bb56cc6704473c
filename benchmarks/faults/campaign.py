"""Runs kinds of faults, each as often as asked for, and counts what went right."""

from __future__ import annotations

import math
import os
import random
import re
import resource
import shutil
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from longtake.benchmarks.faults.ground import QUESTION, Ended, Ground, Kind, Trial, finish, make_ground, misanswer
from longtake.benchmarks.faults.kills import kill_ask, kill_eval, kill_index, kill_writers
from longtake.benchmarks.faults.network import network
from longtake.benchmarks.faults.server_kills import kill_serve, kill_upload
from longtake.benchmarks.reports import Notify, Report
from longtake.console import EXIT_FAILED, EXIT_PARTIAL, Session
from longtake.errors import ConfigError, EngineUnavailable, did_you_mean
from longtake.memory.records import Record

# Python doesn't see that it wrote the bytecode of a module only in part, and couldn't import the module any more.
_NO_BYTECODE = {"PYTHONDONTWRITEBYTECODE": "1"}
# Each thread of a numerical library reserves address space, and some crash where they get none.
_ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
_YEAR = 365 * 24 * 3600.0  # seconds
_FASTEST, _SLOWEST = 1, 10  # milliseconds that each write takes; a hard disk takes the longer
_WRITES = "pwrite64,fsync,fdatasync,rename"
_LEAST, _MOST = 200, 4000  # megabytes of address space; imports alone need some 1,500
DAMAGES = ("flip", "cut", "zero")
_BLOCK = 512  # most bytes of zeros
_TOLD = re.compile("WARNING: The search index .* is built again from the layers, because it is damaged: .*")


class Faults(Record):
    """The trials of one kind, and how many of them went right; `skipped` says why there were no more."""

    tried: int
    right: int
    skipped: str = ""


class FaultsReport(Report):
    """By the kind of fault, with what went wrong."""

    kinds: dict[str, Faults]
    failed: tuple[str, ...]

    @property
    def exit_code(self) -> int:
        """Failed if a trial did, partly done if a kind can't be tried here."""
        if self.failed:
            return EXIT_FAILED
        return EXIT_PARTIAL if any(each.skipped for each in self.kinds.values()) else 0


def measure_faults(
    session: Session,
    notify: Notify,
    kinds: Annotated[
        list[str] | None, typer.Argument(metavar="[KIND...]", help="Kinds of faults; by default all.")
    ] = None,
    n: Annotated[int, typer.Option(min=1, help="Number of faults of each kind.")] = 20,
    seed: Annotated[int, typer.Option(help="Random seed of places and moments.")] = 0,
) -> FaultsReport:
    """Kill, damage, fill and garble on the demo video, and check that work goes on; exits with 1 or 3 if not."""
    for name in kinds or ():
        if name not in KINDS:
            raise ConfigError(f"There is no kind of fault {name!r}. {did_you_mean(name, KINDS)}")
    notify("indexing the demo video")
    done, failed = dict[str, Faults](), list[str]()
    with make_ground(session) as ground:
        for name in kinds or KINDS:
            tried, wrong, skipped = 0, 0, ""
            try:
                for tried, trial in enumerate(islice(trials(ground, name, seed), n), 1):
                    notify(f"{name} {tried} of {n}: {trial}")
                    if trial.problem:
                        wrong += 1
                        failed.append(f"{name}: {trial}")
            except EngineUnavailable as error:
                skipped = str(error)
            done[name] = Faults(tried=tried, right=tried - wrong, skipped=skipped)
    return FaultsReport(kinds=done, failed=tuple(failed))


def trials(ground: Ground, name: str, seed: int) -> Iterator[Trial]:
    """Faults of a kind, without an end, each on a library of its own."""
    kind, chance, number = KINDS[name], random.Random(f"{seed} {name}"), 0
    while True:
        with ground.copy(kind.on) as library:
            trial = kind.attempt(ground, library, chance, number)
            if trial is None:
                continue
            if kind.checked and not trial.problem:
                trial = trial._replace(problem=ground.unsound(library))
        yield trial
        number += 1


def damage(ground: Ground, library: Path, chance: random.Random, number: int) -> Trial:
    """Damage the library at one place and ask; the answer must be right; only a damaged index is told."""
    shutil.rmtree(library / "traces", ignore_errors=True)  # no question reads a trace
    folders: defaultdict[Path, list[Path]] = defaultdict(list)
    for each in sorted(library.rglob("*")):
        if each.is_file() and each.stat().st_size:
            folders[each.parent].append(each)
    file = chance.choice(folders[chance.choice(list(folders))])
    size, how = file.stat().st_size, DAMAGES[number // 2 % len(DAMAGES)]
    place = chance.randrange(size)
    damage_file(file, how, place)
    by_file = number % 2 == 1
    by_name = ground.ask(library)
    ended = finish(ground.command(library, "ask", str(ground.video), QUESTION, "--json") if by_file else by_name)
    if _TOLD.fullmatch(ended.errors.strip()):
        ended = replace(ended, errors="")
    where = f"{file.relative_to(library)}, {how} at {place} of {size}"
    return Trial(f"{where}, asked by {'file' if by_file else 'name'}", misanswer(ended))


def damage_file(file: Path, damage: str, place: int) -> None:
    """Flip the byte at `place`, set up to a block from there to zero, or cut the file there."""
    content = bytearray(file.read_bytes())
    if damage == "flip":
        content[place] ^= 1 << place % 8
    elif damage == "cut":
        del content[place:]
    else:
        zeros = min(_BLOCK, len(content) - place)
        content[place : place + zeros] = bytes(zeros)
    file.write_bytes(content)


def versions(ground: Ground, library: Path, chance: random.Random, _: int) -> Trial:
    """Index and ask with two versions that make different layers; each must do its work, whatever the other does."""
    wait = chance.uniform(0, ground.index_seconds)
    indexed = _at_once(ground.index(library), _other(ground.index(library)), wait)
    problem = next((each.failure() for each in indexed if each.failure()), "")
    if not problem:
        asked = _at_once(ground.ask(library), _other(ground.ask(library)), chance.uniform(0, 1))
        problem = next((wrong for each in asked if (wrong := misanswer(each))), "")
    return Trial(f"the other version started after {wait:.2f} s", problem)


def _other(command: Sequence[str]) -> list[str]:
    """The same command of the other version."""
    return ["longtake.benchmarks.faults.other_version" if part == "longtake" else part for part in command]


def _at_once(command: Sequence[str], late: Sequence[str], wait: float) -> list[Ended]:
    """Run two commands, the second of which starts some seconds later."""
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(finish, command)
        time.sleep(wait)
        second = finish(late)
        return [first.result(), second]


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


KINDS: Mapping[str, Kind] = {
    "damage": Kind(damage, on="sound", checked=False),
    "kill-index": Kind(kill_index, on="nothing"),
    "kill-writers": Kind(kill_writers, on="both"),
    "kill-ask": Kind(kill_ask, on="talked"),
    "kill-serve": Kind(kill_serve, on="sound"),
    "kill-upload": Kind(kill_upload, on="nothing"),
    "kill-eval": Kind(kill_eval, on="nothing", checked=False),
    "full-disk": Kind(full_disk, on="nothing"),
    "slow-disk": Kind(slow_disk, on="nothing"),
    "read-only": Kind(read_only, on="sound"),
    "clock": Kind(clock, on="sound"),
    "versions": Kind(versions, on="nothing"),
    "network": Kind(network, on="sound"),
    "memory": Kind(memory, on="nothing"),
}
