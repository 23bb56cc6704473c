"""Recordings as samples, and a spoken one."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import numpy as np
from helpers.media.sound import write_sound

from longtake.preprocess.engines.audio.speech_engine import RATE
from longtake.preprocess.media.audio import Samples, read_audio
from longtake.preprocess.media.media import probe


def read_samples(path: Path) -> Samples:
    """The sound of a file, mono at the recognisers' rate."""
    return np.concatenate([block.samples for block in read_audio(path, probe(path), rate=RATE)])


def write_spoken(path: Path) -> Path:
    """Twelve seconds of the demo's voice as a WAV file; Edith Marlow introduces herself."""
    samples = read_samples(Path(str(files("longtake.preprocess.demo") / "speech.opus")))
    return write_sound(path, samples[: 12 * RATE])
