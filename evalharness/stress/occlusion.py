"""Spatiotemporal occlusion (REVEAL): multiple choice about a video, and about the same video behind strips."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

from longtake.errors import ConfigError
from longtake.evalharness.items import Item
from longtake.evalharness.scoring.choice_scores import Outcome, accuracy
from longtake.evalharness.scoring.estimates import Estimate, Rows
from longtake.evalharness.stress.stress_test import CANNOT, Bench, Role, StressTest, item, of_role

# The configurations of Table 11: strips, visible strips, direction, copies.
MASKS: Mapping[str, tuple[int, int, str, int]] = {
    "1": (64, 24, "vertical", 4),
    "2": (128, 12, "vertical", 4),
    "3": (128, 24, "horizontal", 4),
    "4": (128, 24, "vertical", 2),
    "5": (128, 24, "vertical", 8),
    "6": (128, 48, "vertical", 4),
    "7": (256, 24, "vertical", 4),
}
FORCED, OFFERED = "forced choice", "may abstain"


class Occlusion(StressTest):
    """Answer by force, and with an option that it can't be answered; needs `questions.csv`."""

    name: ClassVar[str] = "occlusion"
    edit: ClassVar[str] = "occlusion"
    parameters: ClassVar[tuple[str, ...]] = ("mask", "strips", "visible", "copies", "gap", "direction")

    def parameters_of(self, name: str, value: object) -> Mapping[str, Any]:
        """A mask is a row of Table 11."""
        if name != "mask":
            return {name: value}
        if str(value) not in MASKS:
            raise ConfigError(f"There is no mask {value}; the masks of REVEAL's Table 11 are {', '.join(MASKS)}.")
        return dict(zip(("strips", "visible", "direction", "copies"), MASKS[str(value)], strict=True))

    def make(self, bench: Bench) -> Iterator[Item]:
        """Four items for each question; with several masks, two more for each."""
        return bench.each(bench.material.questions, self.name, partial(self._about, bench))

    def _about(self, bench: Bench, video: Path) -> Iterator[Item]:
        raw, _ = bench.edited("mute", [video], f"raw-{video.stem}")
        shown: list[tuple[Role, str, str, Mapping[str, str]]] = [("raw", "", raw, {})]
        for each in bench.settings:
            file = f"occlusion-{video.stem}{each.name}"
            occluded, _ = bench.edited("occlusion", [video], file, ".mkv", **each.parameters)
            shown.append(("altered", each.name, occluded, each.tags))
        for (number, turn), condition in product(enumerate(bench.material.questions[video]), (FORCED, OFFERED)):
            options = (*turn.options, CANNOT) if condition == OFFERED else turn.options
            asked = turn.model_copy(update={"options": options})
            for role, setting, media, tags in shown:
                name = f"{number}-{role}{setting}{'-abstain' * (condition == OFFERED)}"
                yield item(
                    self.name, video, name, media, asked,
                    role=role, kind=turn.tags.get("about", ""), group=f"{video.stem}/{number}/{condition}",
                    folder=bench.folder, tags={"condition": condition, **tags},
                )  # fmt: skip

    def tables(self, outcomes: Sequence[Outcome]) -> Mapping[str, Rows]:
        """Raw and occluded accuracy and TBSR under both conditions: of all, of each kind, and behind each mask."""
        some = {"": list(outcomes)}
        for tag, value in dict.fromkeys((tag, one.item.tags[tag]) for one in outcomes for tag in self._splits(one)):
            # A video that isn't occluded has no parameters, and stands beside each of them.
            own = [one for one in outcomes if one.item.tags.get(tag, "" if tag == "kind" else value) == value]
            some[f", {value}" if tag == "kind" else f", {tag} {value}"] = own
        return {
            f"{condition}{name}": _bound([one for one in own if one.item.tags["condition"] == condition])
            for condition, (name, own) in product((FORCED, OFFERED), some.items())
        }

    def _splits(self, outcome: Outcome) -> list[str]:
        return [tag for tag in ("kind", *self.parameters) if tag in outcome.item.tags]

    def headline(self, outcomes: Sequence[Outcome]) -> Estimate:
        """The accuracy behind strips, by force. TBSR is none: who always chooses one letter has 100."""
        forced = (one for one in outcomes if one.item.tags["condition"] == FORCED)
        return accuracy(of_role(forced, "altered"))


def _bound(outcomes: Sequence[Outcome]) -> Rows:
    """Raw, occluded, and TBSR: the share of the questions answered raw that stay answered."""
    raw, occluded = of_role(outcomes, "raw"), of_role(outcomes, "altered")
    known = {(one.item.tags["group"], one.seed) for one in raw if one.right}
    kept = [one for one in occluded if (one.item.tags["group"], one.seed) in known]
    return {"raw": accuracy(raw), "occluded": accuracy(occluded), "TBSR": accuracy(kept)}
