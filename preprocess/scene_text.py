"""Scene text: the layer of everything that stood written in the picture, and closer reading at question time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import cv2
import numpy as np

from longtake.errors import LibraryError
from longtake.memory.layers import LayerRecipe, LayerWriter
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.scene_text import SceneTextEngine, TextBox
from longtake.preprocess.frames import Frame, Picture, read_frames
from longtake.preprocess.media import MediaInfo
from longtake.preprocess.reading import lifetimes, lines_of
from longtake.preprocess.step import IndexJob

VERSION = 1
REFINED_LONG_SIDE = 1280


class SceneText:
    """Reads the pictures of `text_frames`; an item is one line of text and the span during which it stood.

    Lines and not blocks: a slide that grows point by point keeps the lines that were there, each with its own span.
    """

    name = "scene_text"

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One recipe, where a pass over the pictures left frames to read."""
        frames = job.layers.get("text_frames")
        if frames is None:
            return ()
        engine: SceneTextEngine = job.engines.load("scene_text")
        settings = {"min_confidence": job.settings.scene_text.min_confidence}
        return (LayerRecipe(self.name, VERSION, engine.id, settings, {frames.name: frames.key}),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Read every picture, follow each line over time, and write the lines by first sight."""
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

    The frames are those on the screen at the middles of `frames` equal parts of the span; for a span without length
    it is the one shown at that moment. The cost does not grow with the span.

    Raises:
        MediaError: when the file has no picture or cannot be opened.
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
        shown = next(read_frames(path, media, TimeSpan(start=moment, end=moment), check_cancelled), None)
        if shown is not None and shown.time > seen:
            seen = shown.time
            yield shown


def _read_pictures(job: IndexJob) -> Iterator[tuple[TimeSpan, list[TextBox]]]:
    engine: SceneTextEngine = job.engines.load("scene_text")
    layer = job.layers["text_frames"]
    for done, item in enumerate(layer.items(), start=1):
        job.check_cancelled()
        picture = _load(layer.path / item["file"])
        lines = lines_of(engine.read(picture), picture.shape[1] / picture.shape[0])
        yield TimeSpan(start=item["start"], end=item["end"]), lines
        job.progress(done / layer.count)


def _load(file: Path) -> Picture:
    picture = cv2.imread(str(file), cv2.IMREAD_COLOR)
    if picture is None:
        raise LibraryError(f"{file} cannot be read: delete its folder and index the video again.")
    return np.asarray(picture, dtype=np.uint8)
