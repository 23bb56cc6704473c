"""Which line states what a question asks: the learned model, and what the ranking makes of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from longtake.agent.controllers.extractive.candidates import Candidate, candidates_of
from longtake.agent.controllers.extractive.passages import load_passages
from longtake.agent.controllers.extractive.ranking import (
    FEATURES,
    JUDGED,
    STANDING,
    Judge,
    confidence,
    judged,
    load_weights,
    ranked,
)
from longtake.agent.controllers.extractive.stating import judge_for, shares_of
from longtake.agent.gathering.gathered import Found, Gathered
from longtake.agent.query.query import Query, Reading, Scope, Target
from longtake.agent.query.reader import LearnedReader
from longtake.agent.query.softmax import Matrix
from longtake.language.words import content_stems
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.text.minilm import missing_weights
from longtake.settings import Settings


@pytest.fixture(scope="module")
def reader() -> LearnedReader:
    """Reads with the embedding of the extra `weights`."""
    if missing := missing_weights(Settings()):
        pytest.skip(missing)
    return LearnedReader(EngineTable(Settings.model_validate({"engines": {"text_embedding": ["minilm"]}})))


def asked(reader: LearnedReader, question: str) -> Query:
    return Query(
        question=question,
        reading=reader.read(question),
        words=tuple(content_stems(question)),
        videos={"v": 100.0},
    )


def lines(reader: LearnedReader, question: str, *texts: str) -> list[Candidate]:
    vectors = reader.embed([question, *texts])
    found = []
    for place, (text, cosine) in enumerate(zip(texts, vectors[1:] @ vectors[0], strict=True)):
        span = TimeSpan(start=5.0 * place, end=5.0 * place + 5)
        item = Evidence(video="v", span=span, modality="speech", content=text, engine="e")
        found.append(Candidate(item, (item,), cosine=float(cosine)))
    return found


def liking(*liked: str) -> Judge:
    def judge(_: Query, texts: Sequence[str]) -> Matrix:
        return np.array([3.0 if text in liked else -3.0 for text in texts], np.float32)

    return judge


def test_the_shares_of_all_lines_and_of_none_of_them_are_one() -> None:
    shares = shares_of(np.array([0.0, 0.0, -np.inf], np.float32))
    assert shares == pytest.approx([1 / 3, 1 / 3, 0.0])
    assert shares_of(np.zeros(0, np.float32)).shape == (0,)


@pytest.mark.parametrize(
    ("question", "states", "shares_words"),
    [
        (
            "Why was the footbridge closed?",
            "The footbridge was closed because two of the beams had rotted through.",
            "The footbridge was closed on a Monday.",
        ),
        ("How much does the large basket cost?", "The large basket costs 18 euros.", "The large basket is willow."),
        ("How long does the tour take?", "The tour takes about two hours.", "The tour starts at the fountain."),
    ],
)
def test_a_line_that_states_what_is_asked_scores_above_one_that_shares_its_words(
    reader: LearnedReader, question: str, states: str, shares_words: str
) -> None:
    judge = judge_for(reader.family(), reader.embed_tokens)
    assert judge is not None
    stating, sharing = judge(asked(reader, question), [states, shares_words])
    assert stating > sharing


def test_a_family_without_a_model_has_no_judge(reader: LearnedReader) -> None:
    assert judge_for("unknown", reader.embed_tokens) is None


def test_what_states_the_answer_moves_up_and_is_trusted_more(reader: LearnedReader) -> None:
    question, weights = "What does the permit cost?", load_weights(reader.family())
    query = asked(reader, question)
    found = lines(reader, question, "The permit costs some patience.", "A permit is forty dollars a year.")

    def seen(*liked: str) -> tuple[str, float]:
        order = ranked(query, judged(query, found, weights, liking(*liked)), weights)
        return order[0][0].text, confidence(query, order, weights)

    (first, trust), (other, _), (_, doubted) = seen(found[0].text), seen(found[1].text), seen()
    assert (first, other) == (found[0].text, found[1].text)
    assert trust > doubted


@pytest.mark.parametrize(
    ("target", "scope"),
    [("time", Scope()), ("duration", Scope()), ("quote", Scope(span=TimeSpan(start=0, end=5), named=True))],
)
def test_lines_whose_time_decides_are_not_judged(reader: LearnedReader, target: Target, scope: Scope) -> None:
    question = "What about the permit?"
    sources = reader.read(question).sources
    query = asked(reader, question).model_copy(
        update={"reading": Reading(sources=sources, targets={target: 1.0}), "scope": scope}
    )
    found = lines(reader, question, "The permit is new.", "Forty dollars a year.")
    seen = judged(query, found, load_weights(reader.family()), liking())
    assert [each.score for each in seen] == [None, None]


def test_only_the_likeliest_lines_are_judged(reader: LearnedReader) -> None:
    question = "What does the permit cost?"
    found = lines(reader, question, *(f"Line {number} about a permit." for number in range(JUDGED + 4)))
    seen = judged(asked(reader, question), found, load_weights(reader.family()), liking())
    assert sum(each.score is not None for each in seen) == JUDGED


def test_a_line_that_search_found_by_its_words_alone_is_as_alike_as_any_other(reader: LearnedReader) -> None:
    question = "What does the permit cost?"
    expected = lines(reader, question, "The permit is forty dollars a year.", "He was at a loss for words.")
    found = [Found(evidence=each.evidence, line=each.line, words=3.0) for each in expected]
    searched = found[1].model_copy(update={"cosine": 0.5})
    by_words, by_search = candidates_of(asked(reader, question), Gathered(found=(found[0], searched)), [], reader.embed)
    assert by_words.cosine == pytest.approx(expected[0].cosine, abs=1e-3)
    assert by_search.cosine == 0.5


@pytest.mark.parametrize("family", ["minilm", "wordllama"])
def test_the_weights_fit_the_features(family: str) -> None:
    weights = load_weights(family)
    assert len(weights.ranks) == len(FEATURES) + 1
    assert len(weights.on_clips) == len(weights.on_passages) == len(STANDING) + 1


def test_every_passage_has_questions_and_names_only_lines_that_it_has() -> None:
    for passage in load_passages():
        assert passage.questions
        for question in passage.questions:
            assert all(0 <= answer < len(passage.lines) for answer in question.answers)
