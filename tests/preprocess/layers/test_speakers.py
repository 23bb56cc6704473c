"""The layer `speakers`: names from subtitles, voices told apart, and what search finds of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from helpers.data.layers import layer_of, new_layer

from longtake.config import load
from longtake.errors import EngineUnavailable
from longtake.memory.layers import Layer, LayerRecipe, LayerStore
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.audio.ge2e import WEIGHTS
from longtake.preprocess.layers.speaker_lines import speaker_lines
from longtake.preprocess.layers.speakers import Speakers
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.media import probe
from longtake.settings import Settings

Items = Sequence[dict[str, Any]]
with_weights = pytest.mark.skipif(
    WEIGHTS.missing(Settings()) is not None, reason="Resemblyzer's weights aren't installed"
)


def stored(folder: Path, name: str, items: Items) -> Layer:
    recipe = LayerRecipe(name, 1, "test", {"items": len(items)})
    with new_layer(LayerStore(folder), recipe) as writer:
        for item in items:
            writer.add(item)
        writer.cover([TimeSpan(start=0, end=60)])
    layer = LayerStore(folder).get(name, recipe.key)
    assert layer
    return layer


def job_for(path: Path, layers: dict[str, Layer], *settings: str) -> IndexJob:
    given = load(overrides=settings)
    return IndexJob(path, probe(path), given, EngineTable(given), layers)


def cue(start: float, end: float, text: str, **facts: Any) -> dict[str, Any]:
    return {"start": start, "end": end, "text": text, "language": "en", "source": "a.vtt"} | facts


def turn(start: float, end: float, speaker: str, *, trusted: bool = False) -> dict[str, Any]:
    return {"start": start, "end": end, "speaker": speaker, "trusted": trusted}


def test_names_in_the_subtitles_need_no_engine(tone: Path, tmp_path: Path) -> None:
    cues = [cue(0, 2, "Hello.", speaker="Ann"), cue(2, 3, "Hi."), cue(3, 5, "Good day.", speaker="Ben")]
    written = stored(tmp_path, "subtitles", cues)
    layer = layer_of(Speakers(), job_for(tone, {"subtitles": written}, "engines.speakers=[]"), LayerStore(tmp_path))
    assert list(layer.items()) == [turn(0, 2, "Ann", trusted=True), turn(3, 5, "Ben", trusted=True)]


def test_without_voices_nothing_is_built_and_without_an_engine_it_says_so(tone: Path, tmp_path: Path) -> None:
    silent = stored(tmp_path / "silent", "sounds", [{"start": 0, "end": 1, "kind": "silence"}])
    voiced = stored(tmp_path / "voiced", "sounds", [{"start": 1, "end": 3, "kind": "speech"}])
    assert Speakers().recipes(job_for(tone, {})) == ()
    assert Speakers().recipes(job_for(tone, {"sounds": silent})) == ()
    with pytest.raises(EngineUnavailable):
        Speakers().recipes(job_for(tone, {"sounds": voiced}, "engines.speakers=[]"))


@pytest.mark.nightly
@pytest.mark.voices
@with_weights
def test_two_voices_in_a_talk_are_told_apart(media: Path, tmp_path: Path) -> None:
    talk = media / "cognitive-services-speech-sdk" / "katiesteve.wav"
    spoken = [(0.1, 1.0), (2.0, 2.9), (3.9, 11.4), (12.3, 23.7), (24.7, 25.5), (26.4, 28.5)]
    voices = [{"start": start, "end": end, "kind": "speech"} for start, end in spoken]
    job = job_for(talk, {"sounds": stored(tmp_path, "sounds", voices)})
    layer = layer_of(Speakers(), job, LayerStore(tmp_path))
    assert [item["speaker"] for item in layer.items()] == ["1", "2"] * 3
    assert not any(item["trusted"] for item in layer.items())


@pytest.mark.parametrize(
    ("turns", "cues", "lines"),
    [
        ([], [], []),
        (
            [turn(0, 4, "1"), turn(5, 7, "2"), turn(8, 9, "1")],
            [cue(0, 3, "I am Edith Marlow, and I look after this."), cue(5, 7, "I'm late.")],
            [
                "Two people speak: Edith Marlow (speaker 1), speaker 2.",
                "Edith Marlow (speaker 1) speaks 2 times, for 5 seconds in all.",
                "Speaker 2 speaks once, for 2 seconds in all.",
            ],
        ),
        (
            [turn(1, 2, "Ann", trusted=True), turn(2, 4, "Ann", trusted=True)],
            [],
            ["One person speaks: Ann.", "Ann speaks once, for 3 seconds in all."],
        ),
        (
            [turn(1, 2, "Ann", trusted=True)],
            [cue(1, 2, "Good evening.") | {"speaker": "Ann"}, cue(2, 9, "We begin with the roof.")],
            ["At least one person is named as speaking: Ann.", "Ann is named once as speaking."],
        ),
    ],
    ids=["none", "by voice", "by name", "by name now and then"],
)
def test_search_finds_how_many_speak_and_who(turns: Items, cues: Items, lines: list[str], tmp_path: Path) -> None:
    found = list(speaker_lines(stored(tmp_path, "speakers", turns), cues))
    assert [line["text"] for line in found] == lines
    assert all(line["trusted"] == turns[0]["trusted"] for line in found)
