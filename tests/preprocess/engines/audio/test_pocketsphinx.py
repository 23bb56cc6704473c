"""PocketSphinx on real recordings: roughly what is said, at the right times, and never trusted."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from helpers.media.speech import read_samples

from longtake.benchmarks.parts.speech_accuracy import word_errors
from longtake.preprocess.engines.audio.pocketsphinx import PocketSphinx
from longtake.preprocess.engines.audio.speech_engine import RATE, SpeechSegment
from longtake.settings import Settings

pytestmark = pytest.mark.nightly

SENTENCES = {
    "pocketsphinx/sense_and_sensibility_01_austen_64kb-0870.wav": (
        "and mister john dashwood had then leisure to consider how much there might be prudently in his power to do "
        "for them"
    ),
    "pocketsphinx/sense_and_sensibility_01_austen_64kb-0880.wav": "he was not an ill disposed young man",
    "whisper/jfk.flac": (
        "and so my fellow americans ask not what your country can do for you ask what you can do for your country"
    ),
    "pocketsphinx/cards/003.wav": "seven of clubs",
    "cognitive-services-speech-sdk/whatstheweatherlike.wav": "what's the weather like",
}


@pytest.fixture(scope="module")
def engine() -> PocketSphinx:
    return PocketSphinx(Settings())


def text_of(segments: list[SpeechSegment]) -> str:
    return " ".join(segment.text for segment in segments)


@pytest.mark.parametrize("recording", SENTENCES)
def test_a_clearly_read_sentence_is_mostly_recognised(recording: str, engine: PocketSphinx, media: Path) -> None:
    segments = engine.recognise(read_samples(media / recording), 0.0, None)
    said, wrong = word_errors(SENTENCES[recording], text_of(segments))
    assert wrong / said < 0.6
    assert {(segment.trusted, segment.language) for segment in segments} == {(False, "en")}
    assert not re.search(r"[<\[(+]", text_of(segments))


def test_words_have_the_times_of_a_forced_alignment(engine: PocketSphinx, media: Path) -> None:
    recording = media / "pocketsphinx/sense_and_sensibility_01_austen_64kb-0870.wav"
    aligned = {
        re.sub(r"\(\d\)", "", word["t"]): (word["b"], word["b"] + word["d"])
        for word in json.loads(recording.with_suffix(".json").read_text())["w"]
    }
    segments = engine.recognise(read_samples(recording), 10.0, None)
    common = [word for segment in segments for word in segment.words if word.text in aligned]
    assert len(common) >= 8
    distances = [abs(word.start - 10.0 - aligned[word.text][0]) for word in common]
    distances += [abs(word.end - 10.0 - aligned[word.text][1]) for word in common]
    assert float(np.median(distances)) < 0.05


def test_words_lie_in_order_within_the_sound(engine: PocketSphinx, media: Path) -> None:
    samples = read_samples(media / "whisper/jfk.flac")
    words = [word for segment in engine.recognise(samples, 5.0, None) for word in segment.words]
    times = [time for word in words for time in (word.start, word.end)]
    assert times == sorted(times)
    assert 5.0 <= times[0] < times[-1] <= 5.0 + len(samples) / RATE
    assert all(0 <= word.probability <= 1 for word in words)


def test_what_was_heard_before_changes_nothing(engine: PocketSphinx, media: Path) -> None:
    card, other = (read_samples(media / f"pocketsphinx/cards/00{number}.wav") for number in (2, 3))
    before = PocketSphinx(Settings()).recognise(card, 0.0, None)
    engine.recognise(0.1 * other, 0.0, None)
    assert engine.recognise(card, 0.0, None) == before


@pytest.mark.parametrize("samples", [np.zeros(5 * RATE, np.float32), np.zeros(3, np.float32)], ids=len)
def test_silence_holds_no_words(samples: np.ndarray, engine: PocketSphinx) -> None:
    assert engine.recognise(samples, 0.0, None) == []
