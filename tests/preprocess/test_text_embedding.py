"""Text embedding: the interface, over every adapter."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.models.smollm2 import smollm2

from longtake.preprocess.engines.engine_table import ENGINES, EngineTable
from longtake.preprocess.engines.text.text_engines import TextEmbedding
from longtake.settings import Settings

PACKAGED = [name for name in ENGINES["text_embedding"] if name != "gguf"]


@pytest.fixture(params=[*PACKAGED, pytest.param("gguf", marks=pytest.mark.nightly)], scope="module")
def engine(request: pytest.FixtureRequest) -> TextEmbedding:
    named = {"text_embedding": {"model": str(smollm2())}} if request.param == "gguf" else {}
    settings = Settings.model_validate({"engines": {"text_embedding": [request.param]}, **named})
    engines = EngineTable(settings)
    if reason := engines.report("text_embedding").reasons.get(request.param):
        pytest.skip(reason)
    loaded: TextEmbedding = engines.load("text_embedding")
    return loaded


def test_rows_are_float32_and_of_length_one(engine: TextEmbedding) -> None:
    vectors = engine.embed(["A dragon flies.", "日本語", "$249"])
    assert vectors.shape == (3, engine.dimensions)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)


def test_a_text_without_words_is_finite(engine: TextEmbedding) -> None:
    vectors = engine.embed(["", "   "])
    assert np.isfinite(vectors).all()
    assert engine.embed([]).shape == (0, engine.dimensions)


def test_neighbours_in_a_batch_change_nothing(engine: TextEmbedding) -> None:
    together = engine.embed(["short", "a much longer sentence about dragons and their long tails"])
    assert np.allclose(together[0], engine.embed(["short"])[0], atol=1e-6)


@pytest.mark.parametrize("engine", PACKAGED, indirect=True)
@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("how much does it cost", "The price is 249 dollars."),
        ("looking for someone who is lost", "I'm searching for someone."),
        ("music and guitar", "He plays rock songs on the electric guitar."),
    ],
)
def test_paraphrases_lie_above_the_floor_and_strangers_under_it(engine: TextEmbedding, query: str, text: str) -> None:
    asked, said, other = engine.embed([query, text, "A volcano erupted in Iceland."])
    assert asked @ said > engine.floor > asked @ other
