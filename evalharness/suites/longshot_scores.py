"""The score tables of LongShOTBench: overall, by category, by task and by the samples' other attributes.

A task is scored over its samples; a category is the plain mean of its tasks, and the overall score that of the
categories present. Other rows are scored over their samples like a task. A sample counts in the row
of every modality it lists; difficulty belongs to a question, so there each turn counts. The released code takes
the tag `audio` for a visual one: a table that does the same stands beside the right one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from sys import intern
from typing import NamedTuple

from pydantic import Field

from longtake.evalharness.items import Item, Judgement, Prediction, PredictionKey
from longtake.evalharness.judges.judging import current
from longtake.evalharness.runs.predicting import failed
from longtake.evalharness.scoring.choice_scores import MAX_UNJUDGED, CountedShare
from longtake.evalharness.scoring.estimates import Estimate, Observation, Rows, grouped, macro, ratio, rows
from longtake.evalharness.scoring.rubric_scores import CriterionVerdict, Reading, SampleScore, sample_score
from longtake.evalharness.suites.longshot import CATEGORIES, EDGES, TASKS, duration_bucket, modality_group
from longtake.memory.records import Record

_MODALITIES = ("visual", "audio", "speech")
_BUCKETS = ("short", "medium", "long", "unknown")
_LEVELS = ("1", "2", "3", "4", "5")
_KINDS = ("single_turn", "multi_turn")

_NO_VERDICT = (None, True)  # and nothing is unsure

_Place = tuple[PredictionKey, int, str]  # of a criterion: its prediction, its turn and its name


class LongshotScores(Record):
    """Scores of one subject, 0 to 100 with intervals; `paper` may go below 0."""

    reading: Reading
    headline: Estimate | None = Field(description="The overall score; none above 1 % of criteria without a verdict.")
    overall: Estimate
    excluded: Estimate = Field(description="The overall score without samples in which a reply is an error or empty.")
    categories: Rows
    tasks: Rows
    unknown_tasks: Rows = Field(description="Tasks beyond the sixteen, which don't count in the overall score.")
    modalities: Rows
    parity_modalities: Rows = Field(description="With the tag `audio` as a visual one; empty if no turn has it.")
    durations: dict[str, Rows] = Field(description="By the edges of `repo` and of `paper`.")
    difficulties: Rows
    turns: Rows = Field(description="Samples of one turn and of several.")
    errors: CountedShare = Field(description="Of the samples, those that have an error, or no reply to a turn.")
    empty_replies: CountedShare = Field(description="Of the turns, those whose reply is no error and yet no answer.")
    unjudged: CountedShare = Field(
        description="Of the criteria, those of replies without a verdict; they count as not met."
    )
    unsure: CountedShare = Field(
        description="Of the criteria, those of whose verdict the judge was not sure; it counts."
    )


class _Said(NamedTuple):
    """The scored part of a prediction; its texts are dropped to save memory."""

    key: PredictionKey
    silent: tuple[bool, ...]  # whether a reply says nothing
    empty: int  # replies that are no error and say nothing
    failed: bool


class _Sample(NamedTuple):
    """The outcome of a sample, without its texts: what it earned, and what is missing."""

    score: SampleScore
    turns: int
    modalities: frozenset[str]  # as the item's turns are tagged
    levels: tuple[tuple[str, SampleScore], ...]  # what the turns that have a difficulty earned, each with it
    criteria: int
    failed: bool
    empty: int
    unjudged: int
    unsure: int


def score_longshot(
    items: Collection[Item], predictions: Iterable[Prediction], judgements: Iterable[Judgement], reading: Reading
) -> LongshotScores:
    """Score one subject in one variant; each seed makes a sample of every item; one not asked counts as an error."""
    samples = _samples(items, predictions, judgements, reading)
    scores = [sample.score for sample in samples]
    kept = [sample.score for sample in samples if not (sample.failed or sample.empty)]
    unjudged = CountedShare(
        count=sum(sample.unjudged for sample in samples), n=sum(sample.criteria for sample in samples)
    )
    overall = _overall(scores)
    tasks = _by_task(scores)
    unknown = sorted(set(tasks) - set(TASKS))
    sounds = any("audio" in sample.modalities for sample in samples)
    return LongshotScores(
        reading=reading,
        headline=overall if unjudged.value <= MAX_UNJUDGED else None,
        overall=overall,
        excluded=_overall(kept),
        categories={name: macro([members]) for name, members in _members(scores).items()},
        tasks={name: ratio(tasks[name]) for name in TASKS if name in tasks},
        unknown_tasks={name: ratio(tasks[name]) for name in unknown},
        modalities=rows_of(_by_modality(samples, parity=False), _MODALITIES),
        parity_modalities=rows_of(_by_modality(samples, parity=True), _MODALITIES) if sounds else {},
        durations={edges: rows_of(((score, [_bucket(score, edges)]) for score in scores), _BUCKETS) for edges in EDGES},
        difficulties=rows_of(((score, [level]) for sample in samples for level, score in sample.levels), _LEVELS),
        turns=rows_of(((sample.score, [_KINDS[sample.turns > 1]]) for sample in samples), _KINDS),
        errors=CountedShare(count=sum(sample.failed for sample in samples), n=len(samples)),
        empty_replies=CountedShare(
            count=sum(sample.empty for sample in samples), n=sum(sample.turns for sample in samples)
        ),
        unjudged=unjudged,
        unsure=CountedShare(count=sum(sample.unsure for sample in samples), n=unjudged.n),
    )


def sample_scores(
    items: Collection[Item], predictions: Iterable[Prediction], judgements: Iterable[Judgement], reading: Reading
) -> list[SampleScore]:
    """What each sample earned; see `score_longshot`."""
    return [sample.score for sample in _samples(items, predictions, judgements, reading)]


def _samples(
    items: Collection[Item], predictions: Iterable[Prediction], judgements: Iterable[Judgement], reading: Reading
) -> list[_Sample]:
    said = {(prediction.item, prediction.seed): _said(prediction) for prediction in predictions}
    found = {(one.key, one.turn, one.criterion): (one.met, one.sure) for one in current(judgements, predictions)}
    seeds = sorted({seed for _, seed in said}) or [0]
    return [_sample(item, said.get((item.id, seed)), found, reading) for seed in seeds for item in items]


def _said(prediction: Prediction) -> _Said:
    replies = prediction.replies
    silent = tuple(reply.status != "ok" or not reply.spoken for reply in replies)
    empty = sum(reply.status == "ok" and not reply.spoken for reply in replies)
    return _Said(prediction.key, silent, empty, failed(prediction))


def _sample(
    item: Item, said: _Said | None, found: Mapping[_Place, tuple[bool | None, bool]], reading: Reading
) -> _Sample:
    """The outcome of an item. An empty reply meets no criterion and violates no prohibition."""
    heading = item.heading
    whole: list[CriterionVerdict] = []
    levels: list[tuple[str, SampleScore]] = []
    unjudged = unsure = 0
    for number, turn in enumerate(item.turns):
        silent = said is None or number >= len(said.silent) or said.silent[number]
        verdicts: list[CriterionVerdict] = []
        for criterion in turn.criteria:
            met, sure = found.get((said.key, number, criterion.name), _NO_VERDICT) if said else _NO_VERDICT
            if met is None and silent:
                met = criterion.penalty
            unjudged += met is None
            unsure += not sure
            verdicts.append(CriterionVerdict(criterion, met))
        whole += verdicts
        if turn.difficulty is not None:
            levels.append((str(turn.difficulty), sample_score(heading, verdicts, reading)))
    return _Sample(
        score=sample_score(heading, whole, reading),
        turns=len(item.turns),
        modalities=frozenset(intern(tag) for turn in item.turns for tag in turn.modalities),
        levels=tuple(levels),
        criteria=len(whole),
        failed=said is None or len(said.silent) < len(item.turns) or said.failed,
        empty=said.empty if said else 0,
        unjudged=unjudged,
        unsure=unsure,
    )


def _overall(scores: Iterable[SampleScore]) -> Estimate:
    return macro(list(_members(scores).values()))


def _members(scores: Iterable[SampleScore]) -> dict[str, list[list[Observation]]]:
    """The tasks present in each category."""
    tasks = _by_task(scores)
    held = {name: [tasks[task] for task in members if task in tasks] for name, members in CATEGORIES.items()}
    return {name: members for name, members in held.items() if members}


def rows_of(scores: Iterable[tuple[SampleScore, Iterable[str]]], names: Sequence[str]) -> Rows:
    """A score for each row that samples count in, pooled over them like a task; these names first, and in order."""
    found = rows((name, score.observation) for score, held in scores for name in held)
    return {name: found[name] for name in dict.fromkeys((*names, *found)) if name in found}


def _by_task(scores: Iterable[SampleScore]) -> dict[str, list[Observation]]:
    return grouped((score.item.task, score.observation) for score in scores)


def _by_modality(samples: Iterable[_Sample], *, parity: bool) -> Iterator[tuple[SampleScore, set[str]]]:
    for sample in samples:
        yield sample.score, {modality_group(tag, parity=parity) for tag in sample.modalities}


def _bucket(score: SampleScore, edges: str) -> str:
    return "unknown" if score.item.seconds is None else duration_bucket(score.item.seconds, edges)
