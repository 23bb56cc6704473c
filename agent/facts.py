"""What the layers say of a recording itself, as evidence that needs no tool."""

from __future__ import annotations

from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan, clock
from longtake.tools.context import VideoHandle
from longtake.tools.evidence import evidence_of


def shots_of(video: VideoHandle) -> list[TimeSpan]:
    """The shots of a video, in order."""
    return [TimeSpan(start=item["start"], end=item["end"]) for item in video.items("shots")]


def blank_spans(video: VideoHandle) -> list[Evidence]:
    """Where the picture is empty."""
    layer = video.layer("still")
    if layer is None:
        return []
    return [
        evidence_of(item, f"the picture is empty: {item['colour']}", "visual", layer, video.id)
        for item in video.items("still")
        if item["kind"] != "frozen"
    ]


def recording_facts(video: VideoHandle) -> list[Evidence]:
    """Length, streams, sound and shots of a recording, a sentence each."""
    probe = video.layer("probe")
    if probe is None:
        return []
    facts = next(probe.items())
    whole = {"start": 0.0, "end": video.duration}
    sentences = [f"The recording is {_length(video.duration)} long."]
    picture = facts["video"]
    if picture:
        size = f"{picture['width']}x{picture['height']}"
        sentences.append(f"The picture is {size} at {picture['fps']:g} frames a second, codec {picture['codec']}.")
    else:
        sentences.append("There is no picture, only sound.")
    sentences.append(_sound(video, len(facts["audio"])))
    found = [evidence_of(whole, sentence, "metadata", probe, video.id) for sentence in sentences]
    return found + _shots(video)


def _length(seconds: float) -> str:
    return f"{seconds:.1f} seconds ({clock(seconds)})"


def _sound(video: VideoHandle, tracks: int) -> str:
    if not tracks:
        return "There is no sound track."
    silent = sum(item["end"] - item["start"] for item in video.items("sounds") if item["kind"] == "silence")
    if video.layer("sounds") and silent >= 0.98 * video.duration:
        return "There is a sound track, but it is silent throughout."
    return f"There is sound: {tracks} sound track{'s' if tracks > 1 else ''}."


def _shots(video: VideoHandle) -> list[Evidence]:
    layer = video.layer("shots")
    shots = video.items("shots")
    if layer is None or not shots:
        return []
    text = f"There {'are' if len(shots) > 1 else 'is'} {len(shots)} shot{'s' if len(shots) > 1 else ''}"
    for transition in ("cut", "dissolve", "fade"):
        times = ", ".join(f"{shot['start']:.2f} s" for shot in shots[1:] if shot["transition"] == transition)
        text += f"; {transition}s at {times}" if times else ""
    text += "." if len(shots) > 1 else "; there is no cut."
    return [evidence_of({"start": 0.0, "end": video.duration}, text, "metadata", layer, video.id)]
