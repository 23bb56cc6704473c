"""What a program on the screen prints: which questions ask it, which number they change, and what is left open."""

from __future__ import annotations

import subprocess
import sys

import pytest
from helpers.rules import drafted

from longtake.agent.orientation import Orientation, classify
from longtake.agent.rules.moves import Call
from longtake.agent.rules.programs import asks_program
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.tools.result import ToolResult

DOUBLED = ("total = 1", "for n in range(3):", "    total = total * 2", "print(total)")


def picture(lines: tuple[str, ...], start: float = 10.0) -> tuple[Evidence, ...]:
    span = TimeSpan(start=start, end=start + 5)
    return tuple(
        Evidence(
            video="v",
            span=span,
            modality="scene_text",
            content=line.strip(),
            engine="e",
            box=(0.1 + 0.02 * (len(line) - len(line.lstrip())), 0.1 + 0.1 * row, 0.02 * len(line.strip()), 0.06),
        )
        for row, line in enumerate(lines)
    )


def answered(question: str, *shown: Evidence) -> str:
    held = shown or picture(DOUBLED)

    def result_of(call: Call) -> ToolResult:
        if call.name == "execute_code":
            ran = subprocess.run([sys.executable, "-c", call.arguments["code"]], capture_output=True, text=True)
            return ToolResult(tool=call.name, output={"stdout": ran.stdout, "stderr": ran.stderr})
        return ToolResult(tool=call.name, evidence=held if call.name == "extract_scene_text" else ())

    return drafted(question, result_of)[0]


@pytest.mark.parametrize(
    ("question", "printed"),
    [
        ("What does the script in the picture output?", "prints “8”"),
        ("Run the code on the slide: which number appears?", "prints “8”"),
        ("Run the program that is shown.", "prints “8”"),
        ("When the snippet is executed, what is printed?", "prints “8”"),
        ("What result would you get if you ran this code?", "prints “8”"),
        ("What would the code output if the loop ran five times?", "would print “32”"),
        ("What would be printed with range(4) rather than range(3)?", "would print “16”"),
        ("Replace the 3 by a 6 in the code: what is printed?", "would print “64”"),
        ("Had the range been changed from 3 to 1, what would the program print?", "would print “2”"),
        ("What would the program print if total were 5?", "would print “40”"),
        ("Imagine the range was 4, not 3: what does the code print?", "would print “16”"),
        ("If one changed the range to 4, what would come out of the program?", "would print “16”"),
        ("What would the code print with 007 instead of 3?", "would print “128”"),
        ("Replace the 03 by a 6 in the code: what is printed?", "would print “64”"),
        ("What does the Python 3 program print?", "prints “8”"),
        ("What does the code on slide 2 print?", "prints “8”"),
        ("Replace the 3 in line 2 by a 6: what does the code print?", "would print “64”"),
        ("What happens when the programme on the slide is run?", "prints “8”"),
        ("What does the loop give?", "prints “8”"),
        ("If instead of 2 the code had 3, what would it print?", "would print “27”"),
    ],
)
def test_a_program_is_run_as_the_question_supposes_it(question: str, printed: str) -> None:
    assert answered(question) == f"It {printed} [00:00:10]."


@pytest.mark.parametrize(
    "question",
    [
        "What would the program print if the range were doubled?",
        "What would the program print if the range were increased by 2?",
        "What would the code print with 9 instead of 7?",
        "What would the code print if 1 were 4 and 2 were 5?",
        "What would the code print if the loop went up to 9?",
    ],
)
def test_a_change_that_is_not_sure_is_not_guessed(question: str) -> None:
    assert answered(question) == "NOT FOUND: It cannot be told what is to be different in the program."


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("What does the second program print?", "One program is shown: ask about one at its time [00:00:10]."),
        ("What does the last script output?", "One program is shown: ask about one at its time [00:00:10]."),
        ("What does line 3 of the code print?", "What one line alone prints cannot be told."),
        ("What does line three of the code print?", "What one line alone prints cannot be told."),
    ],
)
def test_a_place_is_no_other_number(question: str, reason: str) -> None:
    assert answered(question) == f"NOT FOUND: {reason}"


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (("for n in ran9e(3):", "    print(n)"), "NameError: name 'ran9e' is not defined"),
        (("import random", "print(random.random())"), "What the program prints rests on more than its lines."),
        (("open('notes.txt')", "print(1)"), "rests on more than its lines"),
        (("name = input()", "print(name)"), "rests on more than its lines"),
        (("print(id(3))",), "rests on more than its lines"),
        (("print(hash('a'))",), "rests on more than its lines"),
        (("print(__import__('random').random())",), "rests on more than its lines"),
        (("print({'a', 'b'})",), "rests on more than its lines"),
        (("print(set('ab'))",), "rests on more than its lines"),
        (("print('')",), "The program prints nothing"),
    ],
)
def test_what_does_not_run_the_same_everywhere_is_left_open(lines: tuple[str, ...], reason: str) -> None:
    draft = answered("What does the code print?", *picture(lines))
    assert draft.startswith("NOT FOUND: ")
    assert reason in draft


def test_each_line_that_is_printed_is_quoted_as_it_is() -> None:
    lines = ("for n in range(2):", "    print(n, end=';')", "    print()")
    assert answered("What does the code print?", *picture(lines)) == "It prints “0;”, “1;” [00:00:10]."


def test_of_several_programs_none_is_chosen() -> None:
    both = (*picture(("print(1)",), 10), *picture(("print(2)",), 40))
    assert answered("What does the code print?", *both) == (
        "NOT FOUND: Several programs are shown: ask about one at its time [00:00:10][00:00:40]."
    )


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote the code?",
        "What is the zip code of the office?",
        "What does the speaker say about the program?",
        "When is the code shown?",
        "How many lines does the script have?",
        "Which programme is on at eight?",
        "What does the programme give its members?",
        "What results does the programme produce?",
        "What does the script of the play display?",
        "What does the code of conduct print in bold?",
        "What does the dress code on the poster display?",
        "Which number does the code on the parcel print?",
        "What does the bar code print?",
        "Which TV program displays the results?",
        "What does the program give away?",
        "What is the result of the match?",
        "What does the poster print show?",
        "How many copies were printed?",
    ],
)
def test_other_questions_run_nothing(question: str) -> None:
    kind, senses = classify(question)
    assert not asks_program(Orientation(question=question, kind=kind, modalities=senses, videos={"v": 60.0}))


def test_another_number_may_follow_on_the_question_before() -> None:
    question = "And with 5 instead of 3?"
    alone = Orientation(question=question, kind="fact", videos={"v": 60.0})
    assert not asks_program(alone)
    assert asks_program(alone.model_copy(update={"earlier": ("Q: What does the code print?\nA: It prints “8”.",)}))
    assert not asks_program(alone.model_copy(update={"earlier": ("Q: What does the lamp cost?\nA: $3",)}))


@pytest.mark.parametrize(
    ("question", "draft"),
    [
        ("What does the code print?", "“The code prints a receipt” [00:00:10]"),
        ("What is the output of the script on the slide?", "NOT FOUND: Nothing said or written answers this."),
    ],
)
def test_without_a_program_on_the_slides_the_search_comes_to_an_end(question: str, draft: str) -> None:
    assert answered(question, *picture(("The code prints a receipt", "Bring your own paper"))) == draft
