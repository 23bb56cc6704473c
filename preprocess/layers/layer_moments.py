"""Makes searchable moments from the layers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from longtake.language.text import without_bullet, words_of
from longtake.memory.layers import Layer
from longtake.memory.records import Modality, Moment
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.layers.entities import entity_of
from longtake.preprocess.layers.speaker_lines import SPEAKERS, speaker_lines, spoken_by, words_said

VERSION = 5  # raise it when the same layers would give different moments
SOURCES: Mapping[str, Modality] = {
    "subtitles": "speech",
    "speech": "speech",
    "speakers": "speech",
    "scene_text": "scene_text",
    "sounds": "audio",
    "captions": "visual",
    "moments": "visual",
    "entities": "metadata",
}
# What is said, written and described; what `speakers` adds repeats its lines.
WORDED: Mapping[str, Modality] = {name: SOURCES[name] for name in ("subtitles", "speech", "scene_text", "captions")}
_SPOKEN = ("subtitles", "speech")
_SHORT = 2.0  # seconds; a shorter cue rarely means anything on its own
_MAX_SECONDS = 15.0  # of joined cues: a citation should still lead to one place
_GAP = 1.0  # seconds of silence that end a sentence, whatever its punctuation
_ENDS = tuple('.!?…。！？"”»')
_MOMENTS = {
    "flash": "flash: the picture shows something else for a moment",
    "object": "something small appears, moves and is gone",
}
_SOUNDS = {
    "speech": "speech (voices)",
    "music": "music",
    "silence": "silence",
    "loud": "loud sound",
    "quiet": "quiet passage",
    "impulse": "impulse: a bang or clap",
    "tone": "tone, beep",
    "siren": "siren-like sound",
    "applause": "applause-like sound, clapping",
}


def moments_of(video_id: str, layers: Mapping[str, Layer]) -> list[Moment]:
    """The moments in a video's layers: layer by layer as in `SOURCES`, in each layer's order."""
    return [
        _moment(video_id, layers[name], modality, item)
        for name, modality in SOURCES.items()
        if name in layers
        for item in _items(layers[name], layers)
    ]


def _moment(video_id: str, layer: Layer, modality: Modality, item: Mapping[str, Any]) -> Moment:
    return Moment(
        video=video_id,
        span=TimeSpan(start=item["start"], end=item["end"]),
        modality=modality,
        text=without_bullet(item["text"]),
        engine=SPEAKERS if layer.name == "speakers" else layer.engine,
        layer=layer.key,
        score=item.get("confidence", 1.0),
        trusted=item.get("trusted", True),
        box=item.get("box"),
    )


def _items(layer: Layer, layers: Mapping[str, Layer]) -> Iterator[dict[str, Any]]:
    if layer.name == "speakers":
        return speaker_lines(layer, words_said(lambda name: layers[name].items() if name in layers else ()))
    if layer.name == "sounds":
        return (item | {"text": sound_text(item)} for item in layer.items())
    if layer.name == "moments":
        return (item | {"text": _MOMENTS[item["kind"]]} for item in layer.items())
    if layer.name == "entities":
        return (item | {"text": entity_of(item).text} for item in layer.items())
    worded = (item for item in layer.items() if item["text"].strip())
    return _joined(_with_speakers(worded, layers)) if layer.name in _SPOKEN else worded


def _with_speakers(cues: Iterable[dict[str, Any]], layers: Mapping[str, Layer]) -> Iterator[dict[str, Any]]:
    """Cues with who speaks before what they say, by the name that the entities have: the user may have changed it."""
    known = layers["entities"].items() if "entities" in layers else ()
    called = {words_of(name): item["name"] for item in known if "speaks" in item["found"] for name in item["aliases"]}
    for cue in cues:
        who = cue.get("speaker", "")
        yield cue | {"text": spoken_by(called.get(words_of(who), who), cue["text"])}


def sound_text(item: Mapping[str, Any]) -> str:
    """What an item of the layer `sounds` is called."""
    if item["kind"] == "tone" and "hz" in item:
        return f"tone of {item['hz']:.0f} Hz, beep"
    kind: str = item["kind"]
    return _SOUNDS.get(kind, kind)


def _joined(cues: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Join short cues with their neighbours in the same sentence, track by track."""
    for _, track in groupby(sorted(cues, key=_track), key=_track):
        group: list[dict[str, Any]] = []
        for cue in track:
            if group and not _belongs(group, cue):
                yield _merged(group)
                group = []
            group.append(cue)
        if group:
            yield _merged(group)


def _track(cue: Mapping[str, Any]) -> tuple[str, str]:
    return str(cue.get("language")), str(cue.get("source"))


def _belongs(group: Sequence[Mapping[str, Any]], cue: Mapping[str, Any]) -> bool:
    last = group[-1]
    short = min(last["end"] - last["start"], cue["end"] - cue["start"]) < _SHORT
    unfinished = not last["text"].rstrip().endswith(_ENDS)
    follows = last["start"] <= cue["start"] < last["end"] + _GAP
    same = last.get("speaker") == cue.get("speaker")
    return same and short and unfinished and follows and cue["end"] - group[0]["start"] <= _MAX_SECONDS


def _merged(group: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Merge several cues, with their lowest confidence and trust."""
    return dict(group[0]) | {
        "text": " ".join(" ".join(cue["text"].split()) for cue in group),
        "end": max(cue["end"] for cue in group),
        "confidence": min(cue.get("confidence", 1.0) for cue in group),
        "trusted": all(cue.get("trusted", True) for cue in group),
    }
