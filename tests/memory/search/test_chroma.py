"""Vectors on a Chroma server: a search finds what it finds without one, and a lost server is no damage."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import httpx
import numpy as np
import pytest
from helpers.data.search_index import PICTURES, SPACE, axes, batch, moments
from helpers.servers.chroma_server import chroma_server

from longtake.errors import LibraryUnavailable
from longtake.memory.records import MODALITIES, Modality, Moment
from longtake.memory.search import chroma
from longtake.memory.search.index import Index
from longtake.memory.search.search_types import Batch, Hit, SearchFilter, Vectors
from longtake.memory.search.vectors import VectorSpace
from longtake.memory.timespan import TimeSpan

ALL = SearchFilter()
COLLECTIONS = "/api/v2/tenants/default_tenant/databases/default_database/collections"
WRITER = """
import sys
from pathlib import Path
from longtake.memory.search.index import Index
from longtake.memory.search.search_types import SearchFilter
from helpers.data.search_index import SPACE
import numpy as np
Index(Path(sys.argv[1]), chroma=sys.argv[2]).search("", {SPACE: np.eye(16, dtype=np.float32)[0]}, SearchFilter(), 5)
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with chroma_server(tmp_path_factory.mktemp("server")) as address:
        yield address


def opened(root: Path, server: str | None) -> Index:
    return Index(root, floors={SPACE: 0.3, PICTURES: 0.3}, chroma=server)


def vectors(rows: int, seed: int = 0) -> Vectors:
    numbers = np.random.default_rng(seed).normal(size=(rows, 16))
    found: Vectors = (numbers / np.linalg.norm(numbers, axis=1, keepdims=True)).astype(np.float32)
    return found


def of_all_kinds(video: str, rows: int) -> list[Moment]:
    """Moments of all modalities, every seventh without length."""
    spans = [TimeSpan(start=row * 2.0, end=row * 2.0 + (2.0 if row % 7 else 0.0)) for row in range(rows)]
    return [
        Moment(
            video=video,
            span=span,
            modality=MODALITIES[row % 5],
            text=f"words {video} {row}",
            engine="engine",
            layer="layer",
        )
        for row, span in enumerate(spans)
    ]


def fill(index: Index, *videos: str) -> None:
    for seed, video in enumerate(videos):
        said = Batch(SPACE, of_all_kinds(video, 80), vectors(80, seed))
        index.replace(video, [said, Batch(PICTURES, of_all_kinds(video, 40), vectors(40, seed + 9))])


def near(index: Index, axis: int, where: SearchFilter = ALL) -> list[str]:
    """Names of the moments along an axis."""
    """The moments that fit, by video and number."""
    hits = index.search("", {SPACE: axes(axis)[0]}, where, 9)
    return [f"{hit.moment.video}:{hit.moment.span.start // 3:.0f}" for hit in hits if not hit.weak]


def test_the_server_finds_what_a_search_without_it_finds(
    tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_server, without = opened(tmp_path / "index", f"{server}/same"), opened(tmp_path / "index", None)
    fill(without, "a", "b", "c")
    videos: list[tuple[str, ...]] = [(), ("b",), ("a", "c")]
    modalities: list[tuple[Modality, ...]] = [(), ("speech",), ("visual", "metadata")]
    spans = [None, TimeSpan(start=14, end=28), TimeSpan(start=28, end=28), TimeSpan(start=500, end=600)]
    for number, each in enumerate(product(videos, modalities, spans)):
        where = SearchFilter(*each)
        asked = {SPACE: vectors(1, 50 + number)[0], PICTURES: vectors(1, 90 + number)[0]}
        expected = without.search("words", asked, where, 12)
        with monkeypatch.context() as alone:
            alone.setattr(VectorSpace, "nearest", lambda *_: pytest.fail("the server finds all"))
            found = with_server.search("words", asked, where, 12)
        assert list(map(facts, found)) == list(map(facts, expected))
        for one, other in zip(found, expected, strict=True):
            cosines = {name: signal.score for name, signal in other.signals.items()}
            assert {name: signal.score for name, signal in one.signals.items()} == pytest.approx(cosines, abs=1e-5)


def facts(hit: Hit) -> object:
    """All but its cosines, which two libraries round differently."""
    ranks = {name: signal.rank for name, signal in hit.signals.items()}
    return hit.moment, hit.score, hit.span, hit.weak, ranks, [match.moment for match in hit.also]


def test_a_filter_reaches_behind_what_is_nearer(tmp_path: Path, server: str) -> None:
    """What a filter allows is found behind 300 nearer moments, which are equal: HNSW may not get past them."""
    index = opened(tmp_path / "index", f"{server}/filters")
    span = TimeSpan(start=2000, end=2003)
    index.replace("a", [batch(moments("a", *["nearer"] * 300), axes(*[1] * 300))])
    other = Moment(video="b", span=span, modality="audio", text="other", engine="engine", layer="layer")
    index.replace("b", [batch([other], (axes(1) + axes(2)) / np.float32(np.sqrt(2)))])
    for where in (SearchFilter(videos=("b",)), SearchFilter(modalities=("audio",)), SearchFilter(span=span)):
        assert near(index, 1, where) == ["b:666"]


def test_libraries_on_one_server_stay_apart(tmp_path: Path, server: str) -> None:
    for name in ("one", "two"):
        index = opened(tmp_path / name, f"{server}/{name}")
        index.replace(name, [batch(moments(name, "first", "second"), axes(1, 2))])
        assert near(index, 1) == [f"{name}:0"]
    opened(tmp_path / "one", None).delete("one")
    assert near(opened(tmp_path / "one", f"{server}/one"), 1) == []
    assert near(opened(tmp_path / "two", f"{server}/two"), 1) == ["two:0"]


def test_what_changed_without_the_server_is_searched_as_it_is_now(tmp_path: Path, server: str) -> None:
    index = opened(tmp_path / "index", f"{server}/changed")
    index.replace_all({video: [batch(moments(video, "first", "second"), axes(1, 2))] for video in "abc"})
    assert near(index, 1) == ["a:0", "b:0", "c:0"]
    other = opened(tmp_path / "index", None)
    other.delete("a")
    other.replace("b", [batch(moments("b", "first"), axes(3))])
    other.replace("b", [batch(moments("b", "closer look"), axes(1))], refined="key")
    assert near(index, 1) == ["b:0", "c:0"]
    assert near(index, 2) == ["c:1"]
    assert near(index, 3) == ["b:0"]
    assert total(server, "changed") == 4


def collections(server: str, library: str) -> dict[str, str]:
    """Ids of the collections of a library, by name."""
    answer = httpx.get(server + COLLECTIONS).raise_for_status().json()
    return {each["name"]: each["id"] for each in answer if each["name"].startswith(f"{library}-")}


def total(server: str, library: str) -> int:
    """How many vectors the server has of a library."""
    counts = (httpx.get(f"{server}{COLLECTIONS}/{id}/count") for id in collections(server, library).values())
    return sum(int(answer.raise_for_status().text) for answer in counts)


@pytest.mark.parametrize("loss", ["collection", "vectors", "some vectors"])
def test_what_the_server_lost_returns_with_the_next_search(tmp_path: Path, server: str, loss: str) -> None:
    library = f"lost-{loss.replace(' ', '-')}"
    index = opened(tmp_path / "index", f"{server}/{library}")
    index.replace("a", [batch(moments("a", *"abcdefgh"), axes(*range(8)))])
    assert near(index, 1) == ["a:1"]
    [(name, id)] = collections(server, library).items()
    if loss == "collection":
        httpx.delete(f"{server}{COLLECTIONS}/{name}").raise_for_status()
    else:
        keys = httpx.post(f"{server}{COLLECTIONS}/{id}/get", json={"include": []}).json()["ids"]
        chosen = sorted(keys)[: 3 if loss == "some vectors" else None]
        httpx.post(f"{server}{COLLECTIONS}/{id}/delete", json={"ids": chosen}).raise_for_status()
    assert [near(index, axis) for axis in range(8)] == [[f"a:{axis}"] for axis in range(8)]


def test_a_server_set_back_to_an_earlier_state_catches_up(tmp_path: Path) -> None:
    with chroma_server(tmp_path / "server") as address:
        index = opened(tmp_path / "index", f"{address}/name")
        index.replace("a", [batch(moments("a", "first"), axes(1))])
        assert near(index, 1) == ["a:0"]
    opened(tmp_path / "index", None).replace("a", [batch(moments("a", "first", "second"), axes(2, 1))])
    with chroma_server(tmp_path / "server") as address:
        assert near(opened(tmp_path / "index", f"{address}/name"), 1) == ["a:1"]


@pytest.mark.nightly
def test_a_copy_that_was_killed_halfway_goes_on(tmp_path: Path, server: str) -> None:
    index = opened(tmp_path / "index", f"{server}/killed")
    for number in range(30):
        index.replace(f"v{number:02}", [Batch(SPACE, of_all_kinds(f"v{number:02}", 200), vectors(200, number))])
    program = f"import sys; sys.path[:0] = {sys.path!r}\n{WRITER}"
    reached = [0]
    for _ in range(2):
        with subprocess.Popen([sys.executable, "-c", program, str(index.root), f"{server}/killed"]) as writer:
            while writer.poll() is None and total(server, "killed") <= reached[-1]:
                time.sleep(0.01)
            writer.kill()
        reached.append(total(server, "killed"))
    assert reached == sorted(set(reached))
    assert reached[-1] < 6000
    asked = {SPACE: vectors(1, 99)[0]}
    expected = opened(index.root, None).search("", asked, ALL, 9)
    assert [hit.moment for hit in index.search("", asked, ALL, 9)] == [hit.moment for hit in expected]
    assert total(server, "killed") == 6000


def test_a_server_that_is_gone_is_told_and_damages_nothing(tmp_path: Path) -> None:
    with chroma_server(tmp_path / "server") as address:
        index = opened(tmp_path / "index", f"{address}/name")
        index.replace("a", [batch(moments("a", "dragon"), axes(1))])
        assert near(index, 1) == ["a:0"]
    for reader in (index, Index(index.root, chroma=f"{address}/name", refill=lambda: pytest.fail("no damage"))):
        with pytest.raises(LibraryUnavailable, match="Chroma server") as refused:
            near(reader, 1)
        assert "Connection refused" in str(refused.value)
        assert "Errno" not in str(refused.value)
        assert [hit.moment.text for hit in reader.search("dragon", {}, ALL, 1)] == ["dragon"]
        reader.replace("b", [batch(moments("b", "tattoo"), axes(1))])
    assert near(opened(index.root, None), 1) == ["a:0", "b:0"]


def test_a_server_that_says_nothing_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chroma, "_ANSWERS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(LibraryUnavailable, match=address):
            opened(tmp_path, f"{address}/name").check()
