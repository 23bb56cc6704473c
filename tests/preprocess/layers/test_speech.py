"""The layer `speech`: when it is built, where sound is cut, and how a build that was killed goes on."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.data.layers import layer_of, new_layer
from helpers.media.clips import flat, write_clip
from helpers.media.sound import write_sound
from helpers.media.speech import read_samples
from helpers.models.tiny_whisper import write_tiny_whisper

from longtake.config import load
from longtake.errors import Cancelled, ConfigError, EngineError
from longtake.memory.building import Chunks
from longtake.memory.layers import Layer, LayerRecipe, LayerStore
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.audio.faster_whisper import PACKAGED_FILES
from longtake.preprocess.engines.audio.speech_engine import RATE
from longtake.preprocess.layers.speech import Speech, cut_at_pauses, heard_between, without_loops
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.audio import AudioBlock, Samples
from longtake.preprocess.media.media import probe

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tiny() -> Path:
    """Whisper tiny.en."""
    return PACKAGED_FILES[0].locate().parent


@pytest.fixture(scope="module")
def talk(tmp_path_factory: pytest.TempPathFactory, media: Path) -> Path:
    """Five minutes of silence between a sentence and another: two chunks."""
    sentence = read_samples(media / "pocketsphinx/sense_and_sensibility_01_austen_64kb-0880.wav")
    pause = np.zeros(300 * RATE, np.float32)
    return write_sound(tmp_path_factory.mktemp("talk") / "talk.wav", np.concatenate([sentence, pause, sentence]))


def job_for(path: Path, *settings: str) -> IndexJob:
    given = load("embedded", settings)
    return IndexJob(path, probe(path), given, EngineTable(given))


def build(job: IndexJob, folder: Path, chunks: Chunks, progress: Callable[[float], None] = lambda _: None) -> Layer:
    """The layer, built with these chunks."""
    following = IndexJob(job.path, job.media, job.settings, job.engines, progress=progress, chunks=chunks)
    return layer_of(Speech(), following, LayerStore(folder))


def heard(text: str, start: float) -> dict[str, Any]:
    """An item of a second."""
    words = [[start, start + 1.0, text, 0.9]]
    facts = {"language": "en", "confidence": 0.9, "trusted": True}
    return {"start": start, "end": start + 1.0, "text": text, "words": words} | facts


def subtitles(folder: Path, *cues: str, until: float = 10**6) -> Layer:
    """Subtitles that cover the first seconds."""
    recipe = LayerRecipe("subtitles", 1, "test", {"cues": len(cues), "until": until})
    with new_layer(LayerStore(folder), recipe) as writer:
        for cue in cues:
            writer.add({"start": 0.0, "end": 1.0, "text": cue})
        writer.cover([TimeSpan(start=0.0, end=until)])
    layer = LayerStore(folder).get(recipe.name, recipe.key)
    assert layer
    return layer


@pytest.mark.nightly
def test_the_words_of_a_track_with_their_times(talk: Path, tiny: Path, tmp_path: Path) -> None:
    shares: list[float] = []
    layer = build(job_for(talk, f"speech.model={tiny}"), tmp_path, Chunks(), shares.append)
    items = list(layer.items())
    assert [item["start"] for item in items] == sorted(item["start"] for item in items)
    assert min(item["end"] for item in items) < 3.1
    assert max(item["start"] for item in items) > 302
    for item in items:
        assert set(item) == {"start", "end", "text", "language", "words", "confidence", "trusted"}
        assert item["start"] == item["words"][0][0] <= item["words"][-1][1] == item["end"]
        assert item["text"].replace(" ", "") == "".join(word[2] for word in item["words"])
    assert [item["trusted"] for item in items] == [True] * len(items)
    assert layer.covered == (TimeSpan(start=0.0, end=305.98),)
    assert len(shares) == 2
    assert shares[-1] == pytest.approx(1.0, abs=0.001)


@pytest.mark.nightly
def test_a_killed_build_goes_on_and_ends_in_the_same_bytes(talk: Path, tiny: Path, tmp_path: Path) -> None:
    job = job_for(talk, f"speech.model={tiny}")
    undisturbed = build(job, tmp_path / "undisturbed", Chunks())

    def stop(_: float) -> None:
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        build(job, tmp_path / "killed", Chunks(tmp_path / "chunks"), stop)
    chunks = Chunks(tmp_path / "chunks")
    resumed = build(job, tmp_path / "killed", chunks)
    assert (chunks.reused, chunks.made) == ({"00000"}, {"00001"})
    for name in ("items.jsonl", "layer.json"):
        assert (resumed.path / name).read_bytes() == (undisturbed.path / name).read_bytes()


def test_each_chunk_has_its_own_language(talk: Path, tiny: Path, tmp_path: Path) -> None:
    chunks = Chunks()
    chunks.put("00000", json.dumps([heard("Bore da", 1.0) | {"language": "cy"}]).encode())
    first, *following = build(job_for(talk, f"speech.model={tiny}"), tmp_path, chunks).items()
    assert (first["text"], first["language"]) == ("Bore da", "cy")
    assert {item["language"] for item in following} == {"en"}


def test_what_is_not_trusted_is_not_covered(talk: Path, tiny: Path, tmp_path: Path) -> None:
    chunks = Chunks()
    chunks.put("00000", json.dumps([heard("Bore da", 1.0), heard("mm", 4.0) | {"trusted": False}]).encode())
    layer = build(job_for(talk, f"speech.model={tiny}"), tmp_path, chunks)
    assert layer.covered == (TimeSpan(start=0.0, end=4.0), TimeSpan(start=5.0, end=305.98))


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (["Thank you."] * 3, [("Thank you.", 3.0, False)]),
        (["Thank you.", "thank you", "Thank  you!", "Bye."], [("Thank you.", 3.0, False), ("Bye.", 4.0, True)]),
        (["No.", "No.", "Yes."], [("No.", 1.0, True), ("No.", 2.0, True), ("Yes.", 3.0, True)]),
        (["No.", "Yes.", "No."], [("No.", 1.0, True), ("Yes.", 2.0, True), ("No.", 3.0, True)]),
    ],
)
def test_a_loop_of_the_same_words_is_one_item_and_not_trusted(
    texts: list[str], kept: list[tuple[str, float, bool]]
) -> None:
    items = without_loops(heard(text, float(start)) for start, text in enumerate(texts))
    assert [(item["text"], item["end"], item["trusted"]) for item in items] == kept


@pytest.mark.nightly
def test_noise_that_sounds_like_words_is_neither_trusted_nor_covered(media: Path, tiny: Path, tmp_path: Path) -> None:
    noise = media / "shared-assets" / "voices-around-a-fire.mp3"
    layer = build(job_for(noise, f"speech.model={tiny}"), tmp_path, Chunks())
    items = list(layer.items())
    assert items  # how many differs between processors
    assert not any(item["trusted"] for item in items)
    assert not any(span.start < item["end"] and item["start"] < span.end for span in layer.covered for item in items)


@pytest.mark.nightly
def test_the_language_of_the_settings_is_used_and_tells_layers_apart(talk: Path, tiny: Path, tmp_path: Path) -> None:
    job = job_for(talk, f"speech.model={tiny}", "speech.language=en")
    assert {item["language"] for item in build(job, tmp_path, Chunks()).items()} == {"en"}
    assert Speech().recipes(job) != Speech().recipes(job_for(talk, f"speech.model={tiny}"))
    with pytest.raises(ConfigError):
        build(job_for(talk, f"speech.model={tiny}", "speech.language=de"), tmp_path, Chunks())


@pytest.mark.parametrize(("language", "told"), [("deu", True), ("eng", False), (None, False)])
def test_a_language_that_the_recogniser_does_not_know_is_told(
    media: Path, tiny: Path, tmp_path: Path, language: str | None, told: bool
) -> None:
    sentence = media / "pocketsphinx" / "sense_and_sensibility_01_austen_64kb-0880.wav"
    job = job_for(sentence, f"speech.model={tiny}")
    marked = replace(job.media, audio=tuple(replace(each, language=language) for each in job.media.audio))
    warned: list[str] = []
    given = IndexJob(job.path, marked, job.settings, job.engines, warn=warned.append)
    layer_of(Speech(), given, LayerStore(tmp_path))
    assert ["German" in sentence for sentence in warned] == [True] * told


def test_what_somebody_wrote_down_is_not_recognised(talk: Path, tiny: Path, tmp_path: Path) -> None:
    job = job_for(talk, f"speech.model={tiny}")
    for written, layers in ((subtitles(tmp_path, "Hello."), 0), (subtitles(tmp_path), 1)):
        given = IndexJob(job.path, job.media, job.settings, job.engines, {"subtitles": written})
        assert len(Speech().recipes(given)) == layers


def sounds(folder: Path, *voices: tuple[float, float]) -> Layer:
    recipe = LayerRecipe("sounds", 1, "test", {"voices": [list(voice) for voice in voices]})
    with new_layer(LayerStore(folder), recipe) as writer:
        for start, end in voices:
            writer.add({"start": start, "end": end, "kind": "speech"})
    layer = LayerStore(folder).get(recipe.name, recipe.key)
    assert layer
    return layer


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("until", "voices", "first"),
    [
        (3.0, (), 302.0),  # subtitles of the first sentence only are no transcript: all else is heard
        (200.0, ((0.0, 3.0), (303.0, 305.0)), 302.0),  # they cover most: where there is a voice, is heard
        (200.0, ((0.0, 3.0),), None),
    ],
)
def test_speech_that_no_cue_covers_is_recognised_once(
    talk: Path, tiny: Path, tmp_path: Path, until: float, voices: tuple[tuple[float, float], ...], first: float | None
) -> None:
    job = job_for(talk, f"speech.model={tiny}")
    layers = {"subtitles": subtitles(tmp_path, "He married.", until=until), "sounds": sounds(tmp_path, *voices)}
    given = IndexJob(job.path, job.media, job.settings, job.engines, layers)
    layer = layer_of(Speech(), given, LayerStore(tmp_path / "speech"))
    starts = [item["start"] for item in layer.items()]
    assert (not starts) if first is None else min(starts) > first
    # The talk lasts 305.98 s: what the subtitles leave out was heard, or has no voice.
    assert layer.covered == (TimeSpan(start=until, end=305.98),)
    told = heard_between({**layers, "speech": layer})
    assert told is None if first is None else (told is not None and "the first at 00:05:0" in told)


def test_the_model_of_the_settings_comes_before_the_packaged_one(talk: Path, tiny: Path, tmp_path: Path) -> None:
    random = write_tiny_whisper(tmp_path / "random")
    settings: list[list[str]] = [[f"speech.model={random}"], [], [f"speech.model={tiny}"]]
    named, packaged, same = (Speech().recipes(job_for(talk, *each)) for each in settings)
    assert named != packaged
    assert packaged == same


@pytest.mark.parametrize("setting", ["engines.speech=[faster_whisper]", "speech.language=de"])
def test_a_named_model_that_is_damaged_is_an_error(talk: Path, tmp_path: Path, setting: str) -> None:
    with pytest.raises(EngineError, match=r"--set speech\.model=DIR"):
        Speech().recipes(job_for(talk, f"speech.model={tmp_path}", setting))


def test_without_sound_nothing_is_built(tiny: Path, tmp_path: Path) -> None:
    write_clip(tmp_path / "mute.mp4", [flat((90, 40, 20), 64, 64)] * 5)
    assert Speech().recipes(job_for(tmp_path / "mute.mp4", f"speech.model={tiny}")) == ()


def blocks_of(samples: Samples, seconds: float, start: float = 0.0) -> list[AudioBlock]:
    size = round(seconds * RATE)
    return [
        AudioBlock(start + first / RATE, samples[first : first + size], RATE) for first in range(0, len(samples), size)
    ]


def noise_with_pauses(seconds: int, *pauses: float) -> Samples:
    samples = np.random.default_rng(0).normal(0, 0.1, seconds * RATE).astype(np.float32)
    for pause in pauses:
        samples[round(pause * RATE) : round((pause + 0.4) * RATE)] *= 0.01
    return samples


def test_sound_is_cut_in_its_pauses_and_nothing_is_lost() -> None:
    samples = noise_with_pauses(200, 30.0, 71.3, 140.8)
    chunks = list(cut_at_pauses(blocks_of(samples, 32), 60, 90))
    assert [chunk.start for chunk in chunks] == [0.0, pytest.approx(71.5, abs=0.1), pytest.approx(141.0, abs=0.1)]
    assert np.array_equal(np.concatenate([chunk.samples for chunk in chunks]), samples)
    assert all(60 <= chunk.end - chunk.start <= 90 for chunk in chunks[:-1])


def test_the_cuts_do_not_depend_on_how_the_sound_was_read() -> None:
    samples = noise_with_pauses(200, 65.0)
    one, other = (list(cut_at_pauses(blocks_of(samples, seconds), 60, 90)) for seconds in (32, 7.3))
    assert [chunk.start for chunk in one] == [chunk.start for chunk in other]


def test_a_gap_in_the_sound_ends_a_chunk() -> None:
    samples = noise_with_pauses(40)
    chunks = list(cut_at_pauses([*blocks_of(samples, 32), *blocks_of(samples, 32, start=45.0)], 60, 90))
    assert [(chunk.start, chunk.end) for chunk in chunks] == [(0.0, 40.0), (45.0, 85.0)]
    assert list(cut_at_pauses([], 60, 90)) == []


def test_no_word_of_a_reading_is_cut(media: Path) -> None:
    """LibriVox sentences one after the other, with the times of their words."""
    words: list[tuple[float, float]] = []
    parts: list[Samples] = []
    length = 0.0
    for number in (0, 1) * 30:
        recording = media / f"pocketsphinx/sense_and_sensibility_01_austen_64kb-08{7 + number}0.wav"
        for word in json.loads(recording.with_suffix(".json").read_text())["w"]:
            if not word["t"].startswith("<"):
                words.append((length + word["b"], length + word["b"] + word["d"]))
        parts.append(read_samples(recording))
        length += len(parts[-1]) / RATE
    cuts = [chunk.start for chunk in cut_at_pauses(blocks_of(np.concatenate(parts), 32), 60, 90)][1:]
    assert len(cuts) >= 3
    assert [cut for cut in cuts for start, end in words if start + 0.03 < cut < end - 0.03] == []
