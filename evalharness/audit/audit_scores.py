"""Scores an audit: its shortcuts, what people should look at, and how far the models get in each view.

Beside them stand the two oracles of Video-Oasis. Grounding: the same model with only the spans that show the answer.
Either: right if one of two models is; the paper takes the instruction-following and the thinking mode of one model. Two
guesses are right more often than one, so the share of guessing stands beside it.

Items with known shortcuts say which tests solve them in the tag `shortcuts`, by the names of the tests, separated by
spaces; "none" if no test does. They give the precision and recall of each test, beside those of independent guesses.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import combinations

from pydantic import Field

from longtake.console import counted
from longtake.evalharness.audit.audit_replies import AuditReplies, short_name
from longtake.evalharness.audit.consensus import (
    Ambiguity,
    Shortcuts,
    Solved,
    ambiguity,
    at_least,
    flagged_by,
    overlap,
    shortcuts,
)
from longtake.evalharness.audit.models import PARTS
from longtake.evalharness.items import Item
from longtake.evalharness.scoring.estimates import quotient
from longtake.evalharness.views.frame_views import FrameShuffling, Grounded, Standard
from longtake.memory.records import Record

TAG = "shortcuts"


class Grounding(Record):
    """One model on the items that say which part shows the answer; shares from 0 to 1."""

    items: int
    whole: float = Field(description="Right with the whole video.")
    spans: float = Field(description="Right with only these spans.")


class Either(Record):
    """Two models on all items; shares from 0 to 1."""

    value: float = Field(description="Right by one of them.")
    floor: float = Field(description="Expected of independent guesses.")


def grounding(replies: AuditReplies) -> dict[str, Grounding]:
    """By model, if it was asked with spans only."""
    asked = [model for model in replies.asked_in(Grounded.name) if replies.choices(Grounded.name, model)]
    known = with_spans(replies)
    return {
        model: Grounding(
            items=len(known),
            whole=len(replies.right(Standard.name, model) & known) / len(known),
            spans=len(replies.right(Grounded.name, model)) / len(known),
        )
        for model in asked
    }


def either(replies: AuditReplies) -> dict[str, Either]:
    """By the names of two models."""
    pairs = combinations(replies.asked_in(Standard.name), 2) if replies.items else ()
    return {
        pair_name(one, other): Either(
            value=len(right_by_either(replies, one, other)) / len(replies.items), floor=guessed(replies.items, replies)
        )
        for one, other in pairs
    }


def pair_name(one: str, other: str) -> str:
    """How two models are called together."""
    return f"{short_name(one)} or {short_name(other)}"


def right_by_either(replies: AuditReplies, one: str, other: str) -> set[str]:
    """The items that one of two models got right with the whole video."""
    return replies.right(Standard.name, one) | replies.right(Standard.name, other)


def guessed(items: Collection[str], replies: AuditReplies) -> float:
    """The share of some items that one of two independent guesses gets right."""
    chances = [at_least(1, 2, 1 / len(replies.items[name].turns[0].options)) for name in items]
    return sum(chances) / max(1, len(chances))


def with_spans(replies: AuditReplies) -> set[str]:
    """The items that say which part of the video shows the answer."""
    return {name for name, item in replies.items.items() if item.turns[0].evidence}


class Planted(Record):
    """What one test found at the consensus that counts. A share is None if it has no denominator."""

    planted: int
    flagged: int
    found: int
    precision: float | None
    recall: float | None
    guessed_precision: float | None
    guessed_recall: float | None


def planted(
    items: Mapping[str, Item], solved: Solved, unable: Mapping[str, Collection[str]], level: int
) -> dict[str, Planted]:
    """The figures of each test at a consensus, but for items that it can't flag; none if no item says its shortcuts."""
    known = {name: item.tags[TAG].split() for name, item in items.items() if TAG in item.tags}
    if not known:
        return {}
    found: dict[str, Planted] = {}
    for test, models in solved.items():
        wanted = {name for name, tests in known.items() if test in tests}
        flagged, count = flagged_by(models, level) & known.keys(), len(models)
        guessed = {
            name: at_least(min(level, count), count, 1 / len(items[name].turns[0].options))
            for name in known
            if name not in unable.get(test, ())
        }
        of_wanted = sum(guessed.get(name, 0.0) for name in wanted)
        found[test] = Planted(
            planted=len(wanted),
            flagged=len(flagged),
            found=len(flagged & wanted),
            precision=quotient(len(flagged & wanted), len(flagged)),
            recall=quotient(len(flagged & wanted), len(wanted)),
            guessed_precision=quotient(of_wanted, sum(guessed.values())),
            guessed_recall=quotient(of_wanted, len(wanted)),
        )
    return found


class Accuracy(Record):
    """How often a model was right in a view, over the items of which the view has something to show."""

    value: float = Field(description="From 0 to 1; an error counts as wrong.")
    items: int


class AuditScores(Record):
    """What an audit found."""

    shortcuts: Shortcuts
    ambiguity: Ambiguity
    accuracy: Mapping[str, Mapping[str, Accuracy | None]] = Field(
        description="By view and model; None if it was asked nothing."
    )
    correlation: Mapping[str, Mapping[str, float | None]] = Field(
        description="By test and model: the share of its shortcuts that the model solves with the whole video."
    )
    grounded: Mapping[str, Grounding] = Field(
        default_factory=dict, description="By model: with only the spans that show the answer, if items say theirs."
    )
    either: Mapping[str, Either] = Field(
        default_factory=dict, description="By two models: right by one of them, with the whole video."
    )
    unable: Mapping[str, int] = Field(description="By view: items of which it has nothing to show, such as speech.")
    failures: Mapping[str, int] = Field(description="By view: items with a reply that failed.")
    planted: Mapping[str, Planted] = Field(
        default_factory=dict, description="By test: what it found of known shortcuts, if the items say theirs."
    )


def score_audit(replies: AuditReplies, level: int | None = None) -> AuditScores:
    """The scores of an audit; `level` models of a test must agree, or by default as many as the largest test has.

    Raises:
        ConfigError: if no test has so many models.
    """
    models, items = replies.asked_in(Standard.name), replies.items
    options = {name: len(item.turns[0].options) for name, item in items.items()}
    lacking = {test: {*replies.unable.get(test, ()), *replies.failed.get(test, ())} for test in replies.tests}
    found = shortcuts(options, replies.solved, lacking, level)
    chosen = {model: replies.choices(Standard.name, model) for model in replies.consistency}
    whole = {name: {model: chosen[model][name] for model in chosen if name in chosen[model]} for name in items}
    by_part = [replies.right(part, model) for part in PARTS for model in replies.asked_in(part)[:1]]
    return AuditScores(
        shortcuts=found,
        ambiguity=ambiguity(whole, by_part if any(by_part) else [], found, FrameShuffling.name),
        accuracy={
            view: {model: _accuracy(replies, view, model) for model in replies.asked_in(view)}
            for view in (Standard.name, *replies.tests)
        },
        correlation={
            test: {model: overlap(flagged, replies.right(Standard.name, model)).of_first for model in models}
            for test in replies.tests
            for flagged in [found.flagged_by(test)]
        },
        grounded=grounding(replies),
        either=either(replies),
        unable={view: len(names) for view, names in replies.unable.items() if names},
        failures={view: len(names) for view, names in replies.failed.items() if names},
        planted=planted(items, replies.solved, lacking, found.level),
    )


def _accuracy(replies: AuditReplies, view: str, model: str) -> Accuracy | None:
    asked = len(replies.askable(view))
    if not (asked and replies.choices(view, model)):
        return None
    return Accuracy(value=len(replies.right(view, model)) / asked, items=asked)


def show_audit(scores: AuditScores) -> list[str]:
    """The scores as lines of text."""
    found = scores.shortcuts
    lines = [counted(found.items, "item")]
    for level, share in found.consensus.items():
        beside = f"guessing alone gives {share.floor:.1%}"
        lines.append(f"  shortcuts at consensus {level}: {share.items} ({share.value:.1%}); {beside}")
    lines.append(f"  tests at consensus {found.level}:")
    for test, each in found.tests.items():
        rates = _rates(scores.accuracy[test])
        lines.append(f"  {test:<16} {each.total} flagged, {each.unique} by it alone; right: {rates}")
    lines.append(f"  {Standard.name:<16} right: {_rates(scores.accuracy[Standard.name])}")
    for model, oracle in scores.grounded.items():
        beside = f"{oracle.whole:.1%} with the whole video"
        lines.append(f"  grounded         {short_name(model)} {oracle.spans:.1%}, {beside}; of {oracle.items} items")
    for pair, one in scores.either.items():
        lines.append(f"  either right     {pair}: {one.value:.1%}; guessing alone gives {one.floor:.1%}")
    review = scores.ambiguity
    lines.append(
        f"  to review: {len(review.all_differ)} where all models differ, {len(review.no_majority)} without a majority, "
        f"{len(review.redundant)} that every part answers, {len(review.order_free)} that only shuffling flags"
    )
    lines += [f"  {view}: nothing to show of {counted(count, 'item')}" for view, count in scores.unable.items()]
    lines += [f"  {view}: {counted(count, 'item')} with a reply that failed" for view, count in scores.failures.items()]
    for test, known in scores.planted.items():
        lines.append(
            f"  {test}: found {known.found} of {known.planted} planted, precision {_percent(known.precision)}; "
            f"guessing finds {_percent(known.guessed_recall)} of them, precision {_percent(known.guessed_precision)}"
        )
    return lines


def _rates(accuracy: Mapping[str, Accuracy | None]) -> str:
    """The rates of the models, and of how many items; all of a view's models are asked the same ones."""
    rates = [f"{short_name(model)} {rate.value:.1%}" for model, rate in accuracy.items() if rate]
    asked = next((rate.items for rate in accuracy.values() if rate), 0)
    return f"{' '.join(rates)} of {counted(asked, 'item')}" if rates else "-"


def _percent(value: float | None) -> str:
    return "none" if value is None else f"{value:.1%}"
