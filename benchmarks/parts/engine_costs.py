"""Times every engine that can be used here, each in a process of its own: how long it takes to start, and each item."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from longtake.benchmarks.reports import Notify, Report
from longtake.console import Session
from longtake.errors import LongtakeError
from longtake.memory.records import Record
from longtake.preprocess.analysis.changes import Changes
from longtake.preprocess.demo.make import copy_voice, make_demo
from longtake.preprocess.engines.engine_table import ENGINES, EngineTable
from longtake.preprocess.engines.objects.object_engine import ObjectQuery
from longtake.preprocess.media.audio import Samples, read_audio
from longtake.preprocess.media.frames import Frame, read_frames
from longtake.preprocess.media.media import probe
from longtake.settings import Settings

_PICTURES = 4
_SPEECH = 30  # seconds


@dataclass(frozen=True)
class _Material:
    """What engines work on: frames of the demo, and its speech at 16 kHz."""

    frames: tuple[Frame, ...]
    speech: Samples

    @property
    def pictures(self) -> list[Any]:
        return [frame.bgr() for frame in self.frames[:: len(self.frames) // _PICTURES][:_PICTURES]]

    @property
    def texts(self) -> list[str]:
        return [f"Line {number} is about a bridge over river {number}." for number in range(20)]


class _Use(NamedTuple):
    """One use of an engine: what an item is, and how to work on some, returning how many."""

    item: str
    work: Callable[[Any, _Material], float]


class EngineCost(Record):
    """Seconds that the first use in a fresh process takes longer than the second, and its milliseconds for an item."""

    engine: str
    start: float
    each: float
    item: str


class EnginesReport(Report):
    """What each engine takes; `unusable` says why the others weren't measured."""

    costs: tuple[EngineCost, ...]
    unusable: tuple[str, ...]


def measure_engines(session: Session, notify: Notify) -> EnginesReport:
    """Time every engine that can be used here: to start it in a fresh process, and each item."""
    settings = session.settings
    costs: list[EngineCost] = []
    unusable: list[str] = []
    with tempfile.TemporaryDirectory(prefix="longtake-bench-") as folder:
        make_demo(Path(folder))
        copy_voice(Path(folder))
        for capability in _USES:
            for name in ENGINES[capability]:
                notify(f"{capability}: {name}")
                chosen = settings.engines.model_copy(update={capability: (name,)})
                only = settings.model_copy(update={"engines": chosen})
                with ProcessPoolExecutor(1, get_context("spawn")) as fresh:
                    try:
                        costs.append(fresh.submit(_measure, capability, name, only, Path(folder)).result())
                    except LongtakeError as error:
                        unusable.append(f"{capability}.{name}: {error}")
    return EnginesReport(costs=tuple(costs), unusable=tuple(unusable))


def _measure(capability: str, name: str, settings: Settings, folder: Path) -> EngineCost:
    video = folder / "demo.mp4"
    media = probe(video)
    frames = tuple(frame for _, frame in zip(range(200), read_frames(video, media, None, lambda: None), strict=False))
    voice = folder / "voice.opus"
    speech = np.concatenate([block.samples for block in read_audio(voice, probe(voice))])
    material = _Material(frames, speech[: _SPEECH * 16_000])
    use = _USES[capability]
    began = time.perf_counter()
    engine = EngineTable(settings).load(capability)
    use.work(engine, material)
    started = time.perf_counter()
    count = use.work(engine, material)
    second = time.perf_counter() - started
    start = max(0.0, started - began - second)
    return EngineCost(engine=f"{capability}.{name}", start=start, each=1000 * second / count, item=use.item)


def _shots(engine: Any, material: _Material) -> float:
    changes = Changes()
    finder = engine.finder(changes, lambda: iter(material.frames))
    for frame in material.frames:
        changes.observe(frame)
        finder.observe(frame)
    return len(material.frames)


def _speech(engine: Any, material: _Material) -> float:
    engine.recognise(material.speech, 0.0, "en")
    return len(material.speech) / 16_000 / 60


def _speakers(engine: Any, material: _Material) -> float:
    engine.embed(np.array_split(material.speech, 10))
    return len(material.speech) / 16_000 / 60


def _on(part: str, do: Callable[[Any, Any], object]) -> Callable[[Any, _Material], float]:
    """Work on each picture, JPEG or line of the material."""

    def work(engine: Any, material: _Material) -> float:
        values = getattr(material, part)
        for value in values:
            do(engine, value)
        return len(values)

    return work


_USES: Mapping[str, _Use] = {
    "shots": _Use("frame", _shots),
    "speech": _Use("minute of sound", _speech),
    "speakers": _Use("minute of sound", _speakers),
    "scene_text": _Use("picture", _on("pictures", lambda engine, picture: engine.read(picture))),
    "text_embedding": _Use("line", _on("texts", lambda engine, line: engine.embed([line]))),
    "reranking": _Use("line", _on("texts", lambda engine, line: engine.score("A river?", [line]))),
    "objects": _Use("picture", _on("pictures", lambda engine, picture: engine.find(picture, ObjectQuery("blue")))),
    "faces": _Use("picture", _on("pictures", lambda engine, picture: engine.find(picture))),
    "translation": _Use("line", _on("texts", lambda engine, line: engine.translate([line], "en", "es"))),
    "sandbox": _Use("snippet", _on("texts", lambda engine, line: engine.run("print(1)", {}, 10.0, lambda: None))),
}
