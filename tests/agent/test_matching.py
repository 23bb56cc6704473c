"""Which evidence answers, and which only looks as if it did."""

from __future__ import annotations

import pytest

from longtake.agent.rows import CELLS, rows
from longtake.agent.rules.answer_types import answer_type, holds
from longtake.agent.rules.matching import score, without_repeats
from longtake.agent.words import content_stems, cue, figures, numbers, stem
from longtake.memory.records import Evidence, Modality
from longtake.memory.timespan import TimeSpan

Box = tuple[float, float, float, float]


def said(
    text: str, start: float = 0.0, end: float = 2.0, modality: Modality = "speech", box: Box | None = None
) -> Evidence:
    return Evidence(
        video="v", span=TimeSpan(start=start, end=end), modality=modality, content=text, engine="test", box=box
    )


@pytest.mark.parametrize(
    ("question", "right", "wrong"),
    [
        ("How fast was the train?", "The train went at 80 km/h.", "It had 3 carriages."),
        ("How long did the march take?", "The march took three hours.", "The march began at the river."),
        ("How high is the tower?", "The tower is 60 metres tall.", "The tower was built by 60 men."),
        ("How many ships came?", "Seven ships came.", "The ships came on the 9th."),
        ("How many ships came?", "Thirty ships came.", "The ships came at noon."),
        ("What is the price of the lamp?", "The lamp is $20.", "The lamp is 20 years old."),
        ("How much does the museum charge?", "The museum charges 15 bucks.", "The museum charges visitors."),
        ("On which day does it open?", "It opens on Monday.", "It opens at last."),
        ("When does the shop open?", "The shop opens on 4 May.", "The shop opens slowly."),
        ("What colour is the door?", "The door is green.", "The door is open."),
        ("What web address is given?", "See www.example.org for more.", "See our page for more."),
        ("What e-mail address is given?", "Write to me@example.org.", "Write to me."),
        ("How much is a ticket?", "A ticket is €14.", "80 tickets were sold."),
        ("How much is a ticket?", "A ticket is forty dollars.", "Forty tickets were sold."),
        ("What time does it close?", "It closes at 18:00.", "It closes slowly."),
        ("What time does it close?", "It closes at five.", "It closes for five days."),
        ("How many cables are there?", "Cables 5", "Cables 14:20"),
        ("What is the invoice number?", "Invoice 2041", "Invoice unpaid"),
        ("What is the phone number?", "+351 22 555 0148", "Tuesday 10:00 - 18:00"),
        ("Who paints the wall?", "The wall is painted by Anna.", "The wall is painted by nobody."),
    ],
)
def test_an_answer_holds_the_kind_of_thing_that_is_asked_for(question: str, right: str, wrong: str) -> None:
    kind = answer_type(question)
    assert kind is not None
    assert holds(kind, right)
    assert not holds(kind, wrong)
    assert score(question, said(right), []) >= 0.69
    assert score(question, said(wrong), []) == 0


def test_a_statement_without_the_words_of_the_question_does_not_answer() -> None:
    assert score("Who built the telescope?", said("Yesterday Anna saw the telescope."), []) < 0.69
    assert score("What did they build?", said("They sold everything."), []) == 0


def test_the_right_kind_right_beside_the_words_answers() -> None:
    near = [said("Come to my office.", 0, 2), said("I am there every Thursday.", 2.5, 4)]
    far = [said("Come to my office.", 0, 2), said("I am there every Thursday.", 60, 62)]
    assert score("On which day is she in her office?", near[1], near) >= 0.69
    assert score("On which day is she in her office?", far[1], far) < 0.69


def test_what_was_is_no_answer_to_what_is_now() -> None:
    assert score("What does a panel cost now?", said("Last year a panel cost 180 dollars."), []) == 0
    assert score("What did a panel cost?", said("Last year a panel cost 180 dollars."), []) >= 0.69


def test_the_texts_of_a_row_are_joined_left_to_right_and_those_of_other_rows_are_not() -> None:
    table = [
        said("$86", 0, 9, "scene_text", (0.8, 0.51, 0.1, 0.08)),
        said("Drive belt", 0, 9, "scene_text", (0.1, 0.5, 0.2, 0.08)),
        said("Seal kit", 0, 9, "scene_text", (0.1, 0.7, 0.2, 0.08)),
        said("$37", 0, 9, "scene_text", (0.8, 0.7, 0.1, 0.08)),
        said("later", 20, 29, "scene_text", (0.8, 0.5, 0.1, 0.08)),
    ]
    assert sorted(item.content for item in rows(table)) == ["Drive belt · $86", "Seal kit · $37", "later"]


@pytest.mark.parametrize(
    ("worse", "better", "kept"),
    [
        (("Drive belf", 0, 9), ("Drive belt", 0, 9), ["Drive belt"]),
        (("Step 2 of 5", 8.8, 16), ("Step 1 of 5", 0, 9), ["Step 1 of 5", "Step 2 of 5"]),
        (("Room 102", 0, 9), ("Room 101", 0, 9), ["Room 101", "Room 102"]),
        (("Opening hours", 8.8, 16), ("Opening hour", 0, 9), ["Opening hour", "Opening hours"]),
    ],
)
def test_a_worse_reading_is_left_out_and_another_text_is_not(
    worse: tuple[str, float, float], better: tuple[str, float, float], kept: list[str]
) -> None:
    box = (0.1, 0.5, 0.2, 0.08)
    pair = [said(*better, "scene_text", box), said(*worse, "scene_text", box).model_copy(update={"score": 0.6})]
    assert {cell for row in rows(pair) for cell in row.content.split(CELLS)} == set(kept)


def test_less_of_the_same_at_the_same_moment_is_left_out() -> None:
    items = [said("AXI", 2, 3), said("TAXI", 2.5, 3), said("AXI", 30, 31)]
    assert [(item.content, item.span.start) for item in without_repeats(items)] == [("TAXI", 2.5), ("AXI", 30)]


def test_words_meet_in_their_commonest_forms() -> None:
    for one, other in (("prices", "price"), ("opened", "opens"), ("cities", "city"), ("three", "3"), ("stays", "stay")):
        assert stem(one) == stem(other)
    assert stem("class") != stem("clas") or stem("class") == "class"
    assert content_stems("What is the price of the two lamps?") == [stem("price"), "2", stem("lamps")]
    assert content_stems("They weren't D'Arcy's, we're sure.") == [stem("d'arcy"), "sur"]


def test_numbers_are_read_in_every_spelling() -> None:
    assert numbers("1,200 men, 3.50 dollars, seven ships at 12:30") == {"1200", "3.5", "7", "12:30"}
    assert numbers("three hundred and twenty kilos, forty-five lamps, 12 million") == {"320", "45", "12"}
    assert figures("one of the twenty-one lamps, hundreds of them") == "one of the 21 lamps, hundreds of them"
    assert numbers("seventeen, eighteen, nineteen, twenty") == {"17", "18", "19", "20"}


def test_a_cue_takes_words_phrases_and_endings() -> None:
    words = cue("web site, mention*")
    assert words.search("the web-site")
    assert words.search("It was mentioned.")
    assert not words.search("a mentor")


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How much did the Morley bridge cost?", "The Halden bridge cost four million pounds."),
        ("How many problems does homework three have?", "Homework two has five problems."),
        ("When was the Halden bridge built?", "The Halden bridge was closed in 1987."),
        ("Who built the Halden bridge?", "Many think Ada Finch built the Halden bridge, but she did not."),
        ("Which region had the highest sales?", "The region had sales of 12."),
        ("What is the phone number?", "Door code: 4471"),
        ("How many slides are there?", "It opened in 1951."),
    ],
)
def test_the_wrong_subject_another_verb_or_a_denial_does_not_answer(question: str, text: str) -> None:
    assert score(question, said(text), [said(text)]) < 0.69
