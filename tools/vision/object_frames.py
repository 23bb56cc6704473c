"""The result of an object search, and the frames it examines: some of each shot of a span."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import groupby
from math import ceil
from operator import attrgetter, itemgetter

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.objects.object_engine import FoundObject
from longtake.preprocess.engines.objects.objects_moving import LONG_SIDE, MovingThings
from longtake.preprocess.engines.objects.objects_tracks import Track
from longtake.preprocess.engines.people.people_engine import FoundPeople
from longtake.preprocess.media.frames import Frame
from longtake.preprocess.media.whole_frames import read_whole_frames
from longtake.tools.core.tool_context import ToolContext

AGAIN = "an object that is seen again after a cut counts as another one"
_LISTED, _HINTS = 100, 20  # certain and doubtful objects that are shown
_LONGEST = 300.0  # seconds in which objects are followed in one call
_SAMPLES = 60  # pictures from which the background is learned
_AROUND = 15.0  # seconds before and after a span that also show the background
_HELD = 40.0  # seconds whose small pictures are kept, about 100 MB, instead of decoding them twice
_ROUNDING = 0.001  # precision of frame times in seconds


@dataclass(frozen=True)
class SeenObjects:
    """The objects that were found, each with its sightings, and how they were searched.

    `doubt` says why there may be more objects than tracks, or none; if it is empty, the number is certain. Otherwise,
    `perhaps` has the doubtful tracks, and `different` is the number of tracks that are certainly different objects.
    `nobody` are the times without a person, where they were asked for.
    """

    tracks: tuple[Track, ...]
    engine: str
    looked_at: tuple[TimeSpan, ...]
    pictures: int
    notes: tuple[str, ...] = ()
    doubt: str = ""
    perhaps: tuple[Track, ...] = ()
    different: int = 0
    nobody: tuple[TimeSpan, ...] = ()

    @property
    def listed(self) -> list[tuple[int, Track]]:
        """The certain tracks to show, with their numbers from 1: evenly spread ones, if an hour has very many."""
        return list(enumerate(self.tracks, 1))[:: ceil(len(self.tracks) / _LISTED) or 1]

    @property
    def likeliest(self) -> list[Track]:
        """The doubtful tracks to show, the likeliest first: hours may have hundreds."""
        return nlargest(_HINTS, self.perhaps, attrgetter("confidence"))

    @property
    def where(self) -> str:
        """What was examined, in words."""
        return f"{self.pictures} pictures from {', '.join(map(str, self.looked_at))}"

    def most_at_once(self) -> tuple[int, float]:
        """The largest number in one picture, and the first time of it in seconds."""
        times = Counter(time for track in self.tracks for time, _ in track.sightings)
        most = max(times.values(), default=0)
        return most, min((time for time, count in times.items() if count == most), default=0.0)

    def seen_at(self, time: float) -> list[Track]:
        """The tracks in the picture at exactly this time."""
        return [track for track in self.tracks if any(when == time for when, _ in track.sightings)]


def seen_people(found: FoundPeople, engine: str, looked_at: Sequence[TimeSpan], notes: Sequence[str]) -> SeenObjects:
    """The people that an engine found in what was looked at."""
    return SeenObjects(
        tracks=found.tracks,
        engine=engine,
        looked_at=tuple(looked_at),
        pictures=found.pictures,
        notes=(*notes, *found.notes),
        doubt=found.doubt,
        perhaps=found.perhaps,
        different=found.different,
        nobody=found.nobody,
    )


def shots_of(context: ToolContext, span: TimeSpan) -> list[TimeSpan]:
    """The parts of a span between its cuts; the span itself without known cuts."""
    parts = [
        TimeSpan(start=max(item["start"], span.start), end=min(item["end"], span.end))
        for item in context.video.items("shots", span)
    ]
    return parts or [span]


def followed(span: TimeSpan) -> tuple[TimeSpan, list[str]]:
    """The part of a span in which objects or people are followed in one call; a note if that isn't all of it."""
    looked = TimeSpan(start=span.start, end=min(span.end, span.start + _LONGEST))
    return looked, [
        f"only {looked} was examined: moving objects, people and faces are followed for {_LONGEST:g} s a call"
    ] if looked != span else []


def frames_of(context: ToolContext, span: TimeSpan, step: float) -> Iterator[tuple[float, Frame]]:
    """Frames of a span with their times, at least `step` seconds from each other."""
    return ((time, frame) for _, time, frame in frames_of_parts(context, [span], step))


def frames_of_parts(context: ToolContext, parts: Sequence[TimeSpan], step: float) -> Iterator[tuple[int, float, Frame]]:
    """Frames of parts in order, with the part's number and their times, at least `step` seconds from each other.

    The file is read once from the first part to the last, so that what pieces join isn't joined again for each part.
    """
    path, media = context.video.media()
    starts = [part.start for part in parts]
    wide = TimeSpan(start=starts[0], end=parts[-1].end)
    number, due = 0, wide.start
    for frame in read_whole_frames(path, media, wide, context.budget.check):
        time = max(frame.time, wide.start)
        now = bisect_right(starts, time + _ROUNDING) - 1
        if now != number:
            number, due = now, starts[now]
        between = starts[now] < time and parts[now].end <= time
        if time >= due - _ROUNDING and not between:
            yield number, time, frame
            due = max(due + step, time)


def moving_in(
    context: ToolContext, shots: Sequence[TimeSpan], step: float
) -> Iterator[tuple[TimeSpan, list[tuple[float, list[FoundObject] | None]]]]:
    """The moving objects of each (part of) a shot at times at least `step` seconds apart; None while the camera moves.

    Shots without a readable picture are left out.
    """
    near = [(shot, _around(context, shot)) for shot in shots]
    for is_long, group in groupby(near, key=lambda pair: pair[1].length > _HELD):
        some = list(group)
        if is_long:
            for shot, around in some:
                samples = frames_of(context, around, around.length / _SAMPLES)
                movers = MovingThings([frame.bgr(LONG_SIDE) for _, frame in samples])
                looks = frames_of(context, shot, step)
                yield shot, [(time, movers.find(frame.bgr(LONG_SIDE))) for time, frame in looks]
            continue
        frames = frames_of_parts(context, [around for _, around in some], step)
        for number, parts in groupby(frames, key=itemgetter(0)):
            shot, held = some[number][0], [(time, frame.bgr(LONG_SIDE)) for _, time, frame in parts]
            movers = MovingThings([picture for _, picture in held[:: max(1, len(held) // _SAMPLES)]])
            during = [(time, picture) for time, picture in held if shot.start <= time <= shot.end]
            yield shot, [(time, movers.find(picture)) for time, picture in during]


def _around(context: ToolContext, shot: TimeSpan) -> TimeSpan:
    """(Part of) a shot and what of the same shot is near it."""
    wide = shot.widened(_AROUND, _AROUND, context.video.duration)
    [whole, *_] = [i for i in context.video.items("shots", shot) if i["start"] <= shot.start] or [
        {"start": 0, "end": wide.end}
    ]
    return TimeSpan(start=max(wide.start, whole["start"]), end=max(shot.end, min(wide.end, whole["end"])))
