"""The layer `scene_text`: all text in the picture. Also rereads a span more closely at question time."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

from longtake.memory.building import LayerWriter
from longtake.memory.layers import LayerRecipe, canonical_json
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.text.text_engines import SceneTextEngine, TextBox
from longtake.preprocess.layers.reading import lifetimes, lines_of
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.frames import Frame, read_jpeg
from longtake.preprocess.media.media import MediaInfo
from longtake.preprocess.media.whole_frames import read_whole_frames

VERSION = 3
REFINED_LONG_SIDE = 1280
_CHUNK = 8  # pictures; they are read in one call, after which the work can be stopped


class SceneText:
    """Reads the pictures of `text_frames`; an item is one line of text and the span in which it was visible.

    Items are lines, not blocks: when a slide grows point by point, its earlier lines keep their own spans.
    """

    name = "scene_text"
    capability = "scene_text"

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One recipe if the visual pass chose frames to read."""
        frames = job.layers.get("text_frames")
        if frames is None:
            return ()
        engine: SceneTextEngine = job.engines.load("scene_text")
        settings = {"min_confidence": job.settings.scene_text.min_confidence}
        return (LayerRecipe(self.name, VERSION, engine.id, settings, {frames.name: frames.key}),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Read every picture, track each line over time, and write the lines by first appearance."""
        writer = writers[self.name]
        for shown in lifetimes(_read_pictures(job)):
            writer.add(
                {
                    "start": round(shown.start, 3),
                    "end": round(shown.end, 3),
                    "text": shown.best.text,
                    "box": list(shown.best.box),
                    "confidence": shown.best.confidence,
                }
            )
        writer.cover(job.layers["text_frames"].covered)


def read_scene_text(
    path: Path,
    media: MediaInfo,
    span: TimeSpan,
    engine: SceneTextEngine,
    check_cancelled: Callable[[], None],
    frames: int = 3,
) -> list[tuple[float, TextBox]]:
    """Read a few frames of a span at full resolution: each line with the time of its frame, in reading order.

    The frames are those on screen at the middles of `frames` equal parts of the span; for a zero-length span, the one
    at that moment. The cost doesn't grow with the span.

    Raises:
        MediaError: if the file has no picture or can't be opened.
    """
    readings: list[tuple[float, TextBox]] = []
    for frame in _spread(path, media, span, check_cancelled, frames):
        picture = frame.bgr()
        lines = lines_of(engine.read(picture, REFINED_LONG_SIDE), picture.shape[1] / picture.shape[0])
        readings.extend((round(frame.time, 3), line) for line in lines)
    return readings


def _spread(
    path: Path, media: MediaInfo, span: TimeSpan, check_cancelled: Callable[[], None], count: int
) -> Iterator[Frame]:
    seen = -1.0
    for part in range(count):
        moment = span.start + span.length * (part + 0.5) / count
        shown = next(read_whole_frames(path, media, TimeSpan(start=moment, end=moment), check_cancelled), None)
        if shown is not None and shown.time > seen:
            seen = shown.time
            yield shown


def _read_pictures(job: IndexJob) -> Iterator[tuple[TimeSpan, list[TextBox]]]:
    """The lines of every picture with its span, in chunks, reusing those from an earlier build."""
    engine: SceneTextEngine = job.engines.load("scene_text")
    layer = job.layers["text_frames"]
    done = 0
    for number, items in enumerate(_chunks(layer.items())):
        name = f"{_CHUNK}-{number:05d}"
        kept = job.chunks.get(name)
        if kept is None:
            job.check_cancelled()
            readings = _read(engine, [layer.path / item["file"] for item in items])
            kept = canonical_json([[asdict(box) for box in boxes] for boxes in readings]).encode()
            job.chunks.put(name, kept)
        done += len(items)
        job.progress(done / layer.count)
        for item, boxes in zip(items, json.loads(kept), strict=True):
            lines = [TextBox(box["text"], tuple(box["box"]), box["confidence"]) for box in boxes]
            yield TimeSpan(start=item["start"], end=item["end"]), lines


def _chunks(items: Iterator[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    while chunk := list(islice(items, _CHUNK)):
        yield chunk


def _read(engine: SceneTextEngine, files: Sequence[Path]) -> list[list[TextBox]]:
    """The lines of each picture."""
    pictures = [read_jpeg(file) for file in files]
    found = zip(pictures, engine.read_all(pictures), strict=True)
    return [lines_of(boxes, picture.shape[1] / picture.shape[0]) for picture, boxes in found]
