"""Makes the long videos for benchmarks from real clips, with the slides of the demo video between them.

The clips' words go into one `.vtt` next to the video. The same folder of clips gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import cycle
from pathlib import Path

from PIL import Image

from longtake.benchmarks.clips.transcripts import transcript, write_vtt
from longtake.benchmarks.hour.encoded_segments import GROUP, HEIGHT, WIDTH, clip_segment, groups_of, join, still_segment
from longtake.errors import MediaError
from longtake.memory.records import Record
from longtake.preprocess.demo.demo_script import load_script
from longtake.preprocess.demo.slides import PALETTES, pictures
from longtake.preprocess.media.cues import Cue
from longtake.preprocess.media.media import probe

HOUR = 3600.0
_PICTURES = (".mp4", ".mkv", ".mov", ".webm", ".avi")
_SOUNDS = (".mp3", ".wav", ".flac", ".m4a", ".ogg")
_SLIDE = 16  # maximum groups per slide: 5.12 s

Notify = Callable[[str], None]
Part = tuple[Path, int]  # a segment and its groups


class Placed(Record):
    """The place of a clip, in seconds of the reel; `clip` is its path in the folder of clips."""

    clip: str
    start: float
    end: float


class Reel(Record):
    """A long video and the places of its clips, one each time a clip is shown."""

    path: Path
    seconds: float
    places: tuple[Placed, ...]


def make_loop(media: Path, folder: Path, notify: Notify, seconds: float = HOUR) -> Reel:
    """Write `loop-SECONDS.mp4`: the clips of a folder with a slide after each, repeated until it is full.

    Clips are all files with a picture, and those with sound and a transcript. `seconds` is rounded up to 0.32 s.

    Raises:
        MediaError: if no clip in the folder fits.
    """
    groups, clips = groups_of(seconds), _clips(media)
    reel = _Reel(media, folder, f"loop-{round(seconds)}", notify)

    def fits(clip: str) -> bool:
        return reel.groups + _groups(media / clip) + _SLIDE <= groups

    if not any(map(fits, clips)):
        raise MediaError(f"{media} has no clip that fits into {seconds:g} s; give a folder with shorter clips.")
    while any(map(fits, clips)):
        for clip in filter(fits, clips):
            reel.show(clip)
            reel.fill(_SLIDE)
    reel.fill(groups - reel.groups)
    return reel.finish()


class _Reel:
    """Assembles a reel."""

    def __init__(self, media: Path, folder: Path, name: str, notify: Notify) -> None:
        self.media, self.folder, self.name, self.notify = media, folder, name, notify
        self.groups = 0
        self._segments = folder / "segments"
        self._ground = Image.new("RGB", (WIDTH, HEIGHT), PALETTES["dark"].ground)
        self._slides = cycle(list(_slides()))
        self._parts: list[Part] = []
        self._places: list[Placed] = []

    def show(self, clip: str) -> None:
        """Add a clip."""
        path, groups = self.media / clip, _groups(self.media / clip)
        if clip not in {place.clip for place in self._places}:
            self.notify(f"{self.name}: {clip}")
        start = self.groups * GROUP
        self._places.append(Placed(clip=clip, start=round(start, 3), end=round(start + _seconds(path), 3)))
        self._add(clip_segment(path, self._segments, self._ground), groups)

    def fill(self, groups: int) -> None:
        """Add slides for this many groups."""
        for first in range(0, groups, _SLIDE):
            length = min(_SLIDE, groups - first)
            self._add(still_segment(next(self._slides), length, self._segments), length)

    def finish(self) -> Reel:
        """Write the video and its subtitles."""
        self.notify(f"{self.name}: joining {len(self._parts)} segments")
        target = self.folder / f"{self.name}.mp4"
        join(self._parts, target)
        write_vtt([cue for place in self._places for cue in _shifted(self.media, place)], target.with_suffix(".vtt"))
        return Reel(path=target, seconds=round(self.groups * GROUP, 3), places=tuple(self._places))

    def _add(self, segment: Path, groups: int) -> None:
        self._parts.append((segment, groups))
        self.groups += groups


def is_clip(file: Path) -> bool:
    """Whether a file's name is that of a video or sound, not a still picture or text."""
    return file.suffix.lower() in _PICTURES + _SOUNDS


def _clips(media: Path) -> list[str]:
    files = [path for path in sorted(media.rglob("*")) if is_clip(path)]
    shown = [path for path in files if path.suffix.lower() in _PICTURES or transcript(path)]
    return [path.relative_to(media).as_posix() for path in shown]


@cache
def _seconds(clip: Path) -> float:
    return probe(clip).duration


def _groups(clip: Path) -> int:
    return groups_of(_seconds(clip))


def _shifted(media: Path, place: Placed) -> Iterator[Cue]:
    """The cues of a clip, shifted to its place; those after its end are left out."""
    for cue in transcript(media / place.clip):
        start, end = place.start + cue.start, min(place.start + cue.end, place.end)
        if start < end:
            yield replace(cue, start=start, end=end)


def _slides() -> Iterator[Image.Image]:
    """The slides of the demo video, drawn at the size of the reel."""
    script = load_script().model_copy(update={"width": WIDTH, "height": HEIGHT})
    for shot in script.shots:
        if shot.slide:
            yield next(pictures(script, shot))
