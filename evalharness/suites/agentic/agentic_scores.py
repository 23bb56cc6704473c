"""The scores of the agentic track: its rubric, and statistics of the calls themselves.

Everything is pooled over the turns with gold calls: F1 is twice the right calls over all calls made and wanted, the
share of arguments is over all gold arguments, order is the longest common subsequence over the gold calls. A reply
that is an error, or is missing, made no calls.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from pydantic import Field

from longtake.evalharness.items import Heading, Item, Judgement, Prediction, PredictionKey, Reply, Turn
from longtake.evalharness.judges.checks import abstains
from longtake.evalharness.judges.judging import current
from longtake.evalharness.runs.predicting import failed
from longtake.evalharness.scoring.call_scores import TOLERANCE, Compared, compare_calls
from longtake.evalharness.scoring.choice_scores import MAX_UNJUDGED, Share
from longtake.evalharness.scoring.estimates import Estimate, Observation, Rows, ratio, rows
from longtake.evalharness.scoring.rubric_scores import Reading, Verdict, sample_score
from longtake.evalharness.suites.agentic.agentic_rubric import FINAL, verdicts
from longtake.memory.records import Record

_Counted = tuple[str, Observation]  # a fraction, and the name of its row
NEAR = f"within {TOLERANCE:g} s"


class AgenticScores(Record):
    """Scores of one subject, 0 to 100 with intervals; the rubric's in `paper` may go below 0."""

    reading: Reading
    headline: Estimate | None = Field(description="Of the rubric; none above 1 % of answers without a verdict.")
    overall: Estimate = Field(description="Of the rubric, pooled over the samples as a task is.")
    excluded: Estimate = Field(description="The same without samples in which a reply is an error or unread.")
    calls: Rows = Field(description="Selection, arguments and order.")
    tools: Rows = Field(description="F1 of the selection of each tool; 0 if gold never calls it.")
    parameters: Rows = Field(description="Gold arguments that match, by tool and parameter.")
    timestamps: Rows = Field(description="Of the gold timestamps: mean overlap, and how many are near.")
    criteria: Rows = Field(description="Turns that meet each criterion of the rubric.")
    wrong: Share = Field(description="Share of the calls to tools that gold doesn't call in the turn.")
    superfluous: Share = Field(description="Of the calls made, those beyond as many as gold makes of the tool.")
    missed: Share = Field(description="Of the gold calls, those that were not made.")
    errors: Share = Field(description="Of the samples, those that have an error, or no reply to a turn.")
    parse_failures: Share = Field(description="Of the turns, those in whose reply no calls could be read.")
    unjudged: Share = Field(description="Of the final answers, those without a verdict; they count as wrong.")
    unsure: Share = Field(description="Of the final answers, those of whose verdict the judge was not sure; it counts.")


class _Turn(NamedTuple):
    """The outcome of a turn with gold calls."""

    video: str
    calls: Compared
    verdicts: tuple[Verdict, ...]
    unread: bool  # whether no calls could be read in the reply
    unsure: bool  # whether the judge was not sure of the final answer

    @property
    def answered(self) -> bool | None:
        """Whether the final answer is right; None without a verdict."""
        return next(verdict.met for verdict in self.verdicts if verdict.criterion.name == FINAL)


class _Sample(NamedTuple):
    """The outcome of a sample."""

    item: Heading
    turns: tuple[_Turn, ...]
    failed: bool

    @property
    def unread(self) -> bool:
        """Whether the calls of some reply could not be read."""
        return any(turn.unread for turn in self.turns)


def score_agentic(
    items: Collection[Item], predictions: Iterable[Prediction], judgements: Iterable[Judgement], reading: Reading
) -> AgenticScores:
    """Score one subject in one variant.

    Args:
        items: all that were to be asked, with the track's rubric; one without a prediction counts as an error.
        predictions: of the subject; each seed makes a sample of every item.
        judgements: of one judge, on final answers; of several on one the last counts.
        reading: how the rubric's penalties count and samples are pooled.
    """
    samples = _samples(items, list(predictions), judgements)
    turns = [turn for sample in samples for turn in sample.turns]
    compared = [turn.calls for turn in turns]
    made, wanted = sum(calls.made.total() for calls in compared), sum(calls.gold.total() for calls in compared)
    overall = _rubric(samples, reading)
    unjudged = Share(count=sum(turn.answered is None for turn in turns), n=len(turns))
    return AgenticScores(
        reading=reading,
        headline=overall if unjudged.value <= MAX_UNJUDGED else None,
        overall=overall,
        excluded=_rubric([sample for sample in samples if not (sample.failed or sample.unread)], reading),
        calls=_rows(_in_calls(turns)),
        tools=_rows(sorted(_in_tools(turns))),
        parameters=_rows(sorted(_in_parameters(turns))),
        timestamps=_rows(_in_timestamps(turns)),
        criteria=_rows(_in_criteria(turns)),
        wrong=Share(count=sum(calls.wrong for calls in compared), n=made),
        superfluous=Share(count=sum(calls.superfluous for calls in compared), n=made),
        missed=Share(count=sum(calls.missed for calls in compared), n=wanted),
        errors=Share(count=sum(sample.failed for sample in samples), n=len(samples)),
        parse_failures=Share(count=sum(turn.unread for turn in turns), n=len(turns)),
        unjudged=unjudged,
        unsure=Share(count=sum(turn.unsure for turn in turns), n=len(turns)),
    )


def _samples(
    items: Collection[Item], predictions: Sequence[Prediction], judgements: Iterable[Judgement]
) -> list[_Sample]:
    said = {(prediction.item, prediction.seed): prediction for prediction in predictions}
    found = {(one.key, one.turn): (one.met, one.sure) for one in current(judgements, predictions)}
    seeds = sorted({seed for _, seed in said}) or [0]
    return [_sample(item, said.get((item.id, seed)), found) for seed in seeds for item in items]


def _sample(
    item: Item, prediction: Prediction | None, found: Mapping[tuple[PredictionKey, int], tuple[bool | None, bool]]
) -> _Sample:
    replies = list(prediction.replies) if prediction else []
    lacking = prediction is None or len(replies) < len(item.turns) or failed(prediction)
    replies += [Reply(text="", status="error")] * (len(item.turns) - len(replies))
    turns: list[_Turn] = []
    for number, (turn, reply) in enumerate(zip(item.turns, replies, strict=True)):
        if turn.calls:
            met, sure = found.get((prediction.key, number), (None, True)) if prediction else (None, True)
            turns.append(_turn(item, turn, reply, met, sure))
    return _Sample(item.heading, tuple(turns), lacking)


def _turn(item: Item, turn: Turn, reply: Reply, answered: bool | None, sure: bool) -> _Turn:
    """The outcome of a turn. The calls of an erroneous reply don't count, and an empty answer is wrong.

    So is an uncertain one, unless an abstention is due.
    """
    failed_reply = reply.status != "ok"
    unsure = reply.uncertain and not abstains(turn.reference).met
    calls = compare_calls(turn.calls, () if failed_reply else reply.calls, item.tools)
    met = {**verdicts(calls), FINAL: False if failed_reply or unsure or not reply.spoken else answered}
    return _Turn(
        video=item.video,
        calls=calls,
        verdicts=tuple(Verdict(criterion, met[criterion.name]) for criterion in turn.criteria),
        unread=reply.parse == "failed",
        unsure=not sure,
    )


def _rubric(samples: Iterable[_Sample], reading: Reading) -> Estimate:
    scores = [
        sample_score(sample.item, [verdict for turn in sample.turns for verdict in turn.verdicts], reading)
        for sample in samples
    ]
    return ratio(score.observation for score in scores)


def _in_calls(turns: Iterable[_Turn]) -> Iterator[_Counted]:
    for turn in turns:
        calls = turn.calls
        hits, gold, made = calls.hits.total(), calls.gold.total(), calls.made.total()
        yield "selection F1", Observation(2 * hits, gold + made, turn.video)
        yield "selection precision", Observation(hits, made, turn.video)
        yield "selection recall", Observation(hits, gold, turn.video)
        yield "order", Observation(calls.in_order, gold, turn.video)
        for argument in calls.arguments:
            row = "required arguments" if argument.required else "optional arguments"
            yield row, Observation(argument.matches, 1, turn.video)


def _in_tools(turns: Iterable[_Turn]) -> Iterator[_Counted]:
    for turn in turns:
        calls = turn.calls
        for tool in calls.gold | calls.made:
            yield tool, Observation(2 * calls.hits[tool], calls.gold[tool] + calls.made[tool], turn.video)


def _in_parameters(turns: Iterable[_Turn]) -> Iterator[_Counted]:
    for turn in turns:
        for argument in turn.calls.arguments:
            yield f"{argument.tool} {argument.name}", Observation(argument.matches, 1, turn.video)


def _in_timestamps(turns: Iterable[_Turn]) -> Iterator[_Counted]:
    for turn in turns:
        for spans in (argument.spans for argument in turn.calls.arguments):
            if spans:
                yield "overlap", Observation(spans.overlap, 1, turn.video)
                yield NEAR, Observation(spans.near, 1, turn.video)


def _in_criteria(turns: Iterable[_Turn]) -> Iterator[_Counted]:
    for turn in turns:
        for verdict in turn.verdicts:
            yield verdict.criterion.name, Observation(bool(verdict.met), 1, turn.video)


def _rows(counted: Iterable[_Counted]) -> Rows:
    """Those of which anything could be earned."""
    return {name: row for name, row in rows(counted).items() if row.value is not None}
