"""Spatiotemporal occlusion (REVEAL): multiple choice about a video, and about the same video behind strips."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from longtake.evalharness.items import Item
from longtake.evalharness.scoring.choice_scores import Outcome, accuracy
from longtake.evalharness.scoring.estimates import Rows
from longtake.evalharness.stress.stress_test import CANNOT, Bench, StressTest, by_tag, item, of_role


class Occlusion(StressTest):
    """Answer with and without an option that it can't be answered; needs `questions.csv`."""

    name: ClassVar[str] = "occlusion"

    def make(self, bench: Bench) -> Iterator[Item]:
        """Four items for each question."""
        return bench.each(bench.material.questions, self.name, partial(self._about, bench))

    def _about(self, bench: Bench, video: Path) -> Iterator[Item]:
        occluded, _ = bench.edited("occlusion", [video], f"occlusion-{video.stem}", ".mkv")
        raw, _ = bench.edited("mute", [video], f"raw-{video.stem}")
        for number, turn in enumerate(bench.material.questions[video]):
            for may_abstain in (False, True):
                options = (*turn.options, CANNOT) if may_abstain else turn.options
                asked = turn.model_copy(update={"options": options})
                group = f"{video.stem}/{number}/{may_abstain}"
                for role, media in (("raw", raw), ("altered", occluded)):
                    made = item(
                        self.name, video, f"{number}-{role}{'-abstain' * may_abstain}", media, asked,
                        role="raw" if role == "raw" else "altered",
                        kind=turn.tags.get("about", ""), group=group, folder=bench.folder,
                    )  # fmt: skip
                    tags = {**made.tags, "abstention": "offered" if may_abstain else "not offered"}
                    yield made.model_copy(update={"tags": tags})

    def tables(self, outcomes: Sequence[Outcome]) -> Mapping[str, Rows]:
        """Raw and occluded accuracy, and TBSR: the share of the questions answered raw that stay answered."""
        tables: dict[str, Rows] = {}
        for name in ("offered", "not offered"):
            some = [outcome for outcome in outcomes if outcome.item.tags.get("abstention") == name]
            raw, occluded = of_role(some, "raw"), of_role(some, "altered")
            known = {(outcome.item.tags["group"], outcome.seed) for outcome in raw if outcome.right}
            kept = [outcome for outcome in occluded if (outcome.item.tags["group"], outcome.seed) in known]
            tables[f"abstention {name}"] = {
                "raw": accuracy(raw), "occluded": accuracy(occluded), "TBSR": accuracy(kept)
            }  # fmt: skip
        return {**tables, "occluded, about": by_tag(of_role(outcomes, "altered"), "kind")}
