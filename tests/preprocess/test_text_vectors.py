"""Documents from layers, and the layer that embeds them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from longtake.config import Settings
from longtake.errors import Cancelled
from longtake.memory.index import SearchFilter
from longtake.memory.layers import Layer, LayerRecipe, LayerStore
from longtake.memory.search import HybridIndex
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.media import MediaInfo
from longtake.preprocess.step import IndexJob
from longtake.preprocess.text_vectors import TextVectors, documents_of, load_vectors

ENGINES = EngineTable(Settings())
MEDIA = MediaInfo("mp4", 60.0, 0.0, None, (), ())


def write(store: LayerStore, name: str, *items: Mapping[str, Any]) -> Layer:
    recipe = LayerRecipe(name, 1, f"{name}-engine", {"items": len(items)})
    with store.create(recipe) as writer:
        for item in items:
            writer.add(item)
        writer.cover([TimeSpan(start=0, end=30), TimeSpan(start=20, end=60)])
    layer = store.get(name, recipe.key)
    assert layer
    return layer


def cue(start: float, end: float, text: str, language: str = "en") -> dict[str, Any]:
    return {"start": start, "end": end, "text": text, "language": language, "source": "a.vtt"}


@pytest.fixture
def store(tmp_path: Path) -> LayerStore:
    return LayerStore(tmp_path / "layers")


@pytest.fixture
def layers(store: LayerStore) -> dict[str, Layer]:
    return {
        "sounds": write(
            store,
            "sounds",
            {"start": 5, "end": 9, "kind": "music", "level_db": -20.0, "confidence": 0.8},
            {"start": 9, "end": 10, "kind": "tone", "level_db": -20.0, "confidence": 0.9, "hz": 1000.4},
        ),
        "scene_text": write(
            store,
            "scene_text",
            {"start": 1, "end": 4, "text": "SALE $249", "box": [0.1, 0.1, 0.2, 0.1], "confidence": 0.97},
        ),
        "subtitles": write(store, "subtitles", cue(0, 3, "A dragon flies.")),
    }


def spoken(store: LayerStore, *cues: dict[str, Any]) -> list[tuple[float, float, str]]:
    documents = documents_of("v", {"subtitles": write(store, "subtitles", *cues)})
    return [(document.span.start, document.span.end, document.text) for document in documents]


def build(store: LayerStore, layers: Mapping[str, Layer], **job: Any) -> Layer:
    step = TextVectors()
    task = IndexJob(Path("a.mp4"), MEDIA, Settings(), ENGINES, layers, **job)
    [recipe] = step.recipes(task)
    with store.create(recipe) as writer:
        step.build(task, {"text_vectors": writer})
    layer = store.get("text_vectors", recipe.key)
    assert layer
    return layer


def test_layers_become_documents_with_their_modality_and_origin(layers: dict[str, Layer]) -> None:
    documents = documents_of("v", layers)
    assert [(document.modality, document.text, document.score) for document in documents] == [
        ("speech", "A dragon flies.", 1.0),
        ("scene_text", "SALE $249", 0.97),
        ("audio", "music", 0.8),
        ("audio", "tone of 1000 Hz, beep", 0.9),
    ]
    assert {(document.engine, document.layer) for document in documents} == {
        (layer.engine, layer.key) for layer in layers.values()
    }
    assert len({document.id for document in documents}) == 4


def test_short_cues_of_one_sentence_are_joined(store: LayerStore) -> None:
    cues = (cue(0, 1, "The price"), cue(1, 2.5, "is two\nhundred"), cue(2.6, 3.5, "dollars."), cue(3.6, 4, "Next"))
    assert spoken(store, *cues) == [(0, 3.5, "The price is two hundred dollars."), (3.6, 4, "Next")]


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
    assert spoken(store, *cues) == [(item["start"], item["end"], item["text"]) for item in cues]


def test_interleaved_languages_are_joined_track_by_track(store: LayerStore) -> None:
    cues = (cue(0, 1, "The"), cue(0, 1, "Le", "fr"), cue(1, 2, "dragon."), cue(1, 2, "dragon vole.", "fr"))
    assert spoken(store, *cues) == [(0, 2, "The dragon."), (0, 2, "Le dragon vole.")]


def test_blank_cues_make_no_document(store: LayerStore) -> None:
    assert spoken(store, cue(0, 3, "  "), cue(3, 6, "Hello")) == [(3, 6, "Hello")]


def test_a_file_without_text_or_sound_has_no_vectors() -> None:
    assert TextVectors().recipes(IndexJob(Path("a.mp4"), MEDIA, Settings(), ENGINES)) == ()


def test_one_unit_vector_a_document_and_the_same_bytes_again(tmp_path: Path, layers: dict[str, Layer]) -> None:
    first, again = (build(LayerStore(tmp_path / name), layers) for name in ("first", "again"))
    vectors = load_vectors(first)
    assert vectors.shape == (first.count, 256) == (4, 256)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1] * 4, abs=1e-4)
    assert [item["text"] for item in first.items()] == [document.text for document in documents_of("v", layers)]
    for file in ("vectors.npy", "items.jsonl", "layer.json"):
        assert (first.path / file).read_bytes() == (again.path / file).read_bytes()
    assert first.covered == (TimeSpan(start=0, end=60),)


def test_changed_input_changes_the_key(tmp_path: Path, store: LayerStore, layers: dict[str, Layer]) -> None:
    before = build(store, layers).key
    layers["subtitles"] = write(store, "subtitles", cue(0, 3, "One"), cue(3, 6, "Two"))
    assert build(store, layers).key != before


def test_a_cancelled_build_leaves_no_layer(store: LayerStore, layers: dict[str, Layer]) -> None:
    def cancel() -> None:
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        build(store, layers, check_cancelled=cancel)
    assert not list((store.root / "text_vectors").iterdir())


def real_cues(file: Path) -> Iterator[dict[str, Any]]:
    """The cues of a plain WebVTT file."""
    for block in file.read_text(encoding="utf-8").split("\n\n"):
        lines = block.strip().splitlines()
        times = next((number for number, line in enumerate(lines) if "-->" in line), None)
        if times is not None:
            start, end = (_seconds(part.split()[0]) for part in lines[times].split("-->"))
            yield cue(start, end, " ".join(lines[times + 1 :]))


def _seconds(text: str) -> float:
    parts = [float(part) for part in text.split(":")]
    return round(sum(part * 60**power for power, part in enumerate(reversed(parts))), 3)


@pytest.mark.parametrize(
    ("query", "said"),
    [("Where is it safe?", "safe"), ("looking at clockwork machinery", "clockwork"), ("beautiful sights", "beauty")],
)
def test_questions_about_a_real_film_lead_to_what_is_said(
    media: Path, store: LayerStore, tmp_path: Path, query: str, said: str
) -> None:
    cues = list(real_cues(media / "video.js" / "elephantsdream-captions.en.vtt"))
    layers = {"subtitles": write(store, "subtitles", *cues)}
    engine = ENGINES.load("text_embedding")
    index = HybridIndex(tmp_path / "index", space=engine.id, floor=engine.floor, rrf_constant=60)
    index.replace("film", documents_of("film", layers), load_vectors(build(store, layers)))
    hits = index.search(query, engine.embed([query])[0], SearchFilter(), 3)
    assert any(said in hit.document.text.lower() for hit in hits)
    nothing = "quarterly revenue of the steel company"
    assert index.search(nothing, engine.embed([nothing])[0], SearchFilter(), 3) == []
