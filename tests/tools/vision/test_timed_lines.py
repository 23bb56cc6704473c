"""What a model says of pictures: statements with their times, however it writes them."""

from __future__ import annotations

import pytest

from longtake.memory.timespan import TimeSpan
from longtake.tools.vision.timed_lines import read_reply

SHOWN = [TimeSpan(start=60, end=90), TimeSpan(start=200, end=210)]
WHOLE = (60, 210)


@pytest.mark.parametrize(
    ("line", "span"),
    [
        ("00:01:10.40-00:01:12.00 A man waves.", (70.4, 72)),
        ("01:10.4-01:12 A man waves.", (70.4, 72)),
        ("[00:01:10 - 00:01:12] A man waves.", (70, 72)),
        ("- **00:01:10.40 – 00:01:12.00**: A man waves.", (70.4, 72)),
        ("3. From 1:10.4 to 1:12: A man waves.", (70.4, 72)),
        ("(00:01:10.40) A man waves.", (70.4, 70.4)),
        ("At 00:01:10, A man waves.", (70, 71)),
        ("00:01:29.00-00:01:31.00 A man waves.", (89, 90)),
        ("00:00:59.50-00:01:05.00 A man waves.", (60, 65)),
        ("00:01:20.00-00:03:25.00 A man waves.", (80, 205)),
        ("00:03:20.00 A man waves.", (200, 200)),
    ],
)
def test_a_line_with_a_time_is_a_statement_about_that_time(line: str, span: tuple[float, float]) -> None:
    [said] = read_reply(line, SHOWN).said
    assert (said.span.start, said.span.end) == pytest.approx(span)
    assert (said.text, said.timed) == ("A man waves.", True)


@pytest.mark.parametrize("line", ["- A man waves.", "00:02:30 A man waves.", "01:20-01:10 A man waves."])
def test_a_line_without_a_time_that_was_shown_is_about_all_of_it(line: str) -> None:
    timed, said = read_reply(f"00:01:10.00 A dog barks.\n{line}", SHOWN).said
    assert timed.timed
    assert ((said.span.start, said.span.end), said.timed) == (WHOLE, False)
    assert said.text.endswith("A man waves.")


@pytest.mark.parametrize(
    "prose", ["A man waves at 00:01:10.\n\nThen he leaves.", "2-3 people wave.", "2 people wave.", "12 men wait."]
)
def test_prose_stays_whole(prose: str) -> None:
    [said] = read_reply(prose, SHOWN).said
    assert (said.text, said.span.start, said.span.end, said.timed) == (prose, *WHOLE, False)


def test_a_heading_that_says_something_is_kept() -> None:
    reply = read_reply("Here are the activities:\nTwo men wave, one after the other:\n01:10 The first.", SHOWN)
    assert [said.text for said in reply.said] == ["Two men wave, one after the other", "The first."]


def test_what_it_cannot_tell_is_no_statement() -> None:
    assert read_reply("CANNOT TELL: it is dark.", SHOWN) == ((), "it is dark.")
    mixed = read_reply("01:10 A man waves.\n01:12 CANNOT TELL - his face is hidden.", SHOWN)
    assert [said.text for said in mixed.said] == ["A man waves."]
    assert mixed.unsure == "his face is hidden."
    assert read_reply("", SHOWN) == ((), "")
