"""The indexing queue: videos are indexed one at a time, by whichever server of the library, with progress for all."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from contextlib import suppress
from queue import SimpleQueue

from filelock import FileLock, Timeout

from longtake.errors import Cancelled, EngineUnavailable, LongtakeError
from longtake.memory.library import LAYERS, VideoRecord
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.layers.outline import Outline, asked_of
from longtake.preprocess.pipeline import progress as followed
from longtake.preprocess.pipeline.estimate import estimate
from longtake.preprocess.pipeline.model_costs import model_costs
from longtake.preprocess.pipeline.pipeline import ALL_STEPS, BUILT_BY, EMBEDDING, ENTITIES, MAP
from longtake.preprocess.pipeline.progress import LayerReport, Watcher
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.remote import media_path
from longtake.web.progress import BEAT, IndexingProgress, LayerProgress, SharedProgress, State

_ORDER = [step.name for step in ALL_STEPS]
_STEP_OF = {layer: step for step in _ORDER for layer in BUILT_BY.get(step, (step,))}
ENGINE_OF = {  # capability of each step that needs an engine
    "sounds": "sounds",
    "speech": "speech",
    "speakers": "speakers",
    "scene_text": "scene_text",
    "frame_vectors": "image_text_embedding",
    "detections": "detections",
    "faces": "faces",
    "captions": "captions",
    "text_vectors": "text_embedding",
}
_STOPPED = "Indexing was stopped. Finished work is kept; add the video again to resume."
_ELSEWHERE = "Another program, or a question, is indexing this video; it continues when that's done."
_DELETED = "The video was deleted from the library."
_RETRY_AFTER = 1.0  # seconds the queue pauses at such a video

log = logging.getLogger(__name__)


class Job:
    """The indexing of one video."""

    def __init__(self, video: VideoRecord) -> None:
        self.video = video
        self.state: State = "queued"
        self.error: str | None = None
        self.expected: Mapping[str, float] = {}  # seconds of each missing step, judging by the library's other videos
        self.unavailable: Mapping[str, str] = {}  # why a step has no engine, by step name
        self.watcher = Watcher(check_cancelled=self._check, progress=self._advance, wait=False)
        self._running: followed.StepProgress | None = None
        self._cancelled = threading.Event()
        self.models: tuple[str, ...] = ()  # what they are asked, at most
        self.again = False  # whether there is something new to read when it is over

    def cancel(self) -> None:
        """Stop at the next frame or chunk."""
        self._cancelled.set()

    @property
    def cancelled(self) -> bool:
        """Whether it was told to stop."""
        return self._cancelled.is_set()

    @property
    def over(self) -> bool:
        """Whether it is done or has failed."""
        return self.state in ("done", "failed")

    def rest(self, seconds: float) -> None:
        """Wait, unless told to stop."""
        self._cancelled.wait(seconds)

    def progress(self) -> IndexingProgress:
        """The progress now."""
        running, reports = self._running, {report.name: report for report in tuple(self.watcher.reports)}
        layers = tuple(self._layer(name, running, reports) for name in LAYERS)
        left = _seconds_left(layers) if self.state == "indexing" else None
        share = 1.0 if self.state == "done" else self._share(layers)
        return IndexingProgress(
            state=self.state, layers=layers, share=share, seconds_left=left, error=self.error, models=self.models
        )

    def _layer(
        self, name: str, running: followed.StepProgress | None, reports: Mapping[str, LayerReport]
    ) -> LayerProgress:
        step = _STEP_OF[name]
        if report := reports.get(name) or reports.get(step):
            reason = report.problem or (report.unavailable and self.unavailable.get(step, report.unavailable))
            return _missing(name, reason) if reason else LayerProgress(name=name, share=1.0, state="done")
        if self.state == "done" or (running and _ORDER.index(step) < _ORDER.index(running.step)):
            return _missing(name, None)  # the file has no content for it
        if running and running.step == step and self.state == "indexing":
            left = _rounded(running.seconds_left)
            return LayerProgress(name=name, share=round(running.share, 3), state="running", seconds_left=left)
        if reason := self.unavailable.get(step):
            return _missing(name, reason)
        return LayerProgress(name=name, share=0.0, state="waiting", seconds_left=_rounded(self.expected.get(step)))

    def _share(self, layers: tuple[LayerProgress, ...]) -> float:
        """The share of the available steps done, each weighted by its expected seconds, or one second if unknown."""
        steps = {_STEP_OF[layer.name]: layer.share for layer in layers if layer.state != "missing"}
        weights = {step: self.expected.get(step, 1.0) for step in steps}
        whole = sum(weights.values())
        return round(sum(weights[step] * share for step, share in steps.items()) / whole, 3) if whole else 0.0

    def _check(self) -> None:
        if self.cancelled:
            raise Cancelled("The work was stopped.")

    def _advance(self, progress: followed.StepProgress) -> None:
        self._running = progress


class Indexing:
    """The indexing queue and its worker thread."""

    def __init__(self, workspace: Workspace) -> None:
        """Start with an empty queue."""
        self._workspace = workspace
        self._jobs: dict[str, Job] = {}
        self._untold = ""  # why the other servers could not be told, at the last try
        self._lock = threading.Lock()
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._shared = SharedProgress(workspace.library.root / "indexing")
        self._closed = threading.Event()
        self._worker = threading.Thread(target=self._work, name="indexing", daemon=True)
        self._publisher = threading.Thread(target=self._publish, name="progress", daemon=True)
        self._worker.start()
        self._publisher.start()

    def add(self, video: VideoRecord, *, again: bool = False) -> Job:
        """Queue a video, unless it is already queued or being indexed.

        Args:
            video: its record.
            again: whether one that is being indexed has something new to read, and is queued again when that is over.
        """
        with self._lock:
            job = self._jobs.get(video.id)
            if job is None or job.over:
                job = self._queued(video)
            job.again |= again and job.state == "indexing"
            job.video = video  # its file may have moved since it was queued
        self._tell()  # before anybody asks another server
        return job

    def job(self, video_id: str) -> Job | None:
        """A video's last job since the server started."""
        return self._jobs.get(video_id)

    def progress(self, video_id: str) -> IndexingProgress | None:
        """How far a video is, here or at another server of the library; None if no server knows a job of it."""
        job = self._jobs.get(video_id)
        own = job.progress() if job else None
        if own and own.state == "indexing":
            return own
        other = self._shared.elsewhere(video_id)
        return other if other and (own is None or not other.over) else own

    def drop(self, video_id: str) -> bool:
        """Remove a video from the queue; False if it is being indexed and wasn't told to stop."""
        with self._lock:
            job = self._jobs.get(video_id)
            if job and job.state == "indexing" and not job.cancelled:
                return False
            if job:
                job.cancel()
                del self._jobs[video_id]
            return True

    def close(self) -> None:
        """Stop the work and wait until it has ended."""
        with self._lock:
            for job in self._jobs.values():
                job.cancel()
        self._queue.put(None)
        self._worker.join()
        self._closed.set()
        self._publisher.join()

    def _work(self) -> None:
        while job := self._queue.get():
            turn = self._turn(job)
            with self._lock:
                if turn is None:
                    job.state, job.error = "failed", _STOPPED
                    continue
                job.state, job.error = "indexing", None
            try:
                self._run(job)
            finally:
                turn.release()
            if not job.over:  # another program is at it: those behind it in the queue go first
                self._queue.put(job)
                job.rest(_RETRY_AFTER)
            with self._lock:
                if job.over and job.again and not job.cancelled:
                    self._queued(job.video)

    def _turn(self, job: Job) -> FileLock | None:
        """The lock of the one server that indexes; None if the job is cancelled before it is free."""
        lock = self._workspace.library.lock("indexer")
        while not job.cancelled:
            with suppress(Timeout, OSError):  # the library's disk may be away for a while
                lock.acquire(timeout=0)
                return lock
            job.rest(_RETRY_AFTER)
        return None

    def _publish(self) -> None:
        """Tell the other servers how far the jobs are, and take over those of servers that are gone."""
        while True:  # at once: what a killed server said of a video isn't true any more
            try:
                self._tell()
                for video_id in self._shared.abandoned():
                    video = self._workspace.library.get(video_id)
                    if video and not video.complete:
                        self.add(video)
            except OSError as error:
                log.warning("the other servers' jobs can't be read: %s", error)
            if self._closed.wait(BEAT):
                break
        self._shared.close()

    def _tell(self) -> None:
        with self._lock:
            jobs = {video: job.progress() for video, job in self._jobs.items()}
            try:
                self._shared.publish(jobs)
                self._untold = ""
            except OSError as error:
                if self._untold != str(error):  # the next try comes in a moment
                    log.warning("other servers of this library can't be told of the indexing: %s", error)
                self._untold = str(error)

    def _queued(self, video: VideoRecord) -> Job:
        workspace = self._workspace
        costs = model_costs(workspace.library, workspace.settings, workspace.engines, [video.duration])
        job = self._jobs[video.id] = Job(video)
        job.models = tuple(cost.text for cost in costs)
        self._queue.put(job)
        return job

    def _run(self, job: Job) -> None:
        if self._workspace.library.get(job.video.id) is None:  # it was deleted through another server
            job.error, job.state = _DELETED, "failed"
            return
        try:
            job.expected = estimate(self._workspace, [job.video.id]).videos[0].indexing or {}
            job.unavailable = unavailable(self._workspace.engines)
            report = self._workspace.add(media_path(job.video.path), job.watcher)
        except LongtakeError as error:
            job.error, job.state = str(error), "failed"
        except OSError as error:
            where = error.filename or job.video.path
            job.error, job.state = f"{where} cannot be read or written: {error.strerror or error}.", "failed"
        except Exception as error:
            # Whatever breaks one video, the queue continues with the next.
            log.exception("indexing %s failed", job.video.name)
            job.error = f"Indexing failed with an internal error ({type(error).__name__}): see Longtake's log."
            job.state = "failed"
        else:
            if report.complete:
                job.state = "done"
            elif job.cancelled:
                job.error, job.state = _STOPPED, "failed"
            else:
                job.error, job.state = _ELSEWHERE, "queued"


def progress_of(video: VideoRecord) -> IndexingProgress:
    """The progress of a video that no server has a job of, by the library."""
    layers = tuple(
        LayerProgress(name=name, share=1.0, state="done") if name in video.layers else _missing(name, None)
        for name in LAYERS
    )
    if video.complete:
        return IndexingProgress(state="done", layers=layers, share=1.0)
    return IndexingProgress(state="failed", layers=layers, share=0.0, error=_STOPPED)


def _missing(name: str, reason: str | None) -> LayerProgress:
    return LayerProgress(name=name, share=0.0, state="missing", reason=reason)


def _seconds_left(layers: tuple[LayerProgress, ...]) -> float | None:
    """Of the running and waiting steps together; None while any of them is unknown."""
    steps = {_STEP_OF[layer.name]: layer.seconds_left for layer in layers if layer.state in ("running", "waiting")}
    steps |= {step.name: steps.get(step.name) or 0.0 for step in (EMBEDDING, ENTITIES, *MAP)}  # negligible
    known = [seconds for seconds in steps.values() if seconds is not None]
    return round(sum(known), 1) if len(known) == len(steps) else None


def unavailable(engines: EngineTable) -> dict[str, str]:
    """Why a step has no engine now, by step name."""
    reasons = {} if asked_of(engines.settings) else {Outline.name: "No language model at an endpoint is set."}
    for step, capability in ENGINE_OF.items():
        if not getattr(engines.settings.engines, capability):
            reasons[step] = "It is switched off in the settings."
        elif engines.report(capability).engine is None:
            try:
                engines.load(capability)
            except EngineUnavailable as error:
                reasons[step] = str(error)
    return reasons


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 1)
