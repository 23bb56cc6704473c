"""Lane changes (REVEAL): driving clips with labels of one's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from longtake.evalharness.items import Item, Turn
from longtake.evalharness.scoring.choice_scores import Outcome, Said, Share, accuracy, by_tag
from longtake.evalharness.scoring.estimates import Estimate, Observation, Rows, ratio
from longtake.evalharness.stress.material import LANES
from longtake.evalharness.stress.stress_test import Bench, StressTest, balanced, item

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

    def meant(self, asked: Item, said: Said) -> str:
        """Whether any change is named, or none."""
        return "" if said.choice is None else _detected(said.choice)

    def tables(self, outcomes: Sequence[Outcome]) -> Mapping[str, Rows]:
        """The accuracy of the four labels, and the paper's figures of whether there is a change at all (Table 7)."""
        found = _detections(outcomes)
        always = {"change": [one._replace(meant="change") for one in outcomes]}
        always["none"] = [one._replace(meant="none") for one in outcomes]
        return {
            "": {"accuracy of the labels": accuracy(outcomes)},
            "label": by_tag(outcomes, "kind"),
            "change or none": {
                "accuracy": accuracy(found),
                "F1": _f1(outcomes),
                **{f"accuracy of always {name}": accuracy(_detections(some)) for name, some in always.items()},
                **{f"F1 of always {name}": _f1(some) for name, some in always.items()},
            },
        }

    def headline(self, outcomes: Sequence[Outcome]) -> Estimate:
        """The accuracy of whether there is a change, balanced between clips with and without one."""
        found = _detections(outcomes)
        change, none = ([one for one in found if _has_change(one) == wanted] for wanted in (True, False))
        return balanced(change, none).get("balanced accuracy") or accuracy(found)

    def counts(self, outcomes: Sequence[Outcome]) -> Mapping[str, Share]:
        """The changes that are found and missed; what isn't read is missed, and no clip without a change."""
        found = _detections(outcomes)
        right = {wanted: [one.right for one in found if _has_change(one) == wanted] for wanted in (True, False)}
        positive, negative = len(right[True]), len(right[False])
        found_changes, found_none = round(sum(right[True])), round(sum(right[False]))
        return {
            "TP": Share(count=found_changes, n=positive),
            "FN": Share(count=positive - found_changes, n=positive),
            "FP": Share(count=negative - found_none, n=negative),
            "TN": Share(count=found_none, n=negative),
        }


def _detected(label: int) -> str:
    return "none" if LANES[label] == "none" else "change"


def _has_change(outcome: Outcome) -> bool:
    return outcome.item.tags["kind"] != "none"


def _detections(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes as those of the question whether there is a change."""
    return [one._replace(right=float(one.meant == ("change" if _has_change(one) else "none"))) for one in outcomes]


def _f1(outcomes: Sequence[Outcome]) -> Estimate:
    """F1 of the changes: 2 TP over 2 TP + FP + FN."""
    hits = ((one, 2 * one.right * _has_change(one)) for one in _detections(outcomes))
    return ratio(Observation(hit, hit or 1 - one.right, one.item.video) for one, hit in hits)
