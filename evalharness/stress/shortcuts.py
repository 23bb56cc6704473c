"""Language-only shortcuts (REVEAL): the first and the last action and their order, of shuffled and of blank videos."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Literal

from longtake.evalharness.items import Item, Turn
from longtake.evalharness.scoring.choice_scores import Outcome, Said, accuracy, by_tag
from longtake.evalharness.scoring.estimates import Estimate, Rows, mean
from longtake.evalharness.stress.criteria import USUAL, answers, blank
from longtake.evalharness.stress.material import Action
from longtake.evalharness.stress.stress_test import Bench, Setting, StressTest, balanced, item, of_role, offered

Asked = Literal["first", "last", "order"]
QUESTIONS: Mapping[Asked, str] = {
    "first": "Which of these actions is shown first?",
    "last": "Which of these actions is shown last?",
    "order": "In which order are these actions shown?",
}
CHOICE, OPEN = "choice", "open"
_BLANK_SECONDS = 10.0  # unless set
_ORDERS = 4  # offered
_SHUFFLES = 50  # tries to find them


class Shortcuts(StressTest):
    """Say what is shown, not what usually comes first; needs `actions.csv` with at least three actions a video."""

    name: ClassVar[str] = "shortcuts"
    edit: ClassVar[str] = "blank"
    parameters: ClassVar[tuple[str, ...]] = ("seconds",)

    def make(self, bench: Bench) -> Iterator[Item]:
        """Three questions for each video, as choices and open, about it shuffled and blank; as choices, untouched."""
        known = [video for video, done in bench.material.actions.items() if len({action.text for action in done}) >= 3]
        return bench.each(known, self.name, partial(self._about, bench))

    def _about(self, bench: Bench, video: Path) -> Iterator[Item]:
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
                yield item(
                    self.name, video, f"{name}-shuffled{suffix}", shuffled, turn,
                    role="altered", kind=name, folder=bench.folder, tags={"form": form},
                )  # fmt: skip
            for (name, turn), (setting, media) in product(turns.items(), blanks):
                yield item(
                    self.name, video, f"{name}-blank{suffix}{setting.name}", media, of_nothing(turn, name, actions),
                    role="control", kind=name, folder=bench.folder, tags={"form": form, **setting.tags},
                )  # fmt: skip
        for name, turn in choices(actions, actions, random).items():
            yield item(
                self.name, video, f"{name}-untouched", bench.original(video), turn,
                role="untouched", kind=name, folder=bench.folder, tags={"form": CHOICE},
            )  # fmt: skip

    def _blank(self, bench: Bench, video: Path, setting: Setting) -> tuple[Setting, str]:
        parameters: dict[str, Any] = {"seconds": _BLANK_SECONDS, **setting.parameters}
        return setting, bench.edited("blank", [video], f"blank-{video.stem}{setting.name}", **parameters)[0]

    def meant(self, asked: Item, said: Said) -> str:
        """Whether a choice is the answer that language suggests."""
        turn = asked.turns[0]
        chosen = turn.options[said.choice] if turn.options and said.choice is not None else ""
        return USUAL if chosen and chosen == turn.tags[USUAL] else ""

    def tables(self, outcomes: Sequence[Outcome]) -> Mapping[str, Rows]:
        """The accuracy by what is shown and by question, and CLP: the share of the errors that language suggests."""
        altered, blanks, untouched = (of_role(outcomes, role) for role in ("altered", "control", "untouched"))
        shown = {"shuffled": altered, "blank": blanks}
        rows = {name: accuracy(some) for name, some in shown.items()}
        by_question = {
            f"{name}, {kind}, {form}": accuracy([one for one in some if _is(one, kind, form)])
            for (name, some), kind, form in product(shown.items(), QUESTIONS, (CHOICE, OPEN))
        }
        language = {"all": [*altered, *blanks], **shown}
        language |= {f"blank, {tag} seconds": [one for one in blanks if one.item.tags.get("seconds") == tag]
                     for tag in by_tag(blanks, "seconds")}  # fmt: skip
        of_actions = [one for one in blanks if one.item.tags["kind"] != "order"]  # as in the paper's Table 9
        return {
            "": rows | {"untouched": accuracy(untouched)},
            "question": by_question,
            "blank, first and last, by seconds": by_tag(of_actions, "seconds"),
            "CLP": {name: clp(some) for name, some in language.items()},
            "shuffled or not": balanced([one for one in altered if one.item.tags["form"] == CHOICE], untouched),
        }

    def headline(self, outcomes: Sequence[Outcome]) -> Estimate:
        """Balanced between shuffled and blank videos: who always says that nothing is shown has 50."""
        rows = balanced(of_role(outcomes, "altered"), of_role(outcomes, "control"))
        return rows.get("balanced accuracy") or accuracy(outcomes)


def clp(outcomes: Sequence[Outcome]) -> Estimate:
    """REVEAL's CLP: of the wrong answers, the share that language suggests. Technical failures are no answers."""
    wrong = [one for one in outcomes if not one.right and one.state not in ("error", "unjudged")]
    return mean([float(one.meant == USUAL) for one in wrong], [one.item.video for one in wrong])


def choices(shown: Sequence[Action], usual: Sequence[Action], random: Random) -> Mapping[Asked, Turn]:
    """The questions about actions in the order shown; what language suggests is always among the options."""
    texts = [action.text for action in usual]
    first, last = shown[0].text, shown[-1].text
    orders = _orders(shown, usual, random)
    asked: dict[Asked, tuple[tuple[str, ...], str, str]] = {
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


def open_questions(shown: Sequence[Action], usual: Sequence[Action], random: Random) -> Mapping[Asked, Turn]:
    """The same questions with the actions listed, to be answered in words."""
    texts, expected = [action.text for action in shown], [action.text for action in usual]
    listed = "; ".join(random.sample(list(dict.fromkeys(texts)), len(set(texts))))
    found: dict[Asked, Turn] = {}
    for name, question in QUESTIONS.items():
        right, suggested = answers("shown", name, texts), answers(USUAL, name, expected)
        criteria = (right, suggested) if suggested.description != right.description else (right,)
        found[name] = Turn(question=f"{question} {listed}", reference=right.description, criteria=criteria)
    return found


def of_nothing(turn: Turn, name: Asked, usual: Sequence[Action]) -> Turn:
    """The same question about a blank video, where no answer is right but that there is nothing to see."""
    suggested = () if turn.options else (answers(USUAL, name, [action.text for action in usual]),)
    return turn.model_copy(update={"gold": None, "reference": "", "criteria": (blank(), *suggested)})


def _is(outcome: Outcome, kind: str, form: str) -> bool:
    return (outcome.item.tags["kind"], outcome.item.tags["form"]) == (kind, form)


def _orders(shown: Sequence[Action], usual: Sequence[Action], random: Random) -> list[str]:
    """Up to four orders as text: the one shown, the usual one, and random ones."""
    # Drawn one by one, because a list of all the orders of twelve actions would fill the memory.
    found = {"; ".join(action.text for action in order): None for order in (shown, usual)}
    for _ in range(_SHUFFLES):
        if len(found) < _ORDERS:
            found["; ".join(action.text for action in random.sample(usual, len(usual)))] = None
    return list(found)
