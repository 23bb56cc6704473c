"""Sequential mosaic (REVEAL, section 11): a large word, or things in the corners, seen a quadrant at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

from longtake.evalharness.edits.insertion import THINGS
from longtake.evalharness.items import Item, Turn
from longtake.evalharness.scoring.choice_scores import Outcome, accuracy, by_tag
from longtake.evalharness.scoring.estimates import Estimate, Rows
from longtake.evalharness.stress.criteria import reads
from longtake.evalharness.stress.stress_test import Bench, Role, StressTest, item, of_role

WORDS = (
    "GARDEN", "ORANGE", "WINTER", "SILVER", "PLANET", "BRIDGE", "CASTLE", "FOREST", "ISLAND", "MARKET", "ROCKET",
)  # fmt: skip
ABOUT_TEXT = ("What does the large text say?", "Which word is shown?", "What is written in the picture?")
ABOUT_THINGS = "Which of these objects is not shown in the video?"


class Mosaic(StressTest):
    """Read the word, or name the thing that is missing; each also with the whole picture as its control."""

    name: ClassVar[str] = "mosaic"
    edit: ClassVar[str] = "mosaic"
    parameters: ClassVar[tuple[str, ...]] = ("quadrant", "rounds")

    def make(self, bench: Bench) -> Iterator[Item]:
        """Four items for each video: text and things, in pieces and whole."""
        return bench.each(bench.material.videos, self.name, partial(self._about, bench))

    def _about(self, bench: Bench, video: Path) -> Iterator[Item]:
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
                yield item(
                    self.name, video, name, media, turn, role=role, kind=kind,
                    group=f"{video.stem}/{kind}{setting.name}", folder=bench.folder, tags=setting.tags,
                )  # fmt: skip

    def tables(self, outcomes: Sequence[Outcome]) -> Mapping[str, Rows]:
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

    def headline(self, outcomes: Sequence[Outcome]) -> Estimate:
        """The accuracy in pieces."""
        return accuracy(of_role(outcomes, "altered"))
