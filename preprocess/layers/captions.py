"""The layer `captions`: what a vision-language model sees happen in each part of each shot."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil
from typing import Any

from longtake.errors import EngineError
from longtake.memory.building import LayerWriter
from longtake.memory.layers import LayerRecipe
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.analysis.alike_pictures import Alike, alike_in
from longtake.preprocess.engines.endpoints.caption_engine import CaptionEngine, PictureRefused, Still
from longtake.preprocess.layers.step import IndexJob

_MAX_FAILURES = 3  # before the first success; then stop, because the model may not accept pictures
_WORDS = ("subtitles", "speech")
_MOST_SAID, _MOST_SHOWN = 600, 300  # letters of what is said and shown that a model is told


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture of the layer `keyframes`."""

    time: float
    file: str


@dataclass(frozen=True, slots=True)
class Scene:
    """A shot or a part of one, and the pictures that show it, in order."""

    span: TimeSpan
    pictures: tuple[Picture, ...]

    @property
    def middle(self) -> Picture:
        """The picture that stands for it."""
        return self.pictures[len(self.pictures) // 2]


class Captions:
    """Describes each part of each shot from a few pictures; items are {start, end, time, text, file}.

    The model is told what is said and shown meanwhile. A picture that is held is described once.
    """

    name = "captions"
    capability = "captions"
    version = 2

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One recipe if there are keyframes."""
        keyframes = job.layers.get("keyframes")
        if keyframes is None:
            return ()
        engine: CaptionEngine = job.engines.load("captions")
        used = (keyframes.name, *_WORDS, "scene_text")
        inputs = {name: job.layers[name].key for name in used if name in job.layers}
        settings = {"every": job.settings.captions.every, "pictures": job.settings.captions.pictures}
        return (LayerRecipe(self.name, self.version, engine.id, settings, inputs),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Describe the scenes, several at once; leaves out those that fail, with a warning.

        Raises:
            EngineError: if the model stops working, or fails on all of the first scenes.
        """
        keyframes, own = job.layers["keyframes"], job.settings.captions
        writer = writers[self.name]
        scenes = list(scenes_of(keyframes.items(), own.every, own.pictures, alike_in(keyframes)))
        texts, failed = _Describing(job, scenes).run()
        for number, text in sorted(texts.items()):
            scene = scenes[number]
            span = {"start": round(scene.span.start, 3), "end": round(scene.span.end, 3)}
            writer.add(span | {"time": scene.middle.time, "text": text, "file": scene.middle.file})
            writer.cover([scene.span])
        if failed:
            job.warn(f"Couldn't describe {len(failed)} of {len(scenes)} scenes; the first failed at {failed[0]}")


class _Describing:
    """Has scenes described: the first one by itself, then as many at once as the engine takes."""

    def __init__(self, job: IndexJob, scenes: Sequence[Scene]) -> None:
        self._job = job
        self._scenes = scenes
        self._engine: CaptionEngine = job.engines.load("captions")
        self._said = [item for name in _WORDS if name in job.layers for item in job.layers[name].items()]
        self._shown = list(job.layers["scene_text"].items()) if "scene_text" in job.layers else []
        self._texts: dict[int, str] = {}
        self._failed: list[str] = []
        self._patience = min(_MAX_FAILURES, len(scenes))

    def run(self) -> tuple[dict[int, str], list[str]]:
        """The description of each scene by its number, and why others have none."""
        waiting = deque[int]()
        for number in range(len(self._scenes)):
            kept = self._job.chunks.get(_chunk(number))
            if kept is None:
                waiting.append(number)
            else:
                self._texts[number] = kept.decode()
        running: dict[Future[str], int] = {}
        with ThreadPoolExecutor(self._engine.at_once) as pool:
            try:
                while waiting or running:
                    self._job.check_cancelled()
                    most = self._engine.at_once if self._texts else 1
                    while waiting and len(running) < most:
                        number = waiting.popleft()
                        running[pool.submit(self._describe, number)] = number
                    done, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in done:
                        number = running.pop(future)
                        if not self._take(number, future):
                            waiting.append(number)
                    self._job.progress(len(self._texts) / len(self._scenes))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        return self._texts, self._failed

    def _take(self, number: int, future: Future[str]) -> bool:
        """Keep a description, or what went wrong; False if the scene is to be asked about again after another one."""
        when = clock(self._scenes[number].middle.time)
        try:
            text = future.result()
        except PictureRefused as error:
            self._failed.append(f"{when}: {error}")
            if not self._texts and len(self._failed) >= self._patience:
                raise EngineError(
                    f"The caption model described no picture; the first failed at {self._failed[0]}. "
                    "Check that captions.model accepts images."
                ) from error
            return True
        except EngineError as error:
            self._patience -= 1
            if self._texts or self._patience <= 0:
                raise EngineError(f"{str(error).removesuffix('.')}, then index again to resume.") from error
            return False  # its pictures may be the cause
        self._job.chunks.put(_chunk(number), text.encode())
        self._texts[number] = text
        return True

    def _describe(self, number: int) -> str:
        """The description of a scene; retried after checking on another scene that the engine works.

        Raises:
            PictureRefused: if only this scene can't be described.
            EngineError: if none can be described.
        """
        try:
            return self._asked(number)
        except PictureRefused:
            raise
        except EngineError:
            described = list(self._texts)[:1]
            if not described:
                raise
            self._asked(described[0])
            try:
                return self._asked(number)
            except EngineError as again:
                raise PictureRefused(str(again)) from again

    def _asked(self, number: int) -> str:
        scene, folder = self._scenes[number], self._job.layers["keyframes"].path
        stills = [Still(each.time, (folder / each.file).read_bytes()) for each in scene.pictures]
        said = " ".join(_texts_in(self._said, scene.span))[:_MOST_SAID]
        return self._engine.describe(stills, said, " / ".join(_texts_in(self._shown, scene.span))[:_MOST_SHOWN])


def scenes_of(keyframes: Iterable[Mapping[str, Any]], every: float, most: int, alike: Alike) -> Iterator[Scene]:
    """Choose scenes from the items of `keyframes`: each shot, in equal parts if it is longer than `every` seconds.

    Args:
        keyframes: the items.
        every: seconds.
        most: pictures of one scene, evenly spread; a shot's own picture stands for one of which there is no other.
        alike: whether two pictures show the same; a part that only holds the picture of the one before belongs to it.
    """
    items = list(keyframes)
    seconds = [item for item in items if item["kind"] == "second"]
    for shot in (item for item in items if item["kind"] == "shot"):
        last: Scene | None = None
        for part in _parts(TimeSpan(start=shot["start"], end=shot["end"]), every):
            inside = [item for item in seconds if part.start <= item["time"] < part.end]
            count = min(most, len(inside))
            chosen = [inside[int((number + 0.5) * len(inside) / count)] for number in range(count)]
            pictures = _different(chosen or [shot], alike)
            if last and len(pictures) == 1 and alike(last.pictures[-1].file, pictures[0].file):
                last = replace(last, span=TimeSpan(start=last.span.start, end=part.end))
                continue
            if last:
                yield last
            last = Scene(part, pictures)
        if last:
            yield last


def _parts(span: TimeSpan, max_seconds: float) -> list[TimeSpan]:
    count = max(1, ceil(span.length / max_seconds))
    bounds = [*(span.start + span.length * number / count for number in range(count)), span.end]
    return [TimeSpan(start=start, end=end) for start, end in pairwise(bounds)]


def _different(items: Sequence[Mapping[str, Any]], alike: Alike) -> tuple[Picture, ...]:
    """The pictures without those that only hold the one before."""
    kept: list[Picture] = []
    for item in items:
        if not kept or not alike(kept[-1].file, item["file"]):
            kept.append(Picture(item["time"], item["file"]))
    return tuple(kept)


def _texts_in(items: Iterable[Mapping[str, Any]], span: TimeSpan) -> Iterator[str]:
    for item in items:
        if item["start"] < span.end and item["end"] > span.start:
            yield " ".join(str(item["text"]).split())


def _chunk(number: int) -> str:
    return f"{number:05d}"
