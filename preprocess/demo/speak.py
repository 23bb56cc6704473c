"""Regenerates `speech.opus`, which is derived from the script.

For maintainers, after changing `script.yaml`: `python -m longtake.preprocess.demo.speak`.
Needs espeak-ng and opusenc (opus-tools) on the PATH, which aren't needed at run time.
"""

from __future__ import annotations

import io
import subprocess
import wave
from pathlib import Path

import numpy as np
import numpy.typing as npt

from longtake.errors import LongtakeError
from longtake.preprocess.demo.demo_truth import SpokenSentence, Truth, load_truth

RATE = 22_050  # espeak-ng's sample rate
ESPEAK = ("espeak-ng", "-v", "en-gb", "-s", "155", "--stdout")
OPUSENC = ("opusenc", "--quiet", "--bitrate", "12", "--speech", "--serial", "1")
AUDIBLE = 300  # of 32767; quieter samples at either end of a sentence are trimmed
SLACK = 0.2  # seconds by which a cue may outlast its speech

Pcm = npt.NDArray[np.int16]


def main() -> None:
    """Speak the script and write the file next to this one."""
    target = Path(__file__).with_name("speech.opus")
    subprocess.run([*OPUSENC, "-", target], input=_as_wav(speak(load_truth())), check=True)


def speak(truth: Truth) -> Pcm:
    """The spoken track as (samples,) at `RATE`, each sentence at the start of its cue.

    Raises:
        LongtakeError: if a sentence doesn't fit its cue; the message says how long it is.
    """
    track = np.zeros(round(truth.duration * RATE), dtype=np.int16)
    for cue in truth.cues:
        spoken = _say(cue)
        first = round(cue.start * RATE)
        track[first : first + len(spoken)] = spoken
    return track


def _say(cue: SpokenSentence) -> Pcm:
    wav = subprocess.run([*ESPEAK, cue.text], capture_output=True, check=True).stdout
    # Writing to a pipe, espeak-ng can't know the length, so the header's is wrong: take everything after it.
    samples = np.frombuffer(wav[44:], dtype="<i2")
    loud = np.flatnonzero(np.abs(samples.astype(np.int32)) > AUDIBLE)
    spoken = samples[loud[0] : loud[-1] + 1]
    seconds, available = len(spoken) / RATE, cue.end - cue.start
    if not available - SLACK <= seconds <= available:
        raise LongtakeError(
            f"{cue.text!r} takes {seconds:.2f} s, but the script allows {available:.2f} s: change `until`."
        )
    return spoken


def _as_wav(track: Pcm) -> bytes:
    buffer = io.BytesIO()
    with wave.open(buffer, "wb") as wav:
        wav.setnchannels(1)
        wav.setsampwidth(2)
        wav.setframerate(RATE)
        wav.writeframes(track.astype("<i2").tobytes())
    return buffer.getvalue()


if __name__ == "__main__":
    main()
