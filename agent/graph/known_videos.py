"""Facts about a recording from its layers, as evidence that needs no tool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from longtake.agent.query.query import Fact, Source, Target
from longtake.memory.layers import Layer
from longtake.memory.records import Moment, Record
from longtake.memory.timespan import TimeSpan, clock, joined
from longtake.preprocess.layers.entities import entities_of
from longtake.preprocess.layers.sections import sections_of
from longtake.preprocess.layers.speaker_lines import SPEAKERS, speaker_lines, words_said
from longtake.tools.core.result import evidence_of
from longtake.tools.core.tool_context import VideoHandle

_NO_PICTURE = "The file has no picture, only sound."
_NO_STREAMS = "The file is a transcript: it has no picture and no sound."
_NO_SOUND = "The file has no audio track."
_SILENT = "There is an audio track, but it's silent."
_NO_SOUND_BUT_WORDS = "The file has no audio track: nothing was heard, and what is said was read from its subtitles."
_SHOWN: tuple[Source, ...] = ("picture", "text", "shots", "motion")
_OF_PICTURE: tuple[Target, ...] = ("number", "yesno", "name", "quote", "description", "choice")
_OF_CHANGES: tuple[Target, ...] = ("count", "time", "list", "yesno", "choice", "description", "quote", "order")
_OF_SPEAKERS: tuple[Target, ...] = ("name", "count", "number", "list", "yesno", "quote")
_SLACK = 0.5  # seconds by which an examined span may miss the edges of a shot


class KnownVideo(Record):
    """What is known about a video before any call."""

    id: str
    name: str
    duration: float = Field(description="Seconds.")
    coverage: Mapping[str, float] = Field(description="Share of the timeline that each layer covers, by layer name.")
    shots: tuple[TimeSpan, ...]
    sections: Mapping[str, TimeSpan] = Field(default_factory=dict, description="By title.")
    speakers: tuple[str, ...] = Field(default=(), description="Names of those who speak.")
    facts: tuple[Fact, ...]
    blank: tuple[Moment, ...] = Field(description="Spans in which the picture is blank.")
    pieces: tuple[Moment, ...] = Field(default=(), description="Spans whose frames each show a piece of a picture.")
    lacks: Mapping[Source, str] = Field(default_factory=dict, description="Sources that it can't have, and why.")
    empty: tuple[str, ...] = Field(default=(), description="Names of the layers in which nothing was found.")
    left_out: Mapping[str, tuple[str, ...]] = Field(
        default_factory=dict, description="Sentences about parts of the file that couldn't be read, by layer name."
    )


class Known(Record):
    """What is known when a run begins. Afterwards only tools read the library."""

    videos: tuple[KnownVideo, ...] = ()
    problems: Mapping[str, str] = Field(
        default_factory=dict, description="Why a layer couldn't be built, by layer name."
    )
    damaged: tuple[str, ...] = Field(default=(), description="Sentences about layers that can't be read.")
    incomplete: tuple[str, ...] = Field(default=(), description="Names of videos that aren't fully indexed.")


def known_video(video: VideoHandle) -> KnownVideo:
    """Read the facts from the layers of a video."""
    return KnownVideo(
        id=video.id,
        name=video.record.name,
        duration=video.duration,
        coverage=video.library.coverage(video.record),
        shots=tuple(TimeSpan(start=item["start"], end=item["end"]) for item in video.items("shots")),
        sections={
            each.title: TimeSpan(start=each.start, end=each.end) for each in sections_of(video.library, video.record)
        },
        speakers=tuple(each.name for each in entities_of(video.library, video.record) if "speaks" in each.found),
        facts=tuple(recording_facts(video)),
        blank=tuple(_still(video, ("black", "white", "blank"), "the picture is empty: {}")),
        pieces=tuple(_still(video, ("pieces",), "each frame shows a piece of the picture, the rest is {}")),
        lacks=_lacks(video),
        empty=tuple(name for name in video.record.layers if (layer := video.layer(name)) and not layer.count),
        left_out={name: layer.left_out() for name in video.record.layers if (layer := video.layer(name))},
    )


def _lacks(video: VideoHandle) -> dict[Source, str]:
    """The sources for which the file has no stream, each with the sentence to show."""
    probe = video.layer("probe")
    if probe is None:
        return {}
    streams = next(probe.items())
    if not (streams["video"] or streams["audio"]):
        return dict.fromkeys((*_SHOWN, "sound"), _NO_STREAMS)
    lacks: dict[Source, str] = {} if streams["video"] else dict.fromkeys(_SHOWN, _NO_PICTURE)
    if not streams["audio"]:
        lacks["sound"] = _silence(video)
        if not video.layer("subtitles"):
            lacks["speech"] = _NO_SOUND
    elif _is_silent(video):
        lacks["sound"] = _SILENT
    return lacks


def shots_examined(examined: Sequence[tuple[str, float, float]], videos: Sequence[KnownVideo]) -> str:
    """How many shots were examined completely, as `(12 of 12 shots examined.)`; empty if none was.

    Args:
        examined: video, start and end of each examined span, in seconds.
        videos: the open ones.
    """
    seen = total = 0
    for video in videos:
        looked = joined((TimeSpan(start=a, end=b) for name, a, b in examined if name == video.id), gap=_SLACK)
        total += len(video.shots)
        seen += sum(any(_covers(span, shot) for span in looked) for shot in video.shots)
    return f"({seen} of {total} shots examined.)" if seen else ""


def _covers(span: TimeSpan, shot: TimeSpan) -> bool:
    return span.start <= shot.start + _SLACK and shot.end <= span.end + _SLACK


def _still(video: VideoHandle, kinds: Sequence[str], text: str) -> list[Moment]:
    """Spans of some kinds in which frames show little; the text takes their colour."""
    layer = video.layer("still")
    if layer is None:
        return []
    return [
        evidence_of(item, text.format(item["colour"]), "visual", layer, video.id)
        for item in video.items("still")
        if item["kind"] in kinds
    ]


def recording_facts(video: VideoHandle) -> list[Fact]:
    """Length, streams, sound and shots of a recording, one sentence each."""
    probe = video.layer("probe")
    if probe is None:
        return []
    streams = next(probe.items())
    picture = streams["video"]
    shown = _NO_PICTURE if streams["audio"] else _NO_STREAMS
    if picture:
        size = f"{picture['width']}x{picture['height']}"
        shown = f"The picture is {size} at {picture['fps']:g} frames a second, codec {picture['codec']}."

    def fact(text: str, source: Source, targets: tuple[Target, ...], layer: Layer = probe) -> Fact:
        whole = {"start": 0.0, "end": video.duration}
        return Fact(evidence=evidence_of(whole, text, "metadata", layer, video.id), source=source, targets=targets)

    length = f"The recording is {video.duration:.1f} seconds ({clock(video.duration)}) long."
    found = [
        fact(length, "file", ("duration", "number", "time", "count", "quote")),
        fact(shown, "file", _OF_PICTURE if picture else ("yesno", "choice")),
        fact(_sound(video, len(streams["audio"])) if picture or streams["audio"] else shown, "sound", ("yesno",)),
    ]
    if (shots := video.layer("shots")) and video.items("shots"):
        count, *changes = _shots(video.items("shots"))
        found.append(fact(count, "shots", ("count", "yesno", "number", "quote"), shots))
        found += [fact(text, "shots", _OF_CHANGES, shots) for text in changes]
    return [*found, *_speakers(video)]


def _speakers(video: VideoHandle) -> list[Fact]:
    """Who speaks, or that the transcript doesn't say; nothing where nothing is said."""
    words, turns = video.layer("subtitles") or video.layer("speech"), video.layer("speakers")
    if turns and (lines := list(speaker_lines(turns, words_said(video.items)))):
        said = evidence_of(lines[0], lines[0]["text"], "speech", turns, video.id)
        said = said.model_copy(update={"engine": SPEAKERS})
        return [Fact(evidence=said, source="speech", targets=_OF_SPEAKERS)]
    if words and words.count:
        whole = {"start": 0.0, "end": video.duration}
        unsaid = evidence_of(whole, "The transcript doesn't say who speaks.", "metadata", words, video.id)
        return [Fact(evidence=unsaid, source="speech", targets=("name", "list"), told=False)]
    return []


def _sound(video: VideoHandle, tracks: int) -> str:
    if not tracks:
        return _silence(video)
    if _is_silent(video):
        return _SILENT
    return f"There is sound: {tracks} audio track{'s' if tracks > 1 else ''}."


def _is_silent(video: VideoHandle) -> bool:
    sounds = video.items("sounds")
    silent = sum(item["end"] - item["start"] for item in sounds)
    return all(item["kind"] == "silence" for item in sounds) and silent >= 0.98 * video.duration


def _silence(video: VideoHandle) -> str:
    """The sentence for a file without sound, which says so if its words come from subtitles."""
    return _NO_SOUND_BUT_WORDS if video.layer("subtitles") else _NO_SOUND


def _shots(shots: Sequence[Mapping[str, Any]]) -> list[str]:
    """The number of shots, and the times of each kind of change."""
    several = len(shots) > 1
    one = "There is 1 shot: no cut was found, though slides may change within it."
    sentences = [f"There are {len(shots)} shots." if several else one]
    for transition in ("cut", "dissolve", "fade"):
        times = [f"{shot['start']:.2f} s" for shot in shots[1:] if shot["transition"] == transition]
        if times:
            sentences.append(f"{len(times)} {transition}{'s' if len(times) > 1 else ''}: at {', '.join(times)}.")
    return sentences
