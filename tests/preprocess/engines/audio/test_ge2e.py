"""The speaker encoder with its real weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.media.speech import read_samples

from longtake.preprocess.engines.audio.ge2e import WEIGHTS, Ge2eSpeakers
from longtake.preprocess.engines.audio.speech_engine import RATE
from longtake.settings import Settings

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.voices,
    pytest.mark.skipif(WEIGHTS.missing(Settings()) is not None, reason="Resemblyzer's weights aren't installed"),
]
ENGINE = Ge2eSpeakers(Settings())
READERS = {
    "a man": "whisper/jfk.flac",
    "a woman": "speechbrain/LJ050-0131.wav",
    "another man": "cognitive-services-speech-sdk/wikipediaOcelot.wav",
}


def test_a_voice_is_nearest_to_itself(media: Path) -> None:
    halves = []
    for file in READERS.values():
        samples = read_samples(media / file)
        middle = min(len(samples), 16 * RATE) // 2
        halves.append([part.mean(axis=0) for part in ENGINE.embed([samples[:middle], samples[middle : 2 * middle]])])
    similar = np.array([[float(first @ second) for _, second in halves] for first, _ in halves])
    assert similar.argmax(axis=1).tolist() == [0, 1, 2]


@pytest.mark.parametrize(("seconds", "windows"), [(0.3, 1), (1.6, 1), (2.4, 3), (4.0, 7)])
def test_there_is_a_vector_for_each_window(seconds: float, windows: int) -> None:
    noise = 0.1 * np.random.default_rng(3).normal(size=round(seconds * RATE)).astype(np.float32)
    (vectors,) = ENGINE.embed([noise])
    assert (vectors.shape, vectors.dtype) == ((windows, 256), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(windows), abs=1e-5)


def test_loudness_does_not_change_a_voice(media: Path) -> None:
    samples = read_samples(media / "whisper" / "jfk.flac")[: 4 * RATE]
    both = ENGINE.embed([samples * np.float32(scale) for scale in (0.1, 0.01)])
    loud, quiet = (vectors.mean(axis=0) for vectors in both)
    assert float(loud @ quiet) / float(np.linalg.norm(loud) * np.linalg.norm(quiet)) > 0.99


def test_silence_has_a_vector() -> None:
    (vectors,) = ENGINE.embed([np.zeros(RATE, np.float32)])
    assert np.isfinite(vectors).all()
    assert ENGINE.embed([]) == []
