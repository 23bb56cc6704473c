"""Scores an audit from the files of its run: the variants are views, the subjects are models."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain

from pydantic import Field

from longtake.errors import ConfigError
from longtake.evalharness.audit.consensus import Ambiguity, Shortcuts, ambiguity, correlation, shortcuts
from longtake.evalharness.items import Item, Prediction, Variant
from longtake.evalharness.runs.run_folder import Notify, RunFolder
from longtake.evalharness.scoring.choice_scores import choice_state
from longtake.evalharness.views.chunk import CHUNKS
from longtake.evalharness.views.frame_shuffling import FrameShuffling
from longtake.evalharness.views.standard import Standard
from longtake.memory.records import Record

TESTS = ("blind", "audio", "summary", "center-frame", FrameShuffling.name)
PARTS = tuple(f"chunk-{number}" for number in range(1, CHUNKS + 1))


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
    failures: Mapping[str, int] = Field(description="By view: replies that failed, such as for want of a transcript.")


def audit_variants(tests: Sequence[str] = TESTS, *, parts: bool = True) -> tuple[Variant, ...]:
    """The variants of an audit: the whole video, each test, and the parts of the video."""
    views = (Standard.name, *tests, *(PARTS if parts else ()))
    return tuple(Variant(name=view, view=view) for view in views)


def score_audit(folder: RunFolder, notify: Notify) -> AuditScores:
    """The scores of an audit.

    Raises:
        ConfigError: if the run is no audit.
    """
    card = folder.card()
    views = [variant.view for variant in card.variants if variant.view]
    if Standard.name not in views:
        raise ConfigError(f"{folder.path} isn't an audit. Make one with `longtake eval audit run`.")
    items = [item for item in folder.items(notify) if item.format == "choice"]
    predictions = folder.predictions(notify).values()
    return _scores(items, list(predictions), card.subjects, [view for view in views if view in TESTS])


def _scores(
    items: Sequence[Item], predictions: Sequence[Prediction], models: Sequence[str], tests: Sequence[str]
) -> AuditScores:
    golds = {item.id: item.turns[0].gold for item in items}
    chosen: defaultdict[tuple[str, str], dict[str, int | None]] = defaultdict(dict)
    failures: defaultdict[str, int] = defaultdict(int)
    unable: defaultdict[str, set[str]] = defaultdict(set)
    for made in predictions:
        if made.item not in golds:
            continue
        state = choice_state(made.replies[0])
        chosen[made.variant, made.subject][made.item] = made.replies[0].choice if state == "ok" else None
        if state == "error":
            failures[made.variant] += 1
            unable[made.variant].add(made.item)

    def right(view: str, model: str) -> set[str]:
        return {item for item, choice in chosen[view, model].items() if choice is not None and choice == golds[item]}

    solved = {test: {model: right(test, model) for model in models} for test in tests}
    found = shortcuts({item.id: len(item.turns[0].options) for item in items}, solved, unable)
    whole = {item.id: {model: chosen[Standard.name, model].get(item.id) for model in models} for item in items}
    by_part = [set(chain.from_iterable(right(part, model) for model in models[:1])) for part in PARTS]
    flagged = {test: [item for item, names in found.flagged.items() if test in names] for test in tests}
    return AuditScores(
        shortcuts=found,
        ambiguity=ambiguity(whole, by_part if any(by_part) else [], found, FrameShuffling.name),
        accuracy={
            view: {model: len(right(view, model)) / len(items) if chosen[view, model] else None for model in models}
            for view in (Standard.name, *tests)
        },
        correlation={
            test: {model: correlation(some, right(Standard.name, model)) for model in models}
            for test, some in flagged.items()
        },
        failures=dict(failures),
    )


def show_audit(scores: AuditScores) -> list[str]:
    """The scores as lines of text."""
    found = scores.shortcuts
    lines = [f"{found.items} items"]
    for level, share in found.consensus.items():
        beside = f"guessing alone gives {share.floor:.1%}"
        lines.append(f"  shortcuts at consensus {level}: {share.items} ({share.value:.1%}); {beside}")
    for test, each in found.tests.items():
        rates = " ".join(f"{model} {value:.1%}" for model, value in scores.accuracy[test].items() if value is not None)
        lines.append(f"  {test:<16} {each.total} flagged, {each.unique} by it alone; right: {rates}")
    whole = " ".join(
        f"{model} {value:.1%}" for model, value in scores.accuracy[Standard.name].items() if value is not None
    )
    lines.append(f"  {Standard.name:<16} right: {whole}")
    review = scores.ambiguity
    lines.append(
        f"  to review: {len(review.all_differ)} where all models differ, {len(review.no_majority)} without a majority, "
        f"{len(review.redundant)} that every part answers, {len(review.order_free)} that only shuffling flags"
    )
    lines += [f"  {view}: {count} replies failed" for view, count in scores.failures.items()]
    return lines
