"""What a look for objects returns, and the frames it is made of: some of each shot of a span."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.objects.objects_moving import LONG_SIDE, MovingThings
from longtake.preprocess.engines.objects.objects_tracks import Track
from longtake.preprocess.media.frames import Frame, read_frames
from longtake.tools.core.tool_context import ToolContext

AGAIN = "what is seen again after a cut is counted as another"
_LONGEST = 300.0  # seconds that are followed in one call
_SAMPLES = 60  # pictures from which the background is learnt
_AROUND = 15.0  # seconds before and after a span that show the background, too
_ROUNDING = 0.001  # seconds to which frames are timed


@dataclass(frozen=True)
class Seen:
    """The things that were found, each with where it was seen, and how they were looked for.

    `doubt` says why there may be more than the tracks, or none; empty, their number is settled. Where it is not,
    `perhaps` are those that may be what is asked for, and `different` is how many of the tracks are surely not the
    same thing.
    """

    tracks: tuple[Track, ...]
    engine: str
    looked_at: tuple[TimeSpan, ...]
    pictures: int
    notes: tuple[str, ...] = ()
    doubt: str = ""
    perhaps: tuple[Track, ...] = ()
    different: int = 0

    @property
    def where(self) -> str:
        """What was looked at, in words."""
        return f"{self.pictures} pictures from {', '.join(map(str, self.looked_at))}"

    def most_at_once(self) -> tuple[int, float]:
        """The most of them in one picture, and the first time at which there were as many, in seconds."""
        times = Counter(time for track in self.tracks for time, _ in track.sightings)
        most = max(times.values(), default=0)
        return most, min((time for time, count in times.items() if count == most), default=0.0)

    def seen_at(self, time: float) -> list[Track]:
        """The tracks that are seen in the picture of just this time."""
        return [track for track in self.tracks if any(when == time for when, _ in track.sightings)]


def shots_of(context: ToolContext, span: TimeSpan) -> list[TimeSpan]:
    """The parts of a span between its cuts; the span itself where no cuts are known."""
    parts = [
        TimeSpan(start=max(item["start"], span.start), end=min(item["end"], span.end))
        for item in context.video.items("shots", span)
    ]
    return parts or [span]


def followed(span: TimeSpan) -> tuple[TimeSpan, list[str]]:
    """The part of a span in which things, or people, are followed in one call; a note where that is not the whole."""
    looked = TimeSpan(start=span.start, end=min(span.end, span.start + _LONGEST))
    return looked, [
        f"only {looked} was looked at: what moves, people and faces are followed for {_LONGEST:g} s a call"
    ] if looked != span else []


def frames_of(context: ToolContext, span: TimeSpan, step: float) -> Iterator[tuple[float, Frame]]:
    """Frames of a span with their times, at least `step` seconds from each other."""
    path, media = context.video.media()
    due = span.start
    for frame in read_frames(path, media, span, context.budget.check):
        time = max(frame.time, span.start)
        if time >= due - _ROUNDING:
            yield time, frame
            due = max(due + step, time)


def movers_of(context: ToolContext, shot: TimeSpan) -> MovingThings:
    """What finds moving things in a shot, or in a part of one: its background is learnt around the part, too."""
    wide = shot.widened(_AROUND, _AROUND, context.video.duration)
    [whole, *_] = [i for i in context.video.items("shots", shot) if i["start"] <= shot.start] or [
        {"start": 0, "end": wide.end}
    ]
    around = TimeSpan(start=max(wide.start, whole["start"]), end=max(shot.end, min(wide.end, whole["end"])))
    return MovingThings([frame.bgr(LONG_SIDE) for _, frame in frames_of(context, around, around.length / _SAMPLES)])
