"""Stress tests of what is seen piece by piece (REVEAL): a video behind strips, and a picture a quadrant at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

from longtake.errors import ConfigError
from longtake.evalharness.edits.overlays import THINGS
from longtake.evalharness.items import Item, Turn
from longtake.evalharness.scoring.choice_scores import ChoiceOutcome, accuracy, by_tag
from longtake.evalharness.scoring.estimates import Estimate, Rows
from longtake.evalharness.stress.criteria import reads
from longtake.evalharness.stress.material import Material
from longtake.evalharness.stress.stress_test import CANNOT, Bench, Role, StressTest, of_role

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
WORDS = (
    "GARDEN", "ORANGE", "WINTER", "SILVER", "PLANET", "BRIDGE", "CASTLE", "FOREST", "ISLAND", "MARKET", "ROCKET",
)  # fmt: skip
ABOUT_TEXT = ("What does the large text say?", "Which word is shown?", "What is written in the picture?")
ABOUT_THINGS = "Which of these objects is not shown in the video?"


class OcclusionTest(StressTest):
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

    def videos(self, material: Material) -> Iterable[Path]:
        """Those with questions."""
        return material.questions

    def about(self, bench: Bench, video: Path) -> Iterator[Item]:
        """Four items for each question; with several masks, two more for each."""
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
                yield bench.item(
                    self.name, video, name, media, asked, role=role, kind=turn.tags.get("about", ""),
                    group=f"{video.stem}/{number}/{condition}", tags={"condition": condition, **tags},
                )  # fmt: skip

    def tables(self, outcomes: Sequence[ChoiceOutcome]) -> Mapping[str, Rows]:
        """Raw and occluded accuracy and TBSR under both conditions: of all, of each kind, and behind each mask."""
        some = {"": list(outcomes)}
        split = ((tag, one.item.tags.get(tag)) for one in outcomes for tag in ("kind", *self.parameters))
        for tag, value in dict.fromkeys(pair for pair in split if pair[1] is not None):
            # A video that isn't occluded has no parameters, and stands beside each of them.
            own = [one for one in outcomes if one.item.tags.get(tag, "" if tag == "kind" else value) == value]
            some[f", {value}" if tag == "kind" else f", {tag} {value}"] = own
        return {
            f"{condition}{name}": _bound([one for one in own if one.item.tags["condition"] == condition])
            for condition, (name, own) in product((FORCED, OFFERED), some.items())
        }

    def headline(self, outcomes: Sequence[ChoiceOutcome]) -> Estimate:
        """The accuracy behind strips, by force. TBSR is none: who always chooses one letter has 100."""
        forced = (one for one in outcomes if one.item.tags["condition"] == FORCED)
        return accuracy(of_role(forced, "altered"))


def _bound(outcomes: Sequence[ChoiceOutcome]) -> Rows:
    """Raw, occluded, and TBSR: the share of the questions answered raw that stay answered."""
    raw, occluded = of_role(outcomes, "raw"), of_role(outcomes, "altered")
    known = {(one.item.tags["group"], one.seed) for one in raw if one.right}
    kept = [one for one in occluded if (one.item.tags["group"], one.seed) in known]
    return {"raw": accuracy(raw), "occluded": accuracy(occluded), "TBSR": accuracy(kept)}


class MosaicTest(StressTest):
    """Read the word, or name the thing that is missing; each also with the whole picture as its control."""

    name: ClassVar[str] = "mosaic"
    edit: ClassVar[str] = "mosaic"
    parameters: ClassVar[tuple[str, ...]] = ("quadrant", "rounds")

    def about(self, bench: Bench, video: Path) -> Iterator[Item]:
        """Four items: text and things, in pieces and whole."""
        random = bench.random(self.name, video.stem)
        at = round(random.uniform(0.1, 0.9), 2)
        word = random.choice(WORDS)
        text = Turn(question=random.choice(ABOUT_TEXT), reference=word, criteria=(reads(word),))
        missing = random.choice(THINGS)
        shown = [thing for thing in THINGS if thing != missing]
        things = Turn(question=ABOUT_THINGS, options=THINGS, gold=THINGS.index(missing), reference=missing)
        asked: dict[str, tuple[Turn, dict[str, Any]]] = {
            "text": (text, {"text": word}),
            "things": (things, {"things": shown}),
        }
        for kind, (turn, given) in asked.items():
            for setting, control in product(bench.settings, (False, True)):
                role: Role = "control" if control else "altered"
                name = f"{kind}-{role}{setting.name}"
                parameters = {"at": at, "control": control, **given, **setting.parameters}
                media, _ = bench.edited("mosaic", [video], f"mosaic-{video.stem}-{name}", **parameters)
                yield bench.item(
                    self.name, video, name, media, turn,
                    role=role, kind=kind, group=f"{video.stem}/{kind}{setting.name}", tags=setting.tags,
                )  # fmt: skip

    def tables(self, outcomes: Sequence[ChoiceOutcome]) -> Mapping[str, Rows]:
        """The accuracy by kind, and where the control is right: only then a failure is one of integration."""
        known = {outcome.item.tags["group"] for outcome in of_role(outcomes, "control") if outcome.right}
        pieces = of_role(outcomes, "altered")
        return {
            "": {
                "in pieces": accuracy(pieces),
                "whole": accuracy(of_role(outcomes, "control")),
                "in pieces, where the whole is right": accuracy(
                    [outcome for outcome in pieces if outcome.item.tags["group"] in known]
                ),
            },
            "in pieces": by_tag(pieces, "kind"),
        }

    def headline(self, outcomes: Sequence[ChoiceOutcome]) -> Estimate:
        """The accuracy in pieces."""
        return accuracy(of_role(outcomes, "altered"))
