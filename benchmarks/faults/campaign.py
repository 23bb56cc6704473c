"""Runs kinds of faults, each as often as asked for, and counts what went right."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Annotated

import typer

from longtake.benchmarks.faults.damage import damage
from longtake.benchmarks.faults.ground import Ground, Kind, Trial, make_ground
from longtake.benchmarks.faults.kills import kill_ask, kill_eval, kill_index, kill_writers
from longtake.benchmarks.faults.limits import clock, full_disk, memory, read_only, slow_disk
from longtake.benchmarks.faults.network import network
from longtake.benchmarks.faults.server_kills import kill_serve, kill_upload
from longtake.benchmarks.faults.versions import versions
from longtake.benchmarks.reports import Notify, Report
from longtake.console import EXIT_FAILED, EXIT_PARTIAL, Session
from longtake.errors import ConfigError, EngineUnavailable, did_you_mean
from longtake.memory.records import Record

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
