"""When the closest lines of an uncertain answer hold the gold."""

from __future__ import annotations

from typing import Any

import pytest

from longtake.benchmarks.clips.clip_questions import ClipQuestion
from longtake.benchmarks.clips.closest import closest_hold
from longtake.memory.records import Closest

PITY = "Pity the world, or else this glutton be"
HAT = "A tall patterned hat with a brim."


def question(gold: str, text: str = "What is it?", **changes: Any) -> ClipQuestion:
    facts = {"id": "q", "media": "a.mp4", "question": text, "answer": gold, "evidence": [4.0, 6.0]}
    return ClipQuestion.model_validate(facts | {"modality": "speech", "kind": "speech_content"} | changes)


def line(text: str, start: float = 1.0, end: float = 2.0) -> Closest:
    return Closest(text=text, start=start, end=end, modality="speech", video="v")


@pytest.mark.parametrize(
    ("asked", "lines", "held"),
    [
        # as grading has it
        (question("9 (the ninth)"), [line("from pier nine")], True),
        (question("9 (the ninth)"), [line("from pier 19")], False),
        (question("The Seahawks and the Sounders"), [line("the Seahawks"), line("and the Sounders")], True),
        (question("Crown jewels"), [line("not the crown jewels")], True),  # no sure answer: it only has to be there
        # a time is that of a line
        (question("44.56-48.08 s", f'When is "{PITY}" spoken?'), [line("x"), line(PITY, 44.6, 48.1)], True),
        (question("44.56-48.08 s", f'When is "{PITY}" spoken?'), [line(PITY, 40.0, 48.1)], False),
        (question("At about 6.5 s.", tolerance_s=0.02), [line("green", 6.51, 9.0)], True),
        # a duration is stated
        (question("About 6 seconds.", kind="duration"), [line("empty", 6.0, 12.0)], False),
        (question("About 6 seconds.", kind="duration"), [line("for six seconds", 1.0, 12.0)], True),
        (question("About 6 seconds.", kind="duration"), [line("chapter 6")], False),
        # at most two words: all of them
        (question("A bad humor.", "What mood is he in?"), [line("he is in humor so bad")], True),
        (question("A bad humor.", "What mood is he in?"), [line("he is in a bad way")], False),
        # more: at least half of them
        (question(HAT), [line("a tall hat")], True),
        (question(HAT), [line("a tall"), line("hat")], True),
        (question(HAT), [line("a hat")], False),
        # words of the question and stop words do not count, unless no other is left
        (question(HAT, "Which tall patterned hat is worn?"), [line("tall, patterned, a hat with")], False),
        (question(HAT, "Which tall patterned hat is worn?"), [line("to the brim")], True),
        (question("What is it?"), [line("it is what")], True),
        (question("What is it?"), [line("nothing")], False),
        # a time counts as a word, and is in no text
        (question("A dog, at 2.2 s", tolerance_s=0.1), [line("dog 2.2")], False),
        (question("A dog, at 2.2 s", tolerance_s=0.1), [line("dog", 2.2, 2.5)], True),
        (question("Big Buck Bunny, from about 25 s to the end"), [line("big BUCK bunny")], True),
        (question("From about 23 s to about 45 s."), [line("it is about to rain from here")], False),
        (question("Anything"), [], False),
    ],
)
def test_closest_lines_hold_the_gold_together(asked: ClipQuestion, lines: list[Closest], held: bool) -> None:
    assert closest_hold(asked, lines) is held
