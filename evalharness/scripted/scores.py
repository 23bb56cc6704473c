"""The scores of the scripted suite: those of LongShOTBench's rubrics, rows by the tags of its items, and outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pydantic import Field

from longtake.evalharness.items import Item, Judgement, Prediction, Reply
from longtake.evalharness.judges.judge import reply_hash
from longtake.evalharness.rubric_scores import Reading, SampleScore
from longtake.evalharness.suites.longshot_scores import LongshotScores, Rows, rows_of, sample_scores, score_longshot

_TAGS = ("wording", "seed", "tool", "kind", "events", "speech", "expects")
OUTCOMES = ("right", "wrong", "abstained", "error", "unjudged")


class ScriptedScores(LongshotScores):
    """Scores of one subject, 0 to 100 with intervals."""

    groups: dict[str, Rows] = Field(description="By tag and its value; pooled over the items, as a task is.")
    outcomes: dict[str, dict[str, int]] = Field(
        description="Replies by what an honest one would be: answer or abstention. Right: the first criterion is met."
    )


def score_scripted(
    items: Sequence[Item], predictions: Iterable[Prediction], judgements: Iterable[Judgement], reading: Reading
) -> ScriptedScores:
    """Score one subject; see `score_longshot`. Predictions and judgements are iterated over several times."""
    whole = score_longshot(items, predictions, judgements, reading)
    scores = sample_scores(items, predictions, judgements, reading)
    groups = {tag: _by_tag(tag, scores) for tag in _TAGS}
    return ScriptedScores(**dict(whole), groups=groups, outcomes=_outcomes(items, predictions, judgements))


def _by_tag(tag: str, scores: Sequence[SampleScore]) -> Rows:
    values = sorted({score.item.tags[tag] for score in scores})
    return rows_of(scores, values, lambda item: [item.tags[tag]])


def _outcomes(
    items: Sequence[Item], predictions: Iterable[Prediction], judgements: Iterable[Judgement]
) -> dict[str, dict[str, int]]:
    by_id = {item.id: item for item in items}
    met = {(one.item, one.seed, one.turn, one.criterion, one.reply): one.met for one in judgements}
    counted: dict[str, Counter[str]] = {}
    for prediction in predictions:
        item = by_id[prediction.item]
        for number, (turn, reply) in enumerate(zip(item.turns, prediction.replies, strict=False)):
            first = turn.criteria[0].name
            key = (item.id, prediction.seed, number, first, reply_hash(reply))
            counted.setdefault(item.tags["expects"], Counter())[_outcome(reply, met.get(key))] += 1
    return {expected: _counts(found) for expected, found in counted.items()}


def _outcome(reply: Reply, met: bool | None) -> str:
    if reply.status != "ok":
        return "error"
    if met:
        return "right"
    if reply.abstained:
        return "abstained"
    return "unjudged" if met is None else "wrong"


def _counts(found: Mapping[str, int]) -> dict[str, int]:
    return {outcome: found.get(outcome, 0) for outcome in OUTCOMES}
