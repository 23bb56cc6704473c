"""Measures how well brief events are found: flashes and small moving things planted in real clips, and false alarms.

Planted events are known to the frame: pictures of another clip for one, two or five frames, across the whole picture
or part of it, and discs that cross the picture. False alarms are the moments found in the unchanged clips.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from longtake.bench.intervals import Share
from longtake.bench.parts.planting import Half, clips_of, encode, pictures_of
from longtake.memory.records import Record
from longtake.preprocess.analysis.changes import Changes
from longtake.preprocess.analysis.moments import Moments
from longtake.preprocess.media.frames import Picture, read_frames
from longtake.preprocess.media.media import probe

_MAX_SECONDS = 12.0  # of a clip that events are planted in
_APART = 2.5  # seconds between two events
_MARGIN = 1.0  # seconds at both ends in which nothing is planted
_COPIES = 3  # of each clip
_SIZE = 1280  # pixels on the long side
_SLACK = 0.1  # seconds of tolerance
_SHOWN = ("start", "end", "kind", "box")
_CONTRAST = 80  # grey levels between a disc and its surroundings


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of event: a flash of `frames` over `share` of each side, or a disc of `disc` 720ths of the height."""

    name: str
    found_as: str
    seconds: float = 0.0
    frames: int = 0
    share: float = 1.0
    disc: int = 0


KINDS = (
    *(Kind(f"whole picture, frames: {frames}", "flash", frames=frames) for frames in (1, 2, 5)),
    *(Kind(f"a third of each side, frames: {frames}", "flash", frames=frames, share=1 / 3) for frames in (1, 2, 5)),
    *(
        Kind(f"disc of {disc}/720, seconds: {seconds}", "object", seconds=seconds, disc=disc)
        for disc in (12, 24, 48)
        for seconds in (0.3, 1.0)
    ),
)


@dataclass(frozen=True, slots=True)
class Event:
    """A planted event: its first frame and the one after its last, and its centre at the start and the end."""

    kind: Kind
    first: int
    end: int
    begins: tuple[float, float]
    ends: tuple[float, float]

    def draw(self, picture: Picture, number: int, other: Picture) -> Picture:
        """Frame `number` of the clip with the event drawn in; a flash shows `other`, a picture of the same size."""
        if not self.first <= number < self.end:
            return picture
        height, width = picture.shape[:2]
        done = (number - self.first) / max(1, self.end - 1 - self.first)
        x, y = (start + done * (end - start) for start, end in zip(self.begins, self.ends, strict=True))
        drawn = picture.copy()
        if self.kind.disc:
            level = picture[max(0, int(y * height) - 20) : int(y * height) + 20].mean()
            grey = level + _CONTRAST if level < 128 else level - _CONTRAST
            radius = max(1, round(self.kind.disc / 720 * height / 2))
            cv2.circle(drawn, (round(x * width), round(y * height)), radius, (grey, grey, grey), -1, cv2.LINE_AA)
            return drawn
        half = self.kind.share / 2
        place = (
            slice(round((y - half) * height), round((y + half) * height)),
            slice(round((x - half) * width), round((x + half) * width)),
        )
        drawn[place] = other[place]
        return drawn


class FalseAlarm(Record):
    """A moment found if nothing was planted; times in seconds, the box in shares of the picture."""

    clip: str
    start: float
    end: float
    kind: str
    box: tuple[float, ...]


class MomentsReport(Record):
    """Recall by kind on planted clips, and false alarms on the unchanged clips."""

    half: Half
    clips: int
    recall: dict[str, Share]
    seconds: float
    false_alarms: tuple[FalseAlarm, ...]

    @property
    def per_hour(self) -> float:
        """False alarms per hour."""
        return 3600 * len(self.false_alarms) / self.seconds


def measure_moments(media: Path, seed: int, half: Half, notify: Callable[[str], None]) -> MomentsReport:
    """Plant events of each kind in turn in every clip of a half, and look for them; `notify` is the progress callback.

    Raises:
        MediaError: if the folder has no clips.
    """
    clips = clips_of(media, half)
    random = np.random.default_rng(seed)
    kinds = cycle(KINDS)
    hits: dict[str, list[bool]] = {kind.name: [] for kind in KINDS}
    alarms: list[FalseAlarm] = []
    seconds = 0.0
    for number, clip in enumerate(clips, 1):
        notify(f"clip {number} of {len(clips)}: {clip}")
        found, length = moments_of(media / clip)
        seconds += length
        alarms += [FalseAlarm(clip=clip, **{key: item[key] for key in _SHOWN}) for item in found]
        for _ in range(_COPIES):
            events = _events(media / clip, kinds, random)
            for event, hit in zip(events, _look_for(events, media / clip, media / clips[number - 2]), strict=True):
                hits[event.kind.name].append(hit)
    return MomentsReport(
        half=half,
        clips=len(clips),
        recall={name: Share.of(sum(hit), len(hit)) for name, hit in hits.items()},
        seconds=round(seconds, 1),
        false_alarms=tuple(alarms),
    )


def show_moments(report: MomentsReport) -> list[str]:
    """The report as lines to print."""
    lines = [f"{name}: {share}" for name, share in report.recall.items()]
    count = len(report.false_alarms)
    lines.append(f"false alarms: {count} in {report.seconds / 60:.1f} min ({report.per_hour:.0f} per hour)")
    for alarm in report.false_alarms:
        lines.append(f"  {alarm.clip} {alarm.start:.2f}-{alarm.end:.2f} s {alarm.kind} {alarm.box}")
    return lines


def moments_of(path: Path) -> tuple[list[Mapping[str, Any]], float]:
    """The moments of a file, and its length in seconds."""
    changes = Changes()
    moments = Moments(changes)
    end = 0.0
    for frame in read_frames(path, probe(path), None, lambda: None):
        changes.observe(frame)
        moments.observe(frame)
        end = frame.end
    moments.finish(end)
    return moments.found.items, end


def _events(clip: Path, kinds: Iterator[Kind], random: np.random.Generator) -> list[Event]:
    """As many successive events at random places as the clip has room for."""
    media = probe(clip)
    assert media.video is not None, "a clip has a picture"
    fps, events = media.video.fps, []
    time = _MARGIN + float(random.uniform(0, _APART / 2))
    while time < min(media.duration or 0.0, _MAX_SECONDS) - _MARGIN:
        kind = next(kinds)
        first = round(time * fps)
        frames = kind.frames or max(4, round(kind.seconds * fps))
        if kind.disc:
            y = random.uniform(0.15, 0.85, 2)
            sides = (0.02, 0.98) if random.random() < 0.5 else (0.98, 0.02)
            begins, ends = (sides[0], float(y[0])), (sides[1], float(y[1]))
        else:
            x, y = random.uniform(kind.share / 2, 1 - kind.share / 2, 2)
            begins = ends = (float(x), float(y))
        events.append(Event(kind, first, first + frames, begins, ends))
        time += _APART + float(random.uniform(0, 1))
    return events


def _look_for(events: Sequence[Event], clip: Path, other: Path) -> list[bool]:
    """Whether each event is found, with its kind, once the clip is encoded with all of them."""
    media = probe(clip)
    assert media.video is not None, "a clip has a picture"
    fps, size = media.video.fps, _even(media.video.width, media.video.height)
    shown = next(pictures_of(other, size, 0.5, 1.0))
    with tempfile.TemporaryDirectory() as folder:
        planted = Path(folder) / "planted.mp4"
        encode(planted, _planted(pictures_of(clip, size, 0.0, _MAX_SECONDS), events, shown), fps)
        found, _ = moments_of(planted)
    return [any(_is(item, event, fps) for item in found) for event in events]


def _planted(pictures: Iterable[Picture], events: Sequence[Event], other: Picture) -> Iterator[Picture]:
    for number, picture in enumerate(pictures):
        for event in events:
            picture = event.draw(picture, number, other)
        yield picture


def _is(item: Mapping[str, Any], event: Event, fps: float) -> bool:
    """Whether an item describes an event."""
    overlaps = item["start"] < event.end / fps + _SLACK and item["end"] > event.first / fps - _SLACK
    return bool(item["kind"] == event.kind.found_as and overlaps)


def _even(width: int, height: int) -> tuple[int, int]:
    """The size of a picture, scaled down to at most `_SIZE`, with even sides."""
    scale = min(1.0, _SIZE / max(width, height))
    return round(width * scale / 2) * 2, round(height * scale / 2) * 2
