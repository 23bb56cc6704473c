"""Every engine that embeds pictures and texts, with a tiny checkpoint of each architecture."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from helpers.media.clips import flat
from helpers.media.small_video import write_small_video
from helpers.models.tiny_pictures import write_tiny_open_clip, write_tiny_siglip, write_tiny_siglip2

from longtake.config import load
from longtake.errors import EngineError
from longtake.memory.search.search_types import SearchFilter
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.pictures.image_text_embedding import ImageTextEmbedding
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings

pytestmark = pytest.mark.nightly
Write = Callable[..., Path]
MODELS: dict[str, tuple[str, Write]] = {
    "siglip": ("siglip", write_tiny_siglip),
    "siglip2": ("siglip", write_tiny_siglip2),
    "open_clip": ("open_clip", write_tiny_open_clip),
}
PICTURES = [flat((0, 0, 200)), flat((200, 0, 0)), np.tile(np.arange(160, dtype=np.uint8)[None, :, None], (90, 1, 3))]
TEXTS = ["a red picture", "two dogs in the snow", "", "日本", "word " * 500]


@pytest.fixture(scope="module", params=MODELS)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """The name of an engine, and the folder of a model for it."""
    engine, write = MODELS[request.param]
    return engine, write(tmp_path_factory.mktemp(request.param) / "model")


def settings(folder: Path | str, *more: str) -> Settings:
    return load(overrides=(f"image_text.model={folder}", "engines.speakers=[]", *more))


def opened(model: tuple[str, Path]) -> ImageTextEmbedding:
    table = EngineTable(settings(model[1]))
    assert table.report("image_text_embedding").engine == model[0]
    engine: ImageTextEmbedding = table.load("image_text_embedding")
    return engine


def test_pictures_and_texts_are_rows_of_length_1_in_one_space(model: tuple[str, Path]) -> None:
    engine = opened(model)
    for rows, number in ((engine.embed_images(PICTURES), len(PICTURES)), (engine.embed_texts(TEXTS), len(TEXTS))):
        assert rows.shape == (number, engine.dimensions)
        assert rows.dtype == np.float32
        assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-4)
    assert engine.embed_images([]).shape == engine.embed_texts([]).shape == (0, engine.dimensions)


def test_a_batch_gives_what_each_gives_alone(model: tuple[str, Path]) -> None:
    engine = opened(model)
    alone = np.concatenate([engine.embed_images([picture]) for picture in PICTURES])
    assert np.allclose(engine.embed_images(PICTURES * 7)[: len(PICTURES)], alone, atol=1e-4)
    assert np.allclose(opened(model).embed_images(PICTURES), alone, atol=1e-4)
    assert np.allclose(engine.embed_texts(TEXTS)[1], engine.embed_texts(TEXTS[1:2])[0], atol=1e-4)
    assert not np.allclose(alone[0], alone[1], atol=1e-3)


def test_frames_are_indexed_and_found_and_another_model_does_it_again(model: tuple[str, Path], tmp_path: Path) -> None:
    engine, folder = model
    clip = write_small_video(tmp_path / "talk.mp4")
    workspace = Workspace(tmp_path / "library", settings(folder, "image_text.floor=-1"))
    first = {layer.name: layer for layer in workspace.add(clip).layers}["frame_vectors"]
    assert (first.reused, first.problem) == (False, None)
    video = workspace.library.resolve("talk.mp4")
    embedding: ImageTextEmbedding = workspace.engines.load("image_text_embedding")
    query = embedding.embed_texts(["a white slide"])[0]
    hits = workspace.index.search("", {embedding.id: query}, SearchFilter((video.id,)), 3)
    assert hits[0].moment.modality == "visual"
    again = {layer.name: layer for layer in workspace.add(clip).layers}["frame_vectors"]
    assert again.reused
    _, write = next(pair for pair in MODELS.values() if pair[0] == engine)
    other = Workspace(tmp_path / "library", settings(write(tmp_path / "other", seed=6)))
    changed = {layer.name: layer for layer in other.add(clip).layers}
    assert not changed["frame_vectors"].reused
    assert changed["scene_text"].reused


def test_damaged_files_are_one_sentence(model: tuple[str, Path], tmp_path: Path) -> None:
    engine, folder = model
    broken = shutil.copytree(folder, tmp_path / "broken")
    (weights,) = broken.glob("*.safetensors")
    weights.write_bytes(weights.read_bytes()[:1_000])
    loaded: ImageTextEmbedding = EngineTable(settings(broken)).load("image_text_embedding")
    with pytest.raises(EngineError, match=r"image_text\.model=DIR") as raised:
        loaded.embed_texts(["a"])
    assert "\n" not in str(raised.value)
    weights.unlink()
    reasons = EngineTable(settings(broken)).report("image_text_embedding").reasons
    assert "safetensors" in reasons[engine]


def test_a_model_of_another_architecture_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    (tmp_path / "model.safetensors").touch()
    reasons = EngineTable(settings(tmp_path)).report("image_text_embedding").reasons
    assert "isn't a SigLIP model (bert)" in reasons["siglip"]
    assert "open_clip_config.json" in reasons["open_clip"]
