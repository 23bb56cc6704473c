"""What is one event and what is not, seen through a search."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.memory.records import Modality, Moment
from longtake.memory.search.index import Index
from longtake.memory.search.search_types import Batch, Hit, SearchFilter
from longtake.memory.timespan import TimeSpan


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index(tmp_path)


def found(index: Index, *moments: Moment, query: str = "kettle", k: int = 10) -> list[Hit]:
    for video in dict.fromkeys(moment.video for moment in moments):
        index.replace(video, [Batch("", [moment for moment in moments if moment.video == video], None)])
    return index.search(query, {}, SearchFilter(), k)


def spans(hits: list[Hit]) -> list[tuple[float, float]]:
    """Of the events, by time."""
    return sorted((hit.span.start, hit.span.end) for hit in hits)


def moment(start: float, end: float, text: str, modality: Modality = "speech", video: str = "a") -> Moment:
    span = TimeSpan(start=start, end=end)
    return Moment(video=video, span=span, modality=modality, text=text, engine="engine", layer="layer")


def said(start: float, end: float, text: str = "A kettle is said") -> Moment:
    return moment(start, end, text)


def shown(start: float, end: float, text: str = "Kettle") -> Moment:
    return moment(start, end, text, "scene_text")


def test_a_line_of_a_slide_and_the_words_spoken_over_it_are_one_event(index: Index) -> None:
    [hit] = found(index, said(12, 16), shown(10, 30))
    assert hit.span == TimeSpan(start=10, end=30)
    assert (hit.moment.text, [match.moment.text for match in hit.also]) == ("Kettle", ["A kettle is said"])
    assert hit.score > hit.also[0].score > 0
    assert hit.also[0].signals["words"].rank == 2


def test_a_sentence_and_its_continuation_are_one_event(index: Index) -> None:
    hits = found(index, said(0, 4), said(4.5, 8, "kettle again and more"), said(10, 13, "the last of the kettle"))
    assert spans(hits) == [(0, 13)]
    assert [len(hit.also) for hit in hits] == [2]


def test_what_lies_further_apart_is_two_events(index: Index) -> None:
    assert spans(found(index, said(0, 4), said(6.1, 8))) == [(0, 4), (6.1, 8)]


def test_the_same_moment_of_two_videos_is_two_events(index: Index) -> None:
    assert len(found(index, moment(0, 4, "A kettle"), moment(0, 4, "A kettle", video="b"))) == 2


def test_other_lines_of_the_slide_add_nothing(index: Index) -> None:
    hit, *others = found(index, shown(10, 30, "Kettle"), shown(10, 30, "Opening hours"), shown(10, 30, "Gate 4"))
    assert hit.also == ()
    assert all(other.weak for other in others)


def test_what_is_said_at_two_ends_of_a_long_slide_is_two_events(index: Index) -> None:
    early, late = said(20, 24), said(500, 504)
    hits = found(index, shown(0, 600, "Kettle"), early, late)
    assert hits[0].moment.modality == "scene_text"
    assert len(hits) == 2
    joined, alone = hits
    assert len(joined.also) == 1
    assert {joined.also[0].moment.id, alone.moment.id} == {early.id, late.id}
    assert alone.also == ()


def test_a_long_slide_does_not_swallow_a_short_cue_that_is_better(index: Index) -> None:
    hits = found(index, said(20, 24, "kettle"), shown(0, 600, "A kettle among many other things on the slide"))
    assert spans(hits) == [(0, 600), (20, 24)]


def test_lines_of_one_long_slide_are_one_event(index: Index) -> None:
    [hit] = found(index, shown(0, 600, "Kettle"), shown(0, 600, "Another kettle"))
    assert len(hit.also) == 1


def test_an_event_ends_thirty_seconds_beyond_its_best_moment(index: Index) -> None:
    best = said(100, 104, "kettle")
    around = [said(100 + 4 * n, 104 + 4 * n, "a kettle is said here") for n in range(-20, 21) if n]
    hits = found(index, best, *around, k=50)
    assert hits[0].moment == best
    assert all(hit.span.length <= 34 for hit in hits)
    assert sum(1 + len(hit.also) for hit in hits) == 41


def test_a_number_of_results_is_a_number_of_events(index: Index) -> None:
    chain = [said(4.0 * n, 4.0 * n + 4, "kettle") for n in range(400)]
    hits = found(index, *chain, said(9000, 9004, "A kettle that nobody else in this long film speaks of"), k=60)
    assert len(hits) == 51  # eight cues fill the 34 s of an event
    assert hits[-1].span.start == 9000
