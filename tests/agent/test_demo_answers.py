"""The demo's questions, from its file to answers with proof, on the embedded profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.agent.ask import Asker
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.demo.truth import DemoQuestion, load_truth

# What needs a sum over two senses: the embedded profile must say that it does not know.
BEYOND = {"What does one roof panel cost now?"}
QUESTIONS = load_truth().questions
ANSWERED = [question for question in QUESTIONS if question.answerable and question.question not in BEYOND]
ABSTAINED = [question for question in QUESTIONS if question not in ANSWERED]


@pytest.mark.parametrize("asked", ANSWERED, ids=lambda asked: asked.question)
def test_an_answer_holds_the_gold_and_cites_the_seconds_that_prove_it(
    demo_asker: Asker, demo_video: Path, asked: DemoQuestion
) -> None:
    answer = demo_asker.ask([str(demo_video)], asked.question, options=asked.options)
    assert answer.status == "answered"
    for word in asked.answer.split():
        assert word.strip("$").casefold() in answer.answer.casefold()
    assert asked.start is not None
    assert asked.end is not None
    gold = TimeSpan(start=asked.start, end=asked.end)
    assert any(gold.overlaps(TimeSpan(start=cited.start, end=cited.end)) for cited in answer.citations)
    assert all(claim.verdict == "supported" for claim in answer.claims)
    if asked.options:
        assert answer.option is not None
        assert answer.option.text == asked.answer


@pytest.mark.parametrize("asked", ABSTAINED, ids=lambda asked: asked.question)
def test_what_cannot_be_known_is_abstained_and_says_what_was_examined(
    demo_asker: Asker, demo_video: Path, asked: DemoQuestion
) -> None:
    answer = demo_asker.ask([str(demo_video)], asked.question, options=asked.options)
    assert (answer.status, answer.citations, answer.option) == ("abstained", (), None)
    assert "Examined: " in answer.answer
    assert answer.coverage["scene_text"] == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(
    "question",
    [
        "What does the slide show while the lights are off?",
        "What happens between 1:46 and 1:58?",
        "What do you see at 00:01:50?",
        "What is written on the screen at 1:52?",
        "How many people are there at 1:52?",
    ],
)
def test_an_empty_picture_is_no_evidence(demo_asker: Asker, demo_video: Path, question: str) -> None:
    answer = demo_asker.ask([str(demo_video)], question)
    assert answer.status == "abstained"
    assert "picture is empty" in answer.answer
    assert "black" in answer.answer


@pytest.mark.parametrize(
    ("question", "held"),
    [
        ("How long is the video?", "167.0 seconds"),
        ("Is there sound on this recording?", "There is sound: 1 sound track."),
        ("What is the resolution of the video?", "854x480"),
        ("What is said between 0:18 and 0:22?", "130 kilometres an hour"),
        ("What is said right after the bang?", "Here are the safety rules"),
        ('When is "Nobody was hurt" said?', "00:00:22"),
        ("Is there any music, and when?", "Music from 00:02:3"),
        ('How many times is "dome" said?', "occurs 3 times"),
        ("What is 12 * (3 + 4)?", "= 84"),
        ("What web address is shown?", "www.kestrelmoor.example"),
        ("When do the panels get fitted?", "22 April"),
        ("Where are the notes?", "front desk"),
    ],
)
def test_other_kinds_of_questions(demo_asker: Asker, demo_video: Path, question: str, held: str) -> None:
    answer = demo_asker.ask([str(demo_video)], question)
    assert answer.status == "answered", answer.answer
    assert held in answer.answer


def test_a_thread_knows_its_earlier_questions(demo_asker: Asker, demo_video: Path) -> None:
    demo_asker.ask([str(demo_video)], "How fast was the wind in the storm?", thread="storm")
    answer = demo_asker.ask([str(demo_video)], "And what is said right after that?", thread="storm")
    assert answer.answer.startswith("“Nobody was hurt")


def test_a_summary_quotes_and_cites(demo_asker: Asker, demo_video: Path) -> None:
    answer = demo_asker.ask([str(demo_video)], "Summarise the video.")
    assert answer.status == "answered"
    parts = ["Kestrel Moor Observatory", "What the storm broke", "Bolts to order", "Safety rules"]
    assert [part for part in parts if part in answer.answer] == parts
    assert [*map(answer.answer.index, parts)] == sorted(map(answer.answer.index, parts))
    assert all(claim.verdict == "supported" for claim in answer.claims)
    assert {citation.modality for citation in answer.citations} == {"scene_text", "speech"}
