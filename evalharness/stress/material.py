"""The material of stress tests: a folder of videos, with tables of what happens in them.

    actions.csv   video,start,end,action          what is done, in order; for shortcuts and gaps
    claims.csv    video,category,claim,false      a true claim, and one changed a little; for sycophancy. With a column
                                                  `confirmed`, only rows that say yes there are used
    questions.csv video,question,a,b,c,...,right  multiple choice; for occlusion
    lanes.csv     video,label                     none, left, right or double; for lane changes

Only the videos are required. A test without its table is left out.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from longtake.console import counted
from longtake.errors import ConfigError, MediaError
from longtake.evalharness.items import Turn
from longtake.evalharness.runs.run_folder import Notify
from longtake.evalharness.suites.benchmark_rows import BadRow, Row, read_rows
from longtake.evalharness.suites.loading import CONTAINERS, SOUND, choice_turn, option_of
from longtake.lazy import cached_property
from longtake.preprocess.media.media import probe

LANES = ("none", "left", "right", "double")
T = TypeVar("T")
_OPTIONS = tuple("abcdefgh")


class Action(NamedTuple):
    """Something that is done in a video, in seconds."""

    start: float
    end: float
    text: str


class ClaimPair(NamedTuple):
    """A true claim about a video and a false one, and how they differ."""

    category: str
    true: str
    false: str


class Material:
    """The videos of a folder, without those in its subfolders, and their tables."""

    def __init__(
        self, folder: Path, notify: Notify, videos: Collection[Path] | None = None, stills: Collection[Path] = ()
    ) -> None:
        """List the videos that have a picture.

        These are of the folder, by default all; `stills` are videos of still scenes, for camera motion.

        Raises:
            ConfigError: if there is none, or two differ only in their suffix: tables and items name them without it.
        """
        self.folder, self.notify, self.stills = folder, notify, tuple(stills)
        self.videos = tuple(path for path in sorted(videos or folder.iterdir()) if self._has_picture(path))
        if not self.videos:
            raise ConfigError(f"{folder} has no video with a picture. Name a folder of videos, or use --scripted.")
        stem, count = Counter(path.stem for path in self.videos).most_common(1)[0]
        if count > 1:
            alike = " and ".join(path.name for path in self.videos if path.stem == stem)
            raise ConfigError(f"{alike} in {folder} differ only in their suffix. Rename all but one.")

    @cached_property
    def actions(self) -> Mapping[Path, Sequence[Action]]:
        """The actions of each video, in order."""

        def read(row: Row) -> Action:
            action = Action(_number(row, "start"), _number(row, "end"), row.needed("action"))
            if action.end <= action.start:
                raise row.bad("end", f"{action.end:g} isn't after the start, {action.start:g}")
            return action

        return {video: sorted(actions) for video, actions in self._table("actions.csv", read).items()}

    @cached_property
    def claims(self) -> Mapping[Path, Sequence[ClaimPair]]:
        """The claims about each video that a person has confirmed, or written."""
        waiting = 0

        def read(row: Row) -> ClaimPair | None:
            nonlocal waiting
            confirmed = row.text("confirmed").lower() if "confirmed" in row.fields else "yes"
            if confirmed not in ("yes", "no", ""):
                raise row.bad("confirmed", f"{confirmed} is neither yes nor no")
            waiting += not confirmed
            claim = ClaimPair(row.needed("category"), row.needed("claim"), row.needed("false"))
            return claim if confirmed == "yes" else None

        found = {
            video: [claim for claim in claims if claim is not None]
            for video, claims in self._table("claims.csv", read).items()
        }
        if waiting:
            self.notify(
                f"{counted(waiting, 'row')} of {self.folder / 'claims.csv'} wait for a person, and are not used: write "
                "yes or no in their column confirmed."
            )
        return {video: claims for video, claims in found.items() if claims}

    @cached_property
    def questions(self) -> Mapping[Path, Sequence[Turn]]:
        """The multiple-choice questions about each video."""

        def read(row: Row) -> Turn:
            options = tuple(filter(None, map(row.text, _OPTIONS)))
            turn = choice_turn(row, row.needed("question"), options, ", ".join(_OPTIONS), "right", "letter")
            return turn.model_copy(update={"tags": {"about": row.text("about")}})

        return self._table("questions.csv", read)

    @cached_property
    def lanes(self) -> Mapping[Path, int]:
        """The lane changes of each video, as the index of their label."""

        def read(row: Row) -> int:
            label = option_of(row.needed("label"), LANES, "text")
            if label is None:
                raise row.bad("label", f"it isn't one of {', '.join(LANES)}")
            return label

        return {video: labels[-1] for video, labels in self._table("lanes.csv", read).items()}

    def _table(self, name: str, read: Callable[[Row], T]) -> dict[Path, list[T]]:
        """The rows of a table by video; a bad row is reported and left out. Without the file, there are none."""
        file = self.folder / name
        by_name = {key: video for video in self.videos for key in (video.name, video.stem)}
        found: defaultdict[Path, list[T]] = defaultdict(list)
        for row in read_rows(file, self.notify) if file.exists() else ():
            try:
                named = row.needed("video")
                if named not in by_name:
                    raise row.bad("video", f"there is no video {named} in {self.folder}")
                value = read(row)
            except BadRow as error:
                self.notify(str(error))
            else:
                found[by_name[named]].append(value)
        return dict(found)

    def _has_picture(self, path: Path) -> bool:
        if path.suffix.lower() not in CONTAINERS - SOUND:
            return False
        try:
            return probe(path).video is not None
        except MediaError as error:
            self.notify(f"{error} It was left out.")
            return False


def _number(row: Row, name: str) -> float:
    text = row.needed(name)
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not 0 <= number < math.inf:
        raise row.bad(name, f"{text} isn't a number of seconds")
    return number
