"""What a question asks for, by vote: several models read question and options, no video, and each names one category.

The five categories are those of Video-Oasis, in our words, unless others are voted on. A label that more than half of
the voters give is accepted: three of five, as in the paper. The others are left to people. The votes are an ordinary
run inside the audit's folder, whose items are the questions that remain, as text, and whose options are the
definitions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from longtake.evalharness.items import Item, Prediction, Turn, Variant
from longtake.evalharness.runs.run_folder import Notify, RunFolder
from longtake.evalharness.scoring.choices import LABELS
from longtake.evalharness.views.frame_views import Blind

CATEGORIES = {
    "fine-grained perception": "recognising a small or brief detail, such as an object, its look, a text or a face",
    "spatial world understanding": "where things are: layout, distance, direction, size, or where the camera is",
    "temporal dynamics and tracking": "how things change: order, speed, duration, repetition, or following something",
    "causality and logical reasoning": "why something happens, what follows from it, intentions, or a deduction",
    "global narrative": "the video as a whole: its story, theme, structure or message",
}
VARIANT = Variant(name=Blind.name, view=Blind.name)


class Votes(NamedTuple):
    """The outcome of the votes."""

    asked: Collection[str]  # the items that were voted on
    accepted: Mapping[str, str]  # the category by item
    categories: Mapping[str, str] = CATEGORIES  # the definitions by name

    @property
    def open(self) -> list[str]:
        """The items that are left to people."""
        return [name for name in self.asked if name not in self.accepted]

    def among(self, names: Collection[str]) -> Votes:
        """The same of some items only."""
        return Votes(
            [name for name in self.asked if name in names],
            {name: category for name, category in self.accepted.items() if name in names},
            self.categories,
        )


def votes_of(audit: RunFolder) -> RunFolder:
    """The run of the votes on an audit."""
    return RunFolder(audit.path / "categories")


def category_items(items: Iterable[Item], categories: Mapping[str, str] = CATEGORIES) -> list[Item]:
    """The questions of an audit as questions about them; the options are the categories, defined by name."""
    options = tuple(f"{name}: {meaning}" for name, meaning in categories.items())
    return [
        Item(
            suite=item.suite,
            id=item.id,
            video=item.video,
            format="choice",
            turns=(Turn(question=_question(item.turns[0]), options=options),),
            guess=item.guess,
        )
        for item in items
    ]


def accepted(predictions: Iterable[Prediction], voters: int, names: Sequence[str]) -> dict[str, str]:
    """The category of each item that more than half of the voters agree on; its number is a place among the names."""
    votes: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for made in predictions:
        choice = made.replies[0].choice
        if choice is not None:
            votes[made.item][choice] += 1
    best = {item: count.most_common(1)[0] for item, count in votes.items()}
    return {item: names[choice] for item, (choice, count) in best.items() if count * 2 > voters}


def voted(audit: RunFolder, notify: Notify) -> Votes:
    """The votes on the items of an audit; none if nobody has voted."""
    folder = votes_of(audit)
    if not folder.predictions_file.exists():
        return Votes((), {})
    items = list(folder.items(notify))
    listed = (option.partition(": ") for option in items[0].turns[0].options) if items else ()
    categories = {name: meaning for name, _, meaning in listed}
    named = accepted(folder.predictions(notify).values(), len(folder.card().subjects), tuple(categories))
    return Votes([item.id for item in items], named, categories)


def _question(turn: Turn) -> str:
    listed: Sequence[str] = [f"{LABELS[place]}) {option}" for place, option in enumerate(turn.options)]
    options = "\n".join(listed)
    return (
        "Here is a question about a video, with its options. Don't answer it: say which ability it needs most.\n\n"
        f"{turn.question}\n{options}\n\nWhich ability does this question need most?"
    )
