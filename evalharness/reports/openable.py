"""An item for the reader of a report: the question, the evidence, each subject's reply and its verdicts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from longtake.evalharness.items import Item, Prediction, Reply, ToolCall, Turn, Variant
from longtake.evalharness.reports.cited_frames import Still, Stills
from longtake.evalharness.reports.run_scores import RunScores, SubjectScores, Value
from longtake.evalharness.reports.traces import Excerpt, Traces
from longtake.evalharness.scoring.choices import LABELS


class CriterionRow(NamedTuple):
    """A criterion and the verdict on it."""

    criterion: str
    weight: str
    verdict: str
    reason: str


class OpenedReply(NamedTuple):
    """A reply to one turn, and all that is known of it."""

    number: int
    reply: Reply
    outcome: str
    verdicts: list[CriterionRow]
    calls: list[str]
    trace: Excerpt | None  # of those that this library has


class OpenedPrediction(NamedTuple):
    """A prediction: its heading and its replies."""

    series: int
    heading: str
    replies: list[OpenedReply]


class Opened(NamedTuple):
    """An item with everything that came of it."""

    item: Item
    values: list[Value]  # of the subjects in order: their scores
    turns: list[tuple[Turn, list[tuple[str, str, bool]]]]  # with the options: label, text, whether it is right
    stills: list[Still]
    predictions: list[OpenedPrediction]


def opened(run: RunScores, stills: Stills, traces: Traces) -> Iterator[Opened]:
    """The items of a run, one after the other."""
    for item in run.items:
        predictions = [
            (series, subject, prediction, run.variant_of(prediction))
            for series, subject in enumerate(run.subjects)
            for prediction in subject.predictions.get(item.id, ())
        ]
        cited = [span for _, _, made, _ in predictions for reply in made.replies for span in reply.cited]
        yield Opened(
            item,
            [subject.values[item.id] for subject in run.subjects],
            [(turn, _options(turn)) for turn in item.turns],
            stills.of(item, cited),
            [_opened(*asked, item, traces) for asked in predictions],
        )


def score_in_words(value: Value) -> str:
    """The score of an item for a reader."""
    return "no score" if value is None else f"{100 * value:.0f} %"


def call_in_words(call: ToolCall) -> str:
    """A call as it would be written in a program."""
    arguments = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in call.arguments.items())
    return f"{call.tool}({arguments})"


def _options(turn: Turn) -> list[tuple[str, str, bool]]:
    return [(LABELS[place], option, place == turn.gold) for place, option in enumerate(turn.options)]


def _opened(
    series: int, subject: SubjectScores, prediction: Prediction, variant: Variant, item: Item, traces: Traces
) -> OpenedPrediction:
    value = score_in_words(subject.prediction_values[prediction.key])
    asked = [prediction.variant] if len(subject.card.variants) > 1 else []
    asked += [f"seed {prediction.seed}"] if len(subject.card.seeds) > 1 else []
    heading = f"{', '.join((subject.name, *asked))}: {value}, {prediction.seconds:.1f} s"
    replies = [
        OpenedReply(
            number,
            reply,
            _outcome(reply, turn, variant.texts_of(turn, item.id)),
            _verdicts(subject, item, prediction, number),
            [call_in_words(call) for call in reply.calls],
            traces.of(reply.trace) if reply.trace else None,
        )
        for number, (turn, reply) in enumerate(zip(item.turns, prediction.replies, strict=False))
    ]
    return OpenedPrediction(series, heading, replies)


def _outcome(reply: Reply, turn: Turn, options: Sequence[str]) -> str:
    """What came of a reply, given the options as they were worded for it."""
    if reply.status != "ok":
        return f"{reply.status.replace('_', ' ')}: {reply.error or 'no reason was given'}"
    chosen = bool(options) and reply.choice is not None and reply.parse == "ok"
    if reply.parse == "refused":
        return "refused"
    if not chosen and (reply.abstained or reply.parse == "abstained"):
        return "abstained"
    if not chosen and reply.uncertain:
        return "uncertain"
    if not options:
        return "answered"
    if reply.choice is None:
        return "no option could be read"
    right = "right" if reply.choice == turn.gold else "wrong"
    return f"chose {LABELS[reply.choice]} ({options[reply.choice]}), {right}"


def _verdicts(subject: SubjectScores, item: Item, prediction: Prediction, number: int) -> list[CriterionRow]:
    held = subject.verdicts(prediction, number)
    named = {criterion.name: criterion for criterion in item.turns[number].criteria}
    found: list[CriterionRow] = []
    for name in dict.fromkeys([*named, *held]):
        judged, criterion = held.get(name), named.get(name)
        met = judged.met if judged else None
        words = ("not done", "done") if criterion and criterion.penalty else ("met", "not met")
        verdict = "no verdict" if met is None else words[not met]
        if judged and judged.points is not None:
            verdict += f", {judged.points:g} points"
        if judged and not judged.sure:
            verdict += ", not sure"
        found.append(
            CriterionRow(
                criterion.description if criterion else name or "The reply as a whole",
                f"{criterion.weight:g}{', penalty' if criterion.penalty else ''}" if criterion else "",
                verdict,
                " ".join(filter(None, (judged.reason, judged.error, f"[{judged.judge}]"))) if judged else "",
            )
        )
    return found
