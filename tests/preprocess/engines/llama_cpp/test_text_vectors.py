"""Vectors of texts from a real model in a GGUF file: nearer for what is alike, found again by search."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.media.small_video import write_small_video
from helpers.models.smollm2 import cut_off, smollm2
from helpers.models.tiny_reranker import write_tiny_reranker

from longtake.config import load
from longtake.errors import EngineError
from longtake.memory.search.fusion import RERANKED
from longtake.memory.search.search_types import SearchFilter
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.llama_cpp.text_vectors import GgufEmbedding
from longtake.preprocess.engines.text.text_engines import Reranker
from longtake.preprocess.pipeline.retrieval import retrieve
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings


def settings(model: Path | str, *more: str) -> Settings:
    return load(overrides=("engines.text_embedding=[gguf, wordllama]", f"text_embedding.model={model}", *more))


@pytest.mark.nightly
def test_texts_that_are_alike_are_near() -> None:
    embedding = GgufEmbedding(settings(smollm2()))
    texts = ["The cat sat.", "A feline rested.", "Stock prices fell by ten percent.", "", "word " * 5_000]
    rows = embedding.embed(texts)
    assert rows.shape == (5, embedding.dimensions)
    assert np.allclose(np.linalg.norm(rows, axis=1), [1, 1, 1, 0, 1], atol=1e-4)
    cat, feline, stocks, *_ = rows
    assert cat @ feline > cat @ stocks
    assert np.allclose(embedding.embed(texts[1:2])[0], feline, atol=1e-3)
    assert len(embedding.embed([])) == 0


@pytest.mark.nightly
def test_an_index_is_made_of_them_and_searched_by_them(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", settings(smollm2(), "engines.speakers=[]"))
    workspace.add(write_small_video(tmp_path / "talk.mp4"))
    video = workspace.library.resolve("talk.mp4")
    space = GgufEmbedding(workspace.settings).id
    assert list(workspace.index.spaces((video.id,))) == [space]
    [best, *_] = retrieve("the price of the kettle", SearchFilter((video.id,)), 3, workspace.engines, workspace.index)
    assert "kettle" in best.moment.text


@pytest.mark.nightly
def test_a_reranker_puts_what_search_found_in_its_order(demo_workspace: Workspace, tmp_path: Path) -> None:
    smollm2()
    named = (f"reranking.model={write_tiny_reranker(tmp_path)}", "reranking.candidates=50")
    workspace = Workspace(demo_workspace.library.root, load(overrides=named))
    engine: Reranker = workspace.engines.load("reranking")
    asked = ("the price of a roof panel", SearchFilter(), 50)
    before = retrieve(*asked, demo_workspace.engines, demo_workspace.index)
    after = retrieve(*asked, workspace.engines, workspace.index)
    assert {hit.moment.id for hit in after} == {hit.moment.id for hit in before}
    strong = [hit for hit in after if RERANKED in hit.signals]
    scores = engine.score(asked[0], [hit.moment.text for hit in strong])
    assert len(strong) > 1
    assert scores == sorted(scores, reverse=True)
    assert after[: len(strong)] == strong
    [best] = retrieve(asked[0], asked[1], 1, workspace.engines, workspace.index)
    assert best.moment.id == strong[0].moment.id


@pytest.mark.nightly
def test_a_reranker_that_cannot_be_loaded_leaves_the_order(tmp_path: Path) -> None:
    whole = write_tiny_reranker(tmp_path).read_bytes()
    (tmp_path / "cut.gguf").write_bytes(whole[: len(whole) - 1_000])
    named = (f"reranking.model={tmp_path / 'cut.gguf'}", "engines.speakers=[]")
    workspace = Workspace(tmp_path / "library", load(overrides=named))
    workspace.add(write_small_video(tmp_path / "talk.mp4"))
    plain = Workspace(tmp_path / "library", load())
    asked = ("the price of the kettle", SearchFilter(), 5)
    found = [hit.moment.id for hit in retrieve(*asked, workspace.engines, workspace.index)]
    assert found == [hit.moment.id for hit in retrieve(*asked, plain.engines, plain.index)]
    with pytest.raises(EngineError, match="download the file again"):
        workspace.engines.load("reranking").score("cat", ["The cat sat."])


@pytest.mark.parametrize(
    ("model", "said"),
    [("null", "longtake models pull"), ("none.gguf", "can't be read"), ("CUT", "damaged or incomplete")],
)
def test_what_is_missing_is_named_and_only_a_model_that_nobody_named_is_replaced(
    model: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LONGTAKE_MODELS", str(tmp_path))
    given = str(cut_off(tmp_path, 500)) if model == "CUT" else model
    smollm2()
    report = EngineTable(settings(given)).report("text_embedding")
    assert said in report.reasons["gguf"]
    assert report.engine == ("wordllama" if model == "null" else None)


def test_a_chat_model_is_no_reranker() -> None:
    engines = EngineTable(load(overrides=[f"reranking.model={smollm2()}"]))
    assert "isn't a reranker" in engines.report("reranking").reasons["gguf"]
