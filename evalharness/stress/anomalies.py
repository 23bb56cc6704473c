"""Anomalies (REVEAL, Table 10): seven changes and untouched videos, each asked about by the paper's three prompts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from longtake.evalharness.edits.edit import Kind
from longtake.evalharness.edits.edit_table import EDITS
from longtake.evalharness.items import Criterion, Item, Turn
from longtake.evalharness.scoring.choice_scores import Outcome, accuracy
from longtake.evalharness.scoring.estimates import Estimate, Rows
from longtake.evalharness.stress.changes import CHANGES, MIXED, SPATIAL, TEMPORAL
from longtake.evalharness.stress.criteria import altered, untouched
from longtake.evalharness.stress.stress_test import (
    Bench,
    Role,
    StressTest,
    balanced,
    beside_constants,
    item,
    of_role,
    roc_area,
)

DESCRIBE = "Describe the video in detail, including what actions are happening and in what order."
GENERAL = "Are there any anomalies present in the video?"


class Anomalies(StressTest):
    """Notice what is wrong. The three replies about a video and a change are judged together: one is enough."""

    name: ClassVar[str] = "anomalies"

    def make(self, bench: Bench) -> Iterator[Item]:
        """An item of three questions for each video and change, and for each targeted prompt about it untouched."""
        videos = bench.some(bench.material.videos, self.name)
        return bench.each(bench.material.videos, self.name, partial(self._about, bench, videos))

    def _about(self, bench: Bench, videos: Sequence[Path], video: Path) -> Iterator[Item]:
        following = videos[(videos.index(video) + 1) % len(videos)]
        for name, change in CHANGES.items():
            sources = [video, following][: EDITS[name].sources]
            if len(set(sources)) < EDITS[name].sources:
                continue
            suffix = ".mkv" if name == "noise" else ".mp4"
            media, truth = bench.edited(name, sources, f"{name}-{video.stem}", suffix)
            yield self._asked(bench, video, name, media, change.prompt, altered(change, truth), "altered")
        media = bench.original(video)
        for name, prompt in (("temporal", TEMPORAL), ("mixed", MIXED), ("spatial", SPATIAL)):
            yield self._asked(
                bench, video, f"untouched-{name}", media, prompt, untouched(CHANGES.values()), "untouched"
            )

    def _asked(
        self, bench: Bench, video: Path, change: str, media: str, prompt: str, criterion: Criterion, role: Role
    ) -> Item:
        targeted = Turn(question=prompt, criteria=(criterion,))
        turns = (Turn(question=DESCRIBE), Turn(question=GENERAL), targeted)
        return item(self.name, video, change, media, *turns, role=role, kind=change, folder=bench.folder)

    def tables(self, outcomes: Sequence[Outcome]) -> Mapping[str, Rows]:
        """Detection by change and by kind of change, beside the false alarms on untouched videos."""
        noticed, calm = of_role(outcomes, "altered"), of_role(outcomes, "untouched")
        kinds: tuple[Kind, ...] = ("spatial", "temporal")
        # The body of the paper counts mixing as spatial, its Table 10 as temporal: this follows the table.
        by_kind = {kind: [one for one in noticed if EDITS[one.item.tags["kind"]].kind == kind] for kind in kinds}
        by_change = {change: [one for one in noticed if one.item.tags["kind"] == change] for change in CHANGES}
        return {
            "": {"all": accuracy(noticed), **{kind: accuracy(some) for kind, some in by_kind.items()}},
            **{
                f"{kind}, balanced": balanced(some, calm) | beside_constants(some, calm)
                for kind, some in by_kind.items()
            },
            "change": {change: accuracy(some) for change, some in by_change.items()},
            "change, balanced": {
                change: rows["balanced accuracy"]
                for change, some in by_change.items()
                if (rows := balanced(some, calm))
            },
            "change, area under the ROC": {
                change: area for change, some in by_change.items() if (area := roc_area(some, calm))
            },
        }

    def headline(self, outcomes: Sequence[Outcome]) -> Estimate:
        """Between the altered videos that are noticed and the untouched ones without an alarm."""
        rows = balanced(of_role(outcomes, "altered"), of_role(outcomes, "untouched"))
        return rows.get("balanced accuracy") or accuracy(outcomes)
