"""The table of suites: loading, variants, judging and scoring of each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from longtake.errors import ConfigError
from longtake.evalharness.items import Item, Judgement, Prediction, Protocol, Variant
from longtake.evalharness.judges.judging import CasesOf, cases
from longtake.evalharness.runs.journal import Flat
from longtake.evalharness.runs.run_folder import Notify, RunCard
from longtake.evalharness.scoring.choice_scores import NONE, CountedShare
from longtake.evalharness.scoring.rubric_scores import READINGS, Reading
from longtake.evalharness.scripted import questions as scripted
from longtake.evalharness.scripted.scores import score_scripted
from longtake.evalharness.scripted.suite import load_scripted
from longtake.evalharness.stress.stress_suite import score_stress, stress_cases
from longtake.evalharness.stress.stress_test import SUITE as STRESS
from longtake.evalharness.suites import agentic, longshot, moment_video, video_tt
from longtake.evalharness.suites.agentic import score_agentic
from longtake.evalharness.suites.imports import LMMS
from longtake.evalharness.suites.longshot_scores import score_longshot
from longtake.evalharness.suites.moment_video import score_moment_video
from longtake.evalharness.suites.own_set import load_own_set, own_set_variants, read_card, score_own_set
from longtake.evalharness.suites.video_tt import score_video_tt
from longtake.memory.records import Record
from longtake.plugins import Table

OWN = "own"


@dataclass(frozen=True)
class Scored:
    """The input of scoring: one subject of a run, with one judge's verdicts."""

    items: Collection[Item]  # those of a run are read each time they are iterated over
    variants: Sequence[Variant]
    said: Mapping[str, Sequence[Prediction]]  # by item
    found: Mapping[str, Sequence[Judgement]]  # by item
    unasked: Collection[Item] = ()  # items that were not put to it in every variant and with every seed yet
    unmade: CountedShare = NONE  # of the predictions, those that are lacking for that

    @property
    def predictions(self) -> Iterable[Prediction]:
        """What was said, item by item."""
        return Flat(self.said)

    @property
    def judgements(self) -> Iterable[Judgement]:
        """What was found, item by item."""
        return Flat(self.found)


@dataclass(frozen=True)
class Suite:
    """The functions of a suite."""

    load: Callable[[Path, Path | None, Protocol, Notify], list[Item]]  # data, folder of videos, protocol
    score: Callable[[Scored, Reading], Record]  # see `score_table` for the fields that it needs
    # The last argument: frame rates.
    variants: Callable[[Path, Sequence[Item], Protocol, Sequence[float]], Sequence[Variant]] = lambda *_: (Variant(),)
    cases: Callable[[Protocol], CasesOf] = lambda _: cases
    readings: tuple[Reading, ...] = ("repo", "paper")
    # Frames a second at which models that are shown frames can be asked; first, the usual.
    rates: tuple[float, ...] = ()


def suite_named(name: str) -> Suite:
    """A suite by name. Runs imported from other evaluators use the scores of an own set.

    Raises:
        ConfigError: if there is none of that name.
        PluginError: if it is of another package and cannot be used.
    """
    if name.startswith(LMMS):
        return SUITES[OWN]
    return SUITES.named(name, "suite")


def reading_of(card: RunCard, name: str | None) -> Reading:
    """A way to read the scores of a run; without a name that of its protocol, where its suite has it.

    Raises:
        ConfigError: if the suite has none of that name.
    """
    suite = suite_named(card.suite)
    known: dict[str, Reading] = {reading: reading for reading in suite.readings}
    if name is None:
        return known.get(card.protocol, suite.readings[0])
    found = known.get(name)
    if found is None:
        raise ConfigError(f"This suite has no scores {name!r}; it has {', '.join(suite.readings)}.")
    return found


def rates_of(suite: Suite, named: Sequence[float]) -> Sequence[float]:
    """The frame rates, each once, at which a suite is put: those named, or its usual one.

    Raises:
        ConfigError: if it is not put at one of them.
    """
    for rate in named:
        if rate not in suite.rates:
            known = f"name one of {', '.join(f'{each:g}' for each in suite.rates)}, or " if suite.rates else ""
            raise ConfigError(f"This suite is not asked at --fps {rate:g}; {known}leave --fps out.")
    return tuple(dict.fromkeys(named)) or suite.rates[:1]


def cases_of_run(card: RunCard) -> CasesOf:
    """What the suite of a run gives to judges, in the reading of the run."""
    return suite_named(card.suite).cases(card.protocol)


def _protocol(reading: Reading) -> Protocol:
    return "paper" if reading == "paper" else "repo"


def _read(name: str, declared: object) -> Suite:
    """A suite that a package declares."""
    if not isinstance(declared, Suite):
        raise TypeError(f"{name} is no `Suite` of the suite table")
    return declared


_BUILT_IN: Mapping[str, Suite] = {
    longshot.SUITE: Suite(
        load=lambda data, media, _, notify: longshot.load_longshot(data, media, notify),
        score=lambda run, reading: score_longshot(run.items, run.predictions, run.judgements, reading),
        readings=READINGS,
    ),
    agentic.SUITE: Suite(
        load=lambda data, media, _, notify: agentic.load_agentic(data, media, notify),
        cases=lambda _: agentic.agentic_cases,
        score=lambda run, reading: score_agentic(run.items, run.predictions, run.judgements, reading),
        readings=READINGS,
    ),
    scripted.SUITE: Suite(
        load=lambda data, media, _, notify: load_scripted(data, media, notify),
        score=lambda run, reading: score_scripted(run.items, run.predictions, run.judgements, reading),
        readings=READINGS,
    ),
    STRESS: Suite(
        load=lambda data, media, _, notify: load_scripted(data, media, notify),
        cases=lambda _: stress_cases,
        score=lambda run, _: score_stress(run.items, run.variants, run.predictions, run.judgements),
        readings=("repo",),
    ),
    moment_video.SUITE: Suite(
        load=lambda data, media, _, notify: moment_video.load_moment_video(data, media, notify),
        variants=lambda _, items, protocol, rates: moment_video.moment_variants(items, protocol, rates),
        cases=lambda protocol: partial(moment_video.moment_cases, protocol=protocol),
        score=lambda run, reading: score_moment_video(
            run.items, run.variants, run.predictions, run.judgements, _protocol(reading)
        ),
        rates=moment_video.RATES,
    ),
    video_tt.SUITE: Suite(
        load=lambda data, media, _, notify: video_tt.load_video_tt(data, media, notify),
        variants=lambda *_: (video_tt.VARIANT,),
        cases=lambda _: partial(cases, whole="grade", with_question=True),
        score=lambda run, reading: score_video_tt(
            run.items, run.predictions, run.judgements, video_tt.THRESHOLDS[_protocol(reading)]
        ),
    ),
    OWN: Suite(
        load=lambda card, media, _, notify: load_own_set(read_card(card, media), notify),
        variants=lambda card, items, *_: own_set_variants(read_card(card), items),
        cases=lambda _: partial(cases, with_question=True),
        score=lambda run, _: score_own_set(run.items, run.variants, run.predictions, run.judgements),
        readings=("repo",),
    ),
}
SUITES = Table("suites", _BUILT_IN, _read)
