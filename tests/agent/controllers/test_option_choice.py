"""How an option is chosen by what the likeliest lines say, with the models of the extra `weights`."""

from __future__ import annotations

import pytest

from longtake.agent.controllers.extractive.candidates import Candidate
from longtake.agent.controllers.extractive.option_choice import OptionChoice, by_claim, choose
from longtake.agent.drafts.draft import LETTERS
from longtake.agent.query.reader import LearnedReader
from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.text.minilm import MODEL
from longtake.settings import Settings

MOVES = ("pan left", "pan right", "tilt up", "tilt down", "zoom in", "zoom out")
STAYS = ("It stays on", "It stays off")
MODES = ("quick", "deep", "turbo")
DESK = "Ann Lee has the ticket desk and Bo Park the kitchen; Cy Moss does first aid."
HELPERS = ("Ann Lee", "Bo Park", "Cy Moss")


@pytest.fixture(scope="module")
def reader() -> LearnedReader:
    if missing := MODEL.missing(Settings()):
        pytest.skip(missing)
    return LearnedReader(EngineTable(Settings.model_validate({"engines": {"text_embedding": ["minilm"]}})))


def line(text: str) -> Candidate:
    evidence = Moment(
        video="v", span=TimeSpan(start=0, end=1), modality="visual", text=text, score=1.0, engine="longtake/test"
    )
    return Candidate(evidence=evidence, line=(evidence,), cosine=0.5)


def chosen(reader: LearnedReader, question: str, options: tuple[str, ...], *lines: str) -> OptionChoice:
    found = choose(question, options, [line(text) for text in lines], reader.reranker, reader.embed)
    assert found is not None
    return found


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("question", "text", "options", "right"),
    [
        ("How does the camera move?", "camera pans left, 16 % of the width a second", MOVES, "pan left"),
        ("How does the camera move?", "camera tilts up, 16 % of the width a second", MOVES, "tilt up"),
        ("How does the camera move?", "camera tilts down, 9 % of the width a second", MOVES, "tilt down"),
        ("How does the camera move?", "camera zooms in or moves closer, 7 % of its size a second", MOVES, "zoom in"),
        ("How does the camera move?", "camera zooms out or moves away, 7 % of its size a second", MOVES, "zoom out"),
        ("What does the light do?", "The light stays off until noon.", STAYS, "It stays off"),
        ("How much does the library get?", "Library $410,000 · Parks $275,000", ("$275,000", "$410,000"), "$410,000"),
        ("How much do parks get?", "Library: $410,000 · Parks: $275,000", ("$410,000", "$275,000"), "$275,000"),
        ("What share is wind?", "42 % solar · 18 % wind · 9 % water", ("42 %", "9 %", "18 %"), "18 %"),
        ("Who keeps the accounts?", "Chair: Ruth Okafor · Accounts: Sam Lind", ("Ruth Okafor", "Sam Lind"), "Sam Lind"),
        ("What did the chuck cost?", "I paid 1800 for the lathe, and the chuck cost 200.", ("1800", "200"), "200"),
        ("When does the pool open?", "The gym opens at 6, the pool opens at 8.", ("6", "8"), "8"),
        ("Who does first aid?", DESK, HELPERS, "Cy Moss"),
        ("Who has the ticket desk?", DESK, HELPERS, "Ann Lee"),
        ("Who presents it?", "It is presented by John Smith.", ("John", "John Smith"), "John Smith"),
        ("What does an adult pay?", "Adults pay 8 pounds.", ("8 pounds", "4 pounds", "Free entry"), "8 pounds"),
        ("What do we offer?", "We offer tea and milk.", ("tea", "soup", "I can't tell"), "tea"),
    ],
)
def test_the_option_is_chosen_that_the_line_says_of_what_is_asked(
    reader: LearnedReader, question: str, text: str, options: tuple[str, ...], right: str
) -> None:
    for order in (options, options[::-1]):
        assert order[LETTERS.index(chosen(reader, question, order, text).letter)] == right


@pytest.mark.parametrize(
    ("question", "options", "text", "sure"),
    [
        ("What does an adult pay?", ("8 pounds", "4 pounds"), "Adults pay 8 pounds.", True),
        ("How does the camera move?", MOVES, "camera pans left, 16 % of the width a second", True),
        ("How much does a ticket cost now?", ("$5", "$7"), "The ticket cost went up from $5 to $7.", False),
        ("What will rise?", ("rent", "service charge"), "The rent will not rise. The service charge will.", False),
        ("How many are in the team?", ("four", "nine"), "The caretaker locked the gate again.", False),
    ],
)
def test_it_is_sure_of_what_one_line_says_alone(
    reader: LearnedReader, question: str, options: tuple[str, ...], text: str, sure: bool
) -> None:
    assert chosen(reader, question, options, text).sure == sure


def test_what_nothing_reads_is_chosen_by_likeness_and_is_sure_only_of_what_a_line_says_alone(
    reader: LearnedReader,
) -> None:
    lines = [line("Lunch is served in the hall."), line("The boat leaves from the north pier.")]
    for options, right, sure in (
        (("the north pier", "the hill"), "the north pier", True),
        (("a ship's landing stage", "a hill"), "a ship's landing stage", False),
    ):
        found = choose("Where does the boat leave?", options, lines, None, reader.embed)
        assert found is not None
        assert (options[LETTERS.index(found.letter)], found.sure) == (right, sure)


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
    ranked = [line(text) for text in LINES]
    for yes, no in (("True", "False"), ("Yes", "No")):
        for options in ((yes, no), (no, "I can't tell", yes)):
            found = by_claim(question, options, ranked)
            assert (found and options[LETTERS.index(found.letter)]) == (None if right is None else yes if right else no)


def test_lines_that_contradict_each_other_and_options_that_are_no_yes_and_no_decide_nothing() -> None:
    both = [line("The gate is closed."), line("The gate is not closed.")]
    assert by_claim("The gate is closed.", ("True", "False"), both) is None
    assert by_claim("The gate is closed.", ("True", "Perhaps"), both[:1]) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    "question", ["Which of these does the shop not sell?", "The shop sells all of these except:", "Which is NOT sold?"]
)
def test_the_exception_is_what_no_line_says(reader: LearnedReader, question: str) -> None:
    lines = ("We sell lamps and candles.", "The chairs are made of oak.", "You can buy rugs from Iran here.")
    options = ("Lamps", "Clocks", "Wooden chairs", "Rugs")
    assert chosen(reader, question, options, *lines).letter == "B"
    day = "Which day does the museum not open?"
    assert chosen(reader, day, ("Friday", "Monday"), "The museum does not open on Monday.").letter == "B"
