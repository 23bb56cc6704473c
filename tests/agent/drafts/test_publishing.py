"""A judged draft is published as it was written, with times for marks, and doubts behind what they are about."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from longtake.agent.drafts.cited import citations_of
from longtake.agent.drafts.draft import Draft, DraftClaim
from longtake.agent.drafts.publishing import marks, published
from longtake.agent.drafts.statements import read_draft
from longtake.memory.records import Citation, Claim, Modality, Moment, Verdict
from longtake.memory.timespan import TimeSpan

NAMES = {"v": "talk.mp4", "w": "my trip.mp4"}


def moment(start: float, modality: Modality = "speech", video: str = "v") -> Moment:
    return Moment(
        video=video, span=TimeSpan(start=start, end=start + 2), modality=modality, text=str(start), engine="e"
    )


MOMENTS = {f"m{n}": moment(10 * n) for n in range(1, 8)} | {"f1": moment(0, "metadata"), "m8": moment(10, video="w")}


def text_of(
    text: str,
    verdicts: Sequence[Verdict] = (),
    *,
    claims: Sequence[DraftClaim] = (),
    several: bool = False,
    strict: bool = False,
) -> str:
    names = NAMES if several else {"v": "talk.mp4"}
    moments = {name: each for name, each in MOMENTS.items() if each.video in names}
    read = read_draft(Draft(text=text, claims=tuple(claims)), moments, names)
    others: list[Verdict] = ["supported" for _ in read.statements[len(verdicts) :]]
    given: list[Verdict] = [*verdicts, *others]
    judged = [
        Claim(text=each.text, verdict=verdict, citations=citations_of(each.cited, moments))
        for each, verdict in zip(read.statements, given, strict=True)
    ]
    return published(read, judged, moments, names if several else {}, strict=strict)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("It is dear [m1]. It is blue [m2].", "It is dear [00:00:10]. It is blue [00:00:20]."),
        ("It is dear. [m1]\n\n- It is *blue* [m2]\n", "It is dear. [00:00:10]\n\n- It is *blue* [00:00:20]"),
        ("It is dear:\n[m1] first of all,\n[m2] then.", "It is dear:\n[00:00:10] first of all,\n[00:00:20] then."),
        (
            "| It | is  dear [m1] |\n|---|---|\n| a | b [m2] |",
            "| It | is  dear [00:00:10] |\n|---|---|\n| a | b [00:00:20] |",
        ),
        ("It is dear [m1, m2][m2].", "It is dear [00:00:10][00:00:20]."),
        ("It is dear [m1, m2 00:00:21].", "It is dear [00:00:10][00:00:21]."),
        ("It is dear [m1 00:00:11].", "It is dear [00:00:11]."),
        ("It is dear [m77]. It is blue [m2, m78].", "It is dear. It is blue [00:00:20]."),
        ("It has 30 pictures a second [f1].", "It has 30 pictures a second."),
        (
            "All of it is so [m1-m7].",
            "All of it is so [00:00:10][00:00:20][00:00:30][00:00:40][00:00:50][00:01:00][00:01:10].",
        ),
        # What the writer says of time stays as it is, and a time that stands there isn't printed again.
        ("It rings at 00:00:30, and that is all.", "It rings at 00:00:30, and that is all."),
        ("It rings (00:30).", "It rings (00:30)."),
        ("It rings (00:30) [m3].", "It rings (00:30)."),
        ("It rings [m3] (00:30–00:32).", "It rings (00:30–00:32)."),
        ("It rings (00:30–00:32) in here.", "It rings (00:30–00:32) in here."),
        ("It rings between 00:25 and 00:50.", "It rings between 00:25 and 00:50."),
        ("It rings between 00:25 and 00:50 [m3].", "It rings between 00:25 and 00:50 [00:00:30]."),
        ("It rings [0:30-0:32].", "It rings [00:00:30-00:00:32]."),
        ("It rings [m3, 0:30–0:32].", "It rings [00:00:30-00:00:32]."),
        ("It rings twice, from 00:30 on [m3, m4].", "It rings twice, from 00:30 on [00:00:40]."),
        ("It rings [m3 at 00:00:31].", "It rings [00:00:31]."),
        ("It never rings [08:00].", "It never rings."),  # nothing is there
        ("It never rings [00:00-05:00].", "It never rings [00:00:00-00:05:00]."),
        ("It rings (00:30) [m3][m4].", "It rings (00:30) [00:00:40]."),
        ("It is really dear. It is quite blue. [m2]", "It is really dear. It is quite blue. [00:00:20]"),
        ("Nothing here has a mark  at all — “so [9] what?”", "Nothing here has a mark  at all — “so [9] what?”"),
        ("She says “it is dear [m1]”.", "She says “it is dear [00:00:10]”."),
    ],
)
def test_only_marks_change(text: str, shown: str) -> None:
    assert text_of(text) == shown


def test_several_videos_are_named() -> None:
    text = "It is dear [m1] here and cheap [my trip.mp4 00:00:11] there [m8]."
    shown = "It is dear [talk.mp4 00:00:10] here and cheap [my trip.mp4 00:00:11] there."
    assert text_of(text, several=True) == shown


def test_a_mark_stands_before_a_flag() -> None:
    claim = DraftClaim(text="It is so dear!", moments=("m1",))
    shown = text_of(claim.text, ("not_shown",), claims=[claim], several=True)
    assert shown == "It is so dear! [talk.mp4 00:00:10] [not shown]"


def test_many_lines_that_follow_each_other_are_one_span() -> None:
    talk = [Citation.of(moment(second)) for second in (100, 130, 102, 104, 107, 110, 113)]
    assert marks(talk, {}) == " [00:01:40-00:01:55][00:02:10]"
    assert marks(talk[:3], {}) == " [00:01:40][00:01:42][00:02:10]"


@pytest.mark.parametrize(
    ("text", "verdicts", "marked", "strict"),
    [
        (
            "It is really dear [m1]. It is quite blue [m2].",
            ("supported", "not_shown"),
            "It is really dear [00:00:10]. It is quite blue [00:00:20]. [not shown]",
            "It is really dear [00:00:10].",
        ),
        (
            "- It is dear [m1]\n- It is blue [m2]",
            ("contradicted", "unchecked"),
            "- It is dear [00:00:10] [contradicted]\n- It is blue [00:00:20]",
            "",
        ),
        (
            "| pan | 45 [m1] |\n| kettle | 54 [m2] |",
            ("supported", "contradicted"),
            "| pan | 45 [00:00:10] |\n| kettle | 54 [00:00:20] [contradicted] |",
            "| pan | 45 [00:00:10] |",
        ),
        ("It is really dear [m1].", ("contradicted",), "It is really dear [00:00:10]. [contradicted]", ""),
        (
            "It is so dear. It is so blue. It is so new.",
            ("supported", "not_shown"),
            "It is so dear. It is so blue. [not shown] It is so new.",
            "It is so dear. It is so new.",
        ),
        (
            "| pan | 45 |\n| kettle | 54 |\n| pot | 12 |",
            ("supported", "contradicted"),
            "| pan | 45 |\n| kettle | 54 [contradicted] |\n| pot | 12 |",
            "| pan | 45 |\n| pot | 12 |",
        ),
    ],
    ids=["sentences", "list", "table", "nothing left", "one of three", "a row of three"],
)
def test_what_is_doubted_is_marked_or_strictly_left_out(
    text: str, verdicts: tuple[Verdict, ...], marked: str, strict: str
) -> None:
    assert text_of(text, verdicts) == marked
    assert text_of(text, verdicts, strict=True) == strict


def test_claims_give_a_text_without_marks_its_times() -> None:
    dear, room = DraftClaim(text="It is dear.", moments=("m1",)), DraftClaim(text="It is room 12.", moments=("m2",))
    assert text_of("It is dear. It is blue.", claims=[dear]) == "It is dear [00:00:10]. It is blue."
    assert text_of("It is quite blue.", claims=[room]) == "It is quite blue. [00:00:20]"
    assert text_of("It is quite blue.", ("supported", "not_shown"), claims=[room]) == "It is quite blue."
    assert text_of("", claims=[DraftClaim(text="It is dear [m1].", moments=("m1",))]) == "It is dear [00:00:10]."
    assert text_of("", claims=[dear, room]) == "It is dear [00:00:10]. It is room 12 [00:00:20]."
