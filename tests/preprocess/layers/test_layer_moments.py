"""Moments from layers: what can be found, under which modality, and which cues are joined."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from helpers.data.written_layers import write_layer

from longtake.memory.layers import Layer, LayerStore
from longtake.preprocess.layers.layer_moments import moments_of


def cue(start: float, end: float, text: str, language: str = "en") -> dict[str, Any]:
    return {"start": start, "end": end, "text": text, "language": language, "source": "a.vtt"}


def recognised(start: float, end: float, text: str, confidence: float, trusted: bool = True) -> dict[str, Any]:
    words = [[start, end, text, confidence]]
    facts = {"start": start, "end": end, "text": text, "language": "en"}
    return facts | {"words": words, "confidence": confidence, "trusted": trusted}


def of(store: LayerStore, name: str, *items: Mapping[str, Any]) -> dict[str, Layer]:
    return {name: write_layer(store, name, *items)}


def joined(store: LayerStore, name: str, *items: Mapping[str, Any]) -> list[tuple[float, float, str]]:
    moments = moments_of("v", of(store, name, *items))
    return [(moment.span.start, moment.span.end, moment.text) for moment in moments]


def test_layers_become_documents_with_their_modality_and_origin(store: LayerStore) -> None:
    box = [0.1, 0.1, 0.2, 0.1]
    caption = {"start": 0, "end": 8, "text": "A hall.", "time": 4, "file": "4.jpg"}
    layers = {
        **of(store, "captions", caption),
        **of(store, "sounds", {"start": 5, "end": 9, "kind": "music", "level_db": -20.0, "confidence": 0.8}),
        **of(store, "scene_text", {"start": 1, "end": 4, "text": "SALE $249", "box": box, "confidence": 0.97}),
        **of(store, "speech", recognised(0, 3, "It is cold.", 0.7)),
        **of(store, "subtitles", cue(0, 3, "A dragon flies.")),
    }
    moments = moments_of("v", layers)
    assert [(moment.modality, moment.text, moment.score) for moment in moments] == [
        ("speech", "A dragon flies.", 1.0),
        ("speech", "It is cold.", 0.7),
        ("scene_text", "SALE $249", 0.97),
        ("audio", "music", 0.8),
        ("visual", "A hall.", 1.0),
    ]
    assert {(moment.engine, moment.layer) for moment in moments} == {
        (layer.engine, layer.key) for layer in layers.values()
    }
    assert len({moment.id for moment in moments}) == 5
    assert all(moment.trusted for moment in moments)


@pytest.mark.parametrize(
    ("event", "text"),
    [
        ({"kind": "tone", "hz": 1000.4}, "tone of 1000 Hz, beep"),
        ({"kind": "tone"}, "tone, beep"),
        ({"kind": "siren"}, "siren-like sound"),
        ({"kind": "applause"}, "applause-like sound, clapping"),
        ({"kind": "quiet"}, "quiet passage"),
        ({"kind": "speech"}, "speech (voices)"),
    ],
)
def test_a_sound_is_found_by_what_it_sounds_like(store: LayerStore, event: dict[str, Any], text: str) -> None:
    [moment] = moments_of("v", of(store, "sounds", {"start": 5, "end": 9, "confidence": 0.8} | event))
    assert moment.text == text


@pytest.mark.parametrize("name", ["subtitles", "speech"])
def test_short_cues_of_one_sentence_are_joined(store: LayerStore, name: str) -> None:
    cues = (cue(0, 1, "The price"), cue(1, 2.5, "is two\nhundred"), cue(2.6, 3.5, "dollars."), cue(3.6, 4, "Next"))
    assert joined(store, name, *cues) == [(0, 3.5, "The price is two hundred dollars."), (3.6, 4, "Next")]


@pytest.mark.parametrize("name", ["scene_text", "captions"])
def test_what_is_seen_is_not_joined(store: LayerStore, name: str) -> None:
    assert len(joined(store, name, cue(0, 1, "The price"), cue(1, 2, "is high"))) == 2


@pytest.mark.parametrize(
    "cues",
    [
        (cue(0, 1, "Done."), cue(1, 2, "Next")),
        (cue(0, 3, "A long cue"), cue(3, 6, "and another")),
        (cue(0, 1, "A pause"), cue(2.5, 3, "follows")),
        (cue(0, 14.5, "This one is so long"), cue(14.5, 15.5, "already")),
        (cue(0, 1, "English", "en"), cue(1, 2, "français", "fr")),
    ],
    ids=["sentence ended", "both long", "pause", "over fifteen seconds", "another language"],
)
def test_other_cues_stay_apart(store: LayerStore, cues: tuple[dict[str, Any], ...]) -> None:
    assert joined(store, "subtitles", *cues) == [(item["start"], item["end"], item["text"]) for item in cues]


def test_interleaved_languages_are_joined_track_by_track(store: LayerStore) -> None:
    cues = (cue(0, 1, "The"), cue(0, 1, "Le", "fr"), cue(1, 2, "dragon."), cue(1, 2, "dragon vole.", "fr"))
    assert joined(store, "subtitles", *cues) == [(0, 2, "The dragon."), (0, 2, "Le dragon vole.")]


@pytest.mark.parametrize("name", ["subtitles", "speech", "scene_text", "captions"])
def test_blank_items_make_no_moment(store: LayerStore, name: str) -> None:
    assert joined(store, name, cue(0, 3, "  "), cue(3, 6, "Hello")) == [(3, 6, "Hello")]


def test_joined_words_are_as_sure_and_as_trusted_as_the_least_of_them(store: LayerStore) -> None:
    segments = (recognised(0, 1, "It was", 0.9), recognised(1, 2, "cold", 0.4, trusted=False))
    [moment] = moments_of("v", of(store, "speech", *segments))
    assert (moment.text, moment.score, moment.trusted) == ("It was cold", 0.4, False)
