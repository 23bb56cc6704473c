"""Temporal gap (REVEAL): an action in the middle is cut out, and may not be told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from longtake.evalharness.items import Item, Turn
from longtake.evalharness.scoring.choice_scores import Outcome, accuracy
from longtake.evalharness.scoring.estimates import Rows
from longtake.evalharness.stress.stress_test import Bench, StressTest, item, of_role, says

CHOOSE = "Which sequence of actions does the video show?"
SUMMARISE = "Summarize the actions that the video shows, in order."


class Gap(StressTest):
    """Choose the sequence, and sum it up without what was removed; needs `actions.csv` with at least three actions."""

    name: ClassVar[str] = "gap"

    def make(self, bench: Bench) -> Iterator[Item]:
        """Two items for each video, and the choice about it untouched."""
        known = {video: done for video, done in bench.material.actions.items() if len(done) >= 3}
        for video in bench.some(known, self.name):
            actions = known[video]
            random = bench.random(self.name, video.stem)
            gone = random.randrange(1, len(actions) - 1)
            media, _ = bench.edited(
                "gap", [video], f"gap-{video.stem}", start=actions[gone].start, end=actions[gone].end
            )
            texts = [action.text for action in actions]
            # Without each of the actions, and all of them.
            sequences = ["; ".join(texts[:left] + texts[left + 1 :]) for left in range(len(texts))] + ["; ".join(texts)]
            right = sequences[gone]
            options = tuple(random.sample(sequences, len(sequences)))
            choice = Turn(question=CHOOSE, options=options, gold=options.index(right), reference=right)
            rest = [text for text in texts if text != texts[gone]]
            summary = Turn(
                question=SUMMARISE, reference="; ".join(rest), criteria=(says(rest[0], unless=[texts[gone]]),)
            )
            whole = choice.model_copy(update={"gold": options.index(sequences[-1]), "reference": sequences[-1]})
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
