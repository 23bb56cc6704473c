"""The store: what survives damage, other processes and kills."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from helpers.data.search_index import axes, batch, moments, open_index

from longtake.benchmarks.faults.damage import DAMAGES, damage_file
from longtake.errors import LibraryError, LibraryUnavailable
from longtake.memory import database
from longtake.memory.records import Moment
from longtake.memory.search.index import Index
from longtake.memory.search.search_types import SearchFilter
from longtake.memory.search.store import NAME
from longtake.memory.timespan import TimeSpan

WRITER = """
import sys
from pathlib import Path
from helpers.data.search_index import axes, batch, moments, open_index
index, video = open_index(Path(sys.argv[1])), sys.argv[2]
for number in range(1_000_000):
    texts = [f"dragon {number} {row}" for row in range(20)]
    index.replace(video, [batch(moments(video, *texts), axes(*[1] * 20))])
    print(number, flush=True)
"""


@pytest.fixture
def index(tmp_path: Path) -> Index:
    index = open_index(tmp_path / "index")
    index.replace("a", [batch(moments("a", "It says “no” \u2028 и да", "one third", ""), axes(0, 1, 2))])
    return index


def found(index: Index, query: str = "third") -> list[str]:
    return [hit.moment.text for hit in index.search(query, {}, SearchFilter(), 5) if not hit.weak]


def test_what_is_found_is_what_was_written(index: Index) -> None:
    third = Moment(
        video="b",
        span=TimeSpan(start=1 / 3, end=2 / 3),
        modality="scene_text",
        text="text",
        engine="engine",
        layer="layer",
        score=0.75,
        trusted=False,
        box=(0.1, 1 / 3, 0.5, 0.05),
    )
    index.replace("b", [batch([third], None)])
    again = open_index(index.root)
    again.check()
    assert [hit.moment for hit in again.search("text", {}, SearchFilter(), 1)] == [third]
    assert found(again, "и да") == ["It says “no” \u2028 и да"]


def test_a_file_that_is_busy_is_not_damaged(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_WAIT", 0.1)
    with closing(sqlite3.connect(index.root / NAME)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(LibraryUnavailable, match="try again"):
            index.delete("a")
        assert found(index) == ["one third"]


def test_a_disk_that_fails_for_now_takes_no_index_away(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    failing = sqlite3.OperationalError("disk I/O error")
    failing.sqlite_errorcode = sqlite3.SQLITE_IOERR
    monkeypatch.setattr(database, "connect_to_read", lambda _: (_ for _ in ()).throw(failing))
    with pytest.raises(LibraryUnavailable):
        found(Index(index.root, refill=lambda: pytest.fail("no damage")))
    monkeypatch.undo()
    assert found(open_index(index.root)) == ["one third"]


def change_a_text(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"one third", b"one fifth"))


def take_a_column(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("ALTER TABLE moments RENAME COLUMN checksum TO digest")


@pytest.mark.parametrize(
    "damage",
    [
        change_a_text,
        take_a_column,
        lambda file: file.write_bytes(b"no database at all" * 100),
        *(lambda file, how=how: damage_file(file, how, file.read_bytes().index(b"one third")) for how in DAMAGES),
    ],
    ids=["text", "column", "other", *DAMAGES],
)
def test_damage_is_noticed_and_filled_again(index: Index, damage: Callable[[Path], object]) -> None:
    index.replace_all({f"v{number}": [batch(moments("v", "A dragon flies."), axes(3))] for number in range(100)})
    damage(index.root / NAME)
    with pytest.raises(LibraryError):
        open_index(index.root).check()
    again = Index(index.root, refill=lambda: again.replace("a", [batch(moments("a", "one third"), axes(1))]))
    assert found(again) == ["one third"]


def test_a_change_of_a_damaged_file_starts_anew(index: Index) -> None:
    (index.root / NAME).write_bytes(b"no database at all" * 100)
    assert not index.holds("a")
    index.replace("b", [batch(moments("b", "two thirds"), axes(1))])
    assert found(index) == ["two thirds"]


@pytest.mark.nightly
def test_writers_side_by_side_may_be_killed_at_any_moment(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    chance = random.Random(7)
    index = open_index(tmp_path / "index")
    program = f"import sys; sys.path[:0] = {sys.path!r}\n{WRITER}"
    for number in range(10):
        written = {video: tmp_path / f"{video} {number}" for video in "abc"}
        with ExitStack() as started:
            processes: list[subprocess.Popen[bytes]] = []
            for video, file in written.items():
                command = [sys.executable, "-c", program, str(index.root), video]
                output = started.enter_context(file.open("w"))
                processes.append(started.enter_context(subprocess.Popen(command, stdout=output, stderr=output)))
            while not all(file.stat().st_size for file in written.values()):
                time.sleep(0.05)
            for process in processes:
                time.sleep(chance.uniform(0, 0.2))
                process.kill()
        index.check()
        hits = index.search("dragon", {}, SearchFilter(), 100)
        found = [match.moment for hit in hits for match in (hit, *hit.also)]
        assert len(found) == 60
        for video, file in written.items():
            last = int(file.read_text().split()[-1])
            texts = {each.text.split()[1] for each in found if each.video == video}
            assert texts in ({str(last)}, {str(last + 1)})
    assert not caplog.records
