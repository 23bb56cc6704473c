"""Anomalies (REVEAL, Table 10): seven changes and untouched videos, each asked about by the paper's three prompts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import ClassVar

from longtake.evalharness.edits.edit import Kind
from longtake.evalharness.edits.edit_table import EDITS
from longtake.evalharness.items import Criterion, Item, Turn
from longtake.evalharness.scoring.choice_scores import Outcome, accuracy
from longtake.evalharness.scoring.estimates import Rows
from longtake.evalharness.stress.changes import CHANGES, MIXED, SPATIAL, TEMPORAL
from longtake.evalharness.stress.criteria import notices
from longtake.evalharness.stress.stress_test import (
    Bench,
    Role,
    StressTest,
    alarm,
    balanced,
    beside_constants,
    item,
    of_role,
    roc_area,
)

DESCRIBE = "Describe the video in detail, including what actions are happening and in what order."
GENERAL = "Are there any anomalies present in the video?"
# A reply about an untouched video may notice none of them. So a reply that names them all scores half.
_FAULTLESS = notices(chain.from_iterable(change.signs for change in CHANGES.values()), expected=False)


class Anomalies(StressTest):
    """Notice what is wrong. The items of a video and a change count together: one reply that notices is enough."""

    name: ClassVar[str] = "anomalies"

    def make(self, bench: Bench) -> Iterator[Item]:
        """Three items for each video and change, and as many for each prompt about it untouched."""
        videos = bench.some(bench.material.videos, self.name)
        return bench.each(bench.material.videos, self.name, partial(self._about, bench, videos))

    def _about(self, bench: Bench, videos: Sequence[Path], video: Path) -> Iterator[Item]:
        following = videos[(videos.index(video) + 1) % len(videos)]
        for name, change in CHANGES.items():
            sources = [video, following][: EDITS[name].sources]
            if len(set(sources)) < EDITS[name].sources:
                continue
            suffix = ".mkv" if name == "noise" else ".mp4"
            media, _ = bench.edited(name, sources, f"{name}-{video.stem}", suffix)
            yield from self._asked(bench, video, name, media, change.prompt, notices(change.signs), "altered")
        media = bench.original(video)
        for name, prompt in (("temporal", TEMPORAL), ("mixed", MIXED), ("spatial", SPATIAL)):
            yield from self._asked(bench, video, f"untouched-{name}", media, prompt, _FAULTLESS, "untouched")

    def _asked(
        self, bench: Bench, video: Path, change: str, media: str, prompt: str, criterion: Criterion, role: Role
    ) -> Iterator[Item]:
        for name, question in (("describe", DESCRIBE), ("general", GENERAL), ("targeted", prompt)):
            turn = Turn(question=question, criteria=(criterion,))
            yield item(
                self.name, video, f"{change}-{name}", media, turn,
                role=role, kind=change, group=f"{video.stem}/{change}", folder=bench.folder,
            )  # fmt: skip

    def tables(self, outcomes: Sequence[Outcome]) -> Mapping[str, Rows]:
        """Detection by change and by kind of change, beside the false alarms on untouched videos."""
        groups: defaultdict[tuple[str, int], list[Outcome]] = defaultdict(list)
        for outcome in outcomes:
            groups[outcome.item.tags["group"], outcome.seed].append(outcome)
        # A change is noticed by any of the three replies; an untouched video passes if none of them raises an alarm.
        joint = [_joint(each) for each in groups.values()]
        altered, untouched = of_role(joint, "altered"), of_role(joint, "untouched")
        kinds: tuple[Kind, ...] = ("spatial", "temporal")
        # The body of the paper counts mixing as spatial, its Table 10 as temporal: this follows the table.
        by_kind = {kind: [one for one in altered if EDITS[one.item.tags["kind"]].kind == kind] for kind in kinds}
        by_change = {change: [one for one in altered if one.item.tags["kind"] == change] for change in CHANGES}
        return {
            "": {"all": accuracy(altered), **{kind: accuracy(some) for kind, some in by_kind.items()}},
            **{
                f"{kind}, balanced": balanced(some, untouched) | beside_constants(some, untouched)
                for kind, some in by_kind.items()
            },
            "change": {change: accuracy(some) for change, some in by_change.items()},
            "change, balanced": {
                change: rows["balanced accuracy"]
                for change, some in by_change.items()
                if (rows := balanced(some, untouched))
            },
            "change, area under the ROC": {
                change: area for change, some in by_change.items() if (area := roc_area(some, untouched))
            },
        }


def _joint(asked: Sequence[Outcome]) -> Outcome:
    """The three replies about one video as one, as sure as the one that is surest of an alarm."""
    surest = max(asked, key=alarm)
    if surest.item.tags["role"] == "altered":
        return surest._replace(right=max(one.right for one in asked))
    raised = alarm(surest) > 0
    # Who says that they can't tell raises no alarm.
    return surest._replace(right=0.0 if raised else 1.0, state="ok" if raised else surest.state)
