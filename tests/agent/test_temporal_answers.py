"""Temporal and compound questions about the demo, from its file to answers with proof, on the embedded profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.agent.ask import Asker


@pytest.mark.parametrize(
    ("question", "held"),
    [
        ("What is said between the tone and the bang?", "“And when the shutter closes, it sounds like this.”"),
        ('How many times is "dome" said between 1:58 and the music?', "occurs once [00:02:08]"),
        ("Which prices are shown between the storm and the ball?", "“Telescope cover · Tarn Works · $249”"),
        ("How long does the music play?", "heard for 14.5 s, from 00:02:32.0 to 00:02:46.5"),
        ("How long is “Safety rules” on screen?", "shown for about 15 s, from 00:01:30 to 00:01:45"),
        ("How long does the silence last?", "11.6 s at the longest"),
        ("How long does the video stay black?", "empty for 14.00 s, from 00:01:45.00 to 00:01:59.00"),
        ("How long is the second shot?", "14.00 s, from 13.00 s to 27.00 s"),
        ("How much time passes between the bang and the music?", "from 00:01:27.1 to 00:02:32.0"),
        ("What comes last of the music, the bang and the tone?", "Last is “music”"),
        ("What is the second thing said after the bang?", "“Please read them in silence.”"),
        ("What is the second thing written after the bang?", "“Wear a helmet in Zone C”"),
        ("What is shown when she talks about the panels after the storm?", "“Roof panels cost more”"),
        ("How fast was the wind, and when does the music start?", "Music from 00:02:32.0"),
        ("Who looks after the building, and what is the price of the seal kit?", "“Seal kit · Tarn Works · $37”"),
        ("Is there ever a red circle?", "Yes: “red circle 1 of 1, from left to right"),
        ("How many times does a red ball come into the picture?", "1 × moving red thing"),
    ],
)
def test_temporal_and_compound_questions(demo_asker: Asker, demo_video: Path, question: str, held: str) -> None:
    answer = demo_asker.ask([str(demo_video)], question)
    assert answer.status == "answered", answer.answer
    assert held in answer.answer
    assert all(claim.verdict == "supported" for claim in answer.claims)
    assert answer.citations


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("What is said between the gong and the music?", "It cannot be told when this is: the gong."),
        ("How long does the siren sound?", "It cannot be told when this begins and ends."),
        ("In what order are the unicorn and the timetable shown?", "It cannot be told when this is: the unicorn."),
        ("Is there ever a green circle?", "(12 of 12 shots examined.)"),
    ],
)
def test_what_cannot_be_placed_is_abstained(demo_asker: Asker, demo_video: Path, question: str, reason: str) -> None:
    answer = demo_asker.ask([str(demo_video)], question)
    assert (answer.status, answer.citations) == ("abstained", ())
    assert reason in answer.answer


def test_when_that_was_is_told_of_what_the_last_answer_rests_on(demo_asker: Asker, demo_video: Path) -> None:
    said = demo_asker.ask([str(demo_video)], "Who looks after the building?", thread="when-that")
    again = demo_asker.ask([str(demo_video)], "When is that?", thread="when-that")
    assert again.status == "answered"
    assert "is said from 00:00:07" in again.answer
    assert again.citations[0].quote == said.citations[0].quote
