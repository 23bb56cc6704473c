"""Values that are shown together: added, subtracted and compared without a language model."""

from __future__ import annotations

import pytest

from longtake.agent.controllers.extractive.candidates import Candidate
from longtake.agent.controllers.extractive.values import worked_out
from longtake.agent.query.query import TARGETS, Query, Reading, Scope, Target
from longtake.language.words import content_stems
from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan


def asking(target: Target, question: str) -> Query:
    reading = Reading(sources={"text": 1.0}, targets={name: float(name == target) for name in TARGETS})
    words = tuple(content_stems(question))
    return Query(question=question, reading=reading, scope=Scope(), videos={"v": 100.0}, words=words)


def written(text: str, top: float, start: float = 10.0) -> Candidate:
    item = Moment(
        video="v",
        span=TimeSpan(start=start, end=start + 5),
        modality="scene_text",
        text=text,
        engine="e",
        box=(0.1, top, 0.02 * len(text), 0.1),
    )
    return Candidate(evidence=item, line=(item,), cosine=0.5)


PRICES = [written("Lamp $40", 0.2), written("Chair $25", 0.4), written("Table $110", 0.6), written("Page 3", 0.9)]
ELSEWHERE = written("Desk $900", 0.2, start=80)


@pytest.mark.parametrize(
    ("target", "question", "text"),
    [
        ("sum", "What does one of each come to?", "the result is 175"),  # 40 + 25 + 110
        ("sum", "Add up the lamp and the table.", "the result is 150"),  # 40 + 110
        ("difference", "How far apart are the dearest and the cheapest?", "the result is 85"),  # 110 - 25
        ("difference", "How much dearer is the lamp than the chair?", "the result is 15"),  # 40 - 25
        ("highest", "Which is the dearest?", "“Table $110”"),
        ("lowest", "What costs the least?", "“Chair $25”"),
        ("lowest", "Is the lamp or the table cheaper?", "“Lamp $40”"),
    ],
)
def test_values_that_are_shown_together_are_worked_out(target: Target, question: str, text: str) -> None:
    draft = worked_out(asking(target, question), [*PRICES, ELSEWHERE])
    assert draft is not None
    assert text in draft.claims[0].text
    assert worked_out(asking(target, question), [ELSEWHERE]) is None


def test_what_asks_states_no_value() -> None:
    asks = [written(text, 0.2) for text in ("The Desk $900?", "Which costs more than $300?")]
    assert worked_out(asking("highest", "Which is the dearest?"), [*asks, PRICES[0]]) is None


def test_values_that_the_question_names_go_before_those_of_a_likelier_line() -> None:
    months = [written("Lamp: 6 months", 0.2, start=80), written("Parcels: 3 months", 0.4, start=80)]
    draft = worked_out(asking("difference", "How much dearer is the lamp than the chair?"), [*months, *PRICES])
    assert draft is not None
    assert draft.claims[0].text == "“Lamp $40” and “Chair $25”: the result is 15"


@pytest.mark.parametrize(
    ("target", "question", "sure"),
    [
        ("difference", "How much dearer is the lamp than the chair?", True),
        ("difference", "How much dearer is the lamp than the bench?", False),  # it stands with another amount
        ("sum", "What do all cost together?", True),
        ("sum", "If each cost $9 more, what would they cost together?", False),
        ("sum", "What does the sum on the invoice come to?", False),  # another line speaks of it
    ],
)
def test_a_result_is_doubted_where_other_values_may_be_meant(target: Target, question: str, sure: bool) -> None:
    bench = written("Bench $300, 4 legs", 0.2, start=80)
    told = written("The invoice is on page 5.", 0.6, start=90)
    draft = worked_out(asking(target, question), [*PRICES, bench, told])
    assert draft is not None
    assert ((draft.confidence or 0) > 0.5) == sure
