"""The query in the words of every engine that is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.config import load
from longtake.memory.records import Moment
from longtake.memory.search.search_types import Batch, SearchFilter
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.text.minilm import MODEL
from longtake.preprocess.pipeline.retrieval import query_embeddings, retrieve
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings

TEXTS = ("It is perfectly safe here.", "Safety first", "Rain on the river")


def fill(workspace: Workspace) -> None:
    spans = [TimeSpan(start=100.0 * n, end=100.0 * n + 3) for n in range(len(TEXTS))]
    moments = [
        Moment(video="v", span=span, modality="speech", text=text, engine="e", layer="l")
        for text, span in zip(TEXTS, spans, strict=True)
    ]
    embedding = next(query_embeddings(workspace.engines))
    workspace.index.replace("v", [Batch(embedding.space, moments, embedding.embed(TEXTS))])


def found(workspace: Workspace, query: str) -> dict[str, set[str]]:
    """Texts and the signals that found them, without what is merely the nearest."""
    hits = retrieve(query, SearchFilter(), 5, workspace.engines, workspace.index)
    return {hit.moment.text: set(hit.signals) - {"reranked"} for hit in hits if not hit.weak}


def test_a_query_is_searched_by_words_and_by_meaning(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, Settings())
    fill(workspace)
    embedding = next(query_embeddings(workspace.engines))
    assert found(workspace, "safety") == {TEXTS[1]: {"words", embedding.space}, TEXTS[0]: {embedding.space}}


def test_without_an_embedding_words_alone_are_searched(tmp_path: Path) -> None:
    fill(Workspace(tmp_path, Settings()))
    wordless = load(overrides=["engines.text_embedding=[]"])
    assert list(query_embeddings(EngineTable(wordless))) == []
    assert found(Workspace(tmp_path, wordless), "safety") == {TEXTS[1]: {"words"}}


def test_a_whole_sentence_finds_all_there_is_the_weak_last(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, Settings())
    fill(workspace)
    sentences = {
        "Could you please tell me whether anybody explains where it is safe to stay?": {TEXTS[0]},
        "The quarterly revenue of the steel company rose by a fifth": set(),
    }
    for sentence, fitting in sentences.items():
        hits = retrieve(sentence, SearchFilter(), 3, workspace.engines, workspace.index)
        assert {hit.moment.text for hit in hits} == set(TEXTS)
        assert [hit.weak for hit in hits] == sorted(hit.weak for hit in hits)
        assert {hit.moment.text for hit in hits if not hit.weak} == fitting


def test_the_profile_searches_by_the_space_that_a_library_has(tmp_path: Path) -> None:
    before = Workspace(tmp_path, load(overrides=["engines.text_embedding=[wordllama]"]))
    fill(before)
    [embedding] = query_embeddings(before.engines)
    now = Workspace(tmp_path, load())
    assert now.index.spaces() == now.index.spaces(("v",)) == {embedding.space}
    assert now.index.spaces(("another",)) == set()
    assert found(now, "safety") == {TEXTS[1]: {"words", embedding.space}, TEXTS[0]: {embedding.space}}


@pytest.mark.skipif(bool(MODEL.missing(Settings())), reason="needs the extra `weights`")
def test_videos_of_two_engines_are_found_together_each_in_its_space_above_its_floor(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, load())
    newer, older = query_embeddings(workspace.engines)
    for video, embedding in (("new", newer), ("old", older)):
        moment = Moment(
            video=video, span=TimeSpan(start=0, end=3), modality="speech", text=TEXTS[0], engine="e", layer="l"
        )
        workspace.index.replace(video, [Batch(embedding.space, [moment], embedding.embed(TEXTS[:1]))])
    hits = retrieve("safety", SearchFilter(), 5, workspace.engines, workspace.index)
    spaces = {(hit.moment.video, *(set(hit.signals) - {"reranked"})) for hit in hits}
    assert spaces == {("new", newer.space), ("old", older.space)}


def test_lines_with_the_word_come_before_the_name_of_a_sound(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, Settings())
    texts = ("The wind reached 130 kilometres an hour.", "music", "Rain on the river")
    moments = [
        Moment(
            video="v",
            span=TimeSpan(start=100.0 * n, end=100.0 * n + 3),
            modality="audio" if n == 1 else "speech",
            text=text,
            engine="e",
            layer="l",
        )
        for n, text in enumerate(texts)
    ]
    embedding = next(query_embeddings(workspace.engines))
    workspace.index.replace("v", [Batch(embedding.space, moments, embedding.embed(texts))])
    for query, first in (("wind", texts[0]), ("music", texts[1])):
        best, *_ = retrieve(query, SearchFilter(), 3, workspace.engines, workspace.index)
        assert best.moment.text == first
