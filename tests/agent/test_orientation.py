"""What a question gives away before anything is looked at."""

from __future__ import annotations

import pytest

from longtake.agent.errands import is_errand
from longtake.agent.named_spans import named_span
from longtake.agent.orientation import classify, quoted, split_parts, wants_everything
from longtake.memory.timespan import SpanError, TimeSpan

SHOTS = [TimeSpan(start=0, end=10), TimeSpan(start=10, end=25), TimeSpan(start=25, end=60)]


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("How long is this video?", "metadata"),
        ("When are the cuts?", "metadata"),
        ("When are the shot cuts?", "metadata"),
        ("How many shots are there?", "metadata"),
        ("Is there any sound?", "metadata"),
        ("Is there a sound of a dog barking?", "hear"),
        ("How many audio guides were sold?", "fact"),
        ("In how many languages is the audio guide available?", "fact"),
        ("What is 15 percent of 240?", "calculate"),
        ("Transcribe.", "transcribe"),
        ("What is said between 1:00 and 2:00?", "transcribe"),
        ("What is said about prices?", "fact"),
        ("What does the subtitle say at 3 s?", "transcribe"),
        ("What text is on the sign?", "read"),
        ("Which title appears, and when?", "read"),
        ("What do we hear at 0:30?", "hear"),
        ("Is there music?", "hear"),
        ("What is she wearing?", "look"),
        ("What happens at 1:20?", "look"),
        ("When is the bridge mentioned?", "when"),
        ("At which time does the bell ring?", "when"),
        ("How many times is the mayor named?", "count"),
        ("What is 3 + 4 * 5?", "calculate"),
        ("What is the result of the sum on the slide?", "calculate"),
        ("Summarise the talk.", "summarise"),
        ("What is this video about?", "summarise"),
        ("Who pays for the bridge?", "fact"),
    ],
)
def test_the_kind_of_a_question(question: str, kind: str) -> None:
    assert classify(question)[0] == kind


def test_the_senses_that_a_question_names() -> None:
    assert classify("What does she say while the slide shows the price?")[1] == ("speech", "scene_text")
    assert classify("Who pays for the bridge?")[1] == ()


@pytest.mark.parametrize(
    ("question", "span", "point"),
    [
        ("What is said between 0:10 and 0:20?", (10, 20), False),
        ("What is said from 10 to 20 s?", (10, 20), False),
        ("What is shown at 00:00:12?", (12, 12), True),
        ("What timecode is shown 21.4 s into the video?", (21.4, 21.4), True),
        ("What is heard in the first 5 seconds?", (0, 5), False),
        ("What is heard in the last 5 seconds?", (55, 60), False),
        ("What is shown at half a minute and 5 seconds?", (5, 5), True),
        ("What is shown 0.5 minutes in?", (30, 30), True),
        ("What word is in the second shot?", (10, 25), False),
        ("What happens in the last scene?", (25, 60), False),
        ("Who speaks in shot 3?", (25, 60), False),
    ],
)
def test_the_time_that_a_question_names(question: str, span: tuple[float, float], point: bool) -> None:
    assert named_span(question, 60, SHOTS) == (TimeSpan(start=span[0], end=span[1]), point)


@pytest.mark.parametrize(
    "question",
    [
        "Which frame shows 01:00:32:03?",
        "How many people are in the room?",
        "What did the 3 men buy for 20 dollars?",
        'When is "see you at 10:30" said?',
    ],
)
def test_numbers_that_are_no_time_of_the_video_name_none(question: str) -> None:
    assert named_span(question, 60, SHOTS) == (None, False)


@pytest.mark.parametrize(
    "question",
    ["What is shown at 2:00?", "What is in the fifth shot?", "What is in shot 0?", "What is said from 70 to 80 s?"],
)
def test_a_time_or_shot_that_is_not_there_is_an_error(question: str) -> None:
    with pytest.raises(SpanError):
        named_span(question, 60, SHOTS)


def test_what_stands_in_quotation_marks_and_codes_are_kept_as_they_are() -> None:
    assert quoted('When is "Pity the world" said?') == ("Pity the world",)
    assert quoted("When does the screen show 01:00:32:03?") == ("01:00:32:03",)
    assert quoted("What's the dog's name?") == ()
    assert quoted("How often is “A” said?") == ("A",)
    assert quoted("When is 0555 3434 shown?") == ("0555 3434",)
    assert quoted("Whose number is +41 44 555 12 12?") == ("+41 44 555 12 12",)
    assert quoted("What was sold from 1990-1995, and on 2021-05-06, for 10 000 000 dollars or $1 000 000?") == ()


def test_a_question_falls_into_its_parts() -> None:
    assert split_parts("How many hours today, and how many tomorrow?") == ("How many hours today", "how many tomorrow?")
    assert split_parts("Who came and went?") == ("Who came and went?",)


def test_what_wants_everything() -> None:
    assert wants_everything("List every price.")
    assert wants_everything("Is there ever more than one person?")
    assert not wants_everything("What is the price?")


@pytest.mark.parametrize(
    "request_",
    [
        "Remember that the exam is at 14:30",
        "Run `print('9:59')`",
        "Search the web for the 10:04 train",
        "delete the note about 6:30",
        "what did I note about 6:30",
        "can you search the web for the race at 6:30",
    ],
)
def test_times_of_an_errand_are_none_of_the_video(request_: str) -> None:
    assert named_span(request_, 167.0, ()) == (None, False)


@pytest.mark.parametrize(
    "request_",
    [
        "Search the video for what he says on the internet",
        "Run through the video and tell me when `title` is shown",
        "Look up what the lecture says online",
    ],
)
def test_a_request_about_the_video_stays_with_it(request_: str) -> None:
    assert not is_errand(request_)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Where do people meet if the tone does not stop?", "fact"),
        ("How much does the alarm cost?", "fact"),
        ("Where does the siren sound?", "hear"),
        ("Is there music?", "hear"),
    ],
)
def test_a_sound_that_is_only_named_is_not_asked_for(question: str, kind: str) -> None:
    assert classify(question)[0] == kind
