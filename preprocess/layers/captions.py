"""The layer `captions`: a vision-language model's description of each shot."""

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

_MAX_FAILURES = 3  # before the first success; then stop, because the model may not accept pictures


@dataclass(frozen=True, slots=True)
class Scene:
    """Part of a shot and the picture that represents it; `file` is in the layer `keyframes`."""

    span: TimeSpan
    time: float
    file: str


class Captions:
    """Describes one picture of every shot; items are {start, end, time, text, file}."""

    name = "captions"
    capability = "captions"
    version = 1

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One recipe if there are keyframes."""
        keyframes = job.layers.get("keyframes")
        if keyframes is None:
            return ()
        engine: CaptionEngine = job.engines.load("captions")
        inputs = {keyframes.name: keyframes.key}
        return (LayerRecipe(self.name, self.version, engine.id, {"every": job.settings.captions.every}, inputs),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Describe the pictures in turn; leaves out pictures that fail, with a warning.

        Raises:
            EngineError: if the model stops working, or fails on all of the first pictures.
        """
        keyframes = job.layers["keyframes"]
        writer = writers[self.name]
        scenes = list(scenes_of(keyframes.items(), job.settings.captions.every))
        texts: dict[int, str] = {}
        failed: list[str] = []
        described: Path | None = None
        patience = min(_MAX_FAILURES, len(scenes))
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
                        f"The caption model described no picture; the first failed at {failed[0]}. "
                        "Check that captions.model accepts images."
                    ) from error
            except EngineError as error:
                patience -= 1
                if described or patience <= 0:
                    raise EngineError(f"{str(error).removesuffix('.')}, then index again to resume.") from error
                waiting.append(number)  # this picture may be the cause: retry it after another one succeeds
            job.progress(1 - len(waiting) / len(scenes))
        for number, text in sorted(texts.items()):
            scene = scenes[number]
            span = {"start": round(scene.span.start, 3), "end": round(scene.span.end, 3)}
            writer.add(span | {"time": scene.time, "text": text, "file": scene.file})
            writer.cover([scene.span])
        if failed:
            job.warn(f"Couldn't describe {len(failed)} of {len(scenes)} pictures; the first failed at {failed[0]}")


def scenes_of(keyframes: Iterable[Mapping[str, Any]], every: float) -> Iterator[Scene]:
    """Choose scenes from the items of `keyframes`: each shot, in equal parts if it is longer than `every` seconds.

    A shot's own picture represents the whole shot; the picture nearest to a part's middle represents the part. Parts
    with the same picture are one scene.
    """
    items = list(keyframes)
    for shot in (item for item in items if item["kind"] == "shot"):
        parts = _parts(TimeSpan(start=shot["start"], end=shot["end"]), every)
        pictures = [shot]
        if len(parts) > 1:
            pictures += [item for item in items if item["kind"] == "second" and _inside(item, shot)]
        for picture, alike in groupby(parts, key=partial(_nearest, pictures)):
            run = list(alike)
            span = TimeSpan(start=run[0].start, end=run[-1].end)
            yield Scene(span, picture["time"], picture["file"])


def _parts(span: TimeSpan, max_seconds: float) -> list[TimeSpan]:
    count = max(1, ceil(span.length / max_seconds))
    bounds = [*(span.start + span.length * number / count for number in range(count)), span.end]
    return [TimeSpan(start=start, end=end) for start, end in pairwise(bounds)]


def _inside(picture: Mapping[str, Any], shot: Mapping[str, Any]) -> bool:
    return bool(shot["start"] <= picture["time"] < shot["end"])


def _nearest(pictures: Sequence[Mapping[str, Any]], part: TimeSpan) -> Mapping[str, Any]:
    middle = (part.start + part.end) / 2
    return min(pictures, key=lambda picture: abs(picture["time"] - middle))


def _description(job: IndexJob, chunk: str, file: Path, described: Path | None) -> str:
    """The description stored under the chunk's name, or a new one, which is then stored.

    Raises:
        PictureRefused: if only this picture can't be described; `described` could be, and still can.
        EngineError: if no picture can be described.
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
    """Retry the description after checking on another picture that the engine works."""
    if described is None:
        raise error
    engine.describe(described.read_bytes())
    try:
        return engine.describe(file.read_bytes())
    except EngineError as again:
        raise PictureRefused(str(again)) from again
