"""The pictures of a video as vectors: one a second, found by words for what is seen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.data.written_layers import write_keyframes
from helpers.media.clips import Picture, flat, write_clip
from helpers.models.colour_embedding import COLOURS, ColourEmbedding

from longtake.config import load
from longtake.errors import Cancelled, EngineError, EngineUnavailable, LibraryError
from longtake.memory.building import Chunks, build_layers
from longtake.memory.layers import Layer, LayerStore
from longtake.memory.search.index import Index
from longtake.memory.search.search_types import Batch, SearchFilter
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.built_in_engines import EngineEntry
from longtake.preprocess.engines.engine_table import ENGINES
from longtake.preprocess.layers.frame_vectors import FrameVectors, frame_batch
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.media import MediaInfo
from longtake.preprocess.pipeline.retrieval import retrieve
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings

MEDIA = MediaInfo("mp4", 130.0, 0.0, None, (), ())
ENGINE = "image_text_embedding"


@pytest.fixture(autouse=True)
def settings(monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings that name a joint embedding of colours."""
    entry = EngineEntry("helpers.models.colour_embedding:ColourEmbedding", "colours")
    monkeypatch.setitem(ENGINES, ENGINE, {"colours": entry, "absent": replace(entry, packages=("no_such_package",))})
    return load(overrides=[f"engines.{ENGINE}=[colours]"])


def shown(*colours: str) -> list[Picture]:
    return [flat(COLOURS[colour]) for colour in colours]


def job_for(keyframes: Layer, settings: Settings, **more: Any) -> IndexJob:
    return IndexJob(Path("a.mp4"), MEDIA, settings, EngineTable(settings), {"keyframes": keyframes}, **more)


def build(store: LayerStore, job: IndexJob) -> tuple[Layer, Chunks]:
    [recipe] = FrameVectors().recipes(job)
    with build_layers(store.root, [recipe]) as building:
        FrameVectors().build(replace(job, chunks=building.chunks), building.writers)
    layer = store.get("frame_vectors", recipe.key)
    assert layer
    return layer, building.chunks


def test_row_n_is_the_picture_of_item_n(store: LayerStore, settings: Settings) -> None:
    pictures = shown("red", "red", "green", "blue")
    layer, _ = build(store, job_for(write_keyframes(store, pictures, [(0, 2), (2, 4)]), settings))
    assert [(item["start"], item["end"], item["time"], item["file"]) for item in layer.items()] == [
        (second, second + 1, second + 0.5, f"{second:05d}.jpg") for second in range(4)
    ]
    batch = frame_batch("v", layer)
    assert batch.vectors is not None
    assert batch.vectors == pytest.approx(ColourEmbedding(settings).embed_images(pictures))
    assert layer.share(4) == 1


def test_every_second_is_a_moment_without_words(store: LayerStore, settings: Settings) -> None:
    layer, _ = build(store, job_for(write_keyframes(store, shown("red", "green")), settings))
    batch = frame_batch("v", layer)
    assert batch.space == "colours-1"
    first, second = batch.moments
    assert (second.video, second.span.start, second.span.end) == ("v", 1, 2)
    assert (second.modality, second.text, second.engine, second.layer) == ("visual", "", "colours-1", layer.key)
    assert first.id != second.id


def test_a_killed_build_goes_on_after_its_last_chunk(tmp_path: Path, store: LayerStore, settings: Settings) -> None:
    pictures = shown(*(list(COLOURS) * 22)[:130])
    keyframes = write_keyframes(store, pictures)
    undisturbed, _ = build(LayerStore(tmp_path / "undisturbed"), job_for(keyframes, settings))
    asked = iter(range(3))

    def cancel_before_the_second_chunk() -> None:
        if next(asked) == 1:
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        build(store, job_for(keyframes, settings, check_cancelled=cancel_before_the_second_chunk))
    for second in range(64):
        (keyframes.path / f"{second:05d}.jpg").unlink()  # what was embedded is not looked at again
    layer, chunks = build(store, job_for(keyframes, settings))
    assert (chunks.reused, chunks.made) == ({"00000"}, {"00001", "00002"})
    for file in ("vectors.npy", "items.jsonl", "layer.json"):
        assert (layer.path / file).read_bytes() == (undisturbed.path / file).read_bytes()


def test_progress_ends_at_one(store: LayerStore, settings: Settings) -> None:
    shares: list[float] = []
    build(store, job_for(write_keyframes(store, shown(*["red"] * 65)), settings, progress=shares.append))
    assert shares == [64 / 65, 1]


def test_a_video_of_no_second_has_no_rows(store: LayerStore, settings: Settings) -> None:
    layer, _ = build(store, job_for(write_keyframes(store, []), settings))
    vectors = frame_batch("v", layer).vectors
    assert vectors is not None
    assert vectors.shape == (0, len(COLOURS))


def test_a_picture_that_cannot_be_read_is_named(store: LayerStore, settings: Settings) -> None:
    keyframes = write_keyframes(store, shown("red", "green"))
    (keyframes.path / "00001.jpg").write_bytes(b"no picture")
    with pytest.raises(LibraryError, match=r"00001\.jpg"):
        build(store, job_for(keyframes, settings))


def test_where_no_engine_is_named_the_layer_is_unavailable(store: LayerStore) -> None:
    with pytest.raises(EngineUnavailable, match="No engine for"):
        FrameVectors().recipes(job_for(write_keyframes(store, shown("red")), load(overrides=[f"engines.{ENGINE}=[]"])))


def test_without_keyframes_nothing_is_built(store: LayerStore, settings: Settings) -> None:
    job = replace(job_for(write_keyframes(store, []), settings), layers={})
    assert FrameVectors().recipes(job) == ()


def test_an_engine_that_is_named_and_cannot_be_used_is_an_error(store: LayerStore) -> None:
    job = job_for(write_keyframes(store, shown("red")), load(overrides=[f"engines.{ENGINE}=[absent]"]))
    with pytest.raises(EngineError, match="absent: no_such_package not installed"):
        FrameVectors().recipes(job)


@pytest.mark.parametrize(("query", "second"), [("a red picture", 0), ("something green", 1), ("Blue sky", 2)])
def test_words_for_what_is_seen_find_the_second(
    tmp_path: Path, store: LayerStore, settings: Settings, query: str, second: int
) -> None:
    layer, _ = build(store, job_for(write_keyframes(store, shown("red", "green", "blue", "white")), settings))
    engine = EngineTable(settings).load(ENGINE)
    index = Index(tmp_path / "index", floors={engine.id: engine.floor})
    index.replace("v", [Batch("", (), None), frame_batch("v", layer)])
    hits = index.search(query, {engine.id: engine.embed_texts([query])[0]}, SearchFilter(), 3)
    assert [hit.moment.span.start for hit in hits if not hit.weak] == [second]
    nothing = "a violin"
    nearest = index.search(nothing, {engine.id: engine.embed_texts([nothing])[0]}, SearchFilter(), 3)
    assert [hit.weak for hit in nearest] == [True] * 3
    assert np.all(engine.embed_texts([nothing]) == 0)


@pytest.mark.slow
def test_an_indexed_video_is_found_by_what_it_shows(tmp_path: Path, settings: Settings) -> None:
    pictures = [picture for picture in shown("red", "green", "blue") for _ in range(75)]
    workspace = Workspace(tmp_path / "library", settings)
    report = workspace.add(write_clip(tmp_path / "colours.mp4", pictures))
    assert {layer.name: layer.items for layer in report.layers}["frame_vectors"] == 9
    found = retrieve("a green picture", SearchFilter(), 5, workspace.engines, workspace.index)
    hits = [hit for hit in found if not hit.weak]
    assert hits
    assert all(3 <= hit.span.start < hit.span.end <= 6 for hit in hits)


def test_without_an_engine_a_video_is_indexed_without_a_problem(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", load(overrides=[f"engines.{ENGINE}=[]"]))
    report = workspace.add(write_clip(tmp_path / "red.mp4", shown("red") * 25))
    assert {"frame_vectors", "captions"} == {layer.name for layer in report.layers if layer.unavailable}
    assert not [layer.problem for layer in report.layers if layer.problem]
