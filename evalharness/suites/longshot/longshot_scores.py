"""The score tables of LongShOTBench: overall, by category, by task and by the samples' other attributes.

A task is scored over its samples; a category is the plain mean of its tasks, and the overall score that of the
categories present. Other rows are scored over their samples like a task. A sample counts in the row
of every modality it lists; difficulty belongs to a question, so there each turn counts. The released code takes
the tag `audio` for a visual one: a table that does the same stands beside the right one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from pydantic import Field

from longtake.evalharness.items import Item, Judgement, Prediction, PredictionKey
from longtake.evalharness.judges.judging import current
from longtake.evalharness.runs.predicting import failed
from longtake.evalharness.scoring.choice_scores import MAX_UNJUDGED, Share
from longtake.evalharness.scoring.estimates import Estimate, Rows, Sums, macro, ratio
from longtake.evalharness.scoring.rubric_scores import Reading, SampleScore, Verdict, by_task, sample_score
from longtake.evalharness.suites.longshot.longshot_tasks import (
    CATEGORIES,
    EDGES,
    TASKS,
    duration_bucket,
    modality_group,
)
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
    errors: Share = Field(description="Of the samples, those that have an error, or no reply to a turn.")
    empty_replies: Share = Field(description="Of the turns, those whose reply is no error and yet no answer.")
    unjudged: Share = Field(description="Of the criteria, those of replies without a verdict; they count as not met.")
    unsure: Share = Field(description="Of the criteria, those of whose verdict the judge was not sure; it counts.")


class _Said(NamedTuple):
    """The scored part of a prediction; its texts are dropped to save memory."""

    key: PredictionKey
    silent: tuple[bool, ...]  # whether a reply says nothing
    empty: int  # replies that are no error and say nothing
    failed: bool


class _Sample(NamedTuple):
    """The outcome of a sample: the verdicts turn by turn, and what is missing."""

    item: Item
    verdicts: tuple[tuple[Verdict, ...], ...]
    failed: bool
    empty: int
    unjudged: int
    unsure: int


def score_longshot(
    items: Collection[Item],
    predictions: Iterable[Prediction],
    judgements: Iterable[Judgement],
    reading: Reading,
) -> LongshotScores:
    """Score one subject in one variant.

    Args:
        items: all items to be asked; one without a prediction counts as an error.
        predictions: of the subject, with all seeds: each seed makes a sample of every item.
        judgements: of one judge; the last on each criterion counts.
        reading: how penalties count and samples are pooled.
    """
    samples = _samples(items, predictions, judgements)
    scores = [_score(sample, reading) for sample in samples]
    kept = [score for score, sample in zip(scores, samples, strict=True) if not (sample.failed or sample.empty)]
    unjudged = Share(
        count=sum(sample.unjudged for sample in samples),
        n=sum(len(turn) for sample in samples for turn in sample.verdicts),
    )
    overall = _overall(scores)
    tasks = by_task(scores)
    unknown = sorted(set(tasks) - set(TASKS))
    sounds = any("audio" in turn.modalities for item in items for turn in item.turns)
    return LongshotScores(
        reading=reading,
        headline=overall if unjudged.value <= MAX_UNJUDGED else None,
        overall=overall,
        excluded=_overall(kept),
        categories={name: macro([members]) for name, members in _members(scores).items()},
        tasks={name: ratio(_sums(tasks[name])) for name in TASKS if name in tasks},
        unknown_tasks={name: ratio(_sums(tasks[name])) for name in unknown},
        modalities=rows_of(scores, _MODALITIES, partial(_modalities, parity=False)),
        parity_modalities=rows_of(scores, _MODALITIES, partial(_modalities, parity=True)) if sounds else {},
        durations={edges: rows_of(scores, _BUCKETS, partial(_buckets, edges=edges)) for edges in EDGES},
        difficulties=rows_of(_turn_scores(samples, reading), _LEVELS, _levels),
        turns=rows_of(scores, _KINDS, lambda item: [_KINDS[len(item.turns) > 1]]),
        errors=Share(count=sum(sample.failed for sample in samples), n=len(samples)),
        empty_replies=Share(
            count=sum(sample.empty for sample in samples), n=sum(len(sample.verdicts) for sample in samples)
        ),
        unjudged=unjudged,
        unsure=Share(count=sum(sample.unsure for sample in samples), n=unjudged.n),
    )


def sample_scores(
    items: Collection[Item], predictions: Iterable[Prediction], judgements: Iterable[Judgement], reading: Reading
) -> list[SampleScore]:
    """What each sample earned; see `score_longshot`."""
    return [_score(sample, reading) for sample in _samples(items, predictions, judgements)]


def _samples(
    items: Collection[Item], predictions: Iterable[Prediction], judgements: Iterable[Judgement]
) -> list[_Sample]:
    said = {(prediction.item, prediction.seed): _said(prediction) for prediction in predictions}
    found = {(one.key, one.turn, one.criterion): (one.met, one.sure) for one in current(judgements, predictions)}
    seeds = sorted({seed for _, seed in said}) or [0]
    return [_sample(item, said.get((item.id, seed)), found) for seed in seeds for item in items]


def _said(prediction: Prediction) -> _Said:
    replies = prediction.replies
    silent = tuple(reply.status != "ok" or not reply.spoken for reply in replies)
    empty = sum(reply.status == "ok" and not reply.spoken for reply in replies)
    return _Said(prediction.key, silent, empty, failed(prediction))


def _sample(item: Item, said: _Said | None, found: Mapping[_Place, tuple[bool | None, bool]]) -> _Sample:
    """The outcome of an item. An empty reply meets no criterion and violates no prohibition."""
    turns: list[tuple[Verdict, ...]] = []
    unjudged = unsure = 0
    for number, turn in enumerate(item.turns):
        silent = said is None or number >= len(said.silent) or said.silent[number]
        verdicts: list[Verdict] = []
        for criterion in turn.criteria:
            met, sure = found.get((said.key, number, criterion.name), _NO_VERDICT) if said else _NO_VERDICT
            if met is None and silent:
                met = criterion.penalty
            unjudged += met is None
            unsure += not sure
            verdicts.append(Verdict(criterion, met))
        turns.append(tuple(verdicts))
    lacking = said is None or len(said.silent) < len(item.turns) or said.failed
    return _Sample(item, tuple(turns), lacking, said.empty if said else 0, unjudged, unsure)


def _score(sample: _Sample, reading: Reading) -> SampleScore:
    return sample_score(sample.item, [verdict for turn in sample.verdicts for verdict in turn], reading)


def _turn_scores(samples: Iterable[_Sample], reading: Reading) -> list[SampleScore]:
    """The scores of the turns, each as a separate sample."""
    return [
        sample_score(sample.item.model_copy(update={"turns": (turn,)}), verdicts, reading)
        for sample in samples
        for turn, verdicts in zip(sample.item.turns, sample.verdicts, strict=True)
    ]


def _overall(scores: Iterable[SampleScore]) -> Estimate:
    return macro(list(_members(scores).values()))


def _members(scores: Iterable[SampleScore]) -> dict[str, list[Sums]]:
    """The tasks present in each category."""
    tasks = by_task(scores)
    held = {name: [_sums(tasks[task]) for task in members if task in tasks] for name, members in CATEGORIES.items()}
    return {name: members for name, members in held.items() if members}


def rows_of(scores: Iterable[SampleScore], names: Sequence[str], keys: Callable[[Item], Iterable[str]]) -> Rows:
    """A score for each row that a sample counts in, pooled over its samples like a task.

    Args:
        scores: of samples.
        names: of rows, in order; others follow.
        keys: the rows that an item counts in.
    """
    groups: dict[str, list[SampleScore]] = {name: [] for name in names}
    for score in scores:
        for name in keys(score.item):
            groups.setdefault(name, []).append(score)
    return {name: ratio(_sums(group)) for name, group in groups.items() if group}


def _sums(scores: Sequence[SampleScore]) -> Sums:
    return Sums(
        [score.earned for score in scores],
        [score.possible for score in scores],
        [score.item.video for score in scores],
    )


def _modalities(item: Item, parity: bool) -> set[str]:
    return {modality_group(tag, parity=parity) for turn in item.turns for tag in turn.modalities}


def _buckets(item: Item, edges: str) -> list[str]:
    return ["unknown" if item.seconds is None else duration_bucket(item.seconds, edges)]


def _levels(item: Item) -> list[str]:
    return [str(turn.difficulty) for turn in item.turns if turn.difficulty is not None]
