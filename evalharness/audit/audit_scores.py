"""Scores an audit: its shortcuts, what people should look at, and how far the models get in each view."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from longtake.evalharness.audit.audit_replies import PARTS, AuditReplies, short_name
from longtake.evalharness.audit.consensus import Ambiguity, Shortcuts, ambiguity, correlation, shortcuts
from longtake.evalharness.audit.oracles import Either, Grounding, either, grounding
from longtake.evalharness.audit.planted import Planted, planted
from longtake.evalharness.views.frame_shuffling import FrameShuffling
from longtake.evalharness.views.standard import Standard
from longtake.memory.records import Record


class AuditScores(Record):
    """What an audit found."""

    shortcuts: Shortcuts
    ambiguity: Ambiguity
    accuracy: Mapping[str, Mapping[str, float | None]] = Field(
        description="By view and model, from 0 to 1; an error counts as wrong, and None was never shown."
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
    failures: Mapping[str, int] = Field(description="By view: replies that failed, such as for want of a transcript.")
    planted: Mapping[str, Planted] = Field(
        default_factory=dict, description="By test: what it found of known shortcuts, if the items say theirs."
    )


def score_audit(replies: AuditReplies) -> AuditScores:
    """The scores of an audit."""
    models, items = replies.asked_in(Standard.name), replies.items
    options = {name: len(item.turns[0].options) for name, item in items.items()}
    found = shortcuts(options, replies.solved, replies.failed)
    chosen = {model: replies.choices(Standard.name, model) for model in models}
    whole = {name: {model: chosen[model][name] for model in models if name in chosen[model]} for name in items}
    by_part = [replies.right(part, model) for part in PARTS for model in models[:1]]
    return AuditScores(
        shortcuts=found,
        ambiguity=ambiguity(whole, by_part if any(by_part) else [], found, FrameShuffling.name),
        accuracy={
            view: {
                model: len(replies.right(view, model)) / len(items) if replies.choices(view, model) else None
                for model in replies.asked_in(view)
            }
            for view in (Standard.name, *replies.tests)
        },
        correlation={
            test: {model: correlation(found.flagged_by(test), replies.right(Standard.name, model)) for model in models}
            for test in replies.tests
        },
        grounded=grounding(replies),
        either=either(replies),
        failures=dict(replies.failures),
        planted=planted(items, replies.solved, replies.failed),
    )


def show_audit(scores: AuditScores) -> list[str]:
    """The scores as lines of text."""
    found = scores.shortcuts
    lines = [f"{found.items} items"]
    for level, share in found.consensus.items():
        beside = f"guessing alone gives {share.floor:.1%}"
        lines.append(f"  shortcuts at consensus {level}: {share.items} ({share.value:.1%}); {beside}")
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
    lines += [f"  {view}: {count} replies failed" for view, count in scores.failures.items()]
    for test, known in scores.planted.items():
        lines.append(
            f"  {test}: found {known.found} of {known.planted} planted, precision {_percent(known.precision)}; "
            f"guessing finds {_percent(known.guessed_recall)} of them, precision {_percent(known.guessed_precision)}"
        )
    return lines


def _rates(accuracy: Mapping[str, float | None]) -> str:
    return " ".join(f"{short_name(model)} {value:.1%}" for model, value in accuracy.items() if value is not None)


def _percent(value: float | None) -> str:
    return "none" if value is None else f"{value:.1%}"
