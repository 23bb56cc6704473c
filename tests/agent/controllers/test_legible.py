"""Questions that ask for all that is written."""

from __future__ import annotations

import pytest

from longtake.agent.controllers.extractive.candidates import Candidate
from longtake.agent.controllers.extractive.legible import legible
from longtake.agent.gathering.gathered import Gathered
from longtake.agent.query.query import SOURCES, TARGETS, Query, Reading, Source
from longtake.agent.query.scope import quoted, read_scope
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan

TITLE, NOTE, CAPTION = ("HARBOUR", 0.2, 0.3), ("Ferries at noon", 0.55, 0.06), ("Pier 4", 0.9, 0.05)


def read(question: str, *texts: tuple[str, float, float], other: Source = "speech") -> tuple[list[str], float]:
    """The texts read out of lines, each with its top and height, and the chance; the text competes with a source."""
    shares: dict[Source, float] = dict.fromkeys(SOURCES, 0.0)
    shares |= {"text": 0.6, "speech": 0.4} if other == "speech" else {"text": 0.4, other: 0.6}
    query = Query(
        question=question,
        reading=Reading(sources=shares, targets=dict.fromkeys(TARGETS, 0.0)),
        scope=read_scope(question, 10.0, ()),
        quoted=quoted(question),
        lacks={"speech": "There is no sound."},
    )
    lines = [
        Evidence(
            video="v",
            span=TimeSpan(start=0, end=10),
            modality="scene_text",
            content=text,
            score=0.9,
            engine="test",
            box=(0.1, top, 0.5, height),
        )
        for text, top, height in texts
    ]
    found, chance = legible(query, Gathered(), [Candidate(item, (item,), 0.1) for item in lines])
    return [item.content for item in found], chance


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("Which word is shown?", ["HARBOUR", "Ferries at noon", "Pier 4"]),
        ("What does the largest text say?", ["HARBOUR"]),
        ("What do the big letters spell?", ["HARBOUR"]),
        ("What is written at the bottom of the picture?", ["Ferries at noon", "Pier 4"]),
        ("What is written on “Pier 4”?", []),
    ],
)
def test_only_what_the_question_limits_is_read_out(question: str, wanted: list[str]) -> None:
    assert read(question, CAPTION, TITLE, NOTE)[0] == wanted


def test_a_source_that_the_video_lacks_does_not_lower_the_chance() -> None:
    assert read("Which word is shown?", TITLE)[1] == 1.0


def test_text_is_read_out_if_nothing_else_was_seen_in_the_picture() -> None:
    assert read("What is written in the picture?", TITLE, other="picture") == (["HARBOUR"], 1.0)
    assert read("What is written in the picture?", TITLE, other="sound") == ([], 0.0)


def test_a_part_of_a_text_is_not_read_out_beside_it() -> None:
    assert read("Which word is shown?", ("HARB", 0.2, 0.3), TITLE)[0] == ["HARBOUR"]


def test_of_two_readings_in_one_place_one_is_read_out() -> None:
    assert len(read("Which word is shown?", ("HAPBOVR", 0.2, 0.3), TITLE)[0]) == 1
    assert len(read("Which word is shown?", ("HAPBOVR", 0.6, 0.3), TITLE)[0]) == 2


def test_many_texts_of_one_size_are_not_read_out_but_a_title_above_them_is() -> None:
    rows = [(f"row {letter}", 0.3 + 0.1 * number, 0.05) for number, letter in enumerate("abcdef")]
    assert read("Which words are shown?", *rows) == ([], 0.0)
    assert read("Which words are shown?", *rows, TITLE)[0] == ["HARBOUR"]
