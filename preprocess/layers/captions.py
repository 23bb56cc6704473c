"""The layer `captions`: what each shot shows, in a vision-language model's words."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, pairwise
from math import ceil
from pathlib import Path
from typing import Any

from longtake.errors import EngineError
from longtake.memory.building import LayerWriter
from longtake.memory.layers import LayerRecipe
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.engines.endpoints.caption_engine import CaptionEngine, PictureRefused
from longtake.preprocess.layers.step import IndexJob

_FUTILE = 3  # pictures that fail before any is described, after which no more are sent: the model may not take pictures


@dataclass(frozen=True, slots=True)
class Scene:
    """A stretch of one shot and the picture that stands for it; `file` lies in the layer `keyframes`."""

    span: TimeSpan
    time: float
    file: str


class Captions:
    """Describes a picture of every shot; items {start, end, time, text, file}."""

    name = "captions"
    version = 1

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One recipe where there are keyframes."""
        keyframes = job.layers.get("keyframes")
        if keyframes is None:
            return ()
        engine: CaptionEngine = job.engines.load("captions")
        inputs = {keyframes.name: keyframes.key}
        return (LayerRecipe(self.name, self.version, engine.id, {"every": job.settings.captions.every}, inputs),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Describe one picture after the other; a picture for which that fails is left out, and that is said.

        Raises:
            EngineError: when the model no longer describes what it did describe, or none of the first pictures.
        """
        keyframes = job.layers["keyframes"]
        writer = writers[self.name]
        scenes = list(scenes_of(keyframes.items(), job.settings.captions.every))
        texts: dict[int, str] = {}
        failed: list[str] = []
        described: Path | None = None
        patience = min(_FUTILE, len(scenes))
        waiting = deque(range(len(scenes)))
        while waiting:
            job.check_cancelled()
            number = waiting.popleft()
            file = keyframes.path / scenes[number].file
            try:
                texts[number] = _description(job, f"{number:05d}", file, described)
                described = file
            except PictureRefused as error:
                failed.append(f"{clock(scenes[number].time)}: {error}")
                if described is None and len(failed) >= patience:
                    raise EngineError(
                        f"No picture is described, the first at {failed[0]}; check captions.model: can it see?"
                    ) from error
            except EngineError as error:
                patience -= 1
                if described or patience <= 0:
                    raise EngineError(
                        f"{str(error).removesuffix('.')}, and index again to go on from there."
                    ) from error
                waiting.append(number)  # it may lie with this picture: again, once another one is described
            job.progress(1 - len(waiting) / len(scenes))
        for number, text in sorted(texts.items()):
            scene = scenes[number]
            span = {"start": round(scene.span.start, 3), "end": round(scene.span.end, 3)}
            writer.add(span | {"time": scene.time, "text": text, "file": scene.file})
            writer.cover([scene.span])
        if failed:
            job.warn(f"{len(failed)} of {len(scenes)} pictures could not be described, the first at {failed[0]}")


def scenes_of(keyframes: Iterable[Mapping[str, Any]], every: float) -> Iterator[Scene]:
    """What is described of the items of `keyframes`: each shot, in equal parts where it is longer than `every` seconds.

    A shot's own picture stands for it whole, and the picture of it nearest to a part's middle for the part. Parts with
    the same picture are one scene.
    """
    items = list(keyframes)
    for shot in (item for item in items if item["kind"] == "shot"):
        parts = _parts(TimeSpan(start=shot["start"], end=shot["end"]), every)
        pictures = [shot]
        if len(parts) > 1:
            pictures += [item for item in items if item["kind"] == "second" and _inside(item, shot)]
        for picture, alike in groupby(parts, key=partial(_nearest, pictures)):
            stretch = list(alike)
            span = TimeSpan(start=stretch[0].start, end=stretch[-1].end)
            yield Scene(span, picture["time"], picture["file"])


def _parts(span: TimeSpan, longest: float) -> list[TimeSpan]:
    count = max(1, ceil(span.length / longest))
    bounds = [*(span.start + span.length * number / count for number in range(count)), span.end]
    return [TimeSpan(start=start, end=end) for start, end in pairwise(bounds)]


def _inside(picture: Mapping[str, Any], shot: Mapping[str, Any]) -> bool:
    return bool(shot["start"] <= picture["time"] < shot["end"])


def _nearest(pictures: Sequence[Mapping[str, Any]], part: TimeSpan) -> Mapping[str, Any]:
    middle = (part.start + part.end) / 2
    return min(pictures, key=lambda picture: abs(picture["time"] - middle))


def _description(job: IndexJob, chunk: str, file: Path, described: Path | None) -> str:
    """The description kept under the chunk's name, or a new one, kept there.

    Raises:
        PictureRefused: when this picture alone cannot be described; `described` could be, and still can.
        EngineError: when none can be described any more.
    """
    kept = job.chunks.get(chunk)
    if kept is None:
        engine: CaptionEngine = job.engines.load("captions")
        try:
            text = engine.describe(file.read_bytes())
        except PictureRefused:
            raise
        except EngineError as error:
            text = _second_try(error, engine, file, described)
        kept = text.encode()
        job.chunks.put(chunk, kept)
    return kept.decode()


def _second_try(error: EngineError, engine: CaptionEngine, file: Path, described: Path | None) -> str:
    """The description after all, once the engine has shown on another picture that it works."""
    if described is None:
        raise error
    engine.describe(described.read_bytes())
    try:
        return engine.describe(file.read_bytes())
    except EngineError as again:
        raise PictureRefused(str(again)) from again
