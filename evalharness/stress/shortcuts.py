"""Language-only shortcuts (REVEAL): the first and the last action and their order, of shuffled and of blank videos."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from random import Random
from typing import ClassVar

from longtake.evalharness.items import Item, Turn
from longtake.evalharness.scoring.choice_scores import Outcome, accuracy
from longtake.evalharness.scoring.estimates import Rows
from longtake.evalharness.stress.material import Action
from longtake.evalharness.stress.stress_test import Bench, StressTest, abstains, balanced, item, of_role

FIRST, LAST, ORDER = (
    "Which of these actions is shown first?",
    "Which of these actions is shown last?",
    "In which order are these actions shown?",
)
_BLANK_SECONDS = 10.0


class Shortcuts(StressTest):
    """Say what is shown, not what usually comes first; needs `actions.csv` with at least three actions a video."""

    name: ClassVar[str] = "shortcuts"

    def make(self, bench: Bench) -> Iterator[Item]:
        """Three questions for each video, about it untouched, shuffled and blank; a blank one has nothing to tell."""
        known = {video: done for video, done in bench.material.actions.items() if len(done) >= 3}
        for video in bench.some(known, self.name):
            actions = known[video]
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
                nothing = turn.model_copy(
                    update={"gold": None, "reference": "", "options": (), "criteria": (abstains(),)}
                )
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
        """The questions about actions in the order shown; the tag `usual` has the option that language suggests."""
        texts = [action.text for action in usual]
        options = tuple(random.sample(texts, len(texts)))
        orders = [shown, usual, *random.sample(list(permutations(usual)), min(6, len(usual)))]
        written = list(dict.fromkeys("; ".join(action.text for action in order) for order in orders))[:4]
        lines = tuple(random.sample(written, len(written)))
        asked = {
            "first": (FIRST, options, shown[0].text, usual[0].text),
            "last": (LAST, options, shown[-1].text, usual[-1].text),
            "order": (ORDER, lines, written[0], "; ".join(texts)),
        }
        return {
            name: Turn(
                question=question,
                options=choices,
                gold=choices.index(right),
                reference=right,
                tags={"usual": str(choices.index(prior))},
            )
            for name, (question, choices, right, prior) in asked.items()
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
