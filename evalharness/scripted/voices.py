"""Speech as samples: sentences by espeak-ng, and recordings with their exact words."""

from __future__ import annotations

import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from longtake.errors import ConfigError, EngineError, EngineUnavailable
from longtake.evalharness.scripted.script import ScriptedLine
from longtake.preprocess.demo.sound import RATE, Samples
from longtake.preprocess.media.audio import read_audio
from longtake.preprocess.media.media import probe

ENGLISH = ("en-gb", "en-us", "en-gb+f3", "en-us+m3")
SPANISH = "es"
_WORDS_A_MINUTE = "155"
_AUDIBLE = 0.01  # what is quieter at either end of a sentence is cut
_SOUNDS = {".wav", ".mp3", ".flac", ".ogg", ".opus", ".m4a"}
_LONGEST = 20.0  # seconds of a recording that is used
_FEWEST = 8  # words of one


class VoiceRecording(NamedTuple):
    """A supplied recording and the words that are spoken in it."""

    path: Path
    text: str


@lru_cache(maxsize=512)
def spoken(text: str, voice: str) -> Samples:
    """A sentence as espeak-ng says it, (samples,) at `RATE`, without silence at its ends.

    Raises:
        EngineError: if espeak-ng is not installed, or fails.
    """
    with tempfile.TemporaryDirectory(prefix="longtake-") as folder:
        wav = Path(folder) / "said.wav"
        command = ["espeak-ng", "-v", voice, "-s", _WORDS_A_MINUTE, "-w", str(wav), text]
        try:
            subprocess.run(command, capture_output=True, check=True)
        except FileNotFoundError as error:
            raise EngineUnavailable(
                "espeak-ng, which speaks in scripted videos, is not installed: apt-get install espeak-ng."
            ) from error
        except subprocess.CalledProcessError as error:
            said = error.stderr.decode(errors="replace").strip() or f"exit code {error.returncode}"
            raise EngineError(
                f"espeak-ng cannot speak into {folder} ({said}); make room there, or try it by hand."
            ) from error
        return _trimmed(wav)


@lru_cache(maxsize=8)
def recorded(path: Path) -> Samples:
    """A recording, (samples,) at `RATE`, without silence at its ends.

    Raises:
        MediaError: if it cannot be read.
    """
    return _trimmed(path)


def samples_of(line: ScriptedLine) -> Samples:
    """The samples of a line."""
    return recorded(Path(line.recording)) if line.recording else spoken(line.text, line.voice)


def recordings_in(folder: Path) -> list[VoiceRecording]:
    """The recordings of a folder, at any depth, that have a text of the same name next to them and are not too long.

    Raises:
        ConfigError: if there is none, or a text is not UTF-8.
    """
    sounds = sorted(path for path in folder.rglob("*") if path.suffix.lower() in _SOUNDS)
    texts = ((path, path.with_suffix(".txt")) for path in sounds)
    found = [VoiceRecording(path, _words(text)) for path, text in texts if text.exists()]
    kept = [one for one in found if len(one.text.split()) >= _FEWEST and probe(one.path).duration <= _LONGEST]
    if not kept:
        raise ConfigError(
            f"{folder} has no recording of at most {_LONGEST:g} s with a transcript of at least {_FEWEST} words: "
            "put talk.txt next to talk.wav."
        )
    return kept


def _words(text: Path) -> str:
    try:
        return " ".join(text.read_text(encoding="utf-8").split())
    except UnicodeDecodeError as error:
        raise ConfigError(f"{text} is not text in UTF-8; save it as such.") from error


def _trimmed(path: Path) -> Samples:
    heard = np.concatenate([block.samples for block in read_audio(path, probe(path), rate=RATE)])
    loud = np.flatnonzero(np.abs(heard) > _AUDIBLE)
    return heard[loud[0] : loud[-1] + 1] if len(loud) else heard
