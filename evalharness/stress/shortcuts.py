"""Language-only shortcuts (REVEAL): the first and the last action and their order, of shuffled and of blank videos."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import ClassVar

from longtake.evalharness.items import Item, Turn
from longtake.evalharness.scoring.choice_scores import Outcome, accuracy
from longtake.evalharness.scoring.estimates import Rows
from longtake.evalharness.stress.criteria import abstains
from longtake.evalharness.stress.material import Action
from longtake.evalharness.stress.stress_test import Bench, StressTest, balanced, item, of_role, offered

FIRST, LAST, ORDER = (
    "Which of these actions is shown first?",
    "Which of these actions is shown last?",
    "In which order are these actions shown?",
)
_BLANK_SECONDS = 10.0
_ORDERS = 4  # offered
_SHUFFLES = 50  # tries to find them


class Shortcuts(StressTest):
    """Say what is shown, not what usually comes first; needs `actions.csv` with at least three actions a video."""

    name: ClassVar[str] = "shortcuts"

    def make(self, bench: Bench) -> Iterator[Item]:
        """Three questions for each video, about it untouched, shuffled and blank; a blank one has nothing to tell."""
        known = [video for video, done in bench.material.actions.items() if len({action.text for action in done}) >= 3]
        return bench.each(known, self.name, partial(self._about, bench))

    def _about(self, bench: Bench, video: Path) -> Iterator[Item]:
        actions = bench.material.actions[video]
        shuffled, truth = bench.edited(
            "segment-shuffle", [video], f"shuffled-{video.stem}", at=[action.start for action in actions[1:]]
        )
        shown = [actions[number] for number in truth.facts["order"]]
        blank, _ = bench.edited("blank", [video], f"blank-{video.stem}", seconds=_BLANK_SECONDS)
        random = bench.random(self.name, video.stem)
        for name, turn in self.turns(shown, actions, random).items():
            yield item(
                self.name, video, f"{name}-shuffled", shuffled, turn, role="altered", kind=name, folder=bench.folder
            )
            nothing = turn.model_copy(update={"gold": None, "reference": "", "options": (), "criteria": (abstains(),)})
            question = f"{turn.question} {'; '.join(turn.options)}" if name != "order" else turn.question
            yield item(
                self.name, video, f"{name}-blank", blank, nothing.model_copy(update={"question": question}),
                role="control", kind=name, folder=bench.folder, expects="abstention",
            )  # fmt: skip
        for name, turn in self.turns(actions, actions, random).items():
            yield item(
                self.name, video, f"{name}-untouched", bench.original(video), turn,
                role="untouched", kind=name, folder=bench.folder,
            )  # fmt: skip

    def turns(self, shown: Sequence[Action], usual: Sequence[Action], random: Random) -> Mapping[str, Turn]:
        """The questions about actions in the order shown; what language suggests is always among the options."""
        texts = [action.text for action in usual]
        first, last = shown[0].text, shown[-1].text
        orders = _orders(shown, usual, random)
        asked = {
            "first": (FIRST, offered(texts, (first, texts[0]), random), first),
            "last": (LAST, offered(texts, (last, texts[-1]), random), last),
            "order": (ORDER, tuple(random.sample(orders, len(orders))), orders[0]),
        }
        return {
            name: Turn(question=question, options=options, gold=options.index(right), reference=right)
            for name, (question, options, right) in asked.items()
        }

    def tables(self, outcomes: Sequence[Outcome]) -> Mapping[str, Rows]:
        """The accuracy by what is shown and by question."""
        altered, blank, untouched = (of_role(outcomes, role) for role in ("altered", "control", "untouched"))
        rows = {"shuffled": accuracy(altered), "blank": accuracy(blank), "untouched": accuracy(untouched)}
        by_question = {
            f"{name}, {kind}": accuracy([one for one in some if one.item.tags.get("kind") == kind])
            for name, some in (("shuffled", altered), ("blank", blank))
            for kind in ("first", "last", "order")
        }
        return {"": rows, "question": by_question, "shuffled or not": balanced(altered, untouched)}


def _orders(shown: Sequence[Action], usual: Sequence[Action], random: Random) -> list[str]:
    """Up to four orders as text: the one shown, the usual one, and random ones."""
    # Drawn one by one, because a list of all the orders of twelve actions would fill the memory.
    found = {"; ".join(action.text for action in order): None for order in (shown, usual)}
    for _ in range(_SHUFFLES):
        if len(found) < _ORDERS:
            found["; ".join(action.text for action in random.sample(usual, len(usual)))] = None
    return list(found)
