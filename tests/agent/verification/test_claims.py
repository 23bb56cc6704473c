"""Drafts become claims, and a claim holds only what evidence of the run holds."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longtake.agent.verification.claims import abstention, check_draft, open_parts, plain_text, split_gap
from longtake.agent.verification.publishing import softened, with_citations
from longtake.memory.records import Citing, Evidence, Modality, Verdict
from longtake.memory.timespan import TimeSpan, clock

TALK, TRIP = "aaaa1111", "bbbb2222"
NAMES = {TALK: "talk.mp4", TRIP: "my trip.mp4"}


def found(
    content: str, start: float, end: float, *, video: str = TALK, modality: Modality = "speech", trusted: bool = True
) -> Evidence:
    return Evidence(
        video=video,
        span=TimeSpan(start=start, end=end),
        modality=modality,
        content=content,
        engine="subtitles-1",
        trusted=trusted,
    )


KETTLE = found("The blue kettle costs 249 dollars.", 4, 6)
LAMP = found("The green lamp costs 1,250.50 euros.", 62.4, 65)
LENGTH = found("The recording is 90.0 seconds (00:01:30) long.", 0, 90, modality="metadata")
EVIDENCE = (KETTLE, LAMP, LENGTH)


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("The blue kettle costs 249 dollars [00:00:04].", "supported"),
        ("The blue kettle costs $249 [00:00:04].", "supported"),
        ("The price of the blue kettle: 249 dollars [0:05].", "supported"),
        ("The blue kettle costs 249 dollars [00:00:04-00:00:06].", "supported"),
        ("The blue kettle costs 249 dollars [00:00:06 - 00:00:04].", "supported"),
        ("The blue kettle costs 249 dollars [00:00:04 to 00:00:06].", "supported"),
        ("The blue kettle costs 249 dollars [4.0s].", "supported"),
        ("The blue kettle costs 249 dollars.", "supported"),
        ("At 4 s the blue kettle costs 249 dollars [00:00:04].", "supported"),
        ("From 00:00:04.0 to 00:00:06.0 (4.00-6.00 s) the blue kettle costs 249 dollars [00:00:04].", "supported"),
        ("One blue kettle costs 249 dollars [00:00:04].", "supported"),
        ("The green lamp costs 1250.5 euros [00:01:02].", "supported"),
        ("The recording is 90 seconds long [00:00:40].", "supported"),
        ("The blue kettle costs 299 dollars [00:00:04].", "contradicted"),
        ("The blue kettle costs 24 dollars [00:00:04].", "contradicted"),
        ("The blue kettle costs 249 dollars and 4 pence [00:00:04].", "unverified"),
        ("4 blue kettles [00:00:04].", "contradicted"),
        ("At 9 s the blue kettle costs 249 dollars [00:00:04].", "unverified"),
        ("The red wagon belongs to 249 farmers [00:00:04].", "unverified"),
        ("Napoleon lost at Waterloo [00:00:04].", "unverified"),
        ("Napoleon lost at Waterloo.", "unverified"),
    ],
)
def test_a_claim_is_held_against_its_evidence(claim: str, verdict: Verdict) -> None:
    (checked,) = check_draft(claim, EVIDENCE).claims
    assert checked.verdict == verdict


@pytest.mark.parametrize(
    ("marks", "starts", "removed"),
    [
        ("[00:00:04][00:01:02]", [4.0, 62.4], 0),
        ("[00:00:04] [00:01:02]", [4.0, 62.4], 0),
        ("[00:00:04, 00:01:02]", [4.0, 62.4], 0),
        ("[00:00:04; 00:00:30; 00:01:02]", [4.0, 62.4], 1),
        ("[00:00:04][00:20:00]", [4.0], 1),
        ("[00:00:30]", [4.0, 62.4], 1),
        ("[00:00:00-00:01:30]", [4.0, 62.4], 0),
    ],
)
def test_every_citation_resolves_or_is_counted(marks: str, starts: list[float], removed: int) -> None:
    checked = check_draft(f"The kettle costs dollars and the lamp costs euros {marks}.", EVIDENCE)
    (claim,) = checked.claims
    assert sorted(cited.start for cited in claim.citations) == starts
    assert checked.removed == removed


@pytest.mark.parametrize(
    ("draft", "texts"),
    [
        (
            "He says “Stop. Go on. [sic] Now!” [00:00:04]. Then he leaves.",
            ["He says “Stop. Go on. [sic] Now!”.", "Then he leaves."],
        ),
        ('A sign says "Open. Come in." [00:00:04]', ['A sign says "Open. Come in."']),
        ("Dr. Brown and Mrs. Gray meet. They talk.", ["Dr. Brown and Mrs. Gray meet.", "They talk."]),
        ("- A kettle [00:00:04]\n- A lamp [00:01:02]\n", ["A kettle", "A lamp"]),
        ("1. A kettle [00:00:04]\n2. A lamp [00:01:02]", ["A kettle", "A lamp"]),
        ("A kettle [00:00:04], then a lamp [00:01:02].", ["A kettle, then a lamp."]),
        ("A kettle\n[00:00:04]", ["A kettle"]),
        ("A kettle [00:00:04] A lamp [00:01:02]", ["A kettle", "A lamp"]),
        ("It costs 3.50 [00:00:04]. It is blue.", ["It costs 3.50.", "It is blue."]),
        ("The screen says “[00:32]” [00:00:04].", ["The screen says “[00:32]”."]),
        ("It is loud [music].", ["It is loud [music]."]),
        ("", []),
        ("[00:00:04]", []),
    ],
)
def test_a_draft_is_split_into_its_statements(draft: str, texts: list[str]) -> None:
    assert [claim.text for claim in check_draft(draft, EVIDENCE).claims] == texts


@pytest.mark.parametrize(
    ("mark", "verdict", "video", "removed"),
    [
        ("[talk.mp4 00:00:04]", "supported", TALK, 0),
        ("[talk 00:00:04]", "supported", TALK, 0),
        (f"[{TALK} 00:00:04]", "supported", TALK, 0),
        ("[my trip.mp4 00:00:04]", "contradicted", TRIP, 0),
        ("[My Trip.mp4 00:00:04]", "contradicted", TRIP, 0),
    ],
)
def test_a_named_citation_resolves_to_that_video_only(mark: str, verdict: Verdict, video: str, removed: int) -> None:
    trip = found("The blue kettle costs 99 dollars.", 4, 6, video=TRIP)
    checked = check_draft(f"The blue kettle costs 249 dollars {mark}.", [trip, KETTLE], names=NAMES)
    (claim,) = checked.claims
    assert (claim.verdict, {cited.video for cited in claim.citations}, checked.removed) == (verdict, {video}, removed)


def test_a_citation_of_a_video_that_is_not_open_is_removed() -> None:
    checked = check_draft("The blue kettle costs 249 dollars [other.mp4 00:00:04].", EVIDENCE, names=NAMES)
    assert checked.removed == 1


def test_names_hold_for_the_places_that_follow_in_one_bracket() -> None:
    lamp = found("The lamp costs 80 euros.", 30, 31, video=TRIP)
    draft = "The kettle costs 249 dollars and the lamp 80 euros [talk.mp4 00:00:04; my trip.mp4 00:00:30, 00:00:31]."
    checked = check_draft(draft, [KETTLE, lamp], names=NAMES)
    assert checked.removed == 0
    assert checked.claims[0].verdict == "supported"
    assert with_citations(checked.claims, NAMES).endswith("[talk.mp4 00:00:04][my trip.mp4 00:00:30]")
    assert with_citations(checked.claims, {TALK: "talk.mp4"}).endswith("[00:00:04][00:00:30]")


@pytest.mark.parametrize("mark", [" [00:00:04]", ""])
def test_untrusted_evidence_never_proves(mark: str) -> None:
    rumour = found("The blue kettle costs 249 dollars.", 4, 6, trusted=False)
    (claim,) = check_draft(f"The blue kettle costs 249 dollars{mark}.", [rumour]).claims
    assert (claim.verdict, claim.citations) == ("unverified", ())


@pytest.mark.parametrize(
    ("draft", "kept"),
    [
        ("NOT FOUND: nobody says so.", "NOT FOUND: nobody says so."),
        ("not found - nobody says so.", "NOT FOUND: nobody says so."),
        ("**NOT FOUND:** nobody", "NOT FOUND: nobody"),
        ("NOT FOUND", "NOT FOUND:"),
        ("It was not found by anybody.", None),
        ("The kettle costs 249.", None),
        ("", None),
    ],
)
def test_an_abstention_has_one_spelling(draft: str, kept: str | None) -> None:
    assert abstention(draft) == kept


WORDS = st.sampled_from(["kettle", "lamp", "garden", "window", "opens", "closes", "slowly", "blue"])
STATEMENTS = st.lists(WORDS, min_size=2, max_size=6, unique=True).map(" ".join)
SECONDS = st.integers(min_value=0, max_value=7_000)
UNTIMED = settings(deadline=None)


@UNTIMED
@given(words=STATEMENTS, number=st.integers(min_value=2, max_value=10**6), second=SECONDS)
def test_what_evidence_says_word_for_word_is_supported_where_it_is_cited(words: str, number: int, second: int) -> None:
    said = found(f"{words} {number}", second, second + 2)
    checked = check_draft(f"{said.content} [{clock(second)}].", [said])
    assert [claim.verdict for claim in checked.claims] == ["supported"]
    assert checked.removed == 0


@UNTIMED
@given(
    words=STATEMENTS, number=st.integers(min_value=2, max_value=10**6), other=st.integers(min_value=2, max_value=10**6)
)
def test_a_number_that_is_not_held_is_never_supported(words: str, number: int, other: int) -> None:
    (claim,) = check_draft(f"{words} {other} [00:00:50].", [found(f"{words} {number}", 50, 52)]).claims
    assert claim.verdict == ("supported" if number == other else "contradicted")


@UNTIMED
@given(draft=st.text(max_size=300))
def test_no_draft_at_all_is_supported_without_evidence(draft: str) -> None:
    checked = check_draft(draft, [])
    assert all(claim.verdict == "unverified" and not claim.citations for claim in checked.claims)
    assert with_citations(checked.claims) == ""


@UNTIMED
@given(draft=st.text(alphabet='ab .:[]“”"-,;0123456789\n', max_size=80))
def test_every_citation_of_an_answer_is_evidence_of_the_run(draft: str) -> None:
    evidence = [found("a b 1 2", 0, 30), found("ab 10", 30, 9_000)]
    checked = check_draft(draft, evidence)
    cited = {citation.quote for claim in checked.claims for citation in claim.citations}
    assert cited <= {item.content for item in evidence}
    assert check_draft(with_citations(checked.claims), evidence).removed == 0


@UNTIMED
@given(text=st.text(alphabet='ab .:[]“”"-0123456789\n', max_size=80))
def test_taking_the_citations_out_of_a_text_leaves_none(text: str) -> None:
    assert len(plain_text(text)) <= len(text)
    assert check_draft(plain_text(f"kettle [00:00:04] {text}"), []).removed == check_draft(plain_text(text), []).removed


def test_precision_is_of_the_citations_and_recall_of_the_claims() -> None:
    evidence = [KETTLE]
    draft = "The kettle costs 249 dollars [00:00:04][00:09:00]. It is blue and quite new."
    citing = check_draft(draft, evidence).citing
    assert (citing.precision, citing.recall) == (0.5, 0.5)
    assert (Citing().precision, Citing().recall) == (None, None)


def test_what_is_said_of_an_open_part_is_never_published() -> None:
    draft = "The kettle costs 45 dollars [00:00:10]. NOT FOUND: “who sold it?”: Bob murdered the mayor."
    answered, gap = split_gap(draft)
    assert answered == "The kettle costs 45 dollars [00:00:10]."
    assert open_parts(gap, "What does the kettle cost, and who sold it?") == "Not found: “who sold it?”"
    unproven = open_parts("Bob murdered the mayor.", "What does it cost?")
    assert unproven
    assert "murdered" not in unproven
    assert open_parts("", "What does it cost?") == ""


def test_a_number_of_the_recording_backs_no_sentence_about_something_else() -> None:
    sound = found("There is sound: 1 sound track.", 0, 90, modality="metadata")
    [claim] = check_draft("“hive” occurs 1 times [00:00:10]", [found("one hive of bees", 10, 12), sound]).claims
    assert [citation.quote for citation in claim.citations] == ["one hive of bees"]


def test_not_found_that_a_video_shows_is_no_abstention() -> None:
    quoted = "“Error 404 NOT FOUND: the page is gone” [00:00:20]"
    assert split_gap(quoted) == (quoted, "")
    assert abstention("“Not Found” [00:00:10]") is None
    assert abstention("**Not found** - nobody says") == "NOT FOUND: nobody says"


@pytest.mark.parametrize(
    ("claim", "kept"),
    [
        ("The vaccine hinders cancer.", True),
        ("Bob prevents cancer.", False),
        ("The vaccine prevented 20 cancers.", False),
        ("The vaccine never prevents cancer.", False),
    ],
)
def test_what_is_only_said_in_other_words_is_softened_beside_the_words_that_stand_there(claim: str, kept: bool) -> None:
    [checked] = check_draft(f"{claim} [00:00:10]", [found("The vaccine prevents cancer.", 10, 12)]).claims
    text = f"Not verified: {claim} [00:00:10] What stands there is “The vaccine prevents cancer.”"
    assert (checked.verdict, softened([checked])) == ("unverified", text if kept else "")
