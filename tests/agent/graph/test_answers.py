"""Whole runs: what a model answers is published as it wrote it, judged once, and mended once if it may."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from helpers.asking import ask_endpoint
from helpers.servers.openai_server import Reply, doubts, judges, refuses, says, statements_in

from longtake.preprocess.pipeline.workspace import Workspace

LISTEN = ("transcribe_speech", {"timestamp": "00:00:03-00:00:07"})
SEARCH = ("cross_modal_search", {"query": "which room", "modalities": []})
PRICES = ("249 dollars", "99 dollars", "17 dollars")
# The first message has m6, the welcome from 0.5 s, and m7, the price from 4 s; a search finds m8, the room from 0 s.
SWAPPED = "You'll find it in room 249 [m8]. They want 4417 dollars for the blue one [m7]."
WRONG = doubts("4417 dollars", verdict="contradicted", reason="m7 says 249, and m8 has 4417 as the room.")
GOOD = "They want 249 dollars for the blue one [m7]."
BUYER = "They want 249 dollars for it [m7]. Napoleon was the one who bought it."


def calls_answer(**arguments: Any) -> Reply:
    return says(None, ("answer", arguments))


@pytest.mark.parametrize(
    ("draft", "answer"),
    [
        (
            "After a short word of greeting [m6], the speaker puts the price at 249 dollars [m7].",
            "After a short word of greeting [00:00:00], the speaker puts the price at 249 dollars [00:00:04].",
        ),
        (
            "**In short**\n\n- You would pay *249* dollars. [00:00:05]\n- Nothing else is for sale.",
            "**In short**\n\n- You would pay *249* dollars. [00:00:05]\n- Nothing else is for sale.",
        ),
        ("| What | How much |\n|---|---|\n| blue kettle | 249 [m7] |",) * 1
        + ("| What | How much |\n|---|---|\n| blue kettle | 249 [00:00:04] |",),
        (
            "Half of it would be 249 / 2 = 124.5 dollars [m7, m99].",
            "Half of it would be 249 / 2 = 124.5 dollars [00:00:04].",
        ),
        ("Er sagt, der blaue Kessel koste 249 Dollar [m7].", "Er sagt, der blaue Kessel koste 249 Dollar [00:00:04]."),
    ],
    ids=["paraphrase", "list", "table", "sum", "another language"],
)
@pytest.mark.parametrize("called", [False, True], ids=["prose", "call"])
def test_a_supported_draft_is_published_whole(
    small_workspace: Workspace, draft: str, answer: str, called: bool
) -> None:
    reply = calls_answer(status="answered", text=draft) if called else says(draft)
    asked = ask_endpoint(small_workspace, [reply])
    assert (asked.answer.status, asked.answer.answer, asked.stood_in) == ("answered", answer, False)
    assert {claim.verdict for claim in asked.answer.claims} == {"supported"}
    assert (len(asked.endpoint.requests), len(asked.endpoint.judged)) == (1, 1)
    assert asked.answer.citations_removed == draft.count("m99")


def test_a_swapped_row_goes_back_once_and_is_then_marked(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says(None, SEARCH), says(SWAPPED)], judge=WRONG)
    assert (len(asked.endpoint.requests), len(asked.endpoint.judged)) == (3, 2)
    back = asked.endpoint.requests[-1]["messages"][-1]["content"]
    assert "They want 4417 dollars for the blue one." in back
    assert "m7 says 249, and m8 has 4417 as the room." in back
    assert "room 249" not in back
    published = (
        "You'll find it in room 249 [00:00:00]. They want 4417 dollars for the blue one [00:00:04]. [contradicted]"
    )
    assert (asked.answer.status, asked.answer.answer) == ("uncertain", published)
    room, price = asked.answer.claims
    assert (room.verdict, price.verdict) == ("supported", "contradicted")
    assert [each.quote for each in price.against] == ["The blue kettle costs 249 dollars.", "ROOM 4417"]
    assert [each.quote for each in asked.answer.citations] == ["ROOM 4417"]
    assert [by.tool for by in room.found_by] == ["brief"]


@pytest.mark.parametrize("second", [says(GOOD), calls_answer(status="answered", text=GOOD)], ids=["prose", "call"])
@pytest.mark.parametrize("between", [(), (says(None, LISTEN),)], ids=["at once", "after a call"])
def test_a_second_draft_mends_the_first(small_workspace: Workspace, second: Reply, between: tuple[Reply, ...]) -> None:
    script = [says(None, SEARCH), calls_answer(status="answered", text=SWAPPED), *between, second]
    asked = ask_endpoint(small_workspace, script, judge=WRONG)
    assert (asked.answer.status, asked.answer.answer) == ("answered", GOOD.replace("m7", "00:00:04"))
    assert asked.endpoint.requests[2]["messages"][-1]["role"] == "tool"  # the result of its call


def test_that_nothing_tells_is_judged_by_all_that_was_read(demo_workspace: Workspace, demo_video: Path) -> None:
    draft = calls_answer(status="abstained", text="The last slide says thank you, but names no dragon [00:02:30].")
    asked = ask_endpoint(demo_workspace, [draft], question="Who saw the dragon?", videos=[str(demo_video)])
    lines = re.compile(r"^m\d+ (?=\[)", re.MULTILINE)
    read = lines.findall("\n".join(str(each["content"]) for each in asked.endpoint.requests[0]["messages"]))
    assert set(read) <= set(lines.findall(asked.endpoint.judged[0]["messages"][-1]["content"]))


def test_model_and_judge_read_what_was_examined_and_all_text_on_screen(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says("Nobody mentions a dragon.")], question="Who saw the dragon?")
    for request in (asked.endpoint.requests[0], asked.endpoint.judged[0]):
        read = str(request["messages"][-1]["content"])
        assert "ROOM 4417" in read
        assert re.search(r"xamined.*speech 100% \(\d+% from subtitles\)", read)


def test_the_judge_reads_a_whole_refusal_and_the_citations_of_each_statement_alone(
    small_workspace: Workspace,
) -> None:
    for text in (
        "The price is 249 dollars [m7]. Nobody says who bought it.",
        "Nobody says who bought it. It is blue [m7].",
    ):
        refusal = calls_answer(status="abstained", text=text)
        read = ask_endpoint(small_workspace, [refusal]).endpoint.judged[0]["messages"][-1]["content"]
        assert '\n"Nobody says who bought it."\n' in read
    draft = says("It costs more than 99 dollars. It is blue [m7].")
    read = ask_endpoint(small_workspace, [draft]).endpoint.judged[0]["messages"][-1]["content"]
    assert '1. "It costs more than 99 dollars." cites nothing' in read
    assert '2. "It is blue." cites m7' in read


def test_what_the_judge_names_as_proof_is_cited_with_it(small_workspace: Workspace) -> None:
    judge = doubts("249", verdict="supported", reason="m7 says 249.")
    for draft in ("It costs 249 dollars.", "It costs 249 dollars [m6]."):
        [claim] = ask_endpoint(small_workspace, [says(draft)], judge=judge).answer.claims
        assert claim.citations[-1].start == 4


def test_no_moment_proves_that_something_is_not_there(small_workspace: Workspace) -> None:
    def judge(request: dict[str, Any]) -> Reply:
        return judges(*["supported"] * len(statements_in(request)), reasons=["m6 to m9 say nothing of it, nor m7."] * 9)

    draft = calls_answer(status="abstained", text="Nobody says who bought it [m6].")
    assert ask_endpoint(small_workspace, [draft], judge=judge).answer.answer == "Nobody says who bought it [00:00:00]."
    [claim] = ask_endpoint(small_workspace, [says("It costs 249 dollars.")], judge=judge).answer.claims
    assert [each.start for each in claim.citations] == [4]


@pytest.mark.parametrize("time", ["at 02:14", "(02:14-02:18)", "[02:15]"])
def test_the_judge_reads_what_is_there_at_the_times_that_an_answer_names(demo_workspace: Workspace, time: str) -> None:
    draft = f"The first thing said is a greeting [00:00:01]. Then {time} she says where to call [00:00:01]."
    asked = ask_endpoint(demo_workspace, [says(draft)], videos=["demo.mp4"])
    [request] = asked.endpoint.judged
    assert "If anything is unclear, call me" in str(request)


# The transcript of the demo doesn't fit then, as that of a long recording.
LONG = "controller.context=1000"
ASKED = "Who welcomes people to the dome repair review?"


def test_a_judge_reads_all_that_a_short_recording_says(demo_workspace: Workspace) -> None:
    draft = "Nobody else has a question [00:02:19]."
    short, long = (
        str(ask_endpoint(demo_workspace, [says(draft)], *given, videos=["demo.mp4"]).endpoint.judged[0])
        for given in ((), (LONG,))
    )
    assert "I am Edith Marlow" in short
    assert "I am Edith Marlow" not in long


def test_the_judge_reads_who_a_statement_names(demo_workspace: Workspace) -> None:
    drafts = ("“Edith Marlow” is there on Thursdays [00:02:19].", "She is there on Thursdays [00:02:19].")
    named, unnamed = (
        str(ask_endpoint(demo_workspace, [says(draft)], LONG, question=ASKED, videos=["demo.mp4"]).endpoint.judged[0])
        for draft in drafts
    )
    assert "I am Edith Marlow" in named
    assert "I am Edith Marlow" not in unnamed


# A line of the demo that nothing else of the drafts leads to, from 134 s on.
CALL = "If anything is unclear, call me"


@pytest.mark.parametrize(
    ("time", "told"),
    [
        ("(02:14–02:18)", "(02:14–02:18)"),
        ("(02:14–02:18) [m1]", "(02:14–02:18)"),
        ("[02:14-02:18]", "[00:02:14-00:02:18]"),
    ],
)
def test_a_false_range_is_published_judged_with_what_stands_there_and_marked(
    demo_workspace: Workspace, time: str, told: str
) -> None:
    draft = f"She says good morning to everybody {time}."
    judge = doubts("good morning", verdict="contradicted", reason="Something else is said there.")
    asked = ask_endpoint(demo_workspace, [says(draft)], videos=["demo.mp4"], judge=judge)
    read = str(asked.endpoint.judged[0])
    assert CALL in read
    assert f"She says good morning to everybody {told}." in read
    assert asked.answer.answer == f"She says good morning to everybody {told}. [contradicted]"
    assert (asked.answer.status, asked.answer.citations) == ("uncertain", ())


def test_a_range_answers_when_something_is_said(demo_workspace: Workspace) -> None:
    asked = ask_endpoint(demo_workspace, [says("(02:14–02:18)")], videos=["demo.mp4"], question="When may I call her?")
    assert '"(02:14–02:18)" cites ' in str(asked.endpoint.judged[0])
    assert (asked.answer.status, asked.answer.answer) == ("answered", "(02:14–02:18)")
    assert CALL in asked.answer.citations[0].quote


@pytest.mark.parametrize(
    "reply",
    [
        says("NOT FOUND: I listened to all of it, and nobody says who bought it."),
        says("**Not found:** I listened to all of it, and nobody says who bought it."),
        calls_answer(status="abstained", text="I listened to all of it, and nobody says who bought it."),
    ],
)
def test_an_abstention_stands_with_its_reason(small_workspace: Workspace, reply: Reply) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), reply], judge=doubts("", verdict="contradicted"))
    assert (asked.answer.status, asked.stood_in) == ("abstained", False)
    assert asked.answer.answer.startswith("I listened to all of it, and nobody says who bought it.")
    assert (len(asked.endpoint.requests), asked.endpoint.judged) == (2, [])


def test_what_an_abstention_says_of_the_video_is_judged(small_workspace: Workspace) -> None:
    draft = "It names the price of 17 dollars [m7]. Nobody says who bought it."
    judge = doubts("17 dollars", verdict="contradicted", reason="m7 says 249.")
    asked = ask_endpoint(small_workspace, [calls_answer(status="abstained", text=draft)], judge=judge)
    assert (asked.answer.status, len(asked.endpoint.requests)) == ("abstained", 1)
    assert asked.answer.answer.startswith(
        "It names the price of 17 dollars [00:00:04]. [contradicted] Nobody says who bought it."
    )


@pytest.mark.parametrize(
    "reply",
    [
        says('{"name": "answer", "arguments": {"status": "answered", "text": "They want 249 dollars [m7]."}}'),
        says('```json\n{"tool": "answer", "arguments": {"text": "They want 249 dollars [m7]."}}\n```'),
        says('answer(status="answered", text="They want 249 dollars [m7].")'),
        says("They want 249 dollars [m7].", ("answer", {"status": "answered"})),
    ],
    ids=["bare", "fence", "Python", "text beside the call"],
)
def test_a_call_of_answer_may_be_written_in_other_forms(small_workspace: Workspace, reply: Reply) -> None:
    asked = ask_endpoint(small_workspace, [reply])
    assert (asked.answer.answer, len(asked.endpoint.requests)) == ("They want 249 dollars [00:00:04].", 1)


def test_an_answer_that_the_judge_takes_for_an_abstention_is_one(small_workspace: Workspace) -> None:
    draft = "The talk names a price, but doesn't say who bought it."
    asked = ask_endpoint(small_workspace, [says(draft)], judge=lambda request: judges("supported", abstains=True))
    assert (asked.answer.status, asked.answer.answer) == ("abstained", draft)


@pytest.mark.parametrize(
    ("reply", "letter", "text"),
    [
        (says("B"), "B", "B. 99 dollars"),
        (says("**B.** That is the price [m7]."), "B", "**B.** That is the price [00:00:04]."),
        (calls_answer(status="answered", text="It is the middle one.", option="B"), "B", "It is the middle one."),
        (calls_answer(option="(b) 99 dollars"), "B", "B. 99 dollars"),
    ],
    ids=["alone", "in prose", "option", "option alone"],
)
@pytest.mark.parametrize("proven", [True, False])
def test_the_letter_is_the_models_whether_proven_or_not(
    small_workspace: Workspace, reply: Reply, letter: str, text: str, proven: bool
) -> None:
    judge = doubts("The right option is", verdict="supported" if proven else "not_shown", reason="m7 says 249.")
    asked = ask_endpoint(small_workspace, [reply], options=PRICES, judge=judge)
    assert asked.answer.option is not None
    assert (asked.answer.option.letter, asked.answer.option.supported) == (letter, proven)
    assert asked.answer.answer == text
    assert len(asked.endpoint.requests) == (1 if proven else 2)
    if not proven:
        assert asked.answer.status == "uncertain"
        assert "Option B" in asked.endpoint.requests[1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("reply", "named", "letter"),
    [
        (says("Neither A nor C fits, so it has to be the middle one [m7]."), "B", "B"),
        (calls_answer(status="answered", claims=[{"text": "Option B is right.", "moments": ["m7"]}]), "B", "B"),
        (says("The talk leaves no doubt: it's B [m7]."), None, "B"),
        (says("They want 99 dollars for it [m7]."), None, "B"),
        (says("They don't want 99 dollars for it [m7]."), "none", None),
        (says("Either B or C; I can't tell [m7]."), None, None),
        (says("A kettle is shown [m7]. I can't tell."), "none", None),
        (says("A kettle is shown [m7]. I can't tell."), "E", None),
    ],
    ids=["for the judge", "in claims", "alone in prose", "by its words", "denied", "unclear", "none", "unknown"],
)
@pytest.mark.parametrize("proven", [True, False])
def test_a_letter_within_prose_is_told_by_the_judge_or_else_by_its_words(
    small_workspace: Workspace, reply: Reply, named: str | None, letter: str | None, proven: bool
) -> None:
    def judge(request: Mapping[str, Any]) -> Reply:
        verdict = "supported" if proven else "contradicted"
        return judges(*[verdict] * len(statements_in(request)), option=named)

    option = ask_endpoint(small_workspace, [reply], options=PRICES, judge=judge).answer.option
    assert (option and option.letter) == letter
    if option:
        assert option.supported is proven


def test_an_open_guess_is_not_sent_back_for_being_one(small_workspace: Workspace) -> None:
    reply = calls_answer(status="uncertain", text="My guess is the middle one.", option="B")
    asked = ask_endpoint(small_workspace, [reply], options=PRICES, judge=doubts("The right option is"))
    assert (asked.answer.status, asked.answer.option and asked.answer.option.letter) == ("uncertain", "B")
    assert len(asked.endpoint.requests) == 1


def test_claims_are_the_answer_where_there_is_no_text(small_workspace: Workspace) -> None:
    claims = [
        {"text": "They want 249 dollars.", "moments": ["m7", "m99"]},
        {"text": "It begins with a greeting.", "moments": "[m6]"},
        "It is a short talk.",
    ]
    asked = ask_endpoint(small_workspace, [calls_answer(status="answered", claims=claims)])
    published = "They want 249 dollars [00:00:04]. It begins with a greeting [00:00:00]. It is a short talk."
    assert (asked.answer.status, asked.answer.answer) == ("answered", published)
    assert asked.answer.citations_removed == 1


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"status": "answered"},
        "not JSON at all",
        {"status": "answered", "text": " ", "claims": []},
        {"status": "answered", "text": "-\ufffd\ufffd-\ufffd"},
    ],
)
def test_an_answer_that_says_nothing_is_asked_for_again(small_workspace: Workspace, broken: Any) -> None:
    asked = ask_endpoint(small_workspace, [says(None, ("answer", broken)), says(GOOD)])
    again = asked.endpoint.requests[1]["messages"][-1]
    assert (again["role"], "couldn't be read" in again["content"]) == ("tool", True)
    assert (asked.answer.status, len(asked.endpoint.requests)) == ("answered", 2)
    silent = ask_endpoint(small_workspace, [says(None, ("answer", broken))])
    assert (silent.answer.status, silent.stood_in, len(silent.endpoint.requests)) == ("answered", True, 2)
    assert "say nothing" in (silent.answer.controller_error or "")


@pytest.mark.parametrize(
    "reply", [says("B"), calls_answer(option="B"), calls_answer(text="It is the middle one.", option="B")]
)
def test_an_option_without_a_moment_has_those_that_the_judge_names(small_workspace: Workspace, reply: Reply) -> None:
    judge = doubts("The right option is", verdict="supported", reason="m7 says 249.")
    answer = ask_endpoint(small_workspace, [reply], options=PRICES, judge=judge).answer
    assert [(place.start, place.end) for place in answer.places] == [(4.0, 6.0)]


def test_noise_is_no_answer_unless_it_is_an_option(small_workspace: Workspace) -> None:
    noise = says("-\ufffd\ufffd-\ufffd")
    asked = ask_endpoint(small_workspace, [noise, says(GOOD)])
    assert (asked.answer.status, len(asked.endpoint.requests)) == ("answered", 2)
    chosen = ask_endpoint(small_workspace, [says("+")], options=("+", "-"))
    assert (chosen.answer.option.letter if chosen.answer.option else None, len(chosen.endpoint.requests)) == ("A", 1)


def test_an_answer_that_breaks_off_is_read_as_far_as_it_goes(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says(None, ("answer", '{"status": "answered", "text": "' + GOOD))])
    assert (asked.answer.status, asked.answer.answer) == ("answered", GOOD.replace("m7", "00:00:04"))


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (refuses(500, "the judge is down"), "the judge is down"),
        (Reply("", delay=2.0), "verification.timeout"),
        (says("It all seems fine to me."), "the judge's reply gives no verdicts"),
    ],
    ids=["down", "slow", "nonsense"],
)
def test_where_the_judge_fails_nothing_is_lost_and_it_is_said(
    small_workspace: Workspace, reply: Reply, said: str
) -> None:
    asked = ask_endpoint(
        small_workspace, [says(None, SEARCH), says(BUYER)], "verification.timeout=0.5", judge=lambda request: reply
    )
    text, _, note = asked.answer.answer.partition(" (The statements")
    assert (asked.answer.status, text, asked.stood_in) == ("uncertain", BUYER.replace("m7", "00:00:04"), False)
    assert note == " weren't checked against the video: `longtake doctor` and the trace say why.)"
    assert said in asked.of("judge")[-1]["data"]["problem"]
    assert {claim.verdict for claim in asked.answer.claims} == {"unchecked"}
    assert [each.quote for each in asked.answer.citations] == ["The blue kettle costs 249 dollars."]
    assert (len(asked.endpoint.requests), asked.answer.controller_error) == (2, None)


@pytest.mark.parametrize(
    ("mode", "status", "text", "requests"),
    [
        ("mark", "uncertain", f"{BUYER} [not shown]", 2),
        ("strict", "uncertain", "They want 249 dollars for it [m7].", 2),
        ("off", "answered", BUYER, 1),
    ],
)
def test_the_mode_says_what_becomes_of_doubts(
    small_workspace: Workspace, mode: str, status: str, text: str, requests: int
) -> None:
    asked = ask_endpoint(small_workspace, [says(BUYER)], f"verification.mode='{mode}'", judge=doubts("Napoleon"))
    assert (asked.answer.status, asked.answer.answer) == (status, text.replace("m7", "00:00:04"))
    assert (len(asked.endpoint.requests), len(asked.endpoint.judged)) == (requests, 0 if mode == "off" else 2)


def test_strictly_nothing_is_left_of_an_answer_without_proof(small_workspace: Workspace) -> None:
    asked = ask_endpoint(
        small_workspace, [says("Napoleon was it.")], "verification.mode=strict", judge=doubts("Napoleon")
    )
    assert (asked.answer.status, "Napoleon" in asked.answer.answer) == ("abstained", False)


@pytest.mark.parametrize("rounds", [[], [says(None, LISTEN), says(None, SEARCH)]], ids=["round 1", "round 3"])
def test_where_the_endpoint_dies_the_lines_that_were_found_answer(
    small_workspace: Workspace, rounds: Sequence[Reply]
) -> None:
    asked = ask_endpoint(small_workspace, [*rounds, refuses(401, "going down")])
    assert (asked.answer.status, asked.stood_in, asked.answer.error) == ("answered", True, None)
    assert "249 dollars" in asked.answer.answer
    assert "going down" in asked.answer.answer
    assert "going down" in (asked.answer.controller_error or "")
    assert [event["type"] for event in asked.events].count("judge") == 1


@pytest.mark.parametrize("last", [refuses(401, "going down"), says("")], ids=["dies", "says nothing"])
def test_a_draft_is_kept_where_it_is_mended_by_nobody(small_workspace: Workspace, last: Reply) -> None:
    asked = ask_endpoint(small_workspace, [says(BUYER), last], judge=doubts("Napoleon"))
    published = BUYER.replace("m7", "00:00:04") + " [not shown]"
    assert (asked.answer.status, asked.answer.answer, asked.stood_in) == ("uncertain", published, False)
    assert (asked.answer.controller_error or "").startswith("the language model stopped answering")


def test_a_wrong_sum_is_contradicted_whatever_the_judge_says(small_workspace: Workspace) -> None:
    draft = "Two of them would come to 2 * 249 = 500 dollars [m7]."
    asked = ask_endpoint(small_workspace, [says(draft)])
    assert (asked.answer.status, asked.answer.answer[-14:]) == ("uncertain", "[contradicted]")
    assert "2 * 249 is 498, not 500" in asked.endpoint.requests[1]["messages"][-1]["content"]
