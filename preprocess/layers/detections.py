"""The layer `detections`: the people and things in the picture of every second, each followed through its shot."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from typing import Any, NamedTuple

from longtake.errors import LibraryError
from longtake.memory.building import LayerWriter
from longtake.memory.layers import LayerRecipe, canonical_json
from longtake.preprocess.analysis.alike_pictures import Alike, alike_in
from longtake.preprocess.engines.objects.nanodet import PERSON
from longtake.preprocess.engines.objects.object_engine import Detector, FoundObject
from longtake.preprocess.engines.objects.objects_tracks import HIDDEN, follow
from longtake.preprocess.engines.people.people_tracks import is_clear
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.frames import read_jpeg

_CHUNK = 64  # pictures

Detected = Mapping[str, Sequence[FoundObject]]


class _Look(NamedTuple):
    """A picture, until when it stands, and the file that shows the same: its own or an earlier one."""

    time: float
    end: float
    file: str


class Detections:
    """Builds items {start, end, name, confidence, trusted, boxes}, one for each thing in each shot.

    `boxes` are its sightings: time, left, top, width and height. What isn't a person is often something else.
    """

    name = capability = "detections"

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One recipe if there are keyframes and an engine; without one, nothing is missing that anybody asked for."""
        keyframes = job.layers.get("keyframes")
        used = job.layers.get(self.name)  # without an engine, it stays
        if keyframes is None or (used is None and job.engines.report(self.capability).engine is None):
            return ()
        engine: Detector = job.engines.load(self.capability)
        return (LayerRecipe(self.name, 1, engine.id, inputs={keyframes.name: keyframes.key}),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Detect in every picture that shows something new, and follow what is found through each shot."""
        keyframes, writer = job.layers["keyframes"], writers[self.name]
        shots = list(_looks(keyframes.items(), alike_in(keyframes)))
        detected = _detected(job, list(dict.fromkeys(look.file for looks in shots for look in looks)))
        items = [item for looks in shots for item in _followed(looks, detected)]
        for item in sorted(items, key=lambda item: (item["start"], item["name"])):
            writer.add(item)
        writer.cover(keyframes.covered)


def _looks(keyframes: Iterable[Mapping[str, Any]], alike: Alike) -> Iterator[list[_Look]]:
    """The pictures of each shot; its own if it ends before there is another."""
    items = list(keyframes)
    seconds = [item for item in items if item["kind"] == "second"]
    for shot in (item for item in items if item["kind"] == "shot"):
        inside = [item for item in seconds if shot["start"] <= item["time"] < shot["end"]]
        looks: list[_Look] = []
        for item in inside or [shot]:
            held = looks and alike(looks[-1].file, item["file"])
            looks.append(_Look(item["time"], min(item["end"], shot["end"]), looks[-1].file if held else item["file"]))
        yield looks


def _detected(job: IndexJob, files: Sequence[str]) -> Detected:
    """What each file shows, in chunks, reusing those from an earlier build."""
    engine: Detector = job.engines.load(Detections.capability)
    folder = job.layers["keyframes"].path
    found: dict[str, list[FoundObject]] = {}
    for first in range(0, len(files), _CHUNK):
        chunk, name = files[first : first + _CHUNK], f"{first // _CHUNK:05d}"
        kept = job.chunks.get(name)
        if kept is None:
            shown = []
            for file in chunk:
                job.check_cancelled()
                try:
                    shown.append([astuple(each) for each in engine.detect(read_jpeg(folder / file))])
                except LibraryError:  # a damaged picture costs only itself
                    shown.append([])
            kept = canonical_json(shown).encode()
            job.chunks.put(name, kept)
        for file, things in zip(chunk, json.loads(kept), strict=True):
            found[file] = [FoundObject(name, tuple(box), *rest) for name, box, *rest in things]
        job.progress((first + len(chunk)) / len(files))
    return found


def _followed(looks: Sequence[_Look], detected: Detected) -> Iterator[dict[str, Any]]:
    ends = {look.time: look.end for look in looks}
    for track in follow([(look.time, detected[look.file]) for look in looks], HIDDEN):
        name = track.sightings[0][1].name
        times = {"start": round(track.start, 3), "end": round(ends[track.end], 3)}
        boxes = [[round(time, 3), *(round(share, 4) for share in found.box)] for time, found in track.sightings]
        trusted = name == PERSON and is_clear(track.confidence, times["end"] - times["start"])
        yield times | {"name": name, "confidence": track.confidence, "trusted": trusted, "boxes": boxes}
