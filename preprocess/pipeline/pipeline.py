"""Indexes a file: builds its layers, cheapest first, and adds them to the search index."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import Timeout

from longtake.errors import Cancelled, LibraryError, LongtakeError, MediaError, file_error
from longtake.memory.building import forget_unfinished, settle
from longtake.memory.gallery import Gallery
from longtake.memory.layers import Layer
from longtake.memory.library import LAYERS, LibraryStore, VideoRecord, file_id
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.layers.captions import Captions
from longtake.preprocess.layers.detections import Detections
from longtake.preprocess.layers.entities import Entities, entities_of, with_aliases
from longtake.preprocess.layers.faces import Faces
from longtake.preprocess.layers.frame_vectors import FrameVectors
from longtake.preprocess.layers.outline import Outline
from longtake.preprocess.layers.probe_layer import ProbeStep
from longtake.preprocess.layers.scene_text import SceneText
from longtake.preprocess.layers.sections import Sections
from longtake.preprocess.layers.segments import Segments
from longtake.preprocess.layers.sound_track import with_track
from longtake.preprocess.layers.sounds import Sounds
from longtake.preprocess.layers.speakers import Speakers
from longtake.preprocess.layers.speech import Speech, heard_between
from longtake.preprocess.layers.step import IndexJob, Step
from longtake.preprocess.layers.subtitles import Subtitles
from longtake.preprocess.layers.text_vectors import TextVectors
from longtake.preprocess.media.media import MediaInfo, survey
from longtake.preprocess.media.sidecars import unread_subtitles
from longtake.preprocess.media.subtitle_formats import is_transcript, parse_subtitles
from longtake.preprocess.pipeline.index_sync import index_key, make_findable, text_vectors_fit
from longtake.preprocess.pipeline.progress import IndexReport, LayerReport, Watcher
from longtake.preprocess.pipeline.step_run import StepRunner, run_step, unchanged
from longtake.preprocess.visual_pass.visual_pass import LAYERS_OF_PASS, VisualPass
from longtake.settings import Settings

if TYPE_CHECKING:
    from longtake.memory.search.index import Index

FACES = Faces()
# Cheapest first, so that early questions find as much as possible.
STEPS: tuple[Step, ...] = (
    ProbeStep(),
    Subtitles(),
    VisualPass(),
    Sounds(),
    Speech(),
    Speakers(),
    SceneText(),
    FrameVectors(),
    Detections(),
    FACES,
    Captions(),
)
EMBEDDING = TextVectors()  # follows each step
# What a video is, at a glance: made before the slow steps and again after them.
ENTITIES, MAP = Entities(), (Sections(), Segments())
OUTLINE = Outline()
ALL_STEPS = (*STEPS, EMBEDDING, ENTITIES, *MAP, OUTLINE)
_MAPPED_AFTER = (SceneText.name, Captions.name)
_MISFIT = (
    "built from other moments than the layers in use have, so it isn't used. Install the same version of Longtake on "
    "every machine and index the video again."
)
BUILT_BY = {VisualPass.name: LAYERS_OF_PASS}  # a step's layers, unless it has one layer of the same name


def index_file(
    path: Path,
    library: LibraryStore,
    settings: Settings,
    engines: EngineTable,
    index: Index,
    *,
    watcher: Watcher | None = None,
    runner: StepRunner = run_step,
    subtitles: Sequence[Path] = (),
) -> IndexReport:
    """Build a file's missing layers and make each searchable as soon as it is built.

    A layer that fails is reported, and the others continue. If the watcher cancels or the process is killed, finished
    work is kept, and the next call resumes from there.

    Args:
        path: the file.
        library: that gets its layers.
        settings: of the layers.
        engines: that build them.
        index: of the library.
        watcher: follows and stops the work.
        runner: where the steps run.
        subtitles: subtitle files to use for it now and later, whatever their names.

    Raises:
        MediaError: if the file has neither picture, sound nor words, or a subtitle file can't be read; nothing is
            written then.
        SourceChanged: if the file changed or disappeared while it was read; earlier finished work is kept.
        LibraryUnavailable: if the library can't be written, for example because the disk is full.
    """
    started = time.perf_counter()
    watcher = watcher or Watcher()
    media = with_track(path, survey(path), settings.speech.track, watcher.check_cancelled)
    named = {file.name: _subtitles(file) for file in subtitles}
    source, check_source = path.stat(), unchanged(path)
    try:
        video_id = _identify(path, library)
        with _locked(library, video_id, path.name, watcher) as alone:
            if not alone:
                known = library.get(video_id) or video_record(path, source, video_id, library, media)
                # The process with the lock may only be checking whether anything is missing.
                return IndexReport(known, (), time.perf_counter() - started, complete=known.complete)
            record = video_record(path, source, video_id, library, media)
            if named:
                library.name_subtitles(video_id, named)
            before = library.get(video_id)
            same = before.name if before and before.name != record.name else None
            run = _Indexing(path, check_source, media, library, settings, engines, index, watcher, record, runner, same)
            return run.run_all(started)
    except OSError as error:
        raise file_error(error, library.root) from error


def _subtitles(file: Path) -> bytes:
    """The bytes of a subtitle file that can be read.

    Raises:
        MediaError: if it can't, or has no words.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise MediaError(f"{file} can't be read: {error.strerror}. Check the name and your read permission.") from error
    if not parse_subtitles(data, file.name):
        raise MediaError(f"{file} has no words; choose another file.")
    return data


def rename_entities(
    video: VideoRecord,
    names: Mapping[str, str],
    library: LibraryStore,
    settings: Settings,
    engines: EngineTable,
    index: Index,
) -> VideoRecord:
    """Give names to entities of a video, and put them into its index; all of it or nothing.

    Args:
        video: the video; its file isn't read.
        names: by those that were found or given before; an empty one takes an entity out.
        library: that the video is in.
        settings: of the layers.
        engines: to embed texts.
        index: of the library.

    Raises:
        Timeout: if the video is being indexed.
        LibraryError: if there is no entity of a name, a new name is too long or no name, the library can't be written,
            or a layer can't be built.
    """
    with library.lock(video.id).acquire(timeout=0):
        video = library.get(video.id) or video
        kept = library.entity_names(video.id)
        before = kept.given()
        kept.give(with_aliases(names, entities_of(library, video), before))
        try:
            return _rebuilt(video, library, settings, engines, index)
        except LongtakeError:
            kept.keep(before)
            library.save(video)
            raise


def _rebuilt(
    video: VideoRecord, library: LibraryStore, settings: Settings, engines: EngineTable, index: Index
) -> VideoRecord:
    """A video whose entities are made again from its other layers; its lock is held."""
    media = MediaInfo("", video.duration, 0.0, None, (), ())
    path, watcher = Path(video.path), Watcher()
    run = _Indexing(path, lambda: None, media, library, settings, engines, index, watcher, video, run_step)
    run.make_entities()
    return run.video


def forget_faces(
    video: VideoRecord, library: LibraryStore, settings: Settings, engines: EngineTable, index: Index
) -> None:
    """Take the people whose faces were enrolled out of a video: the layers `faces`, the entities and the index.

    The next `index` finds those who are still enrolled.

    Args:
        video: that may show some; its file isn't read.
        library: that the video is in.
        settings: of the layers.
        engines: to embed texts.
        index: of the library.
    """
    store = library.layers(video.id)
    if not (store.root / FACES.name).exists():
        return
    with library.lock(video.id):
        store.remove_others(FACES.name, "")
        video = library.get(video.id) or video
        video = video.model_copy(update={"layers": {n: key for n, key in video.layers.items() if n != FACES.name}})
        library.save(video)
        video = _rebuilt(video, library, settings, engines, index)
        store.remove_others(ENTITIES.name, video.layers.get(ENTITIES.name, ""))


@dataclass
class _Indexing:
    """The indexing of one file."""

    path: Path
    check_source: Callable[[], None]
    media: MediaInfo
    library: LibraryStore
    settings: Settings
    engines: EngineTable
    index: Index
    watcher: Watcher
    video: VideoRecord
    runner: StepRunner
    same: str | None = None  # the name that these bytes had before in the library
    layers: dict[str, Layer] = field(default_factory=dict)
    embeddings: list[LayerReport] = field(default_factory=list)  # of the text vectors, which follow the layers
    mapped: dict[str, LayerReport] = field(default_factory=dict)  # the last of each layer that is made again

    def __post_init__(self) -> None:
        self.before_complete = self.video.complete

    def run_all(self, started: float) -> IndexReport:
        """Run every step, unless stopped."""
        settle(self.library.layers(self.video.id).root)
        self.library.save(self.video)
        sound, _ = self.library.sound_layers(self.video)  # its step builds a damaged layer again
        self.layers = {name: sound[name] for name in LAYERS if name in sound}
        store = self.library.layers(self.video.id)
        for layer in self.layers.values():  # steps may run where only object storage has them, and some won't run
            store.share(layer, built=False)
        before, complete = self.video, True
        try:
            for step in STEPS:
                self._run(step, self.watcher)
                if step.name in _MAPPED_AFTER:
                    self._map()
                self._make_findable()
            if not self._hurried:
                self._run(OUTLINE, self.watcher)
        except Cancelled:
            complete = False
        self._make_findable()
        self.watcher.reports.extend(self.embeddings[-1:])
        self.watcher.reports.extend(self.mapped.values())
        self._keep(complete=complete or self.video.complete)
        if complete and not any(report.problem for report in self.watcher.reports):
            forget_unfinished(self.library.layers(self.video.id).root)
        kept = dict(before.layers.items() & self.video.layers.items()) if before.complete else ()
        seconds, reports = time.perf_counter() - started, tuple(self.watcher.reports)
        beside, notes = tuple(self._sidecar_notes()), tuple(self._notes())
        return IndexReport(self.video, reports, seconds, complete, told=frozenset(kept), beside=beside, notes=notes)

    def _sidecar_notes(self) -> Iterator[str]:
        uploaded = self.path.is_relative_to(self.library.root / "uploads")  # beside files of other videos
        if not (uploaded or is_transcript(self.path)):
            named = {file.name for file in self.library.named_subtitles(self.video.id)}
            with suppress(MediaError):  # the step that reads subtitles tells it
                yield from unread_subtitles(self.path, named, lambda file: self.library.get(file_id(file)) is not None)

    def _notes(self) -> Iterator[str]:
        if self.same:
            yield f"It has the same bytes as {self.same}: the library keeps one video, which both names find."
        if told := heard_between(self.layers):
            yield told

    def make_entities(self) -> None:
        """Make the entities again, with the names that the user has given them since.

        Raises:
            LibraryError: if they, or the vectors of their texts, can't be made.
        """
        self.layers = {name: layer for name in LAYERS if (layer := self.library.layer(self.video, name))}
        embedded = EMBEDDING.name in self.layers
        self._run(ENTITIES, self.watcher)
        self._make_findable()
        reports = (*self.watcher.reports, *self.embeddings)
        problems = [report.problem or report.unavailable for report in reports if report.key is None]
        if problems or (embedded and EMBEDDING.name not in self.layers):
            raise LibraryError(
                f"The entities of {self.video.name} can't be made again. {' '.join(filter(None, problems))}"
            )

    def _map(self) -> None:
        """Make the levels above the moments, from the layers that there are."""
        watcher = Watcher(self.watcher.check_cancelled, self.watcher.progress)
        self._run(ENTITIES, watcher)
        self._make_findable()  # sections compare the vectors of lines
        for step in MAP:
            self._run(step, watcher)
        for report in watcher.reports:
            known = self.mapped.get(report.name)
            if not (known and report.reused and known.key == report.key):
                self.mapped[report.name] = report

    def _run(self, step: Step, watcher: Watcher) -> None:
        """Put a step's layers into use, and take out those that it didn't build this time.

        If the step fails or has no engine, its earlier layers stay, as long as their inputs are in use.
        """
        names = self.library.entity_names(self.video.id).given() if step is ENTITIES else {}
        people = Gallery(self.library.root).people() if step is FACES else ()
        check = watcher.check_cancelled
        hurried = self._hurried
        job = IndexJob(
            self.path,
            self.media,
            self.settings,
            self.engines,
            self.layers,
            check,
            hurried=hurried,
            people=people,
            names=names,
            subtitles=self.library.named_subtitles(self.video.id),
        )
        # What takes no time, or needs what the library keeps of the user, isn't handed over.
        runner = run_step if step in (FACES, ENTITIES, *MAP) else self.runner
        done = runner(step, job, self.library.layers(self.video.id), watcher, self.check_source)
        before = {name: self.layers.pop(name, None) for name in BUILT_BY.get(step.name, (step.name,))}
        if done is None:
            done = [layer for layer in before.values() if layer and self._inputs_in_use(layer)]
        self.layers.update({layer.name: layer for layer in done})
        self._keep(layers={name: layer.key for name, layer in self.layers.items()})

    @property
    def _hurried(self) -> bool:
        """Whether somebody waits for an answer from a video that was complete before."""
        return self.before_complete and self.watcher.hurried

    def _inputs_in_use(self, layer: Layer) -> bool:
        inputs = {name: key for name, key in layer.inputs.items() if name != layer.name}  # that which it completes
        return all(name in self.layers and self.layers[name].key == key for name, key in inputs.items())

    def _make_findable(self) -> None:
        # This can't be cancelled: it takes almost no time, and without it search would find nothing.
        watcher = Watcher()
        before = self.layers.get(EMBEDDING.name)
        self._run(EMBEDDING, watcher)
        fit = self.video.indexed == index_key(self.layers) or text_vectors_fit(self.layers)
        if not fit:
            self._use_earlier(before)
            if any(report.key for report in watcher.reports):  # otherwise they say why there are no new ones
                watcher.reports.append(LayerReport(EMBEDDING.name, problem=_MISFIT))
        built_here = {report.key for report in self.embeddings if not report.reused}
        self.embeddings.extend(
            report for report in watcher.reports if report.key is None or report.key not in built_here
        )
        self.video = make_findable(self.video, self.layers, self.library, self.index)
        # Nothing reads earlier text vectors any more. Earlier layers of the other steps aren't removed: questions under
        # way may read them, and if the engine that built them is chosen again, they needn't be built.
        if fit and (key := self.video.layers.get(EMBEDDING.name)):
            self.library.layers(self.video.id).remove_others(EMBEDDING.name, key)

    def _use_earlier(self, before: Layer | None) -> None:
        """Take text vectors of other moments out of use, for earlier ones if those fit."""
        del self.layers[EMBEDDING.name]
        if before and self._inputs_in_use(before) and text_vectors_fit({**self.layers, EMBEDDING.name: before}):
            self.layers[EMBEDDING.name] = before
        self._keep(layers={name: layer.key for name, layer in self.layers.items()})

    def _keep(self, **changes: object) -> None:
        self.video = self.video.model_copy(update=changes)
        self.library.save(self.video)


@contextmanager
def _locked(library: LibraryStore, video_id: str, name: str, watcher: Watcher) -> Iterator[bool]:
    """Wait until no other process builds layers of the video; False if one does and the watcher won't wait."""
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


def _identify(path: Path, library: LibraryStore) -> str:
    known = library.find(str(path))
    return known.id if known else file_id(path)


def video_record(
    path: Path, source: os.stat_result, video_id: str, library: LibraryStore, media: MediaInfo, name: str | None = None
) -> VideoRecord:
    """The record of a file, with the layers that the library already has for its bytes.

    Its name is `name`, or else the name under which this file is known, or else the file name.
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
