"""Temporal gap (REVEAL): an action in the middle is cut out, and may not be told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from longtake.errors import ConfigError
from longtake.evalharness.items import Item, Turn
from longtake.evalharness.judges.checks import spelled
from longtake.evalharness.scoring.choice_scores import Outcome, accuracy
from longtake.evalharness.scoring.estimates import Estimate, Rows
from longtake.evalharness.stress.criteria import gap
from longtake.evalharness.stress.stress_test import Bench, StressTest, item, of_role, offered

CHOOSE = "Which sequence of actions does the video show?"
SUMMARISE = "Summarize the actions that the video shows, in order."


class Gap(StressTest):
    """Choose the sequence, and sum it up without what was removed; needs `actions.csv` with at least three actions."""

    name: ClassVar[str] = "gap"

    def make(self, bench: Bench) -> Iterator[Item]:
        """Two items for each video, and the choice about it untouched."""
        known = [video for video, done in bench.material.actions.items() if len(done) >= 3]
        return bench.each(known, self.name, partial(self._about, bench))

    def _about(self, bench: Bench, video: Path) -> Iterator[Item]:
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
        yield item(self.name, video, "choice", media, choice, role="altered", kind="choice", folder=bench.folder)
        yield item(self.name, video, "summary", media, summary, role="altered", kind="summary", folder=bench.folder)
        yield item(
            self.name, video, "untouched", bench.original(video), whole,
            role="untouched", kind="choice", folder=bench.folder,
        )  # fmt: skip

    def tables(self, outcomes: Sequence[Outcome]) -> Mapping[str, Rows]:
        """The accuracy of choices and of summaries."""
        altered = of_role(outcomes, "altered")
        some = {kind: [one for one in altered if one.item.tags["kind"] == kind] for kind in ("choice", "summary")}
        rows = {kind: accuracy(each) for kind, each in some.items()}
        return {"": {**rows, "choice, untouched": accuracy(of_role(outcomes, "untouched"))}}

    def headline(self, outcomes: Sequence[Outcome]) -> Estimate:
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
