"""Whether what somebody wrote or said is positive, negative or neutral."""

from __future__ import annotations

import pytest
from helpers.slides import answered, said, slide, table

from longtake.agent.rules.feelings import feeling_of

VISITOR = slide(0, 10, "Visitors' wall", "A terrible day, the staff was awful", "Signed: Iris Bell")
SINGER = slide(10, 20, "In the words of", "Milo Grant")
GUIDE = slide(20, 30, "From our guide", "Anna Lund")
TALK = (
    *(*VISITOR, *SINGER, *GUIDE),
    said("I love this hall, the sound is wonderful.", 12),
    said("El salon es grande y claro.", 22),
)


@pytest.mark.parametrize(
    "question",
    [
        "What is the sentiment of what Iris Bell wrote?",
        "How does Iris Bell feel about the day?",
        "How does Iris Bell feel about the food, judging by the visitors' wall?",
        "Is Iris Bell positive or negative about the day?",
        "How did Iris Bell find the day?",
        "Is the comment by Iris Bell positive, negative or neutral?",
    ],
)
def test_the_sentiment_of_a_text_comes_with_the_text(question: str) -> None:
    assert answered(question, *TALK) == "Negative: “A terrible day, the staff was awful” [00:00:00]"


@pytest.mark.parametrize(
    "question",
    [
        "Is what is said in the words of Milo Grant positive or negative?",
        'What is the sentiment of the statement shown under "In the words of" Milo Grant?',
    ],
)
def test_where_a_slide_holds_a_name_alone_what_is_said_meanwhile_is_judged(question: str) -> None:
    assert answered(question, *TALK) == "Positive: “I love this hall, the sound is wonderful.” [00:00:12]"


def test_without_speech_nothing_is_guessed() -> None:
    assert answered("What is the sentiment of what Milo Grant says?", *SINGER).startswith("NOT FOUND")


def test_another_language_is_not_judged() -> None:
    assert answered("Is the statement of Anna Lund positive, negative or neutral?", *TALK).startswith(
        "NOT FOUND: Whether"
    )


@pytest.mark.parametrize(
    "question",
    ["How does Iris Bell feel about music?", "Was the test positive or negative?", "How does Nell Young feel?"],
)
def test_nobody_else_and_nothing_else_is_judged(question: str) -> None:
    rows = table(40, 50, ("Name", "Work"), ("Nell Young", "she is a great cook"))
    assert "Positive" not in answered(question, *SINGER, *slide(40, 50, "Staff"), *rows)


@pytest.mark.parametrize(
    "question",
    [
        "How does Iris Bell feel about the wonderful choir?",
        "How did people find the wall?",
        "How do the visitors rate the day?",
        "Was the flood negative?",
        "What is the mood of the bridge opening?",
        "What does Iris Bell think about the town?",
    ],
)
def test_what_is_no_opinion_on_what_is_asked_about_is_not_judged(question: str) -> None:
    flood = slide(40, 50, "The flood", "A terrible, awful night for the town")
    opening = slide(60, 70, "Bridge opening", "The bridge stands by the mill and has two lanes")
    draft = answered(question, *VISITOR, *flood, *opening)
    assert not draft.startswith(("Negative", "Neutral", "Positive"))


@pytest.mark.parametrize(
    ("text", "feeling"),
    [
        ("A wonderful evening, we were delighted.", "positive"),
        ("It was not good at all, a horrible mess.", "negative"),
        ("The hall stands by the river and has two doors.", "neutral"),
        ("It could have been a wonderful evening.", None),
        ("The room was a bit dark.", "neutral"),
        ("La salle est grande.", None),
        ("We had to wait, but it was fine.", None),
    ],
)
def test_only_clear_words_are_judged(text: str, feeling: str | None) -> None:
    assert feeling_of(text) == feeling
