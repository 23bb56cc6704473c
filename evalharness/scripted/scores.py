"""The scores of the scripted suite: LongShOTBench's rubric scores, rows by the items' tags, and outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import zip_longest
from typing import NamedTuple

from pydantic import Field

from longtake.evalharness.items import Item, Judgement, Prediction
from longtake.evalharness.judges.judging import current
from longtake.evalharness.scoring.estimates import Rows
from longtake.evalharness.scoring.rubric_scores import Reading, SampleScore
from longtake.evalharness.suites.longshot_scores import LongshotScores, rows_of, sample_scores, score_longshot

_TAGS = ("wording", "seed", "tool", "kind", "events", "speech", "expects")
OUTCOMES = ("right", "wrong", "uncertain", "abstained", "error", "unjudged")


class ScriptedScores(LongshotScores):
    """Scores of one subject, 0 to 100 with intervals."""

    groups: dict[str, Rows] = Field(
        description="By tag and its value; pooled over the items that have it, as a task is."
    )
    outcomes: dict[str, dict[str, int]] = Field(
        description="Turns by what an honest reply is: answer or abstention. Right: the first criterion is met, "
        "by an uncertain reply only where an abstention is due; a turn without a reply is an error, and one without "
        "criteria, or of an item that does not tell, is left out."
    )


class _Replied(NamedTuple):
    """The scored part of a reply, without its text."""

    ok: bool
    abstained: bool
    uncertain: bool


def score_scripted(
    items: Collection[Item], predictions: Iterable[Prediction], judgements: Iterable[Judgement], reading: Reading
) -> ScriptedScores:
    """Score one subject; see `score_longshot`. Predictions and judgements are iterated over several times."""
    whole = score_longshot(items, predictions, judgements, reading)
    scores = sample_scores(items, predictions, judgements, reading)
    groups = {tag: _by_tag(tag, scores) for tag in _TAGS}
    return ScriptedScores(**dict(whole), groups=groups, outcomes=_outcomes(items, predictions, judgements))


def _by_tag(tag: str, scores: Sequence[SampleScore]) -> Rows:
    tagged = [score for score in scores if tag in score.item.tags]
    values = sorted({score.item.tags[tag] for score in tagged})
    return rows_of(((score, [score.item.tags[tag]]) for score in tagged), values)


def _outcomes(
    items: Collection[Item], predictions: Iterable[Prediction], judgements: Iterable[Judgement]
) -> dict[str, dict[str, int]]:
    said = {
        (one.item, one.seed): tuple(
            _Replied(each.status == "ok", each.abstained, each.uncertain) for each in one.replies
        )
        for one in predictions
    }
    met = {(one.item, one.seed, one.turn, one.criterion): one.met for one in current(judgements, predictions)}
    counted: dict[str, Counter[str]] = {}
    seeds = sorted({seed for _, seed in said}) or [0]
    for item, seed in ((item, seed) for item in items for seed in seeds):
        replies = said.get((item.id, seed), ())
        for number, (turn, reply) in enumerate(zip_longest(item.turns, replies[: len(item.turns)])):
            if turn.criteria and "expects" in item.tags:
                verdict = met.get((item.id, seed, number, turn.criteria[0].name)) if reply else None
                expected = item.tags["expects"]
                outcome = _outcome(reply, verdict, due=expected == "abstention")
                counted.setdefault(expected, Counter())[outcome] += 1
    return {expected: {name: found[name] for name in OUTCOMES} for expected, found in counted.items()}


def _outcome(reply: _Replied | None, met: bool | None, *, due: bool) -> str:
    """The outcome of a turn; `due` means that an honest reply abstains."""
    if reply is None or not reply.ok:
        return "error"
    if met and (due or not reply.uncertain):
        return "right"
    if reply.uncertain:
        return "uncertain"
    if reply.abstained:
        return "abstained"
    return "unjudged" if met is None else "wrong"
