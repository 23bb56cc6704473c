"""Recordings as samples, and how far what was recognised is from what was said."""

from __future__ import annotations

import re
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


def word_error_rate(said: str, recognised: str) -> float:
    """Words to insert, delete and replace, as a share of the words said (Levenshtein)."""
    wanted, found = (re.findall(r"[\w']+", text.casefold()) for text in (said, recognised))
    costs = list(range(len(found) + 1))
    for row, word in enumerate(wanted, 1):
        above, costs = costs, [row]
        for column, other in enumerate(found, 1):
            costs.append(min(above[column] + 1, costs[-1] + 1, above[column - 1] + (word != other)))
    return costs[-1] / len(wanted)
