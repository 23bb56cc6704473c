"""Runs kinds of faults, each as often as asked for, and counts what went right."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import islice

from longtake.benchmarks.faults.damage import damage
from longtake.benchmarks.faults.disk import clock, full_disk, read_only, slow_disk
from longtake.benchmarks.faults.ground import Kind, Trial, make_ground
from longtake.benchmarks.faults.kills import kill_ask, kill_eval, kill_index, kill_writers
from longtake.benchmarks.faults.memory import memory
from longtake.benchmarks.faults.network import network
from longtake.benchmarks.faults.server_kills import kill_serve, kill_upload
from longtake.benchmarks.faults.versions import versions
from longtake.benchmarks.hour.reel import Notify
from longtake.console import Session
from longtake.errors import ConfigError, EngineUnavailable, did_you_mean
from longtake.memory.records import Record

KINDS: Mapping[str, Kind] = {
    "damage": damage,
    "kill-index": kill_index,
    "kill-writers": kill_writers,
    "kill-ask": kill_ask,
    "kill-serve": kill_serve,
    "kill-upload": kill_upload,
    "kill-eval": kill_eval,
    "full-disk": full_disk,
    "slow-disk": slow_disk,
    "read-only": read_only,
    "clock": clock,
    "versions": versions,
    "network": network,
    "memory": memory,
}


class Faults(Record):
    """The trials of one kind: how many there were, and those that went wrong; `skipped` says why there were no more."""

    kind: str
    tried: int
    failed: tuple[Trial, ...] = ()
    skipped: str = ""


class FaultsReport(Record):
    """The public shape of `bench faults --json`."""

    seed: int
    kinds: tuple[Faults, ...]


def measure_faults(session: Session, kinds: Sequence[str], notify: Notify, count: int, seed: int) -> FaultsReport:
    """Try each kind of fault on the demo video.

    Args:
        session: whose settings and profile count.
        kinds: names out of `KINDS`; none means all.
        notify: progress callback.
        count: trials of each kind.
        seed: of places and moments.

    Raises:
        ConfigError: if there is no such kind.
        EngineError: if the demo can't be indexed or asked about even without a fault.
    """
    for name in kinds:
        if name not in KINDS:
            raise ConfigError(f"There is no kind of fault {name!r}. {did_you_mean(name, KINDS)}")
    notify("indexing the demo video")
    done: list[Faults] = []
    with make_ground(session) as ground:
        for name in kinds or KINDS:
            tried, failed, skipped = 0, list[Trial](), ""
            trials = KINDS[name](ground, random.Random(f"{seed} {name}"))
            try:
                for tried, trial in enumerate(islice(trials, count), 1):
                    if trial.problem:
                        failed.append(trial)
                    notify(f"{name} {tried} of {count}: {trial.did}{f': {trial.problem}' if trial.problem else ''}")
            except EngineUnavailable as error:
                skipped = str(error)
            finally:
                trials.close()
            done.append(Faults(kind=name, tried=tried, failed=tuple(failed), skipped=skipped))
    return FaultsReport(seed=seed, kinds=tuple(done))


def show_faults(report: FaultsReport) -> list[str]:
    """The report as lines to print."""
    lines = [f"{'kind':<12} {'tried':>5} {'right':>5} {'failed':>6}"]
    for each in report.kinds:
        lines.append(f"{each.kind:<12} {each.tried:>5} {each.tried - len(each.failed):>5} {len(each.failed):>6}")
        lines += [f"  skipped: {each.skipped}"] if each.skipped else []
        lines += [f"  {trial.did}: {trial.problem}" for trial in each.failed]
    return lines
