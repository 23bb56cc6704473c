"""A draft told while it is written: times for ids, and nothing that may still become one."""

from __future__ import annotations

import pytest

from longtake.agent.drafts.draft import Draft
from longtake.agent.drafts.publishing import live, published, with_times
from longtake.agent.drafts.statements import read_draft
from longtake.memory.records import Claim, Moment
from longtake.memory.timespan import TimeSpan

NAMES = {"v": "talk.mp4"}
LONG = "a remark that is much longer than any mark of a moment would ever be, so that nobody has to wait until it ends"


def _moment(start: float, video: str = "v") -> Moment:
    span = TimeSpan(start=start, end=start + 2)
    return Moment(video=video, span=span, modality="speech", text="The kettle costs 249 dollars.", engine="e")


MOMENTS = {"m2": _moment(61), "m30": _moment(27)}


def _told(text: str, size: int, names: dict[str, str] = NAMES) -> list[str]:
    pieces: list[str] = []
    take = live(pieces.append, MOMENTS, names)
    for at in range(0, len(text), size):
        take(text[at : at + size])
    return pieces


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("It costs $249 [m30]. It is blue [m30, m2].", "It costs $249 [00:00:27]. It is blue [00:00:27][00:01:01]."),
        ("One (m2) and ([m30]) and 【m2】.", "One [00:01:01] and [00:00:27] and [00:01:01]."),
        ("It costs $249 [m9].", "It costs $249."),
        ("A list [sic] (in short):\n- one [m2]\n- two", "A list [sic] (in short):\n- one [00:01:01]\n- two"),
        ("It is blue (on a slide [m2]) and round.", "It is blue (on a slide [00:01:01]) and round."),
        ("  It is blue.", "It is blue."),
        ("NOT FOUND: nobody says it.", "nobody says it."),
        ("No.", "No."),
        ("Not founded in 1911.", "Not founded in 1911."),
    ],
)
def test_it_has_times_as_the_published_text_has(written: str, told: str, size: int) -> None:
    pieces = _told(written, size)
    assert pieces[0] == ""
    assert "".join(pieces) == told
    assert all(pieces[1:])


@pytest.mark.parametrize("size", [1, 7])
def test_it_is_the_published_text_without_verdicts(size: int) -> None:
    text = "The kettle (on a slide [m2]) costs **$249** [m30].\n\n| what | price |\n|---|---|\n| kettle | $249 [m30] |"
    read = read_draft(Draft(text=text), MOMENTS, NAMES)
    claims = [Claim(text=each.text, verdict="supported") for each in read.statements]
    assert "".join(_told(text, size)) == published(read, claims, MOMENTS, {})


def test_a_bracket_waits_until_it_closes_but_not_for_ever() -> None:
    pieces: list[str] = []
    take = live(pieces.append, MOMENTS, NAMES)
    take("It costs $249 [m3")
    assert pieces == ["", "It costs $249"]
    take("0] (")
    assert pieces == ["", "It costs $249", " [00:00:27]"]
    take(LONG * 2)
    assert "".join(pieces).endswith(LONG)


def test_several_videos_are_named() -> None:
    assert "".join(_told("It is blue [m2].", 4, {**NAMES, "w": "trip.mp4"})) == "It is blue [talk.mp4 00:01:01]."


def test_what_begins_anew_is_told_as_new() -> None:
    pieces: list[str] = []
    take = live(pieces.append, MOMENTS, NAMES)
    for piece in ("Let me look [", "", "It is ", "blue [m2]."):
        take(piece)
    assert pieces == ["", "Let me look", "", "It is", " blue [00:01:01]."]


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("m30 says 249, and [m2] has the room.", "[00:00:27] says 249, and [00:01:01] has the room."),
        ("Neither M30 nor m9 tells it.", "Neither [00:00:27] nor m9 tells it."),
        ("Nothing tells it.", "Nothing tells it."),
    ],
)
def test_the_reasons_of_a_judge_have_times_too(reason: str, told: str) -> None:
    assert with_times(reason, MOMENTS, {}) == told
