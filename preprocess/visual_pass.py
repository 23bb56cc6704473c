"""The visual pass: the file is decoded once, and every layer that looks at all frames is fed from that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from longtake.memory.layers import LayerRecipe, LayerWriter
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.blank import BlankSpans
from longtake.preprocess.frames import Frame, read_frames
from longtake.preprocess.keyframes import Keyframes
from longtake.preprocess.media import VideoStream
from longtake.preprocess.shots import ShotBoundaries, ShotEngine
from longtake.preprocess.step import IndexJob
from longtake.preprocess.text_frames import TextFrames

_PROGRESS_STEP = 0.5  # seconds of video


class Observer(Protocol):
    """Sees each frame of the pass once, in presentation order, and keeps no more than it needs."""

    def see(self, frame: Frame) -> None:
        """Look at the next frame."""
        ...

    def finish(self, end: float) -> None:
        """The video ended at `end` seconds."""
        ...


class VisualPass:
    """The step that builds `shots`, `keyframes`, `blank` and `text_frames`."""

    name = "visual_pass"

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One recipe for each layer; none for a file without a picture."""
        if job.media.video is None:
            return ()
        engine: ShotEngine = job.engines.load("shots")
        settings = job.settings.visual_pass
        shots = LayerRecipe(
            "shots",
            1,
            engine.id,
            {"shot_threshold": settings.shot_threshold, "min_shot_seconds": settings.min_shot_seconds},
        )
        inputs = {"shots": shots.key}
        return (
            shots,
            LayerRecipe("keyframes", 1, "longtake/keyframes", {"keyframe_height": settings.keyframe_height}, inputs),
            LayerRecipe("blank", 1, "longtake/blank"),
            LayerRecipe(
                "text_frames",
                1,
                "longtake/strokes",
                {"text_frames_per_second": settings.text_frames_per_second},
                inputs,
            ),
        )

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Decode the file once and fill the writers that are given."""
        assert job.media.video is not None, "a file without a picture has no recipes"
        observers = _observers(job, job.media.video, writers)
        first: float | None = None
        end = told = 0.0
        for frame in read_frames(job.path, job.media, None, job.check_cancelled):
            first = frame.time if first is None else first
            end = max(end, frame.end)
            for observer in observers:
                observer.see(frame)
            if end - told >= _PROGRESS_STEP and job.media.duration:
                job.progress(min(1.0, end / job.media.duration))
                told = end
        if first is None:
            return
        for observer in observers:
            observer.finish(end)
        for writer in writers.values():
            writer.cover([TimeSpan(start=first, end=end)])


def _observers(job: IndexJob, video: VideoStream, writers: Mapping[str, LayerWriter]) -> list[Observer]:
    engine: ShotEngine = job.engines.load("shots")
    settings = job.settings.visual_pass
    # The other observers ask the shots which one is open, so the shots see each frame first.
    shots = ShotBoundaries(engine.detector(video.fps), writers.get("shots"))
    observers: list[Observer] = [shots]
    if "keyframes" in writers:
        observers.append(Keyframes(shots, writers["keyframes"], settings.keyframe_height))
    if "blank" in writers:
        observers.append(BlankSpans(writers["blank"]))
    if "text_frames" in writers:
        observers.append(TextFrames(shots, writers["text_frames"], settings.text_frames_per_second))
    return observers
