"""The grader's rules, each with answers that hold the gold and near misses that do not."""

from __future__ import annotations

import pytest

from longtake.evalharness.scoring.grading import Gold, Grade, grade
from longtake.memory.records import Answer, Citation, Status


def answer(text: str, *cited: tuple[float, float], status: Status = "answered") -> Answer:
    citations = tuple(
        Citation(video="v", start=start, end=end, modality="speech", quote="a quote of 99") for start, end in cited
    )
    return Answer(question="?", status=status, answer=text, citations=citations)


HELD = [
    # words: case, punctuation, articles, marks and spacing do not count
    ("KESTREL", "The sign reads “Kestrel”. [00:00:12]"),
    ("The old lighthouse.", "It stands beside an old lighthouse"),
    ("Tea (with milk)", "He orders tea."),
    ("Ferry (not the bus)", "They took the ferry"),
    ("www.harbour-club.example", "See WWW.Harbour-Club.example for times"),
    ("Big Red BARN", "“BigRed” [00:00:25] “BARN” [00:00:25]"),
    ("HARBOUR MASTER ON DUTY", "“HARBOUR MASTER” [00:00:20] “ON DUTY” [00:00:21]"),
    ("café crème", "A Café Crème"),
    ("Don't panic", "Don’t panic"),
    # quotations are the parts, with their parentheses
    ('"Copyright (c) Ada Vale" and "Room 12"', "Room 12; copyright © Ada Vale"),
    ('It says "mind the gap", twice.', "Mind the gap: it is there 2 times"),
    # lists need every item
    ("Kiln, wheel and glaze.", "There is a glaze, then a wheel, then a kiln."),
    ("Monday or Friday", "On Friday or on Monday"),
    ("2: Ines and Olaf", "Two people, Olaf and Ines"),
    ("Rain; later snow", "First rain and later snow."),
    # numbers by value
    ("6", "Six boats leave."),
    ("6", "6.0"),
    ("six", "There are 6."),
    ("21", "twenty-one"),
    ("Twice", "He rings 2 times."),
    ("Three red kites.", "3 red kites"),
    ("$249", "It costs $249.00 today"),
    ("$1,250", "1250 dollars"),
    ("15 bucks", "$15"),
    ("40%", "40 percent of them"),
    ("-6", "It was -6 degrees"),
    ("3.50", "3,5"),
    ("10 km", "10km"),
    ("About 30 metres", "30 metres"),
    ("09:40", "The boat leaves at 9:40."),
    ("01:00:21:12", "“01:00:21:12” [00:00:21]"),
    # yes and no
    ("No.", "No, nobody sits down."),
    ("Yes", "Yes."),
    # a negation that belongs to another clause
    ("TAXI", "No, TAXI."),
    ("TAXI", "The roof sign is not empty. It says TAXI"),
]

MISSED = [
    ("6", "There are 16."),
    ("6", "6.5"),
    ("6", "60 boats"),
    ("6", "The score is 16:6"),
    ("6", "The 6th boat"),
    ("6", "-6"),
    ("6", "Many boats leave. [00:00:06]"),
    ("6", "1,006"),
    ("6", "The kettle boils at 6 s."),
    ("6", "It is there for six seconds."),
    ("6", "In 5-6 boats"),
    ("Six boats", "6 s later two boats"),
    ("1", "One of the boats leaves."),
    ("2", "It is twice as long."),
    ("19", "The COVID-19 ward"),
    ("12", "1, 2"),
    ("12", "“01:00:21:12”"),
    ("249", "$2.49"),
    ("$249", "€249"),
    ("$249", "249 metres"),
    ("01803", "1803"),
    ("09:40", "9:41"),
    ("01:00:21:12", "01:00:21:13"),
    ("TAXI", "TAXIS"),
    ("TAXI", "The sign does not say TAXI."),
    ("TAXI", "There isn't any TAXI"),
    ("red", "They hundred"),
    ("red", "bored"),
    ("New Jersey", "a new blue jersey"),
    ("Kiln, wheel and glaze", "A kiln and a wheel"),
    ("Monday or Friday", "Monday"),
    ('"mind the gap" and "stand back"', "Mind the gap"),
    ('The "north gate" at 3 m', "The north gate at 5 m"),
    ("before lunch", "after lunch"),
    ("No", "There is no doubt: yes"),
    ("Yes", "No, though some say yes"),
    ("99", "It is written there."),  # in the quote of the citation, not in the answer
    ("", "Anything"),
    ("(nothing but an aside)", "nothing but an aside"),
]


@pytest.mark.parametrize(("gold", "text"), HELD)
def test_gold_is_held(gold: str, text: str) -> None:
    assert grade(gold, answer(text, (0.0, 200.0))) == "held"


@pytest.mark.parametrize(("gold", "text"), MISSED)
def test_near_miss_does_not_count(gold: str, text: str) -> None:
    assert grade(gold, answer(text, (0.0, 200.0))) == "wrong"


TIMES: list[tuple[str, Answer, float, Grade]] = [
    ("32.1 s", answer("It is shown from 00:00:32.1 on."), 0.05, "held"),
    ("32.1 s", answer("It is shown at 32.1 seconds."), 0.05, "held"),
    ("32.1 s", answer("It is shown then. [00:00:32]", (32.12, 33.0)), 0.05, "held"),
    ("32.1 s", answer("It is shown then. [00:00:32]", (32.2, 33.0)), 0.05, "wrong"),
    ("32.1 s", answer("It is shown then.", (0.0, 32.1)), 0.05, "wrong"),  # the citation leads elsewhere
    ("32.1 s", answer("32.1 metres"), 1.0, "wrong"),
    ("32 s", answer("From thirty-one to thirty-two seconds"), 0.1, "held"),
    ("00:01:20", answer("At 1:20"), 0.5, "held"),
    ("00:01:20", answer("At 1:22"), 1.0, "wrong"),
    ("44.5-48 s", answer("There. [00:00:44]", (44.6, 48.2)), 0.5, "held"),
    ("44.5-48 s", answer("At 44.7 s."), 0.5, "held"),
    ("44.5-48 s", answer("There. [00:00:44]", (44.6, 90.0)), 0.5, "wrong"),
    ("44.5-48 s", answer("There. [00:00:48]", (48.0, 51.0)), 0.5, "wrong"),
    ("44.5-48 s", answer("From 44.5 to 60 s."), 0.5, "wrong"),
    ("From about 23 s to about 45 s.", answer("From 23.4 s to 44.8 s"), 0.5, "held"),
    ("From about 23 s to about 45 s.", answer("From 23.4 s on"), 0.5, "wrong"),
    ("1.2, 3.04 and 5.5 s (4 shots)", answer("Cuts at 1.2, 3.0 and 5.5 s"), 0.1, "held"),
    ("1.2, 3.04 and 5.5 s (4 shots)", answer("Cuts at 1.2 and 5.5 s"), 0.1, "wrong"),
    ("1.2 s and 6 s", answer("Cuts at 1.2 s, 6.0 s and 13.1 s"), 0.1, "wrong"),  # one too many
    ("A gong, at about 2.2-2.6 s", answer("A gong from 2.2 to 2.5 s"), 0.2, "held"),
    ("A gong, at about 2.2-2.6 s", answer("A drum from 2.2 to 2.5 s"), 0.2, "wrong"),
    ('"Low Tide", from about 25 s to the end', answer("“LOW TIDE” [00:00:25]", (25.4, 30.0)), 0.7, "held"),
    ('"Low Tide", from about 25 s to the end', answer("“LOW TIDE” [00:00:12]", (12.0, 30.0)), 0.7, "wrong"),
    ("32 s", answer("Somewhere.", *((float(t), t + 1.0) for t in range(0, 60, 4))), 1.0, "wrong"),  # no choice made
    ("1990s", answer("It was built in the 1990s."), 1.0, "held"),  # no seconds
]


@pytest.mark.parametrize(("gold", "given", "tolerance", "outcome"), TIMES)
def test_time_is_held_within_tolerance(gold: str, given: Answer, tolerance: float, outcome: Grade) -> None:
    assert grade(gold, given, tolerance=tolerance) == outcome


def test_duration_is_stated_and_not_cited() -> None:
    cited = answer("It is empty at first. [00:00:06]", (6.0, 8.0))
    assert grade("About 6 seconds.", cited, cited_times=True) == "held"
    assert grade("About 6 seconds.", cited, cited_times=False) == "wrong"
    assert grade("About 6 seconds.", answer("For 6.2 s."), cited_times=False) == "held"


@pytest.mark.parametrize("status", ["uncertain", "abstained", "partial", "failed"])
def test_only_an_answer_can_be_held_or_wrong(status: Status) -> None:
    assert grade("6", answer("6", status=status)) == status


def test_gold_splits_into_parts_and_times() -> None:
    gold = Gold.read("A heron (grey), two ducks and about 7.2-11.9 s.")
    assert gold.parts == (("heron",), ("2", "ducks"))
    assert [(time.start, time.end) for time in gold.times] == [(7.2, 11.9)]
