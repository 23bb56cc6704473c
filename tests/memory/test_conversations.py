"""Conversations, in the library's SQLite file and in a server."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from helpers.unsure import unsure

from longtake.errors import LibraryError
from longtake.memory.conversations import Conversations
from longtake.memory.postgres import Postgres
from longtake.memory.records import Answer, Citation


@pytest.fixture
def conversations(place: Path | Postgres) -> Conversations:
    return Conversations(place)


def answer(question: str) -> Answer:
    proof = Citation(video="a1", start=4.0, end=6.5, modality="speech", quote="It costs 249 dollars.")
    return Answer(question=question, status="answered", answer="249 dollars [00:00:04]", citations=(proof,))


def test_nothing_is_there_before_the_first(conversations: Conversations) -> None:
    assert conversations.all() == []
    assert conversations.get("t") is None
    assert conversations.exchanges("t") == []


def test_a_conversation_is_titled_by_its_first_question_and_keeps_whole_answers(conversations: Conversations) -> None:
    conversations.begin("t", ["a1"])
    begun = conversations.get("t")
    assert begun is not None
    assert (begun.title, begun.questions) == ("", 0)
    assert conversations.add("t", ["a1"], answer("What does it cost?")) == 0
    assert conversations.add("t", ["a1", "b2"], answer("And the pot?")) == 1
    kept = conversations.get("t")
    assert kept is not None
    assert (kept.title, kept.questions, kept.videos) == ("What does it cost?", 2, ("a1", "b2"))
    assert [exchange.answer for exchange in conversations.exchanges("t")] == [
        answer("What does it cost?"),
        answer("And the pot?"),
    ]
    assert conversations.exchange("t", 1).answer.question == "And the pot?"


def test_an_uncertain_answer_is_kept_with_its_closest_lines(conversations: Conversations) -> None:
    conversations.add("t", ["a1"], unsure("a1"))
    assert [exchange.answer for exchange in conversations.exchanges("t")] == [unsure("a1")]


def test_an_answer_that_is_not_there_is_reported(conversations: Conversations) -> None:
    conversations.add("t", ["a1"], answer("What does it cost?"))
    for number in (-1, 1):
        with pytest.raises(LibraryError, match="it has 1, counted from 0"):
            conversations.exchange("t", number)


def test_the_last_changed_stands_first(conversations: Conversations) -> None:
    for thread in ("first", "second"):
        conversations.add(thread, ["a1"], answer(f"Which is the {thread}?"))
    conversations.add("first", ["a1"], answer("And now?"))
    assert [each.thread for each in conversations.all()] == ["first", "second"]


def test_a_forgotten_conversation_leaves_the_others(conversations: Conversations) -> None:
    for thread in ("t", "u"):
        conversations.add(thread, ["a1"], answer("What does it cost?"))
    conversations.forget("t")
    assert [each.thread for each in conversations.all()] == ["u"]
    assert conversations.exchanges("t") == []
    assert len(conversations.exchanges("u")) == 1


def test_answers_that_come_at_once_all_have_their_number(conversations: Conversations) -> None:
    with ThreadPoolExecutor(8) as pool:
        numbers = list(pool.map(lambda n: conversations.add("t", ["a1"], answer(f"Question {n}?")), range(24)))
    assert sorted(numbers) == list(range(24))
    assert len(conversations.exchanges("t")) == 24
