"""Describes how a subject behaved: uncertainty, abstention, tool calls and cost, next to its score.

Scores here are plain means over items, with an interval over videos.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Literal, NamedTuple

from longtake.evalharness.items import Item, Prediction, Reply
from longtake.evalharness.reports.run_scores import SubjectScores
from longtake.evalharness.scoring.estimates import Estimate, Observation, Rows, ratio, rows
from longtake.evalharness.suites.longshot.longshot_tasks import duration_bucket

Stance = Literal["answered", "uncertain", "abstained", "refused", "failed"]
STANCES: tuple[Stance, ...] = (  # the first that a reply takes is the item's
    "answered",
    "uncertain",
    "abstained",
    "refused",
    "failed",
)
Keys = Callable[[Item], Iterable[str]]
_MAX_ROWS = 24  # of a tag; with more values, it would identify items, not groups


class Cost(NamedTuple):
    """What a prediction cost, or a mean one."""

    calls: float
    tokens: float
    money: float | None  # None if a price isn't known
    seconds: float


def score_of(subject: SubjectScores, items: Iterable[str]) -> Estimate:
    """The mean of the items, given their ids, that have a score."""
    scored = ((subject.values[item], subject.videos[item]) for item in items)
    return ratio(Observation(value, 1.0, video) for value, video in scored if value is not None)


def stance(subject: SubjectScores, item: str) -> Stance:
    """Whether an item was answered at least once, at best uncertainly, always abstained from, refused, or failed."""
    replies = [reply for prediction in subject.predictions.get(item, ()) for reply in prediction.replies]
    heard = [reply for reply in replies if reply.status == "ok"]
    if not heard:
        return "failed"
    stances: set[Stance] = {_stance(reply) for reply in heard}
    return next(one for one in STANCES if one in stances)


def _stance(reply: Reply) -> Stance:
    if reply.abstained or reply.parse == "abstained":
        return "abstained"
    if reply.parse == "refused":
        return "refused"
    return "uncertain" if reply.uncertain else "answered"


def cost(subject: SubjectScores) -> Cost:
    """The mean cost of the predictions; tokens are those read and written."""
    made, calls, seconds, spent = 0, 0, 0.0, subject.table.spent
    for each in subject.predictions.values():
        made += len(each)
        calls += sum(map(calls_of, each))
        seconds += sum(prediction.seconds for prediction in each)
    n = made or 1
    return Cost(
        calls=calls / n,
        tokens=(spent.input_tokens + spent.output_tokens) / n,
        money=None if spent.cost is None else spent.cost / n,
        seconds=seconds / n,
    )


def calls_of(prediction: Prediction) -> int:
    """The number of tool calls; if the calls weren't stored, their recorded number."""
    return sum(len(reply.calls) or (reply.usage.tool_calls if reply.usage else 0) for reply in prediction.replies)


def by_variant(subject: SubjectScores) -> Rows:
    """The mean of the predictions of each variant, in the order of the run, each as if it had been the only one."""
    found = rows(
        (key.variant, Observation(value, 1.0, subject.videos[key.item]))
        for key, value in subject.prediction_values.items()
        if value is not None and key.item in subject.videos
    )
    return {variant.name: found[variant.name] for variant in subject.card.variants if variant.name in found}


def further_groups(subject: SubjectScores) -> dict[str, Rows]:
    """Tables that the suite's scorer does not give, by what the items say of themselves."""
    tags = dict.fromkeys(tag for item in subject.items.values() for tag in item.tags)
    keys: dict[str, Keys] = {
        "task": lambda item: [item.task],
        "modality": lambda item: {tag for turn in item.turns for tag in turn.modalities},
        "duration": lambda item: [] if item.seconds is None else [duration_bucket(item.seconds, "repo")],
        "difficulty": lambda item: sorted({str(turn.difficulty) for turn in item.turns if turn.difficulty}),
        **{f"tag {tag}": partial(_tag, tag) for tag in tags},
    }
    given = {name.partition(",")[0] for name in subject.table.groups}
    given |= {f"tag {name}" for name in given}
    found = {name: _rows(subject, key) for name, key in keys.items() if name not in given}
    shown = [table.keys() for table in subject.table.groups.values()]  # Video-TT calls its tasks capabilities
    return {name: rows for name, rows in found.items() if 1 < len(rows) <= _MAX_ROWS and rows.keys() not in shown}


def _tag(name: str, item: Item) -> list[str]:
    return [item.tags.get(name, "")]


def _rows(subject: SubjectScores, keys: Keys) -> Rows:
    groups: dict[str, list[str]] = {}
    for item in subject.items.values():
        for name in keys(item):
            groups.setdefault(name, []).append(item.id)
    return {name: score_of(subject, groups[name]) for name in sorted(groups) if name}
