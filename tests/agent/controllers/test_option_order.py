"""Options that the order of events decides."""

from __future__ import annotations

import pytest

from longtake.agent.controllers.extractive.candidates import Candidate
from longtake.agent.controllers.extractive.option_choice import by_order
from longtake.agent.query.query import SOURCES, TARGETS, Query, Reading
from longtake.agent.query.scope import read_scope
from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan

STEPS = ("Knead the dough", "Heat the oven", "Bake the loaf")
SHOWN = {"Heat the oven": 0.0, "Bake the 1oaf": 20.0, "Knead the dough": 9.0, "Our kitchen": 0.0}
ORDERS = ("Knead the dough; Heat the oven; Bake the loaf", "Heat the oven; Knead the dough; Bake the loaf")


def line(text: str, start: float) -> Candidate:
    span = TimeSpan(start=start, end=start + 5)
    evidence = Moment(video="v", span=span, modality="scene_text", text=text, score=1.0, engine="test")
    return Candidate(evidence=evidence, line=(evidence,), cosine=0.5)


def chosen(question: str, *options: str, videos: int = 1) -> str | None:
    reading = Reading(sources=dict.fromkeys(SOURCES, 0.0), targets=dict.fromkeys(TARGETS, 0.0))
    query = Query(question=question, reading=reading, scope=read_scope(question, 30.0, ()), options=options)
    query = query.model_copy(update={"videos": {f"v{number}": 30.0 for number in range(videos)}})
    found = by_order(query, [line(text, start) for text, start in SHOWN.items()])
    return options["ABCD".index(found[0])] if found else None


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("Which of these is done first?", "Heat the oven"),
        ("Which step comes last?", "Bake the loaf"),
        ("What is the first thing they do?", "Heat the oven"),
        ("Which of these is shown?", None),
        ("How long does it last?", None),
    ],
)
def test_an_ordinal_chooses_among_options_that_are_all_found(question: str, right: str | None) -> None:
    assert chosen(question, *STEPS) == right
    assert chosen(question, *STEPS, "Wash the dishes") is None


@pytest.mark.parametrize("sign", ["; ", " -> ", ", ", ", then "])
def test_a_sequence_is_chosen_if_its_parts_begin_one_after_the_other(sign: str) -> None:
    options = [order.replace("; ", sign) for order in ORDERS]
    assert chosen("In which order is it done?", *options) == options[1]


def test_of_sequences_in_order_the_longest_counts_and_one_with_something_else_never() -> None:
    shorter, whole = "Heat the oven; Bake the loaf", ORDERS[1]
    assert chosen("Which sequence is shown?", shorter, whole, ORDERS[0]) == whole
    other = "Heat the oven; Wash the dishes; Bake the loaf"
    assert chosen("Which sequence is shown?", shorter, other, "Wash the dishes; Bake the loaf") == shorter
    backwards = ("Bake the loaf; Heat the oven", "Knead the dough; Heat the oven")
    assert chosen("Which sequence is shown?", *backwards, ORDERS[0]) is None


def test_nothing_orders_moments_of_several_videos() -> None:
    assert chosen("Which of these is done first?", *STEPS, videos=2) is None
