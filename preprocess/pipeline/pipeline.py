"""From a file to its layers and its place in the search index, cheapest layers first."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from filelock import Timeout

from longtake.config import Settings
from longtake.errors import Cancelled, LibraryError
from longtake.memory.building import forget_unfinished, settle
from longtake.memory.layers import Layer
from longtake.memory.library import LAYERS, Library, VideoRecord, file_id
from longtake.memory.search.search_index import Index
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.layers.captions import Captions
from longtake.preprocess.layers.frame_vectors import FrameVectors
from longtake.preprocess.layers.probe_layer import ProbeStep
from longtake.preprocess.layers.scene_text import SceneText
from longtake.preprocess.layers.sounds import Sounds
from longtake.preprocess.layers.speech import Speech
from longtake.preprocess.layers.step import IndexJob, Step
from longtake.preprocess.layers.subtitles import Subtitles
from longtake.preprocess.layers.text_vectors import TextVectors
from longtake.preprocess.media.media import MediaInfo, probe
from longtake.preprocess.pipeline.index_sync import make_findable
from longtake.preprocess.pipeline.progress import IndexReport, LayerReport, Watcher
from longtake.preprocess.pipeline.step_run import DISK_FULL, SourceChanged, run_step
from longtake.preprocess.visual_pass.visual_pass import LAYERS_OF_PASS, VisualPass

# Cheapest first, so that a question asked early finds the most.
STEPS: tuple[Step, ...] = (
    ProbeStep(),
    Subtitles(),
    VisualPass(),
    Sounds(),
    Speech(),
    SceneText(),
    FrameVectors(),
    Captions(),
)
EMBEDDING = TextVectors()
BUILT_BY = {VisualPass.name: LAYERS_OF_PASS}  # a step's layers, where they are not one of its name


def index_file(
    path: Path,
    library: Library,
    settings: Settings,
    engines: EngineTable,
    index: Index,
    *,
    watcher: Watcher | None = None,
) -> IndexReport:
    """Build what is missing of a file's layers and make it findable, also while the rest is still being built.

    A layer that fails is reported and the rest goes on. When the watcher cancels, or the process is killed, what was
    finished is kept, and the next call goes on from there.

    Raises:
        MediaError: when the file holds neither picture nor sound; nothing is written then.
        SourceChanged: when the file changed or went while it was read; what was finished before is kept.
        LibraryError: when the library cannot be written, for one because the disk is full.
    """
    started = time.perf_counter()
    watcher = watcher or Watcher()
    media = probe(path)
    source = path.stat()
    try:
        video_id = _identify(path, library)
        with _alone(library, video_id, path.name, watcher) as alone:
            if not alone:
                known = library.get(video_id) or video_record(path, source, video_id, library, media)
                # Whoever holds it may only be looking whether anything is missing.
                return IndexReport(known, (), time.perf_counter() - started, complete=known.complete)
            record = video_record(path, source, video_id, library, media)
            run = _Indexing(path, source, media, library, settings, engines, index, watcher, record)
            return run.to_the_end(started)
    except OSError as error:
        where = error.filename or library.root
        remedy = "make room" if error.errno in DISK_FULL else "allow that"
        raise LibraryError(
            f"{where} cannot be written ({error.strerror or error}): {remedy} or choose another library with "
            "--library, and index again; what was finished is kept."
        ) from error


@dataclass
class _Indexing:
    """One file on its way into the library."""

    path: Path
    source: os.stat_result
    media: MediaInfo
    library: Library
    settings: Settings
    engines: EngineTable
    index: Index
    watcher: Watcher
    video: VideoRecord
    layers: dict[str, Layer] = field(default_factory=dict)
    embeddings: list[LayerReport] = field(default_factory=list)  # of the text vectors, which follow the layers

    def to_the_end(self, started: float) -> IndexReport:
        """Run every step, or those before the work is stopped."""
        settle(self.library.layers(self.video.id).root)
        self.library.save(self.video)
        found = {name: self.library.layer(self.video, name) for name in LAYERS}
        self.layers = {name: layer for name, layer in found.items() if layer}
        complete = True
        try:
            for step in STEPS:
                self._run(step, self.watcher)
                self._make_findable()
        except Cancelled:
            complete = False
        self._make_findable()
        self.watcher.reports.extend(self.embeddings[-1:])
        self._keep(complete=complete or self.video.complete)
        if complete and not any(report.problem for report in self.watcher.reports):
            forget_unfinished(self.library.layers(self.video.id).root)
        return IndexReport(self.video, tuple(self.watcher.reports), time.perf_counter() - started, complete)

    def _run(self, step: Step, watcher: Watcher) -> None:
        """Make a step's layers those in use; what it did not build this time is out of use.

        Where it could not be done now, what was built before stays, as long as it rests on what is in use.
        """
        job = IndexJob(self.path, self.media, self.settings, self.engines, self.layers, watcher.check_cancelled)
        done = run_step(step, job, self.library.layers(self.video.id), watcher, self._check_source)
        before = {name: self.layers.pop(name, None) for name in BUILT_BY.get(step.name, (step.name,))}
        if done is None:
            done = [layer for layer in before.values() if layer and self._rests_on_layers_in_use(layer)]
        self.layers.update({layer.name: layer for layer in done})
        self._keep(layers={name: layer.key for name, layer in self.layers.items()})

    def _rests_on_layers_in_use(self, layer: Layer) -> bool:
        return all(name in self.layers and self.layers[name].key == key for name, key in layer.inputs.items())

    def _make_findable(self) -> None:
        # It cannot be stopped: it takes no time to speak of, and without it nothing of what is there would be found.
        watcher = Watcher()
        before = self.layers.get(EMBEDDING.name)
        self._run(EMBEDDING, watcher)
        built_here = {report.key for report in self.embeddings if not report.reused}
        self.embeddings.extend(
            report for report in watcher.reports if report.key is None or report.key not in built_here
        )
        self.video = make_findable(self.video, self.layers, self.library, self.index)
        if before and before.key in built_here and before.key != self.video.layers.get(EMBEDDING.name):
            self.library.layers(self.video.id).remove(before)

    def _keep(self, **changes: object) -> None:
        self.video = self.video.model_copy(update=changes)
        self.library.save(self.video)

    def _check_source(self) -> None:
        with suppress(OSError):
            now = self.path.stat()
            if (now.st_size, now.st_mtime_ns) == (self.source.st_size, self.source.st_mtime_ns):
                return
        what = "changed" if self.path.exists() else "was removed"
        raise SourceChanged(
            f"{self.path} {what} while it was read: index it again when it is whole; what was finished before is kept."
        )


@contextmanager
def _alone(library: Library, video_id: str, name: str, watcher: Watcher) -> Iterator[bool]:
    """Wait until no other process builds layers of the video; False when one does and the watcher will not wait."""
    lock = library.lock(video_id)
    with suppress(Timeout):
        lock.acquire(timeout=0)
    if not lock.is_locked and not watcher.wait:
        yield False
        return
    if not lock.is_locked:
        watcher.say(f"{name} is being indexed by another process; waiting for it.")
    while not lock.is_locked:
        watcher.check_cancelled()
        with suppress(Timeout):
            lock.acquire(timeout=0.5)
    try:
        yield True
    finally:
        lock.release()


def _identify(path: Path, library: Library) -> str:
    known = library.find(str(path))
    return known.id if known else file_id(path)


def video_record(
    path: Path, source: os.stat_result, video_id: str, library: Library, media: MediaInfo, name: str | None = None
) -> VideoRecord:
    """The record of a file, with the layers that the library has of its bytes already.

    Its name is the given one, else the one under which this very file is known, else the file's.
    """
    known = library.get(video_id)
    location = str(path.resolve())
    name = name or (known.name if known and known.path == location else path.name)
    return VideoRecord(
        id=video_id,
        name=name,
        path=location,
        size=source.st_size,
        modified=source.st_mtime_ns,
        duration=round(media.duration, 3),
        layers=known.layers if known else {},
        indexed=known.indexed if known else None,
        complete=known.complete if known else False,
        other_names=tuple(sorted({*known.other_names, known.name} - {name})) if known else (),
    )
