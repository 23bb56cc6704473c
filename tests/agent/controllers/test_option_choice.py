"""Options that only a word of grammar tells apart."""

from __future__ import annotations

import numpy as np
import pytest

from longtake.agent.controllers.extractive.candidates import Candidate
from longtake.agent.controllers.extractive.option_choice import by_claim, choose, left_over
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan

MOVES = ("pan left", "pan right", "tilt up", "tilt down", "zoom in", "zoom out")
STAYS = ("It stays on", "It stays off")


def line(text: str) -> Candidate:
    evidence = Evidence(
        video="v", span=TimeSpan(start=0, end=1), modality="visual", content=text, score=1.0, engine="longtake/test"
    )
    return Candidate(evidence, (evidence,), 0.5)


@pytest.mark.parametrize(
    ("text", "options", "right"),
    [
        ("camera pans left, 16 % of the width a second", MOVES, "pan left"),
        ("camera tilts up, 16 % of the width a second", MOVES, "tilt up"),
        ("camera tilts down, 9 % of the width a second", MOVES, "tilt down"),
        ("camera zooms in or moves closer, 7 % of its size a second", MOVES, "zoom in"),
        ("camera zooms out or moves away, 7 % of its size a second", MOVES, "zoom out"),
        ("The light stays off until noon.", STAYS, "It stays off"),
    ],
)
def test_a_line_settles_options_that_only_a_small_word_tells_apart(
    text: str, options: tuple[str, ...], right: str
) -> None:
    found = choose(options, [(line(text), 0.5)], lambda texts: np.ones((len(texts), 4), np.float32))
    assert found is not None
    option, _, stated = found
    assert (option.text, stated) == (right, True)


@pytest.mark.parametrize(("way", "right"), [("from left to right", "blue"), ("from right to left", "red")])
def test_of_lines_with_the_same_words_the_one_with_the_phrase_decides(way: str, right: str) -> None:
    texts = ("a red circle moves from right to left", "a blue square moves from left to right")
    found = choose(
        ("red", "blue"),
        [(line(text), 0.5) for text in texts],
        lambda words: np.ones((len(words), 4), np.float32),
        f"What colour is the thing that moves {way}?",
    )
    assert found is not None
    assert found[0].text == right


@pytest.mark.parametrize(
    ("question", "options", "text", "left"),
    [
        ("Which is not a mode?", ("quick", "deep", "turbo"), "Choose between Quick and Deep mode.", "turbo"),
        ("Which isn't offered?", ("tea", "soup", "milk", "I can't tell"), "We offer tea and milk.", "soup"),
        ("Which is a mode?", ("quick", "deep", "turbo"), "Choose between Quick and Deep mode.", None),
        ("Which is not a mode?", ("quick", "deep", "turbo"), "Choose Quick mode.", None),
        ("Which is not a mode?", ("quick", "turbo"), "Choose Quick mode.", None),
        ("How many voted no?", ("5", "2", "7"), "Yes 5, no 2", None),
    ],
)
def test_a_denial_leaves_the_option_that_a_line_with_all_others_does_not_say(
    question: str, options: tuple[str, ...], text: str, left: str | None
) -> None:
    found = left_over(question, options, [(line("nothing"), 0.9), (line(text), 0.5)])
    assert (found and found[0].text) == left


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        ("Adults pay 8 pounds.", True),
        ("Adults pay 8 pounds, children get in free.", False),
        ("Adults pay 8 pounds, open from 4 to 9.", True),
    ],
)
def test_a_line_with_a_word_of_another_option_leaves_doubt(text: str, sure: bool) -> None:
    options = ("8 pounds", "4 pounds", "Free entry")
    found = choose(options, [(line(text), 0.5)], lambda texts: np.ones((len(texts), 4), np.float32))
    assert found is not None
    assert (found[0].text, found[2]) == ("8 pounds", sure)


@pytest.mark.parametrize(
    ("question", "text", "options", "right"),
    [
        ("How much does the library get?", "Library $410,000 · Parks $275,000", ("$275,000", "$410,000"), "$410,000"),
        ("How much do parks get?", "Library: $410,000 · Parks: $275,000", ("$410,000", "$275,000"), "$275,000"),
        ("What share is wind?", "42 % solar · 18 % wind · 9 % water", ("42 %", "9 %", "18 %"), "18 %"),
        ("Who keeps the accounts?", "Chair: Ruth Okafor · Accounts: Sam Lind", ("Ruth Okafor", "Sam Lind"), "Sam Lind"),
        ("What did the chuck cost?", "I paid 1800 for the lathe, and the chuck cost 200.", ("1800", "200"), "200"),
        ("When does the pool open?", "The gym opens at 6, the pool opens at 8.", ("6", "8"), "8"),
    ],
)
def test_of_several_options_in_a_line_the_one_next_to_what_is_asked_is_chosen(
    question: str, text: str, options: tuple[str, ...], right: str
) -> None:
    for order in (options, options[::-1]):
        found = choose(order, [(line(text), 0.5)], lambda texts: np.ones((len(texts), 4), np.float32), question)
        assert found is not None
        assert (found[0].text, found[2]) == (right, True)


def test_a_value_in_a_cell_of_its_own_goes_with_the_cell_before_it() -> None:
    cells = line("Library · $410,000 · Parks · $275,000 · Roads · $90,000")
    for asked, right in (("library", "$410,000"), ("parks", "$275,000"), ("roads", "$90,000")):
        found = choose(
            ("$90,000", "$275,000", "$410,000"),
            [(cells, 0.5)],
            lambda texts: np.ones((len(texts), 4), np.float32),
            f"How much do the {asked} get?",
        )
        assert found is not None
        assert found[0].text == right


@pytest.mark.parametrize(
    ("question", "text", "options"),
    [
        ("How much does a ticket cost now?", "The ticket cost went up from $5 to $7.", ("$5", "$7")),
        ("Who won the final?", "The Blues beat the Reds in the final.", ("Reds", "Blues")),
        ("How many bolts do we need?", "The bolts we need aren't 4 but 12.", ("4", "12")),
        ("What will rise?", "The rent will not rise. The service charge will.", ("The rent", "The service charge")),
        ("Which is it?", "Rye $6 · Oat $5", ("$6", "$5")),
    ],
)
def test_where_a_line_binds_options_otherwise_than_by_nearness_it_leaves_doubt(
    question: str, text: str, options: tuple[str, ...]
) -> None:
    found = choose(options, [(line(text), 0.5)], lambda texts: np.ones((len(texts), 4), np.float32), question)
    assert found is not None
    assert not found[2]


@pytest.mark.parametrize(
    ("text", "right"), [("It is presented by John Smith.", "John Smith"), ("John presents it.", "John")]
)
def test_an_option_inside_another_one_is_not_said_by_it(text: str, right: str) -> None:
    found = choose(
        ("John", "John Smith"),
        [(line(text), 0.5)],
        lambda texts: np.ones((len(texts), 4), np.float32),
        "Who presents it?",
    )
    assert found is not None
    assert found[0].text == right


LINES = ("A cart moves along.", "The shop opens at nine.", "The gate is never closed.", "A boat moves up.")


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("I'm sure about this: The cart moves along. Is that true or false?", True),
        ("The shop opens at nine. Right?", True),
        ("The shop opens at ten o'clock.", None),
        ("The gate is closed.", False),
        ("The gate is open.", None),
        ("A boat moves down.", None),
        ("A boat moves up.", True),
        ("The gate opens at nine.", None),
        ("The baker sings.", None),
        ("Is the gate closed?", None),
        ("Who is the baker?", None),
    ],
)
def test_a_claim_is_true_or_false_if_a_line_has_its_words(question: str, right: bool | None) -> None:
    ranked = [(line(text), 0.5) for text in LINES]
    for yes, no in (("True", "False"), ("Yes", "No")):
        for options in ((yes, no), (no, "I can't tell", yes)):
            found = by_claim(question, options, ranked)
            assert (found and found[0].text) == (None if right is None else yes if right else no)


def test_lines_that_contradict_each_other_and_options_that_are_no_yes_and_no_decide_nothing() -> None:
    both = [(line("The gate is closed."), 0.5), (line("The gate is not closed."), 0.5)]
    assert by_claim("The gate is closed.", ("True", "False"), both) is None
    assert by_claim("The gate is closed.", ("True", "Perhaps"), both[:1]) is None
