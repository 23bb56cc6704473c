"""The ledger: a claim leads to the calls that found its proof and to what says otherwise, and doubt is said."""

from __future__ import annotations

import pytest
from helpers.asking import ask_endpoint
from helpers.servers.openai_server import says

from longtake.agent.verification.claims import check_draft
from longtake.agent.verification.provenance import Made, attach_sources, grounded, pages_quoted
from longtake.agent.verification.publishing import softened, with_citations
from longtake.agent.verification.verdicts import Grounds
from longtake.memory.records import Citation, Claim, Evidence, FoundBy, Modality
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.core.result import ToolFailure, ToolResult

LISTEN = ("transcribe_speech", {"timestamp": "00:00:03-00:00:07"})
PRICE = "The blue kettle costs 249 dollars [00:00:04]."


def said(content: str, start: float = 12, *, modality: Modality = "speech", trusted: bool = True) -> Evidence:
    span = TimeSpan(start=start, end=start + 3)
    return Evidence(video="v", span=span, modality=modality, content=content, engine="e", trusted=trusted)


def shown(content: str, start: float = 15, *, left: float | None = None) -> Evidence:
    box = None if left is None else (left, 0.4, 0.2, 0.1)
    return said(content, start, modality="scene_text").model_copy(update={"box": box})


def ledger(draft: str, *evidence: Evidence) -> Claim:
    (claim,) = check_draft(draft, evidence).claims
    return attach_sources(claim, evidence, [])


def otherwise(draft: str, *evidence: Evidence) -> list[str]:
    claim = ledger(draft, *evidence)
    assert claim.verdict == "supported"
    return [citation.quote for citation in claim.against]


@pytest.mark.parametrize(
    ("spoken", "written"),
    [
        ("The kettle costs 45 dollars.", "Kettle 54 dollars"),
        ("The kettle costs 45 dollars.", "Kettle: $54"),
        ("The kettle costs twelve euros.", "Price of the kettle: €15"),
        ("The kettle costs forty-five dollars.", "Kettle 54 dollars"),
        ("The work on the bridge starts on the 7th of April.", "Work on the bridge starts 8 April"),
        ("The work on the bridge starts on April 7th.", "Work on the bridge starts: 7 May 2031"),
        ("The choir meets on Thursday.", "Choir meets: Friday"),
        ("The evening train leaves at 10:30.", "Evening train leaves 11:15"),
        ("The evening train leaves at 5 pm.", "Evening train leaves 6:00 PM"),
        ("The wind reached 130 kilometres an hour.", "Wind reached 150 km/h"),
        ("The bridge was repaired in 1998.", "Bridge repaired 1989"),
        ("The shop is open on Sundays.", "The shop is not open on Sunday"),
        ("The village shop is open on Sundays.", "Village shop: closed on Sundays"),
        ("The winner of the cup is Anna Smith.", "Winner of the cup: Robert Jones"),
    ],
)
def test_both_are_cited_where_one_modality_says_and_another_shows_it_otherwise(spoken: str, written: str) -> None:
    evidence = (said(spoken), shown(written))
    claim = ledger(f"{spoken} [00:00:12]", *evidence)
    assert [(cited.modality, cited.quote) for cited in claim.against] == [("scene_text", written)]
    assert with_citations([claim]) == f"{spoken} [00:00:12] But on screen: “{written}” [00:00:15]"
    back = ledger(f"“{written}” [00:00:15]", *evidence)
    assert with_citations([back]) == f"“{written}” [00:00:15] But it is said: “{spoken}” [00:00:12]"


@pytest.mark.parametrize(
    ("spoken", "written"),
    [
        # Another thing, or another one of the kind.
        ("The blue kettle costs 45 dollars.", "Red kettle 54 dollars"),
        ("The kettle costs 45 dollars.", "Electric kettle 54 dollars"),
        ("The kettle costs 45 dollars.", "Lamp 54 dollars"),
        ("The train from Paris to Rome costs 45 euros.", "Train from Rome to Paris 54 euros"),
        ("The left door is open on Sundays.", "Right door: open on Sundays"),
        ("Before tax the kettle costs 45 dollars.", "After tax the kettle costs 54 dollars"),
        ("The kettles cost 45 dollars each.", "Kettles 90 dollars"),
        # At another time, or only perhaps.
        ("Last year the kettle cost 45 dollars.", "Kettle 54 dollars"),
        ("The kettle used to cost 45 dollars.", "Kettle 54 dollars"),
        ("The kettle was 45 dollars.", "Kettle 54 dollars"),
        ("The kettle might cost 45 dollars.", "Kettle 54 dollars"),
        ("The kettle costs 45 dollars.", "Does the kettle cost 54 dollars?"),
        ("The shutter of the dome opens.", "The shutter of the dome closes"),
        # Another unit, or another thing said of it.
        ("The kettle costs 45 dollars.", "Kettle 54 euros"),
        ("The kettle costs 45 dollars.", "Kettle 54"),
        ("The kettle holds 2 litres.", "Kettle 3 kilos"),
        ("The kettle costs 45 dollars since 3 May.", "Kettle 54 dollars since 4 June"),
        ("The work on the bridge starts on the 7th of April.", "Work on the bridge starts: April 2031"),
        # The same, rounded, hedged or spelled.
        ("The kettle costs 50 dollars.", "Kettle $49.90"),
        ("The kettle costs about 50 dollars.", "Kettle 45 dollars"),
        ("The kettle costs forty-five dollars.", "Kettle 45 dollars"),
        ("The kettle costs 1,250 euros.", "Kettle 1250.00 €"),
        ("The evening train leaves at 5 pm.", "Evening train leaves 17:00"),
        ("The winner of the cup is Edith Marlow.", "Winner of the cup: Edith Marlowe"),
        ("The winner of the cup is Edith Marlow.", "Winner of the cup: Mrs Marlow"),
        # What runs or counts.
        ("Page 3 of the report.", "Page 4 of the report"),
        ("The total is 45 dollars.", "Total 54 dollars"),
        ("The race clock shows 12:31.", "Race clock 12:32"),
        ("The recording begins at 00:12:31.", "Recording begins 00:12:34"),
        ("The tape shows 10:15.", "Tape 10:16"),
        ("The score is 3 goals.", "Score 4 goals"),
        ("The panels torn off are 3 of 5.", "Panels torn off: 2 of 5"),
        ("It takes 10 to 20 minutes by bus.", "It takes 30 minutes by bus"),
        ("Gate 4417.", "Gate 4418"),
        ("See No. 5 in the list of rules.", "See 5 in the list of rules"),
        # Nothing to compare.
        ("The kettle is on the table.", "The lamp is not on the table"),
        ("45 dollars.", "54 dollars"),
    ],
)
def test_what_is_not_the_same_thing_at_the_same_time_in_the_same_unit_is_no_contradiction(
    spoken: str, written: str
) -> None:
    evidence = (said(spoken), shown(written))
    for draft in (f"“{spoken}” [00:00:12]", f"“{written}” [00:00:15]"):
        (claim,) = check_draft(draft, evidence).claims or [Claim(text="", verdict="unverified")]
        assert attach_sources(claim, evidence, []).against == ()


KETTLE = said("The kettle costs 45 dollars.")


@pytest.mark.parametrize(
    "more",
    [
        (shown("Kettle 54 dollars", 300),),
        (shown("Kettle 54 dollars"), shown("Kettle 45 dollars", 20)),
        (shown("Kettle 54 dollars"), shown("Kettle 60 dollars", 20)),
        (shown("Kettle 54 dollars"), said("The kettle costs 54 dollars.", 40)),
        (shown("Kettle 54 dollars").model_copy(update={"trusted": False}),),
        (shown("Kettle 54 dollars").model_copy(update={"video": "another"}),),
        (said("The kettle costs 54 dollars.", 15),),
        (said("The kettle costs 54 dollars.", 15, modality="metadata"),),
    ],
    ids="far,agrees,changes,corrected,doubtful,another-video,same-modality,of-the-recording".split(","),
)
def test_one_value_must_stand_against_one_in_the_same_video_nearby(more: tuple[Evidence, ...]) -> None:
    assert otherwise("The kettle costs 45 dollars [00:00:12].", KETTLE, *more) == []
    assert otherwise("The kettle costs 45 dollars [00:00:12].", KETTLE, shown("Kettle 54 dollars")) != []


def test_a_thing_called_by_several_words_is_the_same_far_away() -> None:
    far = shown("Blue enamel kettle: $54", 3000)
    spoken = said("The blue enamel kettle costs 45 dollars.")
    assert otherwise("The blue enamel kettle costs 45 dollars [00:00:12].", spoken, far) == [far.content]


def test_the_cells_of_a_row_are_read_as_one_and_cited_as_two() -> None:
    row = [shown("Kettle", left=0.1), shown("Tarn Works", left=0.4), shown("$54", left=0.7)]
    below = shown("$45", left=0.7).model_copy(update={"box": (0.7, 0.8, 0.2, 0.1)})
    assert otherwise("The kettle costs 45 dollars [00:00:12].", KETTLE, *row, below) == ["Kettle", "$54"]
    claim = ledger("The kettle costs 45 dollars [00:00:12].", KETTLE, *row)
    assert with_citations([claim]).endswith("But on screen: “Kettle · $54” [00:00:15]")


def test_a_paraphrase_of_the_proof_is_held_against_the_picture() -> None:
    draft = "The price mentioned for that kettle: 45 dollars [00:00:12]."
    assert otherwise(draft, KETTLE, shown("Kettle 54 dollars")) == ["Kettle 54 dollars"]


def test_what_says_otherwise_is_no_proof_although_the_draft_cites_it() -> None:
    claim = ledger("The kettle costs 45 dollars [00:00:12][00:00:15].", KETTLE, shown("Kettle 54 dollars"))
    assert [cited.quote for cited in claim.citations] == [KETTLE.content]
    assert [cited.quote for cited in claim.against] == ["Kettle 54 dollars"]


def test_a_claim_names_every_call_that_found_its_proof() -> None:
    calls = [
        Made(FoundBy(tool="cross_modal_search", call="call-0-0"), ToolResult(tool="s", evidence=(KETTLE,))),
        Made(FoundBy(tool="extract_scene_text", call="call-0-1"), ToolResult(tool="e", evidence=(shown("Lamp"),))),
        Made(FoundBy(tool="transcribe_speech", call="call-1-0"), ToolResult(tool="t", evidence=(KETTLE,))),
    ]
    (claim,) = check_draft("The kettle costs 45 dollars [00:00:12].", [KETTLE]).claims
    assert [by.call for by in attach_sources(claim, [KETTLE], calls).found_by] == ["call-0-0", "call-1-0"]
    other = shown("Kettle 54 dollars")
    calls[1] = Made(calls[1].by, ToolResult(tool="e", evidence=(other,)))
    assert [by.call for by in attach_sources(claim, [KETTLE, other], calls).found_by] == [
        "call-0-0",
        "call-0-1",
        "call-1-0",
    ]


def test_lines_found_before_the_first_call_were_gathered() -> None:
    (claim,) = check_draft("The kettle costs 45 dollars [00:00:12].", [KETTLE]).claims
    gathered = frozenset([Citation.of(KETTLE)])
    assert attach_sources(claim, [KETTLE], [], gathered).found_by == (FoundBy(tool="gather"),)


def test_a_fact_of_the_recording_was_found_by_no_call() -> None:
    claim = ledger("The recording is 90 seconds long [00:00:12].", said("The recording is 90 seconds long."))
    assert claim.found_by == (FoundBy(tool="orient"),)
    assert ledger("Napoleon won [00:00:12].", KETTLE).found_by == ()


def test_a_result_leads_to_the_calculation() -> None:
    by = FoundBy(tool="calculator", call="call-1-0", arguments={"expression": "45 * 2"})
    done = Made(by, ToolResult(tool="calculator", output={"result": "90"}))
    failed = Made(by, ToolResult(tool="calculator", failure=ToolFailure(kind="engine_failed", message="No.")))
    assert (done.computed, failed.computed) == ("45 * 2 = 90", "")
    for text, found in (("45 * 2 = 90 dollars", [by]), ("The kettle costs 45 dollars", [])):
        (claim,) = check_draft(f"{text} [00:00:12].", [KETTLE], Grounds(computed=[done.computed])).claims
        made = [Made(FoundBy(tool="t", call="c"), ToolResult(tool="t", evidence=(KETTLE,))), done, failed]
        assert list(attach_sources(claim, [KETTLE], made).found_by[1:]) == found


RUMOUR = said("The kettle costs 45 dollars.", trusted=False)


@pytest.mark.parametrize(
    ("draft", "evidence", "kept"),
    [
        ("The kettle costs 45 dollars [00:00:12].", (RUMOUR,), True),
        ("The kettle costs 54 dollars [00:00:12].", (RUMOUR,), False),
        ("The kettle costs 45 dollars.", (RUMOUR,), False),
        ("The kettle costs 45 dollars [00:05:00].", (RUMOUR,), False),
        ("Napoleon lost at Waterloo [00:00:12].", (RUMOUR,), False),
        ("The kettle costs 45 dollars [00:00:12].", (RUMOUR, shown("Kettle 54 dollars")), False),
        ("The kettle costs 45 dollars [00:00:12].", (RUMOUR, said("The kettle costs 54 dollars.", 40)), False),
        ("The kettle costs 45 dollars [00:00:00].", (RUMOUR.model_copy(update={"video": ""}),), False),
    ],
)
def test_only_what_is_doubtful_and_nothing_else_is_softened(
    draft: str, evidence: tuple[Evidence, ...], kept: bool
) -> None:
    claim = ledger(draft, *evidence)
    assert (claim.verdict, claim.citations, with_citations([claim])) == ("unverified", (), "")
    text = softened([claim])
    assert text.startswith("Not verified: The kettle costs 45 dollars. [00:00:12]") if kept else text == ""


@pytest.mark.parametrize(
    ("expression", "question", "counts"),
    [
        ("45 * 2", "What do 2 kettles cost?", True),
        ("45 * 2", "What do two kettles cost?", True),
        ("45 * 2", "What do they cost?", False),
        ("99", "What does the kettle cost?", False),
        ("45 + 54", "What does the kettle cost?", False),
        ("45 / 100 * 15", "What is 15 percent of the price?", True),
        ("45 * 100", "What does the kettle cost in cents?", True),
        ("15 s - 12 s", "How long is it said?", True),
        ("19 s - 12 s", "How long is it said?", False),
    ],
)
def test_a_result_counts_where_the_evidence_or_the_question_holds_all_it_is_worked_out_of(
    expression: str, question: str, counts: bool
) -> None:
    by = FoundBy(tool="calculator", call="call-1-0", arguments={"expression": expression})
    done = Made(by, ToolResult(tool="calculator", output={"result": "7"}))
    assert grounded([done], [KETTLE], question) == ([f"{expression} = 7"] if counts else [])
    later = Made(by.model_copy(update={"arguments": {"expression": "7 + 45"}}), done.result)
    assert len(grounded([done, later], [KETTLE], question)) == (2 if counts else 0)


def test_a_web_page_backs_no_claim_and_is_only_quoted_with_its_address() -> None:
    pages = [{"title": "Kettles", "snippet": "A kettle boils.", "url": "https://kettle.example/"}]
    call = Made(FoundBy(tool="web_search", call="c"), ToolResult(tool="web_search", output={"results": pages}))
    assert call.made == ""
    assert pages_quoted("“A kettle boils.”", [call]) == [("A kettle boils.", "https://kettle.example/")]
    assert pages_quoted("“A kettle boils” A kettle boils.", [call]) == []


def test_from_an_answer_to_the_step_in_the_trace(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), says(f"{PRICE} The recording is 8.0 seconds long.")])
    price, length = asked.answer.claims
    (by,) = price.found_by
    (step,) = [event for event in asked.of("tool") if event["data"]["call"] == by.call]
    assert (by.tool, by.arguments) == (step["data"]["tool"], step["data"]["arguments"])
    assert [found.tool for found in length.found_by] == ["orient"]
