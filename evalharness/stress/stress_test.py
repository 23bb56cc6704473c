"""A stress test: the items it makes of videos, and the tables of its scores."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from longtake.errors import ConfigError, MediaError
from longtake.evalharness.edits.edit import EditTruth
from longtake.evalharness.edits.edit_table import edit_named
from longtake.evalharness.edits.rendering import make_edit, truth_file
from longtake.evalharness.items import Item, Turn
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.scoring.choice_scores import ChoiceOutcome, CountedShare, ScoredReply, accuracy, by_tag
from longtake.evalharness.scoring.estimates import Estimate, Rows, mean
from longtake.evalharness.stress.material import Material
from longtake.memory.library import file_id
from longtake.preprocess.media.media import probe

SUITE = "stress"
Role = Literal["raw", "altered", "control", "untouched"]
OFFERED = 5  # options, at most
CANNOT = "It can't be answered from the video"


class Setting(NamedTuple):
    """Parameters of a test's edit, one of several settings in a sweep."""

    parameters: Mapping[str, Any] = {}
    name: str = ""  # what tells its videos and items from those of the other settings
    tags: Mapping[str, str] = {}  # of its items


@dataclass(frozen=True)
class Bench:
    """Where the videos of a set are made, and with what."""

    folder: Path
    material: Material
    n: int  # videos that a test starts from, at most
    seed: int
    notify: Notify
    check: Callable[[], None]
    settings: Sequence[Setting] = (Setting(),)

    def random(self, *key: object) -> Random:
        """Random numbers of their own for each key."""
        return Random("/".join(map(str, (self.seed, *key))))

    def some(self, videos: Iterable[Path], test: str) -> list[Path]:
        """At most `n` of the videos, drawn for a test."""
        listed = list(videos)
        return sorted(self.random(test).sample(listed, min(self.n, len(listed))))

    def edited(
        self, edit: str, sources: Sequence[Path], name: str, suffix: str = ".mp4", **parameters: Any
    ) -> tuple[str, EditTruth]:
        """An edited video as a path relative to the folder, with its truth; made unless it exists of these sources."""
        out = self.folder / f"{name}{suffix}"
        made = edit_named(edit, parameters)
        if out.exists() and truth_file(out).exists():
            truth = EditTruth.model_validate_json(truth_file(out).read_text(encoding="utf-8"))
            wanted = (edit, made.model_dump(mode="json"), self.seed, tuple(map(_content, sources)))
            if (truth.edit, truth.parameters, truth.seed, truth.contents) == wanted:
                return out.name, truth
        self.notify(f"Making {out.name}")
        truth_file(out).unlink(missing_ok=True)  # else one of another video stays if this is interrupted
        return out.name, make_edit(made, edit, sources, out, self.seed, self.check)

    def item(
        self,
        test: str,
        video: Path,
        name: str,
        media: str,
        *turns: Turn,
        role: Role,
        kind: str = "",
        group: str = "",
        tags: Mapping[str, str] = {},
    ) -> Item:
        """An item of a test. Nothing in it says whether a subject may abstain.

        Args:
            test: its name.
            video: the source; items of one source aren't independent.
            name: unique among the test's items of the source.
            media: file, relative to the folder.
            turns: the questions, each asked by itself.
            role: whether the video is as it was, changed, or shows what is asked undisturbed.
            kind: of the change, or of the question.
            group: of the items that are scored together.
            tags: others.
        """
        own = {"test": test, "role": role, "kind": kind, "group": group or f"{test}/{video.stem}/{name}"}
        return Item(
            suite=SUITE,
            id=f"{test}/{video.stem}/{name}",
            video=video.stem,
            media=media,
            task=test,
            format="open" if turns[0].gold is None else "choice",
            turns=turns,
            seconds=round(probe(self.folder / media).duration, 3),
            tags={key: value for key, value in {**own, **tags}.items() if value},
            guess=None,
            separate=len(turns) > 1,
        )

    def original(self, video: Path) -> str:
        """An untouched video as a path relative to the folder; it is linked or copied there."""
        target = self.folder / f"original-{video.name}"  # no edit has such a name
        if not target.exists() or not (target.samefile(video) or _content(target) == _content(video)):
            target.unlink(missing_ok=True)
            try:
                target.hardlink_to(video)
            except OSError:
                shutil.copyfile(video, target)
        return target.name


def _content(file: Path) -> str:
    """The hash of a file's bytes, computed once until it changes."""
    found = file.stat()
    return _hashed(file, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=4096)
def _hashed(file: Path, size: int, modified: int) -> str:
    """The hash of a file; size and time are part of the cache key."""
    return file_id(file)


class StressTest:
    """One test. `make` yields items, here those `about` each video; items of one `group` are scored together."""

    name: ClassVar[str]
    edit: ClassVar[str] = ""  # whose parameters can be set
    parameters: ClassVar[tuple[str, ...]] = ()  # that can be set

    def make(self, bench: Bench) -> Iterator[Item]:
        """The items of some of the videos, with their videos made; one that doesn't fit is reported and left out.

        Raises:
            LongtakeError: if a video can't be written.
        """
        for video in bench.some(self.videos(bench.material), self.name):
            try:
                made = list(self.about(bench, video))
            except (ConfigError, MediaError) as error:
                bench.material.notify(f"{error} {video.name} was left out of {self.name}.")
            else:
                yield from made

    def videos(self, material: Material) -> Iterable[Path]:
        """The videos that there can be items about."""
        return material.videos

    def about(self, bench: Bench, video: Path) -> Iterable[Item]:
        """The items about one video.

        Raises:
            ConfigError: if it doesn't fit.
        """
        raise NotImplementedError

    def tables(self, outcomes: Sequence[ChoiceOutcome]) -> Mapping[str, Rows]:
        """The tables of the outcomes of the test's items; by default, the accuracy by role and by kind."""
        return {
            "": {"accuracy": accuracy(outcomes)},
            "role": by_tag(outcomes, "role"),
            "kind": by_tag(outcomes, "kind"),
        }

    def headline(self, outcomes: Sequence[ChoiceOutcome]) -> Estimate:
        """The one figure of the test, by which subjects are ranked."""
        return accuracy(outcomes)

    def counts(self, outcomes: Sequence[ChoiceOutcome]) -> Mapping[str, CountedShare]:
        """What is counted rather than averaged."""
        return {}

    def meant(self, asked: Item, said: ScoredReply) -> str:
        """What a reply means beside right or wrong; `said.choice` is the option that it chooses."""
        return ""

    def parameters_of(self, name: str, value: object) -> Mapping[str, Any]:
        """The parameters of the edit that a parameter of the test stands for."""
        return {name: value}


def settings_of(test: StressTest, given: Mapping[str, Sequence[Any]]) -> tuple[Setting, ...]:
    """Every combination of the given values of a test's parameters; those of other tests are left alone.

    Raises:
        ConfigError: if a value is wrong.
    """
    own = {name: values for name, values in given.items() if name in test.parameters}
    found: list[Setting] = []
    for values in product(*own.values()):
        named = dict(zip(own, values, strict=True))
        parameters: dict[str, Any] = {}
        for name, value in named.items():
            parameters |= test.parameters_of(name, value)
        if parameters:
            edit_named(test.edit, parameters)
        swept = "".join(f"-{name}-{value}" for name, value in named.items() if len(own[name]) > 1)
        found.append(Setting(parameters, swept, {name: str(value) for name, value in named.items()}))
    return tuple(found)


def offered(texts: Sequence[str], needed: Sequence[str], random: Random) -> tuple[str, ...]:
    """The options of a question in random order: those that are needed, and others up to `OFFERED`; none twice."""
    others = [text for text in dict.fromkeys(texts) if text not in needed]
    if len(others) > (room := OFFERED - len(set(needed))):
        others = random.sample(others, room)
    kept = [text for text in dict.fromkeys(texts) if text in needed or text in others]
    return tuple(random.sample(kept, len(kept)))


def of_role(outcomes: Iterable[ChoiceOutcome], *roles: Role) -> list[ChoiceOutcome]:
    """The outcomes of items with one of these roles."""
    return [outcome for outcome in outcomes if outcome.item.tags.get("role") in roles]


def balanced_accuracy(
    positives: Sequence[ChoiceOutcome], negatives: Sequence[ChoiceOutcome], every: Sequence[ChoiceOutcome]
) -> Estimate:
    """The mean of the accuracies on both sides; if one is empty, the accuracy of all."""
    return balanced(positives, negatives).get("balanced accuracy") or accuracy(every)


def balanced(positives: Sequence[ChoiceOutcome], negatives: Sequence[ChoiceOutcome]) -> dict[str, Estimate]:
    """The accuracy on both sides, their mean, and the area under the ROC if the subject gives confidences.

    Always accepting scores 0 on the false and 100 on the true claims, so it is the balanced value that counts: a
    subject that always gives one reply has 50.
    """
    if not positives or not negatives:
        return {}
    share = len(positives) / (len(positives) + len(negatives))
    weight = {id(one): 0.5 / share for one in positives} | {id(one): 0.5 / (1 - share) for one in negatives}
    both = [one._replace(right=one.right * weight[id(one)]) for one in (*positives, *negatives)]
    area = roc_area(positives, negatives)
    return {
        "balanced accuracy": accuracy(both),
        "of the altered": accuracy(positives),
        "of the others": accuracy(negatives),
        **({"area under the ROC": area} if area else {}),
    }


def beside_constants(positives: Sequence[ChoiceOutcome], negatives: Sequence[ChoiceOutcome]) -> dict[str, Estimate]:
    """The plain accuracy, and what it is for a subject that always says yes, or always no."""
    sides = [(one, 1.0) for one in positives] + [(one, 0.0) for one in negatives]
    return {
        "accuracy": accuracy([one for one, _ in sides]),
        "accuracy of always yes": accuracy([one._replace(right=altered) for one, altered in sides]),
        "accuracy of always no": accuracy([one._replace(right=1 - altered) for one, altered in sides]),
    }


def roc_area(positives: Sequence[ChoiceOutcome], negatives: Sequence[ChoiceOutcome]) -> Estimate | None:
    """The area under the ROC, in percent; None if the subject gives no confidence.

    It is the chance that an altered video gets a higher score than another one, ties counting half. The score of a
    reply is its confidence, with a minus where it raises no alarm, and 0 where it says neither. The interval draws the
    altered videos only.
    """
    if not any(one.confidence is not None for one in (*positives, *negatives)) or not positives or not negatives:
        return None
    others = np.array([alarm(one) for one in negatives])
    above = [float(np.mean(np.sign(alarm(one) - others) / 2 + 0.5)) for one in positives]
    return mean(above, [one.item.video for one in positives])


def alarm(outcome: ChoiceOutcome) -> float:
    """How sure a reply is that its video was altered, from -1 to 1; without a confidence it is sure.

    A reply that isn't sure, or abstains, says neither: its confidence is that of another line.
    """
    silent = outcome.state in ("uncertain", "abstained", "refused")
    raised = outcome.right > 0 if outcome.item.tags.get("role") == "altered" else outcome.right == 0 and not silent
    if silent and not raised:
        return 0.0
    sure = 1.0 if outcome.confidence is None else outcome.confidence
    return sure if raised else -sure
