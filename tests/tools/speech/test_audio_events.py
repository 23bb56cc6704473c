"""Sounds in words: what a sound is like is said, what made it is not."""

from __future__ import annotations

import pytest

from longtake.tools.speech.audio_events import describe


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
