"""The layer `captions`: what a vision-language model sees happen in each segment."""

from __future__ import annotations

import shlex
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter

from longtake.errors import EngineError
from longtake.memory.building import LayerWriter
from longtake.memory.layers import Layer, LayerRecipe
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.analysis.alike_pictures import Alike, alike_in
from longtake.preprocess.analysis.segment_spans import segment_spans
from longtake.preprocess.engines.endpoints.caption_engine import (
    CaptionEngine,
    Description,
    NamedThing,
    PictureRefused,
    TimedJpeg,
)
from longtake.preprocess.layers.step import IndexJob
from longtake.settings import CaptionSettings

_MAX_FAILURES = 3  # before the first success; then stop, because the model may not accept pictures
_WORDS = ("subtitles", "speech")
_MOST_SAID, _MOST_SHOWN = 600, 300  # letters of what is said and shown that a model is told
_BEHIND = 16  # segments: a model knows who is in those that are this far behind, so that it can see several at once
_BEAT = 0.5  # seconds between two looks at whether it is to stop
_KNOWN = {"person": 24, "place": 6, "thing": 6}  # that it is told of, the last ones of each kind

_DESCRIPTION = TypeAdapter(Description)


@dataclass(frozen=True, slots=True)
class CaptionPicture:
    """A picture of the layer `keyframes`."""

    time: float
    file: str


@dataclass(frozen=True, slots=True)
class CaptionScene:
    """A segment, or several that hold one picture, and the pictures that show it, in order."""

    span: TimeSpan
    pictures: tuple[CaptionPicture, ...]

    @property
    def middle(self) -> CaptionPicture:
        """The picture that stands for it."""
        return self.pictures[len(self.pictures) // 2]


class Captions:
    """Describes each segment from a few pictures; items are {start, end, time, text, file, named}.

    The model is told what is said and shown meanwhile, and who and what it named before. A picture that is held is
    described once. `named` lists who and what is in a segment, each {kind, name, looks}.
    """

    name = "captions"
    capability = "captions"
    version = 3

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One recipe if there are keyframes; if the layer in use lacks segments, one that completes it."""
        keyframes = job.layers.get("keyframes")
        if keyframes is None:
            return ()
        engine: CaptionEngine = job.engines.load("captions")
        used = (keyframes.name, "shots", *_WORDS, "scene_text")
        inputs = {name: job.layers[name].key for name in used if name in job.layers}
        settings = {"every": job.settings.captions.every, "pictures": job.settings.captions.pictures}
        first = LayerRecipe(self.name, self.version, engine.id, settings, inputs)
        earlier = job.layers.get(self.name)
        if earlier is None:
            return (first,)
        before = earlier.inputs.get(self.name)
        current = _completing(first, before) if before else first
        if earlier.key != current.key:
            return (first,)
        again = bool(earlier.left_out()) and not (before or job.hurried)  # once: some pictures are always refused
        return (_completing(first, earlier.key) if again else current,)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Describe the scenes, several at once; leaves out those that fail, with a warning.

        Raises:
            EngineError: if the model stops working, or fails on all of the first scenes.
        """
        writer = writers[self.name]
        scenes = scenes_in(job.layers, job.media.duration, job.settings.captions)
        describing = _Describing(job, scenes, _described(job.layers.get(self.name), writer.recipe))
        described, failed = describing.run()
        for scene, description in described:
            span = {"start": round(scene.span.start, 3), "end": round(scene.span.end, 3)}
            named = [each._asdict() for each in description.named]
            middle = scene.middle
            writer.add(span | {"time": middle.time, "text": description.text, "file": middle.file, "named": named})
            writer.cover([scene.span])
        if failed:
            of = f"{len(failed)} of {len(described) + len(failed)} segments"
            tried = self.name in writer.recipe.inputs
            again = "" if tried else f" To try them again: longtake index {shlex.quote(job.path.name)}"
            job.warn(f"Couldn't describe {of}; the first failed at {failed[0]}.{again}")


def _completing(recipe: LayerRecipe, key: str) -> LayerRecipe:
    """The recipe of a layer that has what the one with this key has, and tries the rest again."""
    return replace(recipe, inputs={**recipe.inputs, recipe.name: key})


def scenes_in(layers: Mapping[str, Layer], duration: float, settings: CaptionSettings) -> Iterator[CaptionScene]:
    """What of a video is described, from its layers; `keyframes` must be among them."""
    keyframes = layers["keyframes"]
    spans = segment_spans(layers, duration, settings.every)
    return scenes_of(keyframes.items(), spans, settings.pictures, alike_in(keyframes))


def _described(earlier: Layer | None, recipe: LayerRecipe) -> dict[float, Description]:
    """The descriptions of the layer that a recipe completes, by start; none if it completes none."""
    if earlier is None or recipe.inputs.get(earlier.name) != earlier.key:
        return {}
    return {item["start"]: _DESCRIPTION.validate_python([item["text"], item["named"]]) for item in earlier.items()}


class _Describing:
    """Has scenes described: the first one by itself, then as many at once as the engine takes."""

    def __init__(self, job: IndexJob, scenes: Iterator[CaptionScene], described: Mapping[float, Description]) -> None:
        """Take the scenes, and the descriptions that an earlier layer has, by start."""
        self._job = job
        self._described = described
        self._coming = scenes  # their pictures are compared while others are described
        self._scenes: list[CaptionScene] = []
        self._waiting = deque[int]()
        self._again: list[int] = []  # scenes that failed while nothing was described yet
        self._engine: CaptionEngine = job.engines.load("captions")
        self._said = [item for name in _WORDS if name in job.layers for item in job.layers[name].items()]
        self._shown = list(job.layers["scene_text"].items()) if "scene_text" in job.layers else []
        self._found: dict[int, Description] = {}
        self._failed: list[str] = []
        self._patience = _MAX_FAILURES

    def run(self) -> tuple[list[tuple[CaptionScene, Description]], list[str]]:
        """The scenes with their descriptions, and why others have none."""
        running: dict[Future[Description], int] = {}
        with ThreadPoolExecutor(self._engine.at_once) as pool:
            try:
                while True:
                    self._job.check_cancelled()
                    most = self._engine.at_once if self._found else 1
                    while len(running) < most and (number := self._next(running.values())) is not None:
                        running[pool.submit(self._describe, number)] = number
                    if not running:
                        break
                    done, _ = wait(running, timeout=_BEAT, return_when=FIRST_COMPLETED)
                    for future in done:
                        number = running.pop(future)
                        if not self._take(number, future):
                            self._again.append(number)
                    reached = self._scenes[-1].span.end / max(1.0, self._job.media.duration)
                    self._job.progress(min(1.0, reached) * len(self._found) / len(self._scenes))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        if self._failed and not self._found:
            raise self._blind()
        return [(self._scenes[number], found) for number, found in sorted(self._found.items())], self._failed

    def _next(self, running: Iterable[int]) -> int | None:
        """The next scene to ask about; None if there is none, or if one it is told of is still being described."""
        while not self._waiting:
            scene = next(self._coming, None)
            if scene is None:
                self._waiting.extend(self._again)
                self._again.clear()
                break
            number = len(self._scenes)
            self._scenes.append(scene)
            if kept := self._job.chunks.get(_chunk(number)):
                self._found[number] = _DESCRIPTION.validate_json(kept)
            elif known := self._described.get(round(scene.span.start, 3)):
                self._found[number] = known
            else:
                self._waiting.append(number)
        if not self._waiting or any(other <= self._waiting[0] - _BEHIND for other in running):
            return None
        return self._waiting.popleft()

    def _take(self, number: int, future: Future[Description]) -> bool:
        """Keep a description, or what went wrong; False if the scene is to be asked about again after another one."""
        when = clock(self._scenes[number].middle.time)
        try:
            description = future.result()
        except PictureRefused as error:
            self._failed.append(f"{when}: {error}")
            if not self._found and len(self._failed) >= self._patience:
                raise self._blind() from error
            return True
        except EngineError as error:
            self._patience -= 1
            if self._found or self._patience <= 0:
                raise EngineError(f"{str(error).removesuffix('.')}, then index again to resume.") from error
            return False  # its pictures may be the cause
        self._found[number] = description
        return True

    def _describe(self, number: int) -> Description:
        """The description of a scene, which is kept even if nobody waits any more; it was paid for.

        It is asked for again after checking on another scene that the engine works.

        Raises:
            PictureRefused: if only this scene can't be described.
            EngineError: if none can be described.
        """
        try:
            description = self._asked(number)
        except PictureRefused:
            raise
        except EngineError:
            described = list(self._found)[:1]
            if not described:
                raise
            self._asked(described[0])
            try:
                description = self._asked(number)
            except EngineError as again:
                raise PictureRefused(str(again)) from again
        self._job.chunks.put(_chunk(number), _DESCRIPTION.dump_json(description))
        return description

    def _asked(self, number: int) -> Description:
        scene, folder = self._scenes[number], self._job.layers["keyframes"].path
        try:
            stills = [TimedJpeg(each.time, (folder / each.file).read_bytes()) for each in scene.pictures]
        except OSError as error:
            raise PictureRefused(f"its picture can't be read: {error}") from error
        said = " ".join(_texts_in(self._said, scene.span))[:_MOST_SAID]
        shown = " / ".join(_texts_in(self._shown, scene.span))[:_MOST_SHOWN]
        return self._engine.describe(stills, said, shown, self._known(number))

    def _blind(self) -> EngineError:
        return EngineError(
            f"The caption model described no picture; the first failed at {self._failed[0]}. Check that captions.model "
            "accepts images."
        )

    def _known(self, number: int) -> list[str]:
        """Who and what the scenes show that are far enough behind; those that were named last come last.

        What they are doesn't depend on how many scenes are described at once.
        """
        known: dict[str, NamedThing] = {}
        for earlier in range(number - _BEHIND + 1):
            for each in self._found[earlier].named if earlier in self._found else ():
                first = known.pop(each.name.casefold(), each)
                known[each.name.casefold()] = first
        told = [
            each
            for kind, most in _KNOWN.items()
            for each in [one for one in known.values() if one.kind == kind][-most:]
        ]
        return [f"{each.kind} | {each.name} | {each.looks}" for each in told]


def scenes_of(
    keyframes: Iterable[Mapping[str, Any]], spans: Iterable[TimeSpan], most: int, alike: Alike
) -> Iterator[CaptionScene]:
    """Choose the pictures of segments from the items of `keyframes`; a segment without any is left out.

    Args:
        keyframes: the items.
        spans: the segments, in order.
        most: pictures of one scene, evenly spread; a shot's own picture stands for one of which there is no other.
        alike: whether two pictures show the same; a segment that only holds the one picture of the one before belongs
            to it.
    """
    items = sorted(keyframes, key=lambda item: float(item["time"]))
    last: CaptionScene | None = None
    for span in spans:
        inside = [item for item in items if span.start <= item["time"] < span.end]
        seconds = [item for item in inside if item["kind"] == "second"] or inside
        count = min(most, len(seconds))
        if not count:
            continue
        pictures = _different([seconds[int((number + 0.5) * len(seconds) / count)] for number in range(count)], alike)
        if last and len(last.pictures) == len(pictures) == 1 and alike(last.pictures[0].file, pictures[0].file):
            last = replace(last, span=TimeSpan(start=last.span.start, end=span.end))
            continue
        if last:
            yield last
        last = CaptionScene(span, pictures)
    if last:
        yield last


def _different(items: Sequence[Mapping[str, Any]], alike: Alike) -> tuple[CaptionPicture, ...]:
    """The pictures without those that only hold the one before."""
    kept: list[CaptionPicture] = []
    for item in items:
        if not kept or not alike(kept[-1].file, item["file"]):
            kept.append(CaptionPicture(item["time"], item["file"]))
    return tuple(kept)


def _texts_in(items: Iterable[Mapping[str, Any]], span: TimeSpan) -> Iterator[str]:
    for item in items:
        if item["start"] < span.end and item["end"] > span.start:
            yield " ".join(str(item["text"]).split())


def _chunk(number: int) -> str:
    return f"{number:05d}"
