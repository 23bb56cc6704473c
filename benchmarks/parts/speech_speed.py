"""Times speech recognition on a long recording, against faster-whisper alone with the same model and options."""

from __future__ import annotations

import tempfile
import time
import wave
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import numpy as np

from longtake.benchmarks.clips.transcripts import transcript
from longtake.benchmarks.hour.reel import Notify, is_clip
from longtake.benchmarks.timing import Machine, load
from longtake.errors import ConfigError
from longtake.memory.records import Record
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.media.audio import read_audio
from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings

RATE = 16_000


class SpeechSpeed(Record):
    """Seconds for the layer `speech` and for faster-whisper alone, model loading included."""

    machine: Machine
    duration: float
    engine: str
    ours: float
    alone: float

    @property
    def ratio(self) -> float:
        """Ours to faster-whisper's."""
        return self.ours / self.alone


def measure_speech_speed(media: Path, seconds: float, settings: Settings, notify: Notify) -> SpeechSpeed:
    """Join the clips that have a transcript into a recording of this length, and transcribe it both ways.

    Raises:
        ConfigError: if no clip has a transcript.
    """
    before = load()
    off = {name: () for name in type(settings.engines).model_fields if name != "speech"}
    only = settings.model_copy(update={"engines": settings.engines.model_copy(update=off)})
    engine = EngineTable(only).load("speech")
    with tempfile.TemporaryDirectory() as folder:
        notify("joining the clips")
        recording = _join(media, seconds, Path(folder) / "recording.wav")
        notify("transcribing it")
        ours = _timed(lambda: Workspace(Path(folder) / "library", only).add(recording))
        notify("transcribing it with faster-whisper alone")
        alone = _timed(lambda: _transcribe_alone(engine.model, recording))
    return SpeechSpeed(machine=Machine.since(before), duration=seconds, engine=engine.id, ours=ours, alone=alone)


def show_speech_speed(report: SpeechSpeed) -> list[str]:
    """The report as lines of text."""
    return [
        f"{report.duration:.0f} s of speech, {report.engine}",
        f"  layer speech          {report.ours:8.1f} s",
        f"  faster-whisper alone  {report.alone:8.1f} s",
        f"  ratio                 {report.ratio:8.2f}",
        str(report.machine),
    ]


def _join(media: Path, seconds: float, target: Path) -> Path:
    clips = [path for path in sorted(media.rglob("*")) if is_clip(path) and probe(path).audio and transcript(path)]
    if not clips:
        raise ConfigError(f"{media}: no clip has a transcript. Name a folder of clips with subtitles.")
    left = round(seconds * RATE)
    with wave.open(str(target), "wb") as stream:
        stream.setparams((1, 2, RATE, 0, "NONE", ""))
        for block in (block for clip in cycle(clips) for block in read_audio(clip, probe(clip), rate=RATE)):
            samples = block.samples[:left]
            stream.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
            left -= len(samples)
            if not left:
                break
    return target


def _transcribe_alone(model: str, recording: Path) -> None:
    from faster_whisper import WhisperModel

    segments, _ = WhisperModel(model, device="cpu", compute_type="int8").transcribe(
        str(recording), temperature=0.0, condition_on_previous_text=False, word_timestamps=True, vad_filter=True
    )
    for _ in segments:
        pass


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
