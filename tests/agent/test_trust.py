"""What is not trusted leads to a place; it proves no claim and is quoted in no answer."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.asking import ask_endpoint
from helpers.openai_server import says

from longtake.agent.claims import check_draft
from longtake.agent.orientation import Kind, Orientation, classify, quoted
from longtake.agent.rows import rows
from longtake.agent.rules.moves import Call, Done
from longtake.agent.rules.planner import next_move
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.workspace import Workspace
from longtake.tools.result import ToolResult


def heard(content: str, start: float, *, trusted: bool) -> Evidence:
    span = TimeSpan(start=start, end=start + 2)
    return Evidence(video="v", span=span, modality="speech", content=content, engine="e", trusted=trusted)


RUMOUR = heard("The blue kettle costs 249 dollars.", 40, trusted=False)
FACT = heard("The blue kettle costs 250 dollars.", 80, trusted=True)
WHOLE = (TimeSpan(start=0.0, end=100.0),)
OPTIONS = ("249 dollars", "12 dollars")


def asked(question: str, kind: Kind | None = None, options: tuple[str, ...] = ()) -> Orientation:
    found, modalities = classify(question)
    return Orientation(
        question=question,
        kind=kind or found,
        modalities=modalities,
        options=options,
        quoted=quoted(question),
        parts=(question,),
        videos={"v": 100.0},
        names={"v": "talk.mp4"},
    )


def told(orientation: Orientation, *evidence: Evidence) -> tuple[str, list[Call]]:
    """The draft once every call has found just this evidence, and the calls that were made."""
    done: list[Done] = []
    for _ in range(8):
        move = next_move(orientation, done)
        if isinstance(move, str):
            return move, [step.call for step in done]
        done += [Done(call, ToolResult(tool=call.name, evidence=evidence, looked_at=WHOLE)) for call in move]
    raise AssertionError("the rules do not come to an end")


QUESTIONS: list[dict[str, Any]] = [
    {"question": "What does the blue kettle cost?"},
    {"question": "What is said?", "kind": "transcribe"},
    {"question": "Summarise the talk.", "kind": "summarise"},
    {"question": "When is the blue kettle mentioned?"},
    {"question": 'When is "blue kettle" said?'},
    {"question": 'How many times is "kettle" said?', "kind": "count"},
    {"question": "What does the blue kettle cost?", "options": OPTIONS},
]
every_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda asked: asked["question"])


@every_question
def test_what_is_not_trusted_is_never_quoted(question: dict[str, Any]) -> None:
    draft, _ = told(asked(**question), RUMOUR)
    assert draft.startswith("NOT FOUND: ")
    assert "249" not in draft


@every_question
def test_the_same_words_are_quoted_when_they_are_trusted(question: dict[str, Any]) -> None:
    draft, _ = told(asked(**question), RUMOUR.model_copy(update={"trusted": True}))
    assert "[00:00:40]" in draft
    assert not draft.startswith("NOT FOUND")


def test_it_leads_to_a_place_that_is_read_closely() -> None:
    draft, calls = told(asked("What does the blue kettle cost?"), RUMOUR)
    assert Call("transcribe_speech", {"timestamp": [34.0, 48.0]}) in calls
    assert "Go to [00:00:40]" in draft


def test_what_is_trusted_answers_although_what_is_not_fits_better() -> None:
    better = heard("The blue copper camping kettle costs 249 dollars.", 40, trusted=False)
    sure = heard("The blue copper kettle costs 250 dollars.", 80, trusted=True)
    draft, _ = told(asked("What does the blue copper camping kettle cost?"), better, sure)
    assert draft == "“The blue copper kettle costs 250 dollars.” [00:01:20]"


def test_a_count_is_refused_where_some_words_are_doubtful() -> None:
    draft, _ = told(asked('How many times is "kettle" said?', "count"), RUMOUR, FACT)
    assert draft.startswith("NOT FOUND: Words cannot be counted")


def test_a_row_is_trusted_only_when_all_its_texts_are() -> None:
    kettle = FACT.model_copy(update={"modality": "scene_text", "content": "Kettle", "box": (0.1, 0.4, 0.2, 0.1)})
    price = kettle.model_copy(update={"content": "$249", "box": (0.6, 0.4, 0.2, 0.1), "trusted": False})
    [row] = rows([kettle, price])
    assert (row.content, row.trusted) == ("Kettle · $249", False)


def test_a_claim_cites_the_trusted_of_two_pieces_at_one_place() -> None:
    sure = RUMOUR.model_copy(update={"trusted": True, "engine": "another"})
    [claim] = check_draft("The blue kettle costs 249 dollars [00:00:40].", [RUMOUR, sure]).claims
    assert claim.verdict == "supported"
    assert len(claim.citations) == 1


def test_doubtful_words_cannot_contradict_what_is_known() -> None:
    beside = heard(RUMOUR.content, FACT.span.start, trusted=False)
    [claim] = check_draft("The blue kettle costs 250 dollars [00:01:20].", [beside, FACT]).claims
    assert claim.verdict == "supported"


LISTEN = ("transcribe_speech", {"timestamp": "00:00:03-00:00:07"})
PRICE = "The blue kettle costs 249 dollars [00:00:04]."


@pytest.mark.parametrize(
    ("draft", "options", "letter"),
    [
        (f"A. {PRICE}", ("249 dollars", "54 dollars"), "A"),
        (f"B. {PRICE}", ("249 dollars", "54 dollars"), None),
        (f"B. {PRICE}", ("249 euros", "$249"), "B"),
        (f"A. {PRICE}", ("249 euros", "$249"), None),
        (f"A. {PRICE}", ("The blue kettle", "249 dollars"), None),
        (f"A. {PRICE}", ("The blue kettle costs 249 dollars", "249 dollars"), "A"),
    ],
)
def test_an_option_is_chosen_only_where_what_is_proven_says_it_and_no_other(
    small_workspace: Workspace, draft: str, options: tuple[str, ...], letter: str | None
) -> None:
    answer = ask_endpoint(small_workspace, [says(None, LISTEN), says(draft)], options=options).answer
    assert (answer.status, answer.option and answer.option.letter) == ("answered", letter)
    assert answer.answer.endswith("Which option that is, is not proven.") == (letter is None)


@pytest.mark.parametrize(
    ("expression", "draft", "status"),
    [
        ("99", "The blue kettle costs 99 dollars [00:00:04].", "abstained"),
        ("250 - 151", "250 - 151 = 99 dollars for the blue kettle [00:00:04].", "abstained"),
        ("249 * 2", "249 * 2 = 498 dollars [00:00:04].", "answered"),
    ],
)
def test_the_calculator_proves_no_number_that_is_put_into_it(
    small_workspace: Workspace, expression: str, draft: str, status: str
) -> None:
    script = [says(None, LISTEN), says(None, ("calculator", {"expression": expression})), says(draft)]
    question = "What do 2 blue kettles cost?"
    assert ask_endpoint(small_workspace, script, question=question).answer.status == status


@pytest.mark.parametrize(("question", "status"), [("Is the kettle blue?", "answered"), ("Is it cheap?", "abstained")])
def test_a_model_says_yes_only_to_what_its_proof_says(small_workspace: Workspace, question: str, status: str) -> None:
    yes = "Yes: “The blue kettle costs 249 dollars.” [00:00:04]"
    assert ask_endpoint(small_workspace, [says(None, LISTEN), says(yes)], question=question).answer.status == status
