"""Lane changes (REVEAL): driving clips with labels of one's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from longtake.evalharness.items import Item, Turn
from longtake.evalharness.scoring.choice_scores import Outcome, accuracy
from longtake.evalharness.scoring.estimates import Rows
from longtake.evalharness.stress.material import LANES
from longtake.evalharness.stress.stress_test import Bench, StressTest, balanced, beside_constants, by_tag, item

QUESTION = "Which lane changes does the car with the camera make?"
OPTIONS = ("None", "One to the left", "One to the right", "Two: left, then right or right, then left")


class LaneChange(StressTest):
    """Name the lane changes; needs `lanes.csv`."""

    name: ClassVar[str] = "lane-change"

    def make(self, bench: Bench) -> Iterator[Item]:
        """One item for each labelled video."""
        return bench.each(bench.material.lanes, self.name, partial(self._about, bench))

    def _about(self, bench: Bench, video: Path) -> Iterator[Item]:
        label = bench.material.lanes[video]
        turn = Turn(question=QUESTION, options=OPTIONS, gold=label, reference=OPTIONS[label])
        yield item(
            self.name, video, "lanes", bench.original(video), turn,
            role="raw", kind=LANES[label], folder=bench.folder,
        )  # fmt: skip

    def tables(self, outcomes: Sequence[Outcome]) -> Mapping[str, Rows]:
        """The accuracy, by label, and balanced between clips with a change and without."""
        change = [one for one in outcomes if one.item.tags["kind"] != "none"]
        none = [one for one in outcomes if one.item.tags["kind"] == "none"]
        return {
            "": {"accuracy": accuracy(outcomes)},
            "label": by_tag(outcomes, "kind"),
            "balanced": balanced(change, none) | beside_constants(change, none),
        }
