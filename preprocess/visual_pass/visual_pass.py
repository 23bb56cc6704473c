"""The visual pass: decodes the file once for every layer that looks at all frames.

It works in chunks. Each chunk's results are saved with the state of the observers at its end, so an interrupted pass
resumes after the last complete chunk, and its layers are byte-for-byte those of an uninterrupted one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from longtake.memory.building import LayerWriter
from longtake.memory.layers import LayerRecipe
from longtake.preprocess.analysis.blank_frozen import StillSpans
from longtake.preprocess.analysis.changes import Changes
from longtake.preprocess.analysis.keyframes import Keyframes
from longtake.preprocess.analysis.moments import Moments
from longtake.preprocess.analysis.motion import CameraMotion
from longtake.preprocess.analysis.observers import Observer
from longtake.preprocess.analysis.ocr_frame_selection import TextFrames
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.coverage import warn_of_gaps
from longtake.preprocess.media.frames import Frame
from longtake.preprocess.media.stream_ends import promised_end
from longtake.preprocess.media.whole_frames import read_whole_frames, read_whole_frames_after
from longtake.preprocess.transitions.shot_boundaries import ShotBoundaries
from longtake.preprocess.transitions.transition_finder import ShotEngine
from longtake.preprocess.visual_pass.pass_state import Items, PassChunk, PassState, load_chunk, save_chunk

LAYERS_OF_PASS = ("changes", "shots", "still", "moments", "motion", "keyframes", "text_frames")
_PROGRESS_STEP = 0.5  # seconds of video
_MIN_LOSS = 0.01  # seconds; less may come from rounding times


class VisualPass:
    """The step that builds all layers that need every frame."""

    name = "visual_pass"
    capability = "shots"

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One recipe for each layer; none for a file without a picture."""
        if job.media.video is None:
            return ()
        engine: ShotEngine = job.engines.load("shots")
        settings, clock = job.settings.visual_pass, job.media.recipe
        shots = LayerRecipe(
            "shots",
            6,
            engine.id,
            {"shot_threshold": settings.shot_threshold, "min_shot_seconds": settings.min_shot_seconds} | clock,
        )
        inputs = {"shots": shots.key}
        keyframes = {"keyframe_height": settings.keyframe_height} | clock
        text_frames = {"text_frames_per_second": settings.text_frames_per_second} | clock
        return (
            LayerRecipe("changes", 3, "longtake/changes", clock),
            shots,
            LayerRecipe("still", 5, "longtake/still", clock),
            LayerRecipe("moments", 5, "longtake/novelty", clock),
            LayerRecipe("motion", 6, "longtake/corners", clock),
            LayerRecipe("keyframes", 4, "longtake/keyframes", keyframes, inputs),
            LayerRecipe("text_frames", 5, "longtake/strokes", text_frames, inputs),
        )

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Decode the file once, resuming after an interrupted pass, and fill the writers."""
        number, state = 0, PassState({})
        while kept := load_chunk(job.chunks.get(_name(number)) or b""):
            state, number = kept.state, number + 1
            _write(kept.items, writers)
        if not number:
            ahead = _Ahead(job)
            state = PassState(_observers(job, writers, ahead))
            state.looked_ahead = ahead.used
        if not state.finished:
            for items in _watch(job, state, number, writers):
                _write(items, writers)
        covered = state.covered.spans()
        assert job.media.video, "a file without a picture has no recipes"
        promised = promised_end(job.path, job.media, job.media.video.index)
        warn_of_gaps(covered, "picture", promised, job.warn, pauses=job.media.pauses)
        if state.covered.lost() >= _MIN_LOSS:
            job.warn(f"couldn't read {state.covered.lost():.2f} s of the picture, in pieces of under a second")
        for writer in writers.values():
            writer.cover(covered)


class _Ahead:
    """Decodes the file for an engine that looks ahead, and counts that as half of the work."""

    def __init__(self, job: IndexJob) -> None:
        self.used = False
        self._job = job

    def __call__(self) -> Iterator[Frame]:
        self.used = True
        reported = 0.0
        for frame in _frames(self._job, PassState({})):
            yield frame
            if frame.end - reported >= _PROGRESS_STEP:
                _report(self._job, frame.end, 0.0, 0.5)
                reported = frame.end


def _watch(job: IndexJob, state: PassState, number: int, writers: Mapping[str, LayerWriter]) -> Iterator[Items]:
    """Show the observers every new frame; yields their items chunk by chunk, starting at chunk `number`."""
    reported = state.end
    for frame in _frames(job, state):
        if frame.time >= (number + 1) * job.settings.visual_pass.chunk_seconds and state.seen is not None:
            yield _keep(job, state, number, writers)
            number += 1
        for observer in state.observers.values():
            observer.observe(frame)
        state.covered.observe(frame.time, frame.duration)
        state.seen, state.end = frame.time, max(state.end, frame.end)
        if state.end - reported >= _PROGRESS_STEP:
            _report(job, state.end, 0.5 if state.looked_ahead else 0.0, 1.0)
            reported = state.end
    for observer in state.observers.values():
        observer.finish(state.end)
    state.finished = True
    yield _keep(job, state, number, writers)


def _report(job: IndexJob, seconds: float, first: float, last: float) -> None:
    """Report the seconds of video seen, as progress from a share of the work to another."""
    if job.media.duration:
        job.progress(first + (last - first) * min(1.0, seconds / job.media.duration))


def _frames(job: IndexJob, state: PassState) -> Iterator[Frame]:
    if state.seen is None:
        return read_whole_frames(job.path, job.media, None, job.check_cancelled)
    return read_whole_frames_after(job.path, job.media, state.seen, job.check_cancelled)


def _observers(job: IndexJob, writers: Mapping[str, LayerWriter], ahead: _Ahead) -> dict[str, Observer]:
    """The observers for the writers' layers, after the two that others depend on: changes and shots."""
    engine: ShotEngine = job.engines.load("shots")
    settings = job.settings.visual_pass
    changes = Changes()
    shots = ShotBoundaries(engine.finder(changes, ahead), settings.min_shot_seconds)
    observers: dict[str, Observer] = {
        "changes": changes,
        "shots": shots,
        "still": StillSpans(changes),
        "moments": Moments(changes),
        "motion": CameraMotion(changes),
        "keyframes": Keyframes(shots, settings.keyframe_height),
        "text_frames": TextFrames(shots, settings.text_frames_per_second),
    }
    return {name: each for name, each in observers.items() if name in writers or each is changes or each is shots}


def _keep(job: IndexJob, state: PassState, number: int, writers: Mapping[str, LayerWriter]) -> Items:
    """Save the results since the last chunk; returns the items of the writers' layers."""
    items: dict[str, list[Mapping[str, Any]]] = {}
    for name, observer in state.observers.items():
        found = observer.found.take()
        if name in writers:
            items[name] = found.items
            for file, content in found.files.items():
                writers[name].write_file(file, content)
    job.chunks.put(_name(number), save_chunk(PassChunk(items, state)))
    return items


def _write(items: Items, writers: Mapping[str, LayerWriter]) -> None:
    for name, writer in writers.items():
        for item in items[name]:
            writer.add(item)


def _name(number: int) -> str:
    return f"{number:05d}"
