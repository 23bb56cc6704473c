"""Questions about a clip that are asked about a longer video."""

from __future__ import annotations

import pytest

from longtake.bench.clips.clip_questions import ClipQuestion
from longtake.bench.hour.shifting import cannot_be_shifted, shifted


def question(text: str, gold: str = "Yes", kind: str = "on_screen_text") -> ClipQuestion:
    facts = {"id": "a", "media": "a.mp4", "question": text, "answer": gold, "evidence": [1, 2.5]}
    return ClipQuestion.model_validate(facts | {"modality": "ocr", "kind": kind})


@pytest.mark.parametrize(
    ("text", "moved"),
    [
        ("What is shown 21.4 s into the video?", "What is shown 1021.4 s into the video?"),
        ("What is said between 1 and 2 s?", "What is said between 1001 and 1002 s?"),
        ("What happens at about 18-18.8 s?", "What happens at about 1018-1018.8 s?"),
        ("When does the screen show 01:00:32:03?", "When does the screen show 01:00:32:03?"),
        ('When is "in 5 s" said?', 'When is "in 5 s" said?'),
        ("Which 3 sports are named?", "Which 3 sports are named?"),
        ("What was sung in the 1980s?", "What was sung in the 1980s?"),
    ],
)
def test_times_of_the_clip_become_those_of_the_video(text: str, moved: str) -> None:
    assert shifted(question(text), 1000).question == moved


@pytest.mark.parametrize(
    ("gold", "kind", "moved"),
    [
        ("44.56-48.08 s", "speech_localization", "2044.567-2048.087 s"),
        ('11 ("PTS = 1.0s")', "timecode", '11 ("PTS = 1.0s")'),
        ("About 6 s.", "duration", "About 6 s."),
    ],
)
def test_the_gold_moves_too_unless_it_is_a_quotation_or_a_duration(gold: str, kind: str, moved: str) -> None:
    asked = shifted(question("When?", gold, kind), 2000.007)
    assert asked.answer == moved
    assert (asked.evidence.start, asked.evidence.end) == pytest.approx((2001.007, 2002.507))


@pytest.mark.parametrize(
    "text",
    [
        "Transcribe.",
        "What is the first word spoken?",
        "Which word is in the second shot?",
        "How many speakers are there?",
        "What is shown at 0:12?",
    ],
)
def test_what_asks_about_the_whole_clip_cannot_be_carried_over(text: str) -> None:
    assert cannot_be_shifted(question(text))


def test_what_asks_about_one_thing_can() -> None:
    assert cannot_be_shifted(question("How much does the museum charge?")) is None
    assert cannot_be_shifted(question("When does the screen show 01:00:32:03?")) is None
