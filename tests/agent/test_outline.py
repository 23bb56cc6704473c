"""Slides in their order: titles, and summaries of the whole and of a part."""

from __future__ import annotations

import pytest
from helpers.slides import answered, said, slide, text

from longtake.agent.rules.outline import outline

OPENING = slide(0, 10, "Beekeeping club", "Autumn meeting")
HIVES = slide(10, 40, "State of the hives", "Queens", "Mites", "Feeding")
PROGRAM = slide(40, 50, "total = 0", "print(total)")
HONEY = slide(50, 70, "Honey harvest", "Best year so far")
DATES = slide(70, 100, "Next dates", "Open day in May")
TALK = (
    *(*OPENING, *HIVES, *PROGRAM, *HONEY, *DATES),
    text("BUZZ", 55, 55.2, 0.4),
    said("Good evening to all.", 1),
    said("Two queens are missing.", 12),
    said("I had soup for lunch.", 16),
    said("The mites are almost gone.", 20),
    said("The harvest was large.", 52),
)


def test_what_appears_while_a_title_stands_belongs_to_its_slide() -> None:
    late = text("Winter food", 25, 40, 0.7)
    slides = outline([*(item for item in TALK if item.modality == "scene_text"), late])
    assert [item.title.content for item in slides] == [
        "Beekeeping club",
        "State of the hives",
        "Honey harvest",
        "Next dates",
    ]
    assert [line.content for line in slides[1].lines] == ["Queens", "Mites", "Feeding", "Winter food"]
    assert [line.content for line in slides[2].lines] == ["Best year so far"]
    assert slides[1].span == HIVES[0].span


@pytest.mark.parametrize(
    "question",
    [
        "What are the first two slide titles after the opening, in order?",
        "Name the first two slides that follow the title slide.",
        "In which order do the two titles after the introduction appear?",
        "Leaving out the opening slide, which two headings come first?",
        "Which two slide titles come first, not counting the opening?",
    ],
)
def test_titles_are_told_in_their_order_without_the_opening(question: str) -> None:
    assert answered(question, *TALK) == "First “State of the hives” [00:00:10] Then “Honey harvest” [00:00:50]"


@pytest.mark.parametrize(
    ("question", "draft"),
    [
        (
            "What are the titles of the last two slides?",
            "First “Honey harvest” [00:00:50] Then “Next dates” [00:01:10]",
        ),
        ("Which three slide titles come first?", "First “Beekeeping club” [00:00:00] Then “State of the hives”"),
        ("List the titles of the first nine slides.", "NOT FOUND: 4 slides with a title"),
    ],
)
def test_as_many_titles_are_told_as_are_asked_for(question: str, draft: str) -> None:
    assert answered(question, *TALK).startswith(draft)


@pytest.mark.parametrize(
    "question",
    [
        "How many slides are there?",
        "What is on the first three slides?",
        "What comes after the first two slides?",
        "Which titles of the books are named first?",
        "Which slides speak of soup?",
        "Which titles are not shown?",
        "List the slides without titles.",
        "What are the last slide titles?",
        "Which slides come before the last slide?",
        "Which two titles come before?",
    ],
)
def test_other_questions_about_slides_are_not_answered_with_titles(question: str) -> None:
    assert not answered(question, *TALK).startswith("First")


@pytest.mark.parametrize(
    "question",
    [
        "Summarise the video.",
        "What is this video about?",
        "Give me a short overview.",
        "What topics does the talk cover?",
        "Could you sum up the video?",
        "Topics of the video, please.",
        "What subjects are discussed in this lecture?",
    ],
)
def test_a_summary_tells_the_parts_in_order_with_what_is_said_of_them(question: str) -> None:
    assert answered(question, *TALK) == (
        "First “Beekeeping club”, “Autumn meeting” [00:00:00] "
        "Then “State of the hives” [00:00:10] Said: “Two queens are missing.” [00:00:12] "
        "Then “Honey harvest” [00:00:50] Said: “The harvest was large.” [00:00:52] "
        "Then “Next dates” [00:01:10]"
    )


@pytest.mark.parametrize(
    "question",
    [
        "Summarise the part about the hives.",
        "What was the state of the hives about, in short?",
        "Briefly, what is reported on the state of the hives?",
        "Sum up the state of the hives.",
    ],
)
def test_a_summary_of_a_part_tells_its_points_and_what_is_said_of_them(question: str) -> None:
    assert answered(question, *TALK) == (
        "“State of the hives”, “Queens”, “Mites”, “Feeding” [00:00:10] Said: “Two queens are missing.” [00:00:12] "
        "Said: “I had soup for lunch.” [00:00:16] Said: “The mites are almost gone.” [00:00:20]"
    )


@pytest.mark.parametrize(
    "question",
    [
        "How many topics does the talk cover?",
        "How long is the summary of the video?",
        "Who gives an overview of the state of the hives?",
        "When is the state of the hives discussed?",
        "Is the state of the hives a main topic?",
        "Was the state of the hives discussed?",
        "What is not a topic of the video?",
        "What do we see in the video?",
    ],
)
def test_other_questions_about_topics_are_no_summaries(question: str) -> None:
    assert "Said:" not in answered(question, *TALK)


def test_a_summary_of_what_no_slide_is_about_is_not_one_of_the_whole() -> None:
    assert answered("Summarise the part about wasps.", *TALK).startswith("NOT FOUND")


def test_a_video_with_few_slides_is_summed_up_by_its_lines() -> None:
    assert answered("Summarise the video.", *HONEY, said("Bees fly.", 60)).startswith("“Honey harvest”")
