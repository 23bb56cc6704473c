"""Programs read off a picture: their indentation, what stands around them, and what is none."""

from __future__ import annotations

import pytest

from longtake.agent.listings import listings
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan

WIDTH = 0.02  # of a character


def text(content: str, row: int, left: float = 0.1, start: float = 5.0, end: float = 12.0) -> Evidence:
    box = (left, 0.1 + 0.1 * row, WIDTH * len(content), 0.06)
    span = TimeSpan(start=start, end=end)
    return Evidence(video="v", span=span, modality="scene_text", content=content, engine="e", box=box)


def shown(*lines: str, slip: float = 0.0) -> list[Evidence]:
    """Lines in a picture; each is read without its indentation, every other one a little too far right."""
    return [
        text(line.strip(), row, 0.1 + WIDTH * (len(line) - len(line.lstrip()) + slip * (row % 2)))
        for row, line in enumerate(lines)
    ]


NESTED = (
    "count = 0",
    "for row in range(3):",
    "    if row > 0:",
    "        count = count + row",
    "    count = count * 2",
    "print(count)",
)


def read(*texts: Evidence) -> list[str]:
    return [listing.source for listing in listings(texts)]


@pytest.mark.parametrize("slip", [0.0, 0.4])
@pytest.mark.parametrize("indent", [2, 4])
def test_lines_stand_as_deep_as_their_left_edges(slip: float, indent: int) -> None:
    lines = [line.replace("    ", " " * indent) for line in NESTED]
    assert read(*shown(*lines, slip=slip)) == ["\n".join(NESTED)]


def test_headings_and_prose_around_a_program_are_none_of_it() -> None:
    assert read(*shown("Loops", "print(1 + 2)", "Output: 3")) == ["print(1 + 2)"]
    assert read(*shown("How loops work", "print(1 + 2)", "Thank you all!")) == ["print(1 + 2)"]


def test_a_line_read_in_pieces_is_one_again() -> None:
    assert read(text("for n in", 0), text("range(4):", 0, 0.3), text("print(n)", 1, 0.18)) == [
        "for n in range(4):\n    print(n)"
    ]


def test_quotation_marks_and_dashes_are_those_of_a_program() -> None:
    assert read(*shown("print(“a”, 5 − 3)")) == ['print("a", 5 - 3)']


@pytest.mark.parametrize(
    "lines",
    [
        ("for n in range(4)", "    print(n)"),  # the colon is lost
        ("for n in range(4):", "print(n)"),  # the indentation is lost
        ("a = 2 +", "a = 3", "print(a)"),  # a line that may be one of the program is not read
        ("Kettle", "Lamp"),
        ("Price: 40",),
    ],
)
def test_what_does_not_parse_or_calls_nothing_is_no_program(lines: tuple[str, ...]) -> None:
    assert read(*shown(*lines)) == []


def test_a_program_that_is_typed_is_read_when_it_is_whole() -> None:
    typed = [text("a = 2", 0, start=1.0), text("print(a)", 1, start=3.0), text("print(a * a)", 2, start=5.0)]
    assert read(*typed) == ["a = 2\nprint(a)\nprint(a * a)"]


def test_two_programs_at_different_times_are_two() -> None:
    assert read(text("print(1)", 0, start=0, end=4), text("print(2)", 0, start=5, end=9)) == ["print(1)", "print(2)"]
