"""Re-makes the committed files that follow from the script: `speech.opus`, `speech.en.vtt` and `truth.json`.

For maintainers, after a change of `script.yaml`: `python -m longtake.preprocess.demo.speak`.
Needs espeak-ng and opusenc (opus-tools) on the PATH; nothing at run time does.
"""

from __future__ import annotations

import io
import subprocess
import wave
from pathlib import Path

import numpy as np
import numpy.typing as npt

from longtake.errors import LongtakeError
from longtake.preprocess.demo.demo_script import load_script
from longtake.preprocess.demo.demo_truth import Cue, Truth, derive_truth, webvtt

RATE = 22_050  # what espeak-ng speaks at
ESPEAK = ("espeak-ng", "-v", "en-gb", "-s", "155", "--stdout")
OPUSENC = ("opusenc", "--quiet", "--bitrate", "12", "--speech", "--serial", "1")
AUDIBLE = 300  # of 32767: what is quieter at either end of a sentence is cut
SLACK = 0.2  # seconds that a cue may outlast its speech

Pcm = npt.NDArray[np.int16]


def main() -> None:
    """Speak the script and write the three files beside this one."""
    folder = Path(__file__).parent
    truth = derive_truth(load_script())
    track = speak(truth)
    subprocess.run([*OPUSENC, "-", folder / "speech.opus"], input=_as_wav(track), check=True)
    (folder / "speech.en.vtt").write_text(webvtt(truth.cues), encoding="utf-8")
    (folder / "truth.json").write_text(truth.model_dump_json(indent=2) + "\n", encoding="utf-8")


def speak(truth: Truth) -> Pcm:
    """The spoken track as (samples,) at `RATE`, each sentence at the start of its cue.

    Raises:
        LongtakeError: when a sentence does not fill its cue; the message says how long it is.
    """
    track = np.zeros(round(truth.duration * RATE), dtype=np.int16)
    for cue in truth.cues:
        spoken = _say(cue)
        first = round(cue.start * RATE)
        track[first : first + len(spoken)] = spoken
    return track


def _say(cue: Cue) -> Pcm:
    wav = subprocess.run([*ESPEAK, cue.text], capture_output=True, check=True).stdout
    # espeak-ng cannot know the length when it writes to a pipe, so the header's is wrong: take all that follows it.
    samples = np.frombuffer(wav[44:], dtype="<i2")
    loud = np.flatnonzero(np.abs(samples.astype(np.int32)) > AUDIBLE)
    spoken = samples[loud[0] : loud[-1] + 1]
    seconds, wanted = len(spoken) / RATE, cue.end - cue.start
    if not wanted - SLACK <= seconds <= wanted:
        raise LongtakeError(f"{cue.text!r} takes {seconds:.2f} s, the script gives it {wanted:.2f} s: change `until`.")
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
