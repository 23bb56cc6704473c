"""Stress tests about actions (REVEAL): what language suggests of their order, and one that was cut out.

Shortcuts ask for the first and the last action and their order, of shuffled and of blank videos. Of a gap, nothing may
be told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Literal

from longtake.errors import ConfigError
from longtake.evalharness.items import Item, Turn
from longtake.evalharness.judges.checks import spelled
from longtake.evalharness.scoring.choice_scores import ChoiceOutcome, ScoredReply, accuracy, by_tag
from longtake.evalharness.scoring.estimates import Estimate, Rows, mean
from longtake.evalharness.stress.criteria import USUAL, answers, blank, gap
from longtake.evalharness.stress.material import Action, Material
from longtake.evalharness.stress.stress_test import (
    Bench,
    Setting,
    StressTest,
    balanced,
    balanced_accuracy,
    of_role,
    offered,
)

ActionQuestion = Literal["first", "last", "order"]
QUESTIONS: Mapping[ActionQuestion, str] = {
    "first": "Which of these actions is shown first?",
    "last": "Which of these actions is shown last?",
    "order": "In which order are these actions shown?",
}
CHOICE, OPEN = "choice", "open"
_BLANK_SECONDS = 10.0  # unless set
_ORDERS = 4  # offered
_SHUFFLES = 50  # tries to find them
CHOOSE = "Which sequence of actions does the video show?"
SUMMARISE = "Summarize the actions that the video shows, in order."


class ShortcutsTest(StressTest):
    """Say what is shown, not what usually comes first; needs `actions.csv` with at least three actions a video."""

    name: ClassVar[str] = "shortcuts"
    edit: ClassVar[str] = "blank"
    parameters: ClassVar[tuple[str, ...]] = ("seconds",)

    def videos(self, material: Material) -> Iterable[Path]:
        """Those with three different actions."""
        return [video for video, done in material.actions.items() if len({action.text for action in done}) >= 3]

    def about(self, bench: Bench, video: Path) -> Iterator[Item]:
        """Three questions, as choices and open, about the video shuffled and blank; as choices, untouched."""
        actions = bench.material.actions[video]
        shuffled, truth = bench.edited(
            "segment-shuffle", [video], f"shuffled-{video.stem}", at=[action.start for action in actions[1:]]
        )
        shown = [actions[number] for number in truth.facts["order"]]
        random = bench.random(self.name, video.stem)
        asked = {CHOICE: choices(shown, actions, random), OPEN: open_questions(shown, actions, random)}
        blanks = [self._blank(bench, video, setting) for setting in bench.settings]
        for form, turns in asked.items():
            suffix = "-open" if form == OPEN else ""
            for name, turn in turns.items():
                own = f"{name}-shuffled{suffix}"
                yield bench.item(self.name, video, own, shuffled, turn, role="altered", kind=name, tags={"form": form})
            for (name, turn), (setting, media) in product(turns.items(), blanks):
                yield bench.item(
                    self.name, video, f"{name}-blank{suffix}{setting.name}", media, of_nothing(turn, name, actions),
                    role="control", kind=name, tags={"form": form, **setting.tags},
                )  # fmt: skip
        for name, turn in choices(actions, actions, random).items():
            yield bench.item(
                self.name, video, f"{name}-untouched", bench.original(video), turn,
                role="untouched", kind=name, tags={"form": CHOICE},
            )  # fmt: skip

    def _blank(self, bench: Bench, video: Path, setting: Setting) -> tuple[Setting, str]:
        parameters: dict[str, Any] = {"seconds": _BLANK_SECONDS, **setting.parameters}
        return setting, bench.edited("blank", [video], f"blank-{video.stem}{setting.name}", **parameters)[0]

    def meant(self, asked: Item, said: ScoredReply) -> str:
        """Whether a choice is the answer that language suggests."""
        turn = asked.turns[0]
        chosen = turn.options[said.choice] if turn.options and said.choice is not None else ""
        return USUAL if chosen and chosen == turn.tags[USUAL] else ""

    def tables(self, outcomes: Sequence[ChoiceOutcome]) -> Mapping[str, Rows]:
        """The accuracy by what is shown and by question, and CLP: the share of the errors that language suggests."""
        altered, blanks, untouched = (of_role(outcomes, role) for role in ("altered", "control", "untouched"))
        shown = {"shuffled": altered, "blank": blanks}
        rows = {name: accuracy(some) for name, some in shown.items()}
        by_question = {
            f"{name}, {kind}, {form}": accuracy(
                one for one in some if (one.item.tags["kind"], one.item.tags["form"]) == (kind, form)
            )
            for (name, some), kind, form in product(shown.items(), QUESTIONS, (CHOICE, OPEN))
        }
        of_actions = [one for one in blanks if one.item.tags["kind"] != "order"]  # as in the paper's Table 9
        language = {"all": [*altered, *blanks], **shown}
        by_seconds = {tag: clp(one for one in of_actions if one.item.tags["seconds"] == tag)
                      for tag in by_tag(of_actions, "seconds")}  # fmt: skip
        return {
            "": rows | {"untouched": accuracy(untouched)},
            "question": by_question,
            "blank, first and last, by seconds": by_tag(of_actions, "seconds"),
            "CLP": {name: clp(some) for name, some in language.items()},
            "CLP, blank, first and last, by seconds": by_seconds,
            "shuffled or not": balanced([one for one in altered if one.item.tags["form"] == CHOICE], untouched),
        }

    def headline(self, outcomes: Sequence[ChoiceOutcome]) -> Estimate:
        """Balanced between shuffled and blank videos: who always says that nothing is shown has 50."""
        return balanced_accuracy(of_role(outcomes, "altered"), of_role(outcomes, "control"), outcomes)


def clp(outcomes: Iterable[ChoiceOutcome]) -> Estimate:
    """REVEAL's CLP: of the wrong answers, the share that language suggests. Technical failures are no answers."""
    wrong = [one for one in outcomes if not one.right and one.state not in ("error", "unjudged")]
    return mean([float(one.meant == USUAL) for one in wrong], [one.item.video for one in wrong])


def choices(shown: Sequence[Action], usual: Sequence[Action], random: Random) -> Mapping[ActionQuestion, Turn]:
    """The questions about actions in the order shown; what language suggests is always among the options."""
    texts = [action.text for action in usual]
    first, last = shown[0].text, shown[-1].text
    orders = _orders(shown, usual, random)
    asked: dict[ActionQuestion, tuple[tuple[str, ...], str, str]] = {
        "first": (offered(texts, (first, texts[0]), random), first, texts[0]),
        "last": (offered(texts, (last, texts[-1]), random), last, texts[-1]),
        "order": (tuple(random.sample(orders, len(orders))), orders[0], "; ".join(texts)),
    }
    return {
        name: Turn(
            question=QUESTIONS[name],
            options=options,
            gold=options.index(right),
            reference=right,
            tags={USUAL: suggested},
        )
        for name, (options, right, suggested) in asked.items()
    }


def open_questions(shown: Sequence[Action], usual: Sequence[Action], random: Random) -> Mapping[ActionQuestion, Turn]:
    """The same questions with the actions listed, to be answered in words."""
    texts, expected = [action.text for action in shown], [action.text for action in usual]
    listed = "; ".join(random.sample(list(dict.fromkeys(texts)), len(set(texts))))
    found: dict[ActionQuestion, Turn] = {}
    for name, question in QUESTIONS.items():
        right, suggested = answers("shown", name, texts), answers(USUAL, name, expected)
        criteria = (right, suggested) if suggested.description != right.description else (right,)
        found[name] = Turn(question=f"{question} {listed}", reference=right.description, criteria=criteria)
    return found


def of_nothing(turn: Turn, name: ActionQuestion, usual: Sequence[Action]) -> Turn:
    """The same question about a blank video, where no answer is right but that there is nothing to see."""
    suggested = () if turn.options else (answers(USUAL, name, [action.text for action in usual]),)
    return turn.model_copy(update={"gold": None, "reference": "", "criteria": (blank(), *suggested)})


def _orders(shown: Sequence[Action], usual: Sequence[Action], random: Random) -> list[str]:
    """Up to four orders as text: the one shown, the usual one, and random ones."""
    # Drawn one by one, because a list of all the orders of twelve actions would fill the memory.
    found = {"; ".join(action.text for action in order): None for order in (shown, usual)}
    for _ in range(_SHUFFLES):
        if len(found) < _ORDERS:
            found["; ".join(action.text for action in random.sample(usual, len(usual)))] = None
    return list(found)


class GapTest(StressTest):
    """Choose the sequence, and sum it up without what was removed; needs `actions.csv` with at least three actions."""

    name: ClassVar[str] = "gap"

    def videos(self, material: Material) -> Iterable[Path]:
        """Those with three actions."""
        return [video for video, done in material.actions.items() if len(done) >= 3]

    def about(self, bench: Bench, video: Path) -> Iterator[Item]:
        """Two items, and the choice about the video untouched."""
        actions = bench.material.actions[video]
        texts = [action.text for action in actions]
        random = bench.random(self.name, video.stem)
        gone = random.choice(_removable(texts, video))
        media, _ = bench.edited("gap", [video], f"gap-{video.stem}", start=actions[gone].start, end=actions[gone].end)
        sequences = ["; ".join(texts[:left] + texts[left + 1 :]) for left in range(len(texts))]
        right, everything = sequences[gone], "; ".join(texts)
        options = offered([*sequences, everything], (right, everything), random)
        choice = Turn(question=CHOOSE, options=options, gold=options.index(right), reference=right)
        rest = list(dict.fromkeys(text for text in texts if text != texts[gone]))
        summary = Turn(question=SUMMARISE, reference="; ".join(rest), criteria=(gap(texts[gone], rest),))
        whole = choice.model_copy(update={"gold": options.index(everything), "reference": everything})
        yield bench.item(self.name, video, "choice", media, choice, role="altered", kind="choice")
        yield bench.item(self.name, video, "summary", media, summary, role="altered", kind="summary")
        yield bench.item(self.name, video, "untouched", bench.original(video), whole, role="untouched", kind="choice")

    def tables(self, outcomes: Sequence[ChoiceOutcome]) -> Mapping[str, Rows]:
        """The accuracy of choices and of summaries."""
        altered = of_role(outcomes, "altered")
        some = {kind: [one for one in altered if one.item.tags["kind"] == kind] for kind in ("choice", "summary")}
        rows = {kind: accuracy(each) for kind, each in some.items()}
        return {"": {**rows, "choice, untouched": accuracy(of_role(outcomes, "untouched"))}}

    def headline(self, outcomes: Sequence[ChoiceOutcome]) -> Estimate:
        """The mean of both, of which there are as many."""
        return accuracy(of_role(outcomes, "altered"))


def _removable(texts: Sequence[str], video: Path) -> list[int]:
    """The actions in the middle that nothing else names, so that a reply about the rest doesn't name them.

    Raises:
        ConfigError: if there is none, or too little would remain to have an order.
    """
    spoken = [spelled(text) for text in texts]
    found = [
        at
        for at in range(1, len(texts) - 1)
        if not any(spoken[at] in other for number, other in enumerate(spoken) if number != at)
    ]
    if not found or len(set(texts)) < 3:
        raise ConfigError(f"Of the actions of {video.name}, none can be cut out: they repeat each other.")
    return found
