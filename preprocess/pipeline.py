"""From a file to its layers and its place in the search index, cheapest layers first."""

from __future__ import annotations

import logging
import platform
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from longtake.config import Settings
from longtake.errors import Cancelled, LongtakeError
from longtake.memory.index import Index
from longtake.memory.layers import Layer, LayerRecipe, canonical_json
from longtake.memory.library import Library, VideoRecord, file_id
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.media import MediaInfo, probe
from longtake.preprocess.probe_layer import ProbeStep
from longtake.preprocess.scene_text import SceneText
from longtake.preprocess.sounds import Sounds
from longtake.preprocess.step import IndexJob, Step
from longtake.preprocess.subtitles import Subtitles
from longtake.preprocess.text_vectors import SOURCES, TextVectors, documents_of, load_vectors
from longtake.preprocess.visual_pass import VisualPass

log = logging.getLogger(__name__)

# Cheapest first, so that a question asked early finds the most.
BUILT_BY = {"visual_pass": ("shots", "keyframes", "blank", "text_frames")}  # a step's layers, where not one of its name
STEPS: tuple[Step, ...] = (ProbeStep(), Subtitles(), VisualPass(), Sounds(), SceneText(), TextVectors())


@dataclass(frozen=True, slots=True)
class LayerReport:
    """What became of one layer: built, reused, or not there and why."""

    name: str
    engine: str | None
    key: str | None
    items: int
    seconds: float
    reused: bool
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What indexing one file did; `complete` is False when it was stopped before the last layer."""

    video: VideoRecord
    layers: tuple[LayerReport, ...]
    seconds: float
    complete: bool


@dataclass
class Watcher:
    """How indexing is followed and stopped from outside."""

    check_cancelled: Callable[[], None] = lambda: None
    progress: Callable[[str, float], None] = lambda name, share: None
    reports: list[LayerReport] = field(default_factory=list)


def index_file(
    path: Path,
    library: Library,
    settings: Settings,
    engines: EngineTable,
    index: Index,
    *,
    watcher: Watcher | None = None,
) -> IndexReport:
    """Build what is missing of a file's layers and make it findable.

    A layer that fails is reported and the rest goes on. When the watcher cancels, what was finished is kept, now and
    from before, and can be found.

    Raises:
        MediaError: when the file holds neither picture nor sound; nothing is written then.
    """
    started = time.perf_counter()
    watcher = watcher or Watcher()
    media = probe(path)
    video = _record(path, library, media)
    library.save(video)
    layers = {name: layer for name in video.layers if (layer := library.layer(video, name))}
    complete = True
    for step in STEPS:
        job = IndexJob(path, media, settings, engines, layers, watcher.check_cancelled)
        try:
            done = _run(step, job, library, video, watcher)
        except Cancelled:
            complete = False
            break
        video = _put(video, layers, step, done, library)
    if not complete:
        # Embedding takes no time to speak of, and without it nothing of what is there would be found.
        job = IndexJob(path, media, settings, engines, layers)
        done = _run(STEPS[-1], job, library, video, Watcher(reports=watcher.reports))
        video = _put(video, layers, STEPS[-1], done, library)
    video = video.model_copy(update={"complete": complete or video.complete})
    library.save(video)
    video = _make_findable(video, layers, library, index)
    return IndexReport(video, tuple(watcher.reports), time.perf_counter() - started, complete)


def _put(
    video: VideoRecord, layers: dict[str, Layer], step: Step, done: Sequence[Layer], library: Library
) -> VideoRecord:
    """Make a step's layers those in use; what it did not build this time is out of use."""
    for name in BUILT_BY.get(step.name, (step.name,)):
        layers.pop(name, None)
    layers.update({layer.name: layer for layer in done})
    video = video.model_copy(update={"layers": {name: layer.key for name, layer in layers.items()}})
    library.save(video)
    return video


def _make_findable(video: VideoRecord, layers: dict[str, Layer], library: Library, index: Index) -> VideoRecord:
    """Bring the index up to the layers, unless it holds just these; without vectors, words alone are found."""
    embedded = layers.get("text_vectors")
    sources = {name: layers[name].key for name in SOURCES if name in layers}
    key = embedded.key if embedded else canonical_json(sources)
    if video.indexed == key and index.holds(video.id):
        return video
    documents = documents_of(video.id, layers)
    vectors = load_vectors(embedded) if embedded else np.zeros((len(documents), 0), np.float32)
    index.replace(video.id, documents, vectors)
    video = video.model_copy(update={"indexed": key})
    library.save(video)
    return video


def _record(path: Path, library: Library, media: MediaInfo) -> VideoRecord:
    known = library.find(str(path))
    status = path.stat()
    return VideoRecord(
        id=known.id if known else file_id(path),
        name=path.name,
        path=str(path.resolve()),
        size=status.st_size,
        modified=status.st_mtime_ns,
        duration=round(media.duration, 3),
        layers=known.layers if known else {},
        indexed=known.indexed if known else None,
        complete=known.complete if known else False,
        other_names=tuple(sorted({*known.other_names, known.name} - {path.name})) if known else (),
    )


def _run(step: Step, job: IndexJob, library: Library, video: VideoRecord, watcher: Watcher) -> Sequence[Layer]:
    job.check_cancelled()
    try:
        recipes = step.recipes(job)
        store = library.layers(video.id)
        found = {recipe.name: store.get(recipe.name, recipe.key) for recipe in recipes}
        missing = [recipe for recipe in recipes if found[recipe.name] is None]
        watcher.reports.extend(_report(layer, 0.0, reused=True) for layer in found.values() if layer)
        return [layer for layer in found.values() if layer] + _build(step, job, library, video, missing, watcher)
    except Cancelled:
        raise
    except LongtakeError as error:
        return _failed(step, str(error), watcher)
    except Exception as error:
        log.debug("step %s crashed", step.name, exc_info=True)
        return _failed(step, f"{step.name} crashed ({type(error).__name__}: {error}); see --debug.", watcher)


def _failed(step: Step, problem: str, watcher: Watcher) -> list[Layer]:
    watcher.reports.append(LayerReport(step.name, None, None, 0, 0.0, False, problem))
    return []


def _build(
    step: Step,
    job: IndexJob,
    library: Library,
    video: VideoRecord,
    recipes: Sequence[LayerRecipe],
    watcher: Watcher,
) -> list[Layer]:
    if not recipes:
        return []
    store = library.layers(video.id)
    started = time.perf_counter()
    following = replace(job, progress=lambda share: watcher.progress(step.name, share))
    with ExitStack() as stack:
        step.build(following, {recipe.name: stack.enter_context(store.create(recipe)) for recipe in recipes})
    seconds = round(time.perf_counter() - started, 3)
    built = [layer for recipe in recipes if (layer := store.get(recipe.name, recipe.key))]
    for layer in built:
        store.record_run(layer.name, layer.key, _machine_facts() | {"seconds": seconds})
        watcher.reports.append(_report(layer, seconds, reused=False))
    return built


def _report(layer: Layer, seconds: float, *, reused: bool) -> LayerReport:
    return LayerReport(layer.name, layer.engine, layer.key, layer.count, seconds, reused)


def _machine_facts() -> dict[str, str | float]:
    return {"machine": platform.platform(), "python": platform.python_version(), "finished": round(time.time(), 3)}
