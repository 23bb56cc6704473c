"""Runs of audits with known replies, written without asking anyone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from longtake.evalharness.audit.categories import CATEGORIES, VARIANT, category_items, votes_of
from longtake.evalharness.audit.models import TESTS, models_named
from longtake.evalharness.items import Item, Prediction, Reply, Turn
from longtake.evalharness.runs.journal import Journal
from longtake.evalharness.runs.run_folder import RunCard, RunFolder
from longtake.memory.timespan import TimeSpan

GOLD = 2
MODELS = ("m", "n", "o")


def items_named(names: Sequence[str], spanned: str = "") -> list[Item]:
    """Items with four options, each with a video of its own that doesn't exist; some say which part has the answer."""
    turn = Turn(question="What is it?", options=("a cup", "a pen", "a hat", "a fox"), gold=GOLD, reference="a hat")
    known = turn.model_copy(update={"evidence": (TimeSpan(start=1, end=2),)})
    return [
        Item(suite="own", id=name, video=f"{name}.mp4", format="choice", turns=(known if name in spanned else turn,))
        for name in names
    ]


def write_audit(
    folder: Path,
    names: Sequence[str],
    right: Mapping[tuple[str, str], str],
    otherwise: Mapping[str, int],
    spanned: str = "",
    named: Sequence[str] = (),
    unable: Mapping[str, str] | None = None,
) -> RunFolder:
    """A run in which a model is right on the named items of a view, and else makes its own choice.

    Args:
        folder: to be made.
        names: of the items, one letter each.
        right: by view and model, the items.
        otherwise: the option that a model chooses elsewhere.
        spanned: the items that say which part of the video has the answer.
        named: the models as the command line names them; else all take part in everything.
        unable: by view, the items of which it has nothing to show.
    """
    run = RunFolder(folder)
    tests = tuple(dict.fromkeys(view for view, _ in right if view in TESTS))
    items = items_named(names, spanned)
    models = models_named(named or otherwise)
    variants = models.variants(tests, items, chosen=any(view == "keyframes" for view, _ in right))
    run.begin(RunCard(suite="own", source="own", subjects=tuple(otherwise), variants=variants, version="0"))
    run.keep_items(items)
    with Journal(run.predictions_file) as journal:
        for variant in variants:
            for model, other in otherwise.items():
                if model in (variant.only or ()):
                    for name in (item.id for item in items if variant.applies(item)):
                        view = variant.view or ""
                        if name in (unable or {}).get(view, ""):
                            journal.append(_prediction(name, variant.name, model, None))
                            continue
                        place = GOLD if name in right.get((view, model), "") else other
                        journal.append(_prediction(name, variant.name, model, place))
    return run


def write_votes(audit: RunFolder, names: Sequence[str], votes: Mapping[str, Mapping[str, int]]) -> None:
    """The category that each voter gives each item, by its number from 0."""
    run = votes_of(audit)
    run.begin(RunCard(suite="audit-categories", source="own", subjects=tuple(votes), variants=(VARIANT,), version="0"))
    run.keep_items(category_items(items_named(names)))
    with Journal(run.predictions_file) as journal:
        for voter, given in votes.items():
            for name, place in given.items():
                assert place < len(CATEGORIES)
                journal.append(_prediction(name, VARIANT.name, voter, place))


def _prediction(item: str, variant: str, subject: str, choice: int | None) -> Prediction:
    """A reply, or none for want of something to show."""
    if choice is None:
        reply = Reply(text="", status="no_media", error="nothing to show")
    else:
        reply = Reply(text="ABCDE"[choice], choice=choice, parse="ok")
    return Prediction(item=item, variant=variant, subject=subject, replies=(reply,), seconds=0.0)
