"""The layer that embeds what can be found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.data.layers import layer_of
from helpers.data.written_layers import write_layer

from longtake.errors import Cancelled
from longtake.memory.layers import Layer, LayerStore
from longtake.memory.search.index import Index
from longtake.memory.search.search_types import Batch, SearchFilter, Vectors
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.layers.layer_moments import moments_of
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.layers.text_vectors import TextVectors, load_vectors
from longtake.preprocess.media.media import MediaInfo
from longtake.settings import Settings

ENGINES = EngineTable(Settings())
MEDIA = MediaInfo("mp4", 60.0, 0.0, None, (), ())


def cue(start: float, end: float, text: str, language: str = "en") -> dict[str, Any]:
    return {"start": start, "end": end, "text": text, "language": language, "source": "a.vtt"}


@pytest.fixture
def layers(store: LayerStore) -> dict[str, Layer]:
    seen = {"start": 1, "end": 4, "text": "SALE $249", "box": [0.1, 0.1, 0.2, 0.1], "confidence": 0.97}
    heard = {"start": 5, "end": 9, "kind": "music", "level_db": -20.0, "confidence": 0.8}
    shown = {"start": 0, "end": 8, "text": "A hall.", "time": 4, "file": "4.jpg"}
    items = {"subtitles": cue(0, 3, "A dragon flies."), "scene_text": seen, "sounds": heard, "captions": shown}
    covered = [TimeSpan(start=0, end=30), TimeSpan(start=20, end=60)]
    return {name: write_layer(store, name, item, covered=covered) for name, item in items.items()}


def build(store: LayerStore, layers: Mapping[str, Layer], **job: Any) -> Layer:
    return layer_of(TextVectors(), IndexJob(Path("a.mp4"), MEDIA, Settings(), ENGINES, layers, **job), store)


def test_a_file_without_text_or_sound_has_no_vectors() -> None:
    assert TextVectors().recipes(IndexJob(Path("a.mp4"), MEDIA, Settings(), ENGINES)) == ()


def test_one_unit_vector_a_document_and_the_same_bytes_again(tmp_path: Path, layers: dict[str, Layer]) -> None:
    first, again = (build(LayerStore(tmp_path / name), layers) for name in ("first", "again"))
    vectors = load_vectors(first)
    assert vectors.shape == (first.count, ENGINES.load("text_embedding").dimensions)
    assert first.count == 4
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1] * 4, abs=1e-4)
    assert [item["text"] for item in first.items()] == [document.text for document in moments_of("v", layers)]
    for file in ("vectors.npy", "items.jsonl", "layer.json"):
        assert (first.path / file).read_bytes() == (again.path / file).read_bytes()
    assert first.covered == (TimeSpan(start=0, end=60),)


def test_changed_input_changes_the_key(tmp_path: Path, store: LayerStore, layers: dict[str, Layer]) -> None:
    before = build(store, layers).key
    layers["subtitles"] = write_layer(store, "subtitles", cue(0, 3, "One"), cue(3, 6, "Two"))
    assert build(store, layers).key != before


@pytest.mark.parametrize("damaged", [False, True])
def test_only_new_texts_are_embedded_when_a_layer_is_added(
    store: LayerStore, layers: dict[str, Layer], damaged: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, asked = ENGINES.load("text_embedding"), list[str]()
    embed = engine.embed

    def counted(texts: Sequence[str]) -> Vectors:
        asked.extend(texts)
        vectors: Vectors = embed(texts)
        return vectors

    earlier = build(store, layers)
    if damaged:
        (earlier.path / "vectors.npy").write_bytes(b"not an array")
    layers["speech"] = write_layer(store, "speech", cue(30, 33, "A kettle boils."))
    monkeypatch.setattr(engine, "embed", counted)
    built = build(store, {**layers, "text_vectors": earlier})
    monkeypatch.undo()
    again = build(LayerStore(store.root / "other"), layers)
    assert len(asked) == (5 if damaged else 1)
    assert (load_vectors(built) == load_vectors(again)).all()


def test_a_cancelled_build_leaves_no_layer(store: LayerStore, layers: dict[str, Layer]) -> None:
    def cancel() -> None:
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        build(store, layers, check_cancelled=cancel)
    assert not (store.root / "text_vectors").exists()


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
    layers = {"subtitles": write_layer(store, "subtitles", *cues)}
    engine = ENGINES.load("text_embedding")
    index = Index(tmp_path / "index", floors={engine.id: engine.floor})
    index.replace("film", [Batch(engine.id, moments_of("film", layers), load_vectors(build(store, layers)))])
    hits = index.search(query, {engine.id: engine.embed([query])[0]}, SearchFilter(), 3)
    assert any(said in hit.moment.text.lower() for hit in hits)
    nothing = "quarterly revenue of the steel company"
    nearest = index.search(nothing, {engine.id: engine.embed([nothing])[0]}, SearchFilter(), 3)
    assert [hit.weak for hit in nearest] == [True] * 3
