"""Questions about sounds through the model's real loading code with random weights, and through the tool."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from helpers.media.sound import RATE, noise
from helpers.models.tiny_flamingo import write_tiny_flamingo
from helpers.models.tiny_taggers import write_tiny_ast

from longtake.config import load
from longtake.errors import EngineError
from longtake.preprocess.engines.process import engine_process
from longtake.preprocess.engines.sounds.audio_flamingo import KIND, AudioFlamingo
from longtake.settings import Settings

NOISE = np.asarray(noise(4, 0.1), np.float32)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_flamingo(tmp_path_factory.mktemp("flamingo"))


def settings(folder: Path | str) -> Settings:
    return load(overrides=[f"audio_question.model={folder}"])


@pytest.mark.nightly
def test_the_answer_depends_on_the_sound_and_not_on_the_process(folder: Path) -> None:
    engine = engine_process(f"{AudioFlamingo.__module__}:AudioFlamingo", settings(folder))
    local = AudioFlamingo(settings(folder))
    try:
        answers = [engine.answer("What <sound> is it?", samples, 60.0) for samples in (NOISE, 0 * NOISE)]
        assert answers[0] == local.answer("What <sound> is it?", NOISE, 60.0)
        assert answers[0] != answers[1]
        assert engine.id == local.id
    finally:
        engine.close()


@pytest.mark.nightly
def test_damaged_weights_are_one_sentence(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    (copy / "model.safetensors").write_bytes((copy / "model.safetensors").read_bytes()[:1000])
    with pytest.raises(EngineError, match=r"audio_question\.model=DIR") as caught:
        AudioFlamingo(settings(copy)).answer("What is it?", NOISE[:RATE], 60.0)
    assert "\n" not in str(caught.value)


@pytest.mark.nightly
def test_a_model_of_another_kind_is_refused(folder: Path, tmp_path: Path) -> None:
    assert KIND.missing(settings(folder)) is None
    assert "audio-spectrogram-transformer" in (KIND.missing(settings(write_tiny_ast(tmp_path))) or "")


def test_a_model_that_is_not_on_disk_says_how_to_get_one() -> None:
    assert "longtake models pull audio-flamingo-3" in (KIND.missing(load()) or "")
