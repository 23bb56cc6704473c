"""Hybrid search: what is found, what is not, and what survives writers and crashes."""

from __future__ import annotations

import multiprocessing
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest
from helpers.data.search_index import PICTURES, SPACE, axes, batch, moment, moments, open_index, rewrite
from hypothesis import given, settings
from hypothesis import strategies as st

from longtake.errors import LibraryError
from longtake.memory.records import Modality
from longtake.memory.search.index import Index
from longtake.memory.search.search_types import Batch, Hit, SearchFilter, Signal
from longtake.memory.search.store import NAME
from longtake.memory.timespan import TimeSpan

ALL = SearchFilter()


def search(index: Index, query: str, axis: int | None = None, where: SearchFilter = ALL, k: int = 10) -> list[Hit]:
    return index.search(query, {} if axis is None else {SPACE: axes(axis)[0]}, where, k)


def texts(index: Index, query: str, axis: int | None = None, where: SearchFilter = ALL) -> list[str]:
    """What was found, without what is merely the nearest."""
    return [hit.moment.text for hit in search(index, query, axis, where) if not hit.weak]


@pytest.fixture
def index(tmp_path: Path) -> Index:
    index = open_index(tmp_path / "index")
    priced = moments("a", "The price is $249.", "A dragon flies.", "It costs 199 dollars.")
    index.replace("a", [batch(priced, axes(0, 1, 0))])
    index.replace("b", [batch([moment("b", 0, "Dragon tattoo parlour", "scene_text")], axes(2))])
    return index


def test_words_and_vectors_are_fused_and_say_what_each_gave(index: Index) -> None:
    hits = [hit for hit in search(index, "price", 0) if not hit.weak]
    assert [hit.moment for hit in hits] == [
        moment("a", 0, "The price is $249."),
        moment("a", 2, "It costs 199 dollars."),
    ]
    assert hits[1].signals == {SPACE: Signal(2, 1.0)}
    assert {name: signal.rank for name, signal in hits[0].signals.items()} == {"words": 1, SPACE: 1}
    assert hits[0].signals["words"].score > 0
    for hit in hits:
        assert hit.score == pytest.approx(sum(1 / (60 + signal.rank) for signal in hit.signals.values()))


def test_pictures_are_found_in_their_own_space_and_never_by_words(tmp_path: Path) -> None:
    index = open_index(tmp_path / "index")
    pictures = [moment("a", number, "", "visual") for number in (7, 20)]
    said = moments("a", "A dragon flies.", "Nothing else")
    index.replace("a", [batch(said, axes(1, 2)), batch(pictures, np.eye(3, dtype=np.float32)[[0, 1]], PICTURES)])
    assert [hit.moment for hit in search(index, "dragon", 1) if not hit.weak] == [said[0]]
    seen = {PICTURES: np.eye(3, dtype=np.float32)[1]}
    assert [hit.moment for hit in index.search("submarine", seen, ALL, 1)] == [pictures[1]]
    both = index.search("dragon", seen | {SPACE: axes(1)[0]}, ALL, 5)
    assert [set(hit.signals) for hit in both if not hit.weak] == [{"words", SPACE}, {PICTURES}]


def test_documents_without_vectors_are_found_by_words(tmp_path: Path) -> None:
    index = open_index(tmp_path / "index")
    index.replace("a", [batch(moments("a", "A dragon flies."), None)])
    assert texts(index, "dragon", 1) == ["A dragon flies."]
    assert texts(index, "monster", 1) == []


def test_what_is_not_there_is_not_found_and_the_nearest_is_shown_as_weak(index: Index) -> None:
    for query, axis in [("Where is the submarine?", 5), ("", None)]:
        assert texts(index, query, axis) == []
        hits = search(index, query, axis)
        assert sorted(hit.moment.text for hit in hits) == sorted(
            ["The price is $249.", "A dragon flies.", "It costs 199 dollars.", "Dragon tattoo parlour"]
        )
        assert not any(hit.also for hit in hits)


def test_weak_hits_follow_the_strong_ones_up_to_k_with_their_rank_among_all(index: Index) -> None:
    tilted = 0.9 * axes(1)[0] + np.float32(0.3) * axes(2)[0]
    hits = index.search("flies", {SPACE: tilted}, ALL, 3)
    assert [(hit.moment.text, hit.weak) for hit in hits] == [
        ("A dragon flies.", False),
        ("Dragon tattoo parlour", True),
        ("The price is $249.", True),
    ]
    assert hits[1].signals == {SPACE: Signal(2, pytest.approx(0.3))}  # pyright: ignore[reportArgumentType]
    assert [hit.moment.text for hit in index.search("flies", {SPACE: tilted}, ALL, 1)] == ["A dragon flies."]


def test_a_strong_event_takes_no_weak_neighbour(index: Index) -> None:
    best, *others = search(index, "dragon", 1, SearchFilter(videos=("a",)))
    assert (best.moment.text, best.also, best.weak) == ("A dragon flies.", (), False)
    assert [hit.weak for hit in others] == [True, True]


def test_weak_hits_lie_within_the_filter(index: Index) -> None:
    hits = search(index, "submarine", 5, SearchFilter(modalities=("scene_text",)))
    assert [(hit.moment.text, hit.weak) for hit in hits] == [("Dragon tattoo parlour", True)]
    assert search(index, "submarine", 5, SearchFilter(modalities=("audio",))) == []


def test_an_exact_number_comes_first(index: Index) -> None:
    assert texts(index, "$249", 2)[0] == "The price is $249."
    assert texts(index, "199")[0] == "It costs 199 dollars."


def test_filters_by_video_modality_and_time(index: Index) -> None:
    assert texts(index, "dragon", 1, SearchFilter(videos=("b",))) == ["Dragon tattoo parlour"]
    assert texts(index, "dragon", 2, SearchFilter(modalities=("speech",))) == ["A dragon flies."]
    assert texts(index, "dragon", 1, SearchFilter(span=TimeSpan(start=3, end=4))) == ["A dragon flies."]
    assert texts(index, "dragon", 1, SearchFilter(videos=("unknown",))) == []


def test_k_is_the_most_that_is_returned(index: Index) -> None:
    assert len(search(index, "dragon", k=1)) == 1
    assert search(index, "dragon", k=0) == []


def test_replacing_forgets_what_was_there_before(index: Index) -> None:
    index.replace("a", [batch(moments("a", "A unicorn sleeps."), axes(3))])
    assert texts(index, "dragon unicorn price", 1) == ["A unicorn sleeps.", "Dragon tattoo parlour"]


def test_the_text_of_a_deleted_video_leaves_the_disk(index: Index, tmp_path: Path) -> None:
    Index(tmp_path / "index").delete("a")
    assert texts(index, "dragon price", 1) == ["Dragon tattoo parlour"]
    assert not any(b"dragon flies" in file.read_bytes() for file in (tmp_path / "index").iterdir())
    index.delete("unknown")


def test_a_video_without_documents_is_no_obstacle(index: Index) -> None:
    index.replace("c", [batch([], np.zeros((0, 8), np.float32))])
    assert texts(index, "tattoo", 2) == ["Dragon tattoo parlour"]
    index.delete("a")
    index.delete("b")
    assert search(index, "tattoo", 2) == []


def test_an_index_that_was_never_written_is_empty(tmp_path: Path) -> None:
    index = open_index(tmp_path / "none")
    assert texts(index, "dragon", 1) == []
    index.delete("a")
    assert not (tmp_path / "none").exists()


def test_vectors_of_another_model_are_not_compared(index: Index, tmp_path: Path) -> None:
    hits = open_index(tmp_path / "index").search("tattoo", {"another model": axes(2)[0]}, ALL, 5)
    assert [(set(hit.signals), hit.weak) for hit in hits] == [({"words"}, False), *[(set(), True)] * 3]


def test_a_reader_sees_what_another_writer_did(index: Index, tmp_path: Path) -> None:
    assert len(texts(index, "dragon")) == 2
    open_index(tmp_path / "index").replace("c", [batch(moments("c", "One more dragon"), axes(1))])
    assert len(texts(index, "dragon")) == 3


def test_a_damaged_index_without_layers_says_what_to_do(index: Index) -> None:
    with closing(sqlite3.connect(index.root / NAME)) as connection, connection:
        connection.execute("DELETE FROM moments")
    with pytest.raises(LibraryError, match=r"delete the folder .*index, and"):
        search(open_index(index.root), "dragon", 1)


def test_a_lost_vector_count_is_a_mistake_of_the_caller(index: Index) -> None:
    with pytest.raises(ValueError, match="1 moments but 2 vectors"):
        index.replace("c", [batch(moments("c", "one"), axes(1, 2))])


VIDEOS = ("a", "b", "c")
KINDS: tuple[Modality, ...] = ("speech", "scene_text", "audio")
HELD = [moment(video, n, f"dragon {n}", KINDS[n % 3]) for video in VIDEOS for n in range(6)]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Index:
    index = open_index(tmp_path_factory.mktemp("filled"))
    for video in VIDEOS:
        index.replace(video, [batch([held for held in HELD if held.video == video], axes(0, 1, 0, 1, 0, 1))])
    return index


@given(
    st.lists(st.sampled_from((*VIDEOS, "d")), max_size=2),
    st.lists(st.sampled_from(KINDS), max_size=2),
    st.none() | st.tuples(st.floats(0, 20), st.floats(0, 5)),
    st.booleans(),
)
@settings(max_examples=60)
def test_filters_hold_exactly(
    filled: Index,
    videos: Sequence[str],
    modalities: Sequence[Modality],
    bounds: tuple[float, float] | None,
    with_vector: bool,
) -> None:
    span = TimeSpan(start=bounds[0], end=sum(bounds)) if bounds else None
    where = SearchFilter(tuple(videos), tuple(modalities), span)
    found = [
        match for hit in search(filled, "dragon", 0 if with_vector else None, where, 100) for match in (hit, *hit.also)
    ]
    expected = {
        held.id
        for held in HELD
        if (not videos or held.video in videos)
        and (not modalities or held.modality in modalities)
        and (span is None or held.span.overlaps(span))
    }
    assert {match.moment.id for match in found} == expected
    assert len(found) == len(expected)


@pytest.mark.slow
def test_readers_see_one_whole_revision_while_another_process_writes(tmp_path: Path) -> None:
    rewrite(tmp_path, 1)
    index = open_index(tmp_path)
    writer = multiprocessing.get_context("spawn").Process(target=rewrite, args=(tmp_path, 12))
    writer.start()
    seen: set[str] = set()
    filters = cycle([ALL, SearchFilter(modalities=("speech",))])
    while writer.is_alive() or not seen:
        found = [match for hit in search(index, "dragon", 1, next(filters), 50) for match in (hit, *hit.also)]
        assert len(found) == 20
        rounds = {match.moment.text for match in found}
        assert len(rounds) == 1
        seen |= rounds
    writer.join()
    assert writer.exitcode == 0
    assert texts(index, "dragon")[0] == "dragon round11"


def test_what_closer_looks_found_is_searched_with_the_rest_and_replaced_apart(index: Index) -> None:
    closer = [moment("a", 1, "A dragon flies over Bath", "scene_text"), moment("a", 90, "Dragon teeth")]
    index.replace("a", [batch(closer, axes(1, 4))], refined="two")
    hits = search(index, "dragon", 1)
    [event] = [hit for hit in hits if hit.span.start < 9 and hit.moment.video == "a" and not hit.weak]
    assert {match.moment.text for match in (event, *event.also)} == {"A dragon flies.", "A dragon flies over Bath"}
    assert set(event.signals) == {"words", SPACE}
    assert texts(index, "teeth", 4, SearchFilter(videos=("a",))) == ["Dragon teeth"]
    assert texts(index, "teeth", 4, SearchFilter(videos=("b",))) == []
    assert texts(index, "Bath", None, SearchFilter(modalities=("speech",))) == []
    layers = moments("a", "A unicorn sleeps.", "")
    index.replace("a", [batch(layers[:1], axes(3)), batch(layers[1:], axes(4), PICTURES)])
    assert index.moments("a") == layers
    assert index.moments("unknown") == []
    assert texts(index, "teeth unicorn", 4) == ["Dragon teeth", "A unicorn sleeps."]
    index.replace("a", [], refined="")
    assert texts(index, "teeth unicorn", 4) == ["A unicorn sleeps."]


def test_deleting_a_video_forgets_what_closer_looks_found(index: Index) -> None:
    index.replace("a", [batch(moments("a", "Dragon teeth"), None)], refined="key")
    index.delete("a")
    assert not index.holds("a", refined="key")
    assert texts(index, "dragon teeth") == ["Dragon tattoo parlour"]


def test_closer_looks_are_held_by_their_key(index: Index) -> None:
    assert index.holds("a")
    assert index.holds("a", refined="")
    assert not index.holds("a", refined="key")
    index.replace("a", [batch(moments("a", "Dragon teeth"), None)], refined="key")
    assert index.holds("a")
    assert [index.holds("a", refined=key) for key in ("key", "other", "")] == [True, False, False]
    index.replace("a", [], refined="")
    assert index.holds("a", refined="")


def test_many_videos_are_replaced_in_one_change(index: Index) -> None:
    index.replace_all(
        {
            "a": [batch(moments("a", "A unicorn sleeps."), axes(3))],
            "c": [batch(moments("c", "One more dragon"), axes(1))],
        }
    )
    assert sorted(texts(index, "dragon unicorn price")) == [
        "A unicorn sleeps.",
        "Dragon tattoo parlour",
        "One more dragon",
    ]


WORDS = ("dragon", "kettle", "river", "tattoo", "price")


def drawn(video: str, seed: int) -> list[Batch]:
    """Moments of a video with words and vectors drawn at random; pictures for some, and some without vectors."""
    random = np.random.default_rng([int(video, 16), seed])
    said = [moment(video, n, " ".join(random.choice(WORDS, 6))) for n in range(random.integers(1, 6))]
    vectors = random.normal(size=(len(said), 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    pictures = batch([moment(video, 20, "", "visual")], axes(int(random.integers(8))), PICTURES)
    unseen = batch([moment(video, 30, "A tattoo parlour", "scene_text")], None)
    return [batch(said, vectors), *([pictures] if random.random() < 0.5 else []), unseen]


def test_what_is_found_and_in_which_order_depends_on_what_is_held_and_not_on_how_it_came(tmp_path: Path) -> None:
    grown, at_once = open_index(tmp_path / "grown"), open_index(tmp_path / "at once")
    videos = [f"{number:03x}" for number in range(30)]
    vectors = {SPACE: np.full(8, 8**-0.5, np.float32), PICTURES: axes(3)[0]}
    for video in reversed(videos):
        grown.replace(video, drawn(video, 0))
        grown.search("price", vectors, ALL, 5)
    for video in videos[8:11]:
        grown.replace(video, drawn(video, 2), refined="look")
    for video in videos[3:6]:
        grown.replace(video, drawn(video, 1))
    grown.delete(videos[7])
    held = [video for video in videos if video != videos[7]]
    at_once.replace_all({video: drawn(video, int(video in videos[3:6])) for video in held})
    for video in videos[8:11]:
        at_once.replace(video, drawn(video, 2), refined="look")
    for where in (
        ALL,
        SearchFilter(videos=(videos[4],)),
        SearchFilter(modalities=("scene_text",)),
        SearchFilter(videos=tuple(videos[::3]), span=TimeSpan(start=4, end=13)),
    ):
        for query in ("dragon price", "kettle", "submarine"):
            found, expected = (each.search(query, vectors, where, 200) for each in (grown, at_once))
            assert [hit.moment for hit in found] == [hit.moment for hit in expected]
            assert [hit.score for hit in found] == [hit.score for hit in expected]
    for video in videos[:28]:
        grown.delete(video)
    assert {hit.moment.video for hit in grown.search("dragon", vectors, ALL, 200)} == set(videos[28:])
