"""What is not trusted leads to a place; it proves no claim and is quoted in no answer."""

from __future__ import annotations

import pytest
from helpers.asking import ask_endpoint
from helpers.servers.openai_server import says

from longtake.agent.controllers.reply import DraftClaim, Reply
from longtake.agent.graph.nodes.answer import NO_OPTION
from longtake.agent.verification.claims import check_draft, check_reply
from longtake.agent.verification.verdicts import Grounds
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.pipeline.workspace import Workspace


def heard(content: str, start: float, *, trusted: bool) -> Evidence:
    span = TimeSpan(start=start, end=start + 2)
    return Evidence(video="v", span=span, modality="speech", content=content, engine="e", trusted=trusted)


RUMOUR = heard("The blue kettle costs 249 dollars.", 40, trusted=False)
FACT = heard("The blue kettle costs 250 dollars.", 80, trusted=True)


def test_a_claim_cites_the_trusted_of_two_pieces_at_one_place() -> None:
    sure = RUMOUR.model_copy(update={"trusted": True, "engine": "another"})
    [claim] = check_draft("The blue kettle costs 249 dollars [00:00:40].", [RUMOUR, sure]).claims
    assert claim.verdict == "supported"
    assert len(claim.citations) == 1


def test_a_structured_claim_rests_on_nothing_doubtful() -> None:
    reply = Reply(outcome="answered", claims=(DraftClaim(text=f"“{RUMOUR.content}”", evidence=(RUMOUR.id,)),))
    [claim] = check_reply(reply, [RUMOUR], Grounds()).claims
    assert (claim.verdict, claim.citations) == ("unverified", ())


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
    assert answer.answer.endswith(NO_OPTION) == (letter is None)


@pytest.mark.parametrize(
    ("expression", "draft", "proven"),
    [
        ("99", "The blue kettle costs 99 dollars [00:00:04].", False),
        ("250 - 151", "250 - 151 = 99 dollars for the blue kettle [00:00:04].", False),
        ("249 * 2", "249 * 2 = 498 dollars [00:00:04].", True),
    ],
)
def test_the_calculator_proves_no_number_that_is_put_into_it(
    small_workspace: Workspace, expression: str, draft: str, proven: bool
) -> None:
    script = [says(None, LISTEN), says(None, ("calculator", {"expression": expression})), says(draft)]
    question = "What do 2 blue kettles cost?"
    asked = ask_endpoint(small_workspace, script, question=question)
    assert asked.stood_in != proven
    assert ("498" in asked.answer.answer) == proven
    assert "99 dollars" not in asked.answer.answer


@pytest.mark.parametrize(("question", "proven"), [("Is the kettle blue?", True), ("Is it cheap?", False)])
def test_a_model_says_yes_only_to_what_its_proof_says(small_workspace: Workspace, question: str, proven: bool) -> None:
    yes = "Yes: “The blue kettle costs 249 dollars.” [00:00:04]"
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), says(yes)], question=question)
    assert asked.stood_in != proven
    assert asked.answer.answer.startswith("Yes") == proven
