"""Stress tests of motion (REVEAL): the camera's over a still scene (Algorithms 2 and 3), and a car's between lanes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

from longtake.evalharness.edits.camera import MOVES
from longtake.evalharness.items import Item, Turn
from longtake.evalharness.scoring.choice_scores import ChoiceOutcome, CountedShare, ScoredReply, accuracy, by_tag
from longtake.evalharness.scoring.estimates import Estimate, Observation, Rows, ratio
from longtake.evalharness.stress.material import LANES, Material
from longtake.evalharness.stress.stress_test import Bench, StressTest, balanced_accuracy

QUESTIONS = (
    "How does the camera move in this video?",
    "Which camera movement does the clip show?",
    "What does the camera do?",
)
_SPEEDS = (60.0, 100.0, 160.0)  # pixels a second; the paper doesn't say
QUESTION = "Which lane changes does the car with the camera make?"
OPTIONS = ("None", "One to the left", "One to the right", "Two: left, then right or right, then left")


class CameraTest(StressTest):
    """Name the movement among six."""

    name: ClassVar[str] = "camera"
    edit: ClassVar[str] = "camera"
    parameters: ClassVar[tuple[str, ...]] = ("speed", "zoom", "rate", "seconds", "fps")

    def videos(self, material: Material) -> Iterable[Path]:
        """Still scenes, or else all videos."""
        return material.stills or material.videos

    def about(self, bench: Bench, video: Path) -> Iterator[Item]:
        """Six items, of 8 seconds as in the paper, at one of three speeds in 2-D."""
        random = bench.random(self.name, video.stem)
        at = round(random.uniform(0.1, 0.9), 2)
        for move, setting in product(MOVES, bench.settings):
            given: dict[str, Any] = {"move": move, "at": at}
            if self.edit == "camera":
                given |= {"speed": random.choice(_SPEEDS)}
            name = f"{move.replace(' ', '-')}{setting.name}"
            given |= setting.parameters
            media, _ = bench.edited(self.edit, [video], f"{self.name}-{video.stem}-{name}", **given)
            turn = Turn(question=random.choice(QUESTIONS), options=MOVES, gold=MOVES.index(move), reference=move)
            yield bench.item(self.name, video, name, media, turn, role="altered", kind=move, tags=setting.tags)


class Camera3DTest(CameraTest):
    """The same among things in space."""

    name: ClassVar[str] = "camera-3d"
    edit: ClassVar[str] = "camera-3d"
    parameters: ClassVar[tuple[str, ...]] = ("seconds", "fps", "things", "view", "distance", "angle")


class LaneChangeTest(StressTest):
    """Name the lane changes; needs `lanes.csv`."""

    name: ClassVar[str] = "lane-change"

    def videos(self, material: Material) -> Iterable[Path]:
        """The labelled ones."""
        return material.lanes

    def about(self, bench: Bench, video: Path) -> Iterator[Item]:
        """One item."""
        label = bench.material.lanes[video]
        turn = Turn(question=QUESTION, options=OPTIONS, gold=label, reference=OPTIONS[label])
        yield bench.item(self.name, video, "lanes", bench.original(video), turn, role="raw", kind=LANES[label])

    def meant(self, asked: Item, said: ScoredReply) -> str:
        """Whether any change is named, or none."""
        return "" if said.choice is None else "none" if LANES[said.choice] == "none" else "change"

    def tables(self, outcomes: Sequence[ChoiceOutcome]) -> Mapping[str, Rows]:
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

    def headline(self, outcomes: Sequence[ChoiceOutcome]) -> Estimate:
        """The accuracy of whether there is a change, balanced between clips with and without one."""
        found = _detections(outcomes)
        change, none = ([one for one in found if _has_change(one) == wanted] for wanted in (True, False))
        return balanced_accuracy(change, none, found)

    def counts(self, outcomes: Sequence[ChoiceOutcome]) -> Mapping[str, CountedShare]:
        """The changes that are found and missed; what isn't read is missed, and no clip without a change."""
        found = _detections(outcomes)
        right = {wanted: [one.right for one in found if _has_change(one) == wanted] for wanted in (True, False)}
        positive, negative = len(right[True]), len(right[False])
        found_changes, found_none = round(sum(right[True])), round(sum(right[False]))
        return {
            "TP": CountedShare(count=found_changes, n=positive),
            "FN": CountedShare(count=positive - found_changes, n=positive),
            "FP": CountedShare(count=negative - found_none, n=negative),
            "TN": CountedShare(count=found_none, n=negative),
        }


def _has_change(outcome: ChoiceOutcome) -> bool:
    return outcome.item.tags["kind"] != "none"


def _detections(outcomes: Sequence[ChoiceOutcome]) -> list[ChoiceOutcome]:
    """The outcomes as those of the question whether there is a change."""
    return [one._replace(right=float(one.meant == ("change" if _has_change(one) else "none"))) for one in outcomes]


def _f1(outcomes: Sequence[ChoiceOutcome]) -> Estimate:
    """F1 of the changes: 2 TP over 2 TP + FP + FN."""
    hits = ((one, 2 * one.right * _has_change(one)) for one in _detections(outcomes))
    return ratio(Observation(hit, hit or 1 - one.right, one.item.video) for one, hit in hits)
