"""What a build knows of a video: its segments from the index, each with one description of all that it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from longtake.errors import ConfigError
from longtake.evalharness.building.replies import Fused
from longtake.evalharness.building.stages import Stages
from longtake.evalharness.runs.run_folder import Notify
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.timespan import TimeSpan, clock
from longtake.models.profiles import profile_of
from longtake.preprocess.layers.segments import Segment, segments_of
from longtake.prompts import render
from longtake.settings import Settings

PROMPTS = "longtake.evalharness.building.prompts"
TOGETHER = 8  # segments that are described in one request
ENGINES_OF = ("captions", "subtitles", "speech", "scene_text", "sounds")  # layers that segments are made of
_LETTERS_PER_TOKEN = 4
_SHARE = 0.5  # of the model's context that a video may take up


class VideoMaterial(NamedTuple):
    """A video, its segments and their descriptions; a segment in which nothing was found has none."""

    video: str  # the name of its file, without its suffix
    path: Path
    duration: float
    segments: tuple[Segment, ...]
    texts: tuple[str, ...]
    engines: Mapping[str, str]  # of the layers

    def span(self, number: int) -> TimeSpan:
        """Where a segment is."""
        segment = self.segments[number]
        return TimeSpan(start=segment.start, end=segment.end)

    def evidence(self, number: int) -> str:
        """What the index itself has of a segment, in one line."""
        segment = self.segments[number]
        found = " | ".join(f"{name}: {text}" for name, text in _parts(segment).items())
        return f"{_time(segment)} {found}"

    def told(self, letters: int) -> list[dict[str, Any]]:
        """The segments as a model reads them; long descriptions are cut so that all together have so many letters."""
        most = self.longest(letters)
        cut = (text if len(text) <= most else f"{text[: max(1, most - 1)].rstrip()}…" for text in self.texts)
        return [
            {"segment": number, "time": _time(self.segments[number]), "text": text}
            for number, text in enumerate(cut)
            if text
        ]

    def longest(self, letters: int) -> int:
        """The letters of one description, if all together have so many."""
        return letters // max(1, sum(map(bool, self.texts)))


def material_of(path: Path, record: VideoRecord, library: LibraryStore, notify: Notify) -> VideoMaterial:
    """What the index has of a video; told if no model described its pictures.

    Raises:
        ConfigError: if the index has nothing of it.
        LibraryError: if a layer is damaged.
    """
    segments = tuple(segments_of(library, record))
    texts = tuple(segment.text for segment in segments)
    if not any(texts):
        raise ConfigError(f"{path.name}: nothing was found in it that a question could be about; leave it out.")
    if not any(segment.caption for segment in segments):
        notify(
            f"{path.name}: no model described its pictures, so questions rest on what is said, written and heard; "
            "captions.base_url and captions.model name one."
        )
    layers = {name: library.layer(record, name) for name in ENGINES_OF}
    engines = {name: layer.engine for name, layer in layers.items() if layer}
    return VideoMaterial(path.stem, path, record.duration, segments, texts, engines)


def room_of(settings: Settings) -> int:
    """Letters of a video that the language model may be told in one request."""
    return int(profile_of(settings.controller).context * _LETTERS_PER_TOKEN * _SHARE)


def fused(materials: Sequence[VideoMaterial], stages: Stages) -> list[VideoMaterial]:
    """The materials with one description of each segment, in which the model brings its modalities together.

    A segment whose description can't be used keeps what the index has of it, part by part.
    """
    parts = {f"{each.video}#{part[0]}": (each, part) for each in materials for part in parts_of(each)}
    prompts = {
        of: render(
            PROMPTS,
            "fusion",
            segments=[
                {"segment": number, "time": _time(segment), **_parts(segment)}
                for number in part
                for segment in [material.segments[number]]
            ],
        )
        for of, (material, part) in parts.items()
    }

    def check(of: str, said: Fused) -> str:
        left = set(parts[of][1]) - {each.segment for each in said.segments}
        return f"segment {min(left)} is missing" if left else ""

    texts: dict[tuple[str, int], str] = {}
    for of, said in stages.ask("fusion", prompts, Fused, check).items():
        material, part = parts[of]
        texts |= {(material.video, each.segment): each.text for each in said.segments if each.segment in part}
    return [
        each._replace(texts=tuple(texts.get((each.video, number), text) for number, text in enumerate(each.texts)))
        for each in materials
    ]


def parts_of(material: VideoMaterial) -> Iterator[list[int]]:
    """The segments that have something to tell, as many at a time as are described in one request."""
    known = [number for number, text in enumerate(material.texts) if text]
    return (known[first : first + TOGETHER] for first in range(0, len(known), TOGETHER))


def _time(segment: Segment) -> str:
    return f"{clock(segment.start)}-{clock(segment.end)}"


def _parts(segment: Segment) -> dict[str, str]:
    """What is seen, written, said and heard in a segment, as far as anything is."""
    things = ", ".join(f"{count} x {name}" for name, count in segment.things.items())
    named = {
        "seen": segment.caption,
        "counted": things,
        "written": segment.shown,
        "said": segment.said,
        "heard": ", ".join(segment.heard),
    }
    return {name: text for name, text in named.items() if text}
