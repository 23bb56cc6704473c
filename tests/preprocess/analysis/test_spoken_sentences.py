"""Sentences are whole, whatever the cues that hold them."""

from __future__ import annotations

import pytest

from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.analysis.spoken_sentences import spoken_sentences


def cue(text: str, start: float, end: float, *, engine: str = "e", trusted: bool = True) -> Moment:
    span = TimeSpan(start=start, end=end)
    return Moment(video="v", span=span, modality="speech", text=text, engine=engine, trusted=trusted)


def cues(*texts: str) -> list[Moment]:
    return [cue(text, 2 * place, 2 * place + 2) for place, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("said", "sentences"),
    [
        (cues("Put the lamp", "on the shelf."), ["Put the lamp on the shelf."]),
        (cues("It is late. We", "should go. Now!"), ["It is late.", "We should go.", "Now!"]),
        (cues("Ask Mrs. Oduya at 4 p.m. or later."), ["Ask Mrs. Oduya at 4 p.m. or later."]),
        (cues("Ana: The lamp", "Ana: is green.", "Ben: It"), ["Ana: The lamp is green.", "Ben: It"]),
        (cues("Ana: And then the", "Ben: No, stop."), ["Ana: And then the", "Ben: No, stop."]),
        ([cue("Wait for", 0, 2), cue("the bell", 8, 9)], ["Wait for", "the bell"]),
        ([cue("one track", 0, 2), cue("and another", 2, 4, engine="f")], ["one track", "and another"]),
        (cues(*["word word word word word"] * 9), [" ".join(["word"] * 40), " ".join(["word"] * 5)]),
        ([], []),
    ],
)
def test_cues_become_sentences(said: list[Moment], sentences: list[str]) -> None:
    assert [each.text for each in spoken_sentences(said)] == sentences


def test_a_sentence_has_its_own_times_and_is_trusted_if_all_its_cues_are() -> None:
    first, second = spoken_sentences([cue("One two. Three", 0, 3), cue("four.", 3, 4, trusted=False)])
    assert (first.span, first.trusted) == (TimeSpan(start=0, end=2), True)
    assert (second.span, second.trusted) == (TimeSpan(start=2, end=4), False)
