"""The layer `segments`: what is said, shown, heard and seen in every few seconds of a video, as one record each."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from longtake.language.text import shortened
from longtake.memory.building import LayerWriter
from longtake.memory.layers import LayerRecipe
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.analysis.segment_spans import segment_spans
from longtake.preprocess.layers.layer_moments import sound_text
from longtake.preprocess.layers.speaker_lines import spoken_by, words_said
from longtake.preprocess.layers.step import IndexJob

NAME = "segments"
USED = ("shots", "subtitles", "speech", "speakers", "scene_text", "sounds", "detections", "captions")
_UNTOLD = ("speech", "silence", "quiet")  # sounds that tell nothing of what happens
_LETTERS = 300  # of the text that is shown in one segment

Item = Mapping[str, Any]


class Segment(NamedTuple):
    """Some seconds of a video.

    `said` has who speaks before a colon where that is known. `things` has the most of each kind of thing that are seen
    at once.
    """

    start: float
    end: float
    said: str
    shown: str
    heard: tuple[str, ...]
    things: Mapping[str, int]
    caption: str

    @property
    def text(self) -> str:
        """What happens, what is shown, said, heard and seen, in one line."""
        return " | ".join(self._parts)

    def brief(self, letters: int) -> str:
        """The same within so many letters: each part is cut to what short ones leave to the longer ones."""
        parts = self._parts
        room = letters - 3 * (len(parts) - 1)
        most = room
        for number, length in enumerate(sorted(map(len, parts))):
            most = max(1, room // (len(parts) - number))
            if length > most:
                break
            room -= length
        return " | ".join(shortened(part, most) for part in parts)

    @property
    def _parts(self) -> list[str]:
        things = ", ".join(f"{count} x {name}" for name, count in self.things.items())
        return [part for part in (self.caption, self.shown, self.said, ", ".join(self.heard), things) if part]


class Segments:
    """Items {start, end, said, shown, heard, things, caption}, without a gap from the start of a video to its end."""

    name = NAME
    capability = None

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One layer if anything of the video was examined."""
        inputs = {name: job.layers[name].key for name in USED if name in job.layers}
        settings = {"every": job.settings.captions.every, "duration": round(job.media.duration, 3)}
        return (LayerRecipe(NAME, 1, "longtake/segments", settings, inputs),) if inputs else ()

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Put together what the other layers have of each segment."""
        writer = writers[NAME]
        spans = segment_spans(job.layers, job.media.duration, job.settings.captions.every)
        items = {name: list(job.layers[name].items()) for name in USED if name in job.layers}
        said = _by_middle(words_said(lambda name: items.get(name, ())), spans)
        turns = _Meanwhile(items.get("speakers", ()))
        others = {name: _Meanwhile(items.get(name, ())) for name in ("scene_text", "sounds", "detections", "captions")}
        for number, span in enumerate(spans):
            found = {name: each.items(span) for name, each in others.items()}
            caption = max(found["captions"], key=lambda item: _shared(item, span), default=None)
            shown = dict.fromkeys(" ".join(item["text"].split()) for item in found["scene_text"])
            writer.add(
                {
                    "start": round(span.start, 3),
                    "end": round(span.end, 3),
                    "said": " ".join(_with_speakers(said[number], turns)),
                    "shown": " / ".join(shown)[:_LETTERS],
                    "heard": _heard(found["sounds"]),
                    "things": _most_at_once(found["detections"], span),
                    "caption": caption["text"] if caption else "",
                }
            )
        writer.cover([TimeSpan(start=0.0, end=job.media.duration)])


def segments_of(library: LibraryStore, video: VideoRecord) -> list[Segment]:
    """The segments of a video in order; none if it was indexed before there were any.

    Raises:
        LibraryError: if the layer is damaged.
    """
    layer = library.layer(video, NAME)
    items: Iterable[dict[str, Any]] = layer.items() if layer else ()
    return [Segment(**item)._replace(heard=tuple(item["heard"])) for item in items]


def speaker_at(item: Item, turns: Sequence[Item]) -> str:
    """Who speaks a line: the name that its subtitle has, or whose turn takes most of it; empty if nobody's does."""
    if item.get("speaker"):
        return str(item["speaker"])
    span = TimeSpan(start=item["start"], end=item["end"])
    longest = max(turns, key=lambda turn: _shared(turn, span), default=None)
    return str(longest["speaker"]) if longest and _shared(longest, span) >= span.length / 2 else ""


class _Meanwhile:
    """Items of a layer by time."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._coming = deque(sorted(items, key=lambda item: float(item["start"])))
        self._begun: list[Item] = []

    def items(self, span: TimeSpan) -> list[Item]:
        """Those that overlap a span; it may not start before an earlier one."""
        while self._coming and self._coming[0]["start"] < span.end:
            self._begun.append(self._coming.popleft())
        self._begun = [item for item in self._begun if item["end"] > span.start or item["start"] >= span.start]
        return [item for item in self._begun if item["start"] < span.end]


def _by_middle(cues: Sequence[Item], spans: Sequence[TimeSpan]) -> list[list[Item]]:
    """The cues of each span: those whose middle is in it, so that each is in one."""
    found: list[list[Item]] = [[] for _ in spans]
    place = 0
    for cue in sorted(cues, key=lambda cue: float(cue["start"] + cue["end"])):
        while place + 1 < len(spans) and (cue["start"] + cue["end"]) / 2 >= spans[place].end:
            place += 1
        found[place].append(cue)
    return found


def _with_speakers(cues: Iterable[Item], turns: _Meanwhile) -> Iterator[str]:
    """The lines, with a speaker's name where another one begins."""
    before = ""
    for cue in cues:
        text = " ".join(cue["text"].split())
        who = speaker_at(cue, turns.items(TimeSpan(start=cue["start"], end=cue["end"])))
        yield spoken_by(who, text) if who != before else text
        before = who


def _heard(sounds: Iterable[Item]) -> list[str]:
    return list(dict.fromkeys(sound_text(item) for item in sounds if item["kind"] not in _UNTOLD))


def _most_at_once(tracks: Iterable[Item], span: TimeSpan) -> dict[str, int]:
    """The most of each kind of thing in one picture of a span, without what is likely something else."""
    sure = [track for track in tracks if track["trusted"]]
    seen = Counter(
        (track["name"], box[0]) for track in sure for box in track["boxes"] if span.start <= box[0] < span.end
    )
    most: dict[str, int] = {}
    for (name, _), count in seen.items():
        most[name] = max(count, most.get(name, 0))
    return dict(sorted(most.items()))


def _shared(item: Item, span: TimeSpan) -> float:
    return max(0.0, min(float(item["end"]), span.end) - max(float(item["start"]), span.start))
