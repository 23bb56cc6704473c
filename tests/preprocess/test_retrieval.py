"""The query in the words of every engine that is there."""

from __future__ import annotations

from pathlib import Path

from longtake.config import Settings, load
from longtake.memory.index import Batch, Document, SearchFilter
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.retrieval import query_embeddings, retrieve
from longtake.preprocess.workspace import Workspace

TEXTS = ("It is perfectly safe here.", "Safety first", "Rain on the river")


def fill(workspace: Workspace) -> None:
    spans = [TimeSpan(start=100.0 * n, end=100.0 * n + 3) for n in range(len(TEXTS))]
    documents = [Document(text, "v", span, "speech", text, "e", "l") for text, span in zip(TEXTS, spans, strict=True)]
    [embedding] = query_embeddings(workspace.engines)
    workspace.index.replace("v", [Batch(embedding.space, documents, embedding.embed(TEXTS))])


def found(workspace: Workspace, query: str) -> dict[str, set[str]]:
    """Texts and the signals that found them."""
    hits = retrieve(query, SearchFilter(), 5, workspace.engines, workspace.index)
    return {hit.document.text: set(hit.signals) for hit in hits}


def test_a_query_is_searched_by_words_and_by_meaning(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, Settings())
    fill(workspace)
    [embedding] = query_embeddings(workspace.engines)
    assert found(workspace, "safety") == {TEXTS[1]: {"words", embedding.space}, TEXTS[0]: {embedding.space}}


def test_without_an_embedding_words_alone_are_searched(tmp_path: Path) -> None:
    fill(Workspace(tmp_path, Settings()))
    wordless = load(overrides=["engines.text_embedding=[]"])
    assert list(query_embeddings(EngineTable(wordless))) == []
    assert found(Workspace(tmp_path, wordless), "safety") == {TEXTS[1]: {"words"}}
