"""Measures speech recognition through the pipeline: word errors on clips with a transcript, speed on a long recording.

Each clip is indexed alone, without the subtitles beside it; one with subtitles inside it is left out.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import wave
from collections.abc import Iterator
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from longtake.benchmarks.clips.transcripts import transcript
from longtake.benchmarks.hour.reel import is_clip
from longtake.benchmarks.reports import Media, Notify, Report, timed
from longtake.console import Session
from longtake.errors import ConfigError, MediaError
from longtake.memory.records import Record
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.media.audio import read_audio
from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings


class ClipSpeech(Record):
    """One clip: the words said, those inserted, deleted and replaced, and the share of the speech that is trusted."""

    clip: str
    said: int
    wrong: int
    trusted: float


class Speed(Record):
    """Seconds for the layer `speech` of a recording, and for faster-whisper alone; both load the model."""

    recording: float
    ours: float
    alone: float
    ratio: float


class SpeechAccuracy(Report):
    """Of every clip with a transcript, and of all their words, or of one long recording."""

    engine: str
    words: int = 0
    wrong: int = 0
    clips: tuple[ClipSpeech, ...] = ()
    speed: tuple[Speed, ...] = ()


def measure_speech(
    session: Session,
    notify: Notify,
    media: Media,
    seconds: Annotated[
        float | None,
        typer.Option(min=10, help="Instead: time a recording of this length, against faster-whisper alone."),
    ] = None,
) -> SpeechAccuracy:
    """Measure word errors on the clips that have transcripts, or time a long recording made of them."""
    spoken = list(_spoken(media))
    if not spoken:
        raise ConfigError(f"{media}: no clip has a transcript. Name a folder of clips with subtitles.")
    kept = ("speech",) if seconds else ("sounds", "speech")
    off = {name: () for name in type(session.settings.engines).model_fields if name not in kept}
    only = session.settings.model_copy(update={"engines": session.settings.engines.model_copy(update=off)})
    engine = EngineTable(only).load("speech")
    with tempfile.TemporaryDirectory() as folder:
        if seconds is None:
            clips = []
            for clip, said in spoken:
                notify(clip.name)
                clips.append(_measure(clip, str(clip.relative_to(media)), said, Path(folder), only))
            words, wrong = sum(clip.said for clip in clips), sum(clip.wrong for clip in clips)
            return SpeechAccuracy(engine=engine.id, words=words, wrong=wrong, clips=tuple(clips))
        notify("joining the clips")
        recording = _join([clip for clip, _ in spoken], seconds, Path(folder) / "recording.wav")
        notify("transcribing it")
        ours = timed(partial(Workspace(Path(folder) / "library", only).add, recording))
        notify("transcribing it with faster-whisper alone")
        alone = timed(partial(_transcribe_alone, engine.model, recording))
    return SpeechAccuracy(
        engine=engine.id, speed=(Speed(recording=seconds, ours=ours, alone=alone, ratio=ours / alone),)
    )


def word_errors(said: str, recognised: str) -> tuple[int, int]:
    """The number of words said, and of those to insert, delete or replace (Levenshtein)."""
    wanted, found = (re.findall(r"[\w']+", text.casefold()) for text in (said, recognised))
    costs = list(range(len(found) + 1))
    for row, word in enumerate(wanted, 1):
        above, costs = costs, [row]
        for column, other in enumerate(found, 1):
            costs.append(min(above[column] + 1, costs[-1] + 1, above[column - 1] + (word != other)))
    return len(wanted), costs[-1]


def _spoken(media: Path) -> Iterator[tuple[Path, str]]:
    """The clips with a transcript beside them, and what is said."""
    for clip in sorted(path for path in media.rglob("*") if is_clip(path)):
        try:
            about = probe(clip)
            said = " ".join(cue.text for cue in transcript(clip)) if about.audio and not about.subtitles else ""
        except MediaError:
            continue
        if said:
            yield clip, said


def _measure(clip: Path, name: str, said: str, folder: Path, settings: Settings) -> ClipSpeech:
    with tempfile.TemporaryDirectory(dir=folder) as own:
        alone = Path(shutil.copy(clip, own))
        workspace = Workspace(Path(own) / "library", settings)
        speech = workspace.library.layer(workspace.add(alone).video, "speech")
        items = list(speech.items()) if speech else []
    count, wrong = word_errors(said, " ".join(item["text"] for item in items))
    length = sum(item["end"] - item["start"] for item in items)
    trusted = sum(item["end"] - item["start"] for item in items if item["trusted"])
    return ClipSpeech(clip=name, said=count, wrong=wrong, trusted=trusted / length if length else 0.0)


def _join(clips: list[Path], seconds: float, target: Path) -> Path:
    """The sound of the clips again and again, at 16 kHz, until the recording is full."""
    left = round(16_000 * seconds)
    with wave.open(str(target), "wb") as stream:
        stream.setparams((1, 2, 16_000, 0, "NONE", ""))
        for block in (block for clip in cycle(clips) for block in read_audio(clip, probe(clip))):
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
