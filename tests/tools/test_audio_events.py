"""Sounds in words: what a sound is like is said, what made it is not."""

from __future__ import annotations

import pytest

from longtake.agent.rules.sounds import asked_kinds, of_kinds
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.tools.audio_events import describe


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ({"kind": "siren"}, "siren-like sound"),
        ({"kind": "applause"}, "applause-like sound"),
        ({"kind": "quiet"}, "quiet"),
        ({"kind": "tone", "hz": 525}, "tone of 525 Hz"),
    ],
)
def test_a_sound_is_described_by_what_it_is_like(item: dict[str, object], words: str) -> None:
    assert describe(item) == words


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("When does the siren sound?", ["siren"]),
        ("Is there applause after the talk?", ["speech", "applause"]),
        ("When does somebody clap?", ["impulse"]),
        ("Which passage is quiet?", ["quiet"]),
        ("When does the car horn sound?", []),
    ],
)
def test_a_question_names_kinds_of_sound(question: str, kinds: list[str]) -> None:
    assert asked_kinds(question) == kinds


def test_the_sounds_of_a_kind_are_found_by_their_words() -> None:
    found = [_heard(4.0, "tone of 525 Hz"), _heard(2.0, "siren-like sound"), _heard(0.0, "applause-like sound")]
    assert [item.content for item in of_kinds(found, ["siren", "tone"])] == ["siren-like sound", "tone of 525 Hz"]


def _heard(start: float, content: str) -> Evidence:
    return Evidence(
        video="v", span=TimeSpan(start=start, end=start + 1), modality="audio", content=content, engine="e", layer="l"
    )
