"""Whether a proof holds one claim, word for word: who, how much, what is denied, what was worked out or measured."""

from __future__ import annotations

import pytest

from longtake.agent.verification.claims import check_draft
from longtake.agent.verification.verdicts import Grounds, says
from longtake.memory.records import Evidence, Modality, Verdict
from longtake.memory.timespan import TimeSpan


def found(content: str, start: float, end: float, *, modality: Modality = "speech") -> Evidence:
    return Evidence(
        video="v", span=TimeSpan(start=start, end=end), modality=modality, content=content, engine="subtitles-1"
    )


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("37*12 = 444 [00:00:04]", "supported"),
        ("37*12 = 444", "supported"),
        ("The result is 444.", "supported"),
        ("37*12 = 445 [00:00:04]", "unverified"),
        ("Napoleon won 444 battles.", "unverified"),
        ("The result is known.", "unverified"),
    ],
)
def test_what_was_computed_may_stand_beside_the_evidence(claim: str, verdict: Verdict) -> None:
    shown = found("37*12", 4, 6, modality="scene_text")
    assert check_draft(claim, [shown], Grounds(computed=["37*12 = 444"])).claims[0].verdict == verdict


@pytest.mark.parametrize(
    ("times", "verdict"), [("3", "supported"), ("three", "supported"), ("2", "unverified"), ("4", "unverified")]
)
def test_a_count_of_a_quoted_word_is_counted_again(times: str, verdict: Verdict) -> None:
    said = [found("The dome is a dome.", 1, 2), found("Domes, and another dome!", 5, 6)]
    assert check_draft(f"“dome” occurs {times} times [00:00:01][00:00:05]", said).claims[0].verdict == verdict


@pytest.mark.parametrize(
    ("times", "verdict"),
    [
        ("80.4 to 81.9 s", "supported"),
        ("00:01:20.4 to 00:01:21", "supported"),
        ("80.48-81.98 s", "supported"),
        ("82.9 s", "unverified"),
    ],
)
def test_times_of_a_claim_are_as_exact_as_they_are_written(times: str, verdict: Verdict) -> None:
    tone = found("A high tone.", 80.48, 81.984, modality="audio")
    assert check_draft(f"A high tone from {times} [00:01:20].", [tone]).claims[0].verdict == verdict


@pytest.mark.parametrize(
    ("claim", "said", "verdict"),
    [
        ("The bridge was not repaired [00:00:01].", "The bridge was repaired in May.", "unverified"),
        ("It never rains on the moor [00:00:01].", "It rains on the moor.", "unverified"),
        ("The alarm was off [00:00:01].", "The alarm was on.", "contradicted"),
        ("They gave the money to Bob [00:00:01].", "They gave the money to Carol.", "unverified"),
        ("The price fell from 10 to 5 [00:00:01].", "The price rose from 5 to 10.", "contradicted"),
        ("The bridge was not repaired [00:00:01].", "The bridge wasn't repaired at all.", "supported"),
        ("They gave the money to Carol [00:00:01].", "They gave the money to Carol.", "supported"),
        ("Twenty people came [00:00:01].", "Then 20 people came.", "supported"),
    ],
)
def test_what_turns_a_statement_round_is_never_supported(claim: str, said: str, verdict: str) -> None:
    evidence = [Evidence(video="v", span=TimeSpan(start=0, end=3), modality="speech", content=said, engine="test")]
    assert [item.verdict for item in check_draft(claim, evidence).claims] == [verdict]


@pytest.mark.parametrize(
    "said",
    [
        "“The kettle was a gift” [00:00:10]",
        "The kettle was never sold and does not cost “45” [00:00:10]",
        "Bob Smith murdered the mayor, who said “welcome” [00:00:10]",
        "“kettle” is what Bob Smith calls it [00:00:10]",
    ],
)
def test_a_quotation_proves_no_more_than_itself(said: str) -> None:
    [claim] = check_draft(said, [found("The kettle costs 45 dollars. Welcome, welcome.", 10, 12)]).claims
    assert claim.verdict != "supported"


@pytest.mark.parametrize(
    "said",
    [
        "“The kettle costs 45 dollars.” [00:00:10]",
        "The speaker says “The kettle … 45 dollars” [00:00:10]",
        "“kettle” occurs 1 times [00:00:10]",
    ],
)
def test_a_true_quotation_proves_what_is_said_of_it(said: str) -> None:
    [claim] = check_draft(said, [found("The kettle costs 45 dollars.", 10, 12)]).claims
    assert claim.verdict == "supported"


# What a claim says, what its proof holds, what was asked, and the verdict. False ones stand beside their true twins.
TABLE: list[tuple[str, str, str, Verdict]] = [
    # Who: names at the beginning, in capitals, with a capital inside; in the order of the proof.
    ("Alice killed the mayor.", "Alice killed the mayor.", "", "supported"),
    ("Bob killed the mayor.", "Alice killed the mayor.", "", "unverified"),
    ("Bob killed the mayor.", "Alice killed the mayor. Bob smiled.", "", "unverified"),
    ("Alice killed the mayor.", "Alice killed the mayor. Bob smiled.", "", "supported"),
    ("Will killed the mayor.", "Alice killed the mayor.", "", "unverified"),
    ("The ESA launched the probe.", "The ESA launched the probe.", "", "supported"),
    ("NASA launched the probe.", "The ESA launched the probe.", "", "unverified"),
    ("The clown McDonald sings.", "The clown McDonald sings.", "", "supported"),
    ("The clown MacDonald sings.", "The clown McDonald sings.", "", "unverified"),
    ("Bob owes Alice 5 dollars.", "Bob owes Alice 5 dollars.", "", "supported"),
    ("Alice owes Bob 5 dollars.", "Bob owes Alice 5 dollars.", "", "unverified"),
    ("Alice and Bob came.", "Bob and Alice came.", "", "supported"),
    # How much: the unit, the scale, the sign, and what it is of.
    ("The kettle costs 45 dollars.", "The kettle costs $45.", "", "supported"),
    ("The kettle costs 45 euros.", "The kettle costs 45 dollars.", "", "contradicted"),
    ("The share is 20%.", "The share is twenty percent.", "", "supported"),
    ("The share is 20%.", "The share is 20 dollars.", "", "contradicted"),
    ("It sold ten million.", "It sold 10 million.", "", "supported"),
    ("It sold ten million.", "It sold ten.", "", "contradicted"),
    ("It sold ten.", "It sold ten million.", "", "contradicted"),
    ("The air had 5 degrees.", "The air had -5 degrees.", "", "contradicted"),
    ("The kettle is 45 and the pan 54.", "Kettle 45, pan 54.", "", "supported"),
    ("The kettle is 54 and the pan 45.", "Kettle 45, pan 54.", "", "unverified"),
    ("kettle 54, pan 45", "kettle 45, pan 54", "", "unverified"),
    ("The pan costs 45 dollars.", "The kettle costs 45 dollars and the pan costs 54 dollars.", "", "unverified"),
    ("The pan costs 54 dollars.", "The kettle costs 45 dollars and the pan costs 54 dollars.", "", "supported"),
    ("Bob won 5 games.", "Tom won 3 games and Bob 5.", "", "supported"),
    ("Tom won 5 games.", "Tom won 3 games and Bob 5.", "", "unverified"),
    ("It is in room B12.", "It is in room B12.", "", "supported"),
    ("It is in room A12.", "It is in room B12.", "", "unverified"),
    ("The train leaves at 5 pm.", "The train leaves at 5 pm.", "", "supported"),
    ("The train leaves at 5 am.", "The train leaves at 5 pm.", "", "contradicted"),
    ("The kettle is cheaper than the lamp.", "The kettle is cheaper than the lamp.", "", "supported"),
    ("The lamp is cheaper than the kettle.", "The kettle is cheaper than the lamp.", "", "unverified"),
    ("The lamp comes before the kettle.", "The kettle comes before the lamp.", "", "unverified"),
    # What: no verb, object or attribute that the proof does not hold.
    ("The vaccine prevents cancer.", "The vaccine prevents cancer.", "", "supported"),
    ("The vaccine causes cancer.", "The vaccine prevents cancer.", "", "unverified"),
    ("The firm lost profit in 2024.", "The firm lost profit in 2024.", "", "supported"),
    ("The firm doubled profit in 2024.", "The firm lost profit in 2024.", "", "unverified"),
    ("The stolen kettle illegally costs 45 dollars.", "The kettle costs 45 dollars.", "", "unverified"),
    ("The kettle must cost 45 dollars.", "The kettle costs 45 dollars.", "", "unverified"),
    ("The bar is not open, the shop is.", "The bar is not open but the shop is.", "", "supported"),
    ("The bar is open.", "The shop is open, but the bar is not open.", "", "unverified"),
    # Around a quotation.
    ("The speaker says “sales fell ten percent in May”.", "In short, sales fell ten percent in May.", "", "supported"),
    ("Sales rose: “sales fell ten percent in May”", "In short, sales fell ten percent in May.", "", "contradicted"),
    ("“the door is open” is never said.", "Listen: the door is open.", "", "unverified"),
    ("“the door is open” is said.", "Listen: the door is open.", "", "supported"),
    ("The murderer calls it “cats are great animals”", "I say cats are great animals.", "", "unverified"),
    ("The phone is “Call 4417 on weekdays”", "Call 4417 on weekdays", "What is the phone number?", "supported"),
    ("The phone is “Call 4417 on weekdays”", "Call 4417 on weekdays", "", "unverified"),
    ("Bob killed the mayor: “Alice killed the mayor”", "Alice killed the mayor", "Who is Bob?", "unverified"),
    ("“lamp” is shown before “kettle”", "A kettle and a lamp", "", "unverified"),
    ("“lamp” occurs twice.", "The lamp is a lamp.", "", "supported"),
    ("“lamp” occurs once.", "The lamp is a lamp.", "", "unverified"),
    # A yes and a no, of what was asked.
    ("Yes: “the shop is open on Sunday”", "the shop is open on Sunday", "Is the shop open on Sunday?", "supported"),
    ("“Yes, he's in a bad humor”", "Yes, he's in a bad humor", "Who is in a bad humor?", "supported"),
    ("“No, the shop is open”", "No, the shop is open", "", "supported"),
    ("No: “the shop is open on Sunday”", "the shop is open on Sunday", "Is the shop open on Sunday?", "contradicted"),
    ("No: “the shop is open on Sunday”", "the shop is open on Sunday", "", "unverified"),
    ("No, it is closed on Sunday.", "It is closed on Sunday.", "Is it open on Sunday?", "supported"),
    ("No, nobody was hurt.", "Nobody was hurt.", "Was anybody hurt?", "supported"),
    ("Yes, it is closed on Sunday.", "It is closed on Sunday.", "Is it open on Sunday?", "contradicted"),
    ("No, it is not open on Sunday.", "It is not open on Sunday.", "Is it open on Sunday?", "supported"),
    (
        "No, the kettle costs 45 dollars.",
        "The kettle costs 45 dollars.",
        "Does the kettle cost 54 dollars?",
        "supported",
    ),
    ("Yes, the kettle costs 45 dollars.", "The kettle costs 45 dollars.", "Is the kettle dear?", "unverified"),
    ("Yes: “Tell me, is the shop open?”", "Tell me, is the shop open?", "Is the shop open?", "unverified"),
    ("Yes: “The shop is open. Who knew?”", "The shop is open. Who knew?", "Is the shop open?", "supported"),
]


@pytest.mark.parametrize(("claim", "said", "question", "verdict"), TABLE)
def test_a_claim_holds_only_what_its_proof_says(claim: str, said: str, question: str, verdict: Verdict) -> None:
    [checked] = check_draft(f"{claim} [00:00:10]", [found(said, 10, 12)], Grounds(question=question)).claims
    assert checked.verdict == verdict


@pytest.mark.parametrize("draft", ["Yes: “Veil: $28” [00:00:10]", "Last is “Veil: $28” [00:00:10]"])
def test_a_line_proves_no_conclusion_from_it(draft: str) -> None:
    grounds = Grounds(question="Is the veil dearer than the gloves?")
    [claim] = check_draft(draft, [found("Veil: $28", 10, 12)], grounds).claims
    assert claim.verdict == "unverified"


REVIEW = "The bag is lovely and never wears out."


@pytest.mark.parametrize(
    "draft",
    [
        "The bag is negative [00:00:10].",
        f"The bag is kept: “{REVIEW}” [00:00:10]",
        f"“{REVIEW}” [00:00:10] differ.",
        "Negative: the bag is lovely [00:00:10].",
    ],
)
def test_the_words_of_a_conclusion_prove_nothing_elsewhere(draft: str) -> None:
    claims = check_draft(draft, [found(REVIEW, 10, 12)]).claims
    assert claims[-1].verdict != "supported"


def test_neither_of_two_alternatives_is_supposed() -> None:
    line = "It costs 45 dollars since Monday"
    reported = f"The lamp is “{line}” [00:00:10]"
    for question, verdict in (
        ("Which costs 45 dollars, the kettle or the lamp?", "unverified"),
        ("What is said of the lamp on Monday?", "supported"),
    ):
        [claim] = check_draft(reported, [found(line, 10, 12)], Grounds(question=question)).claims
        assert claim.verdict == verdict


@pytest.mark.parametrize(
    ("claim", "computed", "verdict"),
    [
        ("The kettle costs 99 dollars.", "99 = 99", "contradicted"),
        ("The kettle costs 99 dollars.", "45 + 54 = 99", "contradicted"),
        ("The kettle and the pan cost 99 dollars together.", "45 + 54 = 99", "supported"),
        ("The kettle and the pan cost 99 euros together.", "45 + 54 = 99", "contradicted"),
        ("45 + 54 = 99 dollars.", "45 + 54 = 99", "supported"),
    ],
)
def test_a_result_counts_where_the_claim_says_that_it_is_one(claim: str, computed: str, verdict: Verdict) -> None:
    said = found("The kettle costs 45 dollars and the pan costs 54 dollars.", 10, 12)
    [checked] = check_draft(f"{claim} [00:00:10]", [said], Grounds(computed=[computed])).claims
    assert checked.verdict == verdict


@pytest.mark.parametrize(
    ("text", "option", "said"),
    [
        ("The kettle costs 45 dollars.", "45 dollars", True),
        ("The kettle costs 45 dollars.", "$45", True),
        ("The kettle costs 45 dollars.", "54 dollars", False),
        ("The kettle costs 45 dollars.", "45 euros", False),
        ("It is in room B12.", "B12", True),
        ("It is in room B12.", "A12", False),
        ("Yes, it is open.", "Yes", True),
        ("It is not open.", "Open", False),
    ],
)
def test_an_option_is_said_by_a_text_that_holds_all_of_it(text: str, option: str, said: bool) -> None:
    assert says(text, option) == said


CUES = [
    found("ask not what your country", 10, 12),
    found("brings to its citizens", 12, 14),
    found("I have a dream", 40, 42),
]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("“ask not what your country brings to its citizens”", "supported"),
        ("“your country brings”", "supported"),
        ("“its citizens I have a dream”", "unverified"),
        ("“its citizens ask not what your country”", "unverified"),
    ],
)
def test_a_quotation_may_go_on_from_one_cue_to_the_next(claim: str, verdict: Verdict) -> None:
    assert check_draft(f"{claim} [00:00:10-00:00:42]", CUES).claims[0].verdict == verdict


@pytest.mark.parametrize("claim", ["“country brings” is before “dream”", "“Guten Tag” is before “Danke”"])
def test_what_comes_first_is_unknown_where_no_single_cue_holds_a_quotation(claim: str) -> None:
    grounds = Grounds(made=["Guten Tag | Danke"])
    assert check_draft(f"{claim} [00:00:10-00:00:42]", CUES, grounds).claims[0].verdict == "unverified"


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("The cart moves from left to right [00:00:01].", "supported"),
        ("The cart moves from right to left [00:00:01].", "contradicted"),
    ],
)
def test_a_direction_turned_round_is_contradicted(claim: str, verdict: Verdict) -> None:
    seen = found("cart 1 of 2, moves to the right, from left to right", 1, 2, modality="visual")
    assert check_draft(claim, [seen]).claims[0].verdict == verdict
