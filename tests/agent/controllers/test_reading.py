"""What is made of passages that are read together with the question."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from longtake.agent.controllers.extractive.candidates import Candidate, candidates_of
from longtake.agent.controllers.extractive.ranking import (
    MOST,
    SCORES,
    as_read,
    confidence,
    features,
    ranked,
    read_and_ranked,
    standing,
)
from longtake.agent.fitted import load_weights
from longtake.agent.gathering.gathered import Found, Gathered
from longtake.agent.query.query import Query, Scope
from longtake.agent.query.reader import LearnedReader
from longtake.benchmarks.clips.examples import load_recordings
from longtake.errors import EngineError
from longtake.language.words import content_stems
from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.text.minilm import MODEL
from longtake.settings import Settings


@pytest.fixture(scope="module")
def reader() -> LearnedReader:
    """Reads with the models of the extra `weights`."""
    if missing := MODEL.missing(Settings()):
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
    items = [
        Moment(
            video="v",
            span=TimeSpan(start=5.0 * place, end=5.0 * place + 5),
            modality="speech",
            text=text,
            engine="e",
        )
        for place, text in enumerate(texts)
    ]
    cosines = vectors[1:] @ vectors[0]
    return [
        Candidate(evidence=item, line=tuple(items[max(0, place - 1) : place + 1]), cosine=float(cosine))
        for place, (item, cosine) in enumerate(zip(items, cosines, strict=True))
    ]


class Liking:
    """Likes passages that end so, and notes all that it reads."""

    id = "liking"

    def __init__(self, *liked: str) -> None:
        self.read: list[str] = []
        self._liked = liked

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        self.read += texts
        return [3.0 if text.endswith(self._liked) else -3.0 for text in texts]


class Broken(Liking):
    """Can't be loaded."""

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        raise EngineError("damaged")


@pytest.mark.parametrize(
    ("question", "texts", "answers"),
    [
        (
            "Why was the footbridge closed?",
            ("The footbridge was closed on a Monday.", "Two of the beams had rotted through, so they shut it."),
            1,
        ),
        ("How much does the large basket cost?", ("The large basket is willow.", "The large one is 18 euros."), 1),
        ("How long does the tour take?", ("The tour starts at the fountain.", "You need about two hours for it."), 1),
        ("Who fixed the tap?", ("The tap dripped all night.", "In the end Zoe did it with a spanner."), 1),
    ],
)
def test_what_answers_comes_before_what_shares_the_words(
    reader: LearnedReader, question: str, texts: tuple[str, ...], answers: int
) -> None:
    found = lines(reader, question, *texts, "We had soup for lunch.")
    order = read_and_ranked(asked(reader, question), found, load_weights(reader.family()), reader.reranker)
    assert order[0][0].evidence.text == texts[answers]


@pytest.mark.parametrize("reranker", [None, Broken()])
def test_without_what_reads_the_order_of_search_stays(reader: LearnedReader, reranker: Broken | None) -> None:
    question, weights = "What does the permit cost?", load_weights(reader.family())
    query = asked(reader, question)
    found = lines(reader, question, "The permit costs some patience.", "A permit is forty dollars a year.")
    assert read_and_ranked(query, found, weights, reranker) == ranked(query, found, weights)


def test_what_answers_moves_up_and_is_trusted_more(reader: LearnedReader) -> None:
    question, weights = "What does the permit cost?", load_weights(reader.family())
    query = asked(reader, question)
    found = lines(reader, question, "The permit costs some patience.", "A permit is forty dollars a year.")

    def seen(*liked: str) -> tuple[str, float]:
        order = read_and_ranked(query, found, weights, Liking(*liked))
        return order[0][0].text, confidence(query, order, weights)

    (first, trust), (other, _), (_, doubted) = seen(found[0].text), seen(found[1].text), seen("nothing")
    assert (first, other) == (found[0].text, found[1].text)
    assert trust > doubted


def test_a_line_is_read_with_what_is_said_before_it(reader: LearnedReader) -> None:
    question = "What does the permit cost?"
    liking = Liking()
    found = lines(reader, question, "Now the permit.", "It is forty dollars.")
    read_and_ranked(asked(reader, question), found, load_weights(reader.family()), liking)
    assert "Now the permit. It is forty dollars." in liking.read


def test_lines_in_the_named_seconds_are_not_read(reader: LearnedReader) -> None:
    question = "What about the permit?"
    scope = Scope(span=TimeSpan(start=0, end=5), named=True)
    query = asked(reader, question).model_copy(update={"scope": scope})
    found = lines(reader, question, "The permit is new.", "Forty dollars a year.")
    order = read_and_ranked(query, found, load_weights(reader.family()), Liking())
    assert [each.score for each, _ in order] == [None, None]


def test_only_the_likeliest_lines_are_read(reader: LearnedReader) -> None:
    question = "What does the permit cost?"
    found = lines(reader, question, *(f"Line {number} about a permit." for number in range(MOST + 4)))
    order = read_and_ranked(asked(reader, question), found, load_weights(reader.family()), Liking())
    assert sum(each.score is not None for each, _ in order) == MOST


def test_a_line_that_search_found_by_its_words_alone_is_as_alike_as_any_other(reader: LearnedReader) -> None:
    question = "What does the permit cost?"
    expected = lines(reader, question, "The permit is forty dollars a year.", "He was at a loss for words.")
    found = [Found(evidence=each.evidence, line=each.line, words=3.0) for each in expected]
    searched = found[1].model_copy(update={"cosine": 0.5})
    by_words, by_search = candidates_of(asked(reader, question), Gathered(found=(found[0], searched)), [], reader.embed)
    assert by_words.cosine == pytest.approx(expected[0].cosine, abs=1e-3)
    assert by_search.cosine == 0.5


@pytest.mark.parametrize("family", ["minilm", "wordllama"])
def test_the_weights_fit_the_features(reader: LearnedReader, family: str) -> None:
    query, weights = asked(reader, "What does the permit cost?"), load_weights(family)
    best = [(each, 0.5) for each in lines(reader, query.question, "The permit is forty dollars a year.")]
    assert len(weights.ranks) == features(query, [each for each, _ in best]).shape[1] + 1
    assert len(weights.on_clips) == len(standing(query, best)) + 1
    assert len(weights.as_read) == len(as_read(query, best)) + 1
    assert len(weights.as_searched) == len(as_read(query, best)) - SCORES + 1


def test_every_recording_has_questions_and_names_only_lines_that_it_has() -> None:
    for recording in load_recordings():
        assert recording.questions
        for question in recording.questions:
            assert all(0 <= answer < len(recording.lines) for answer in question.answers)
