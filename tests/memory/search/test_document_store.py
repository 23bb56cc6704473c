"""Documents in SQLite: what survives damage, other processes and kills."""

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
from helpers.data.search_index import batch, document, documents, open_index

from longtake.benchmarks.faults.damage import DAMAGES, damage_file
from longtake.errors import LibraryUnavailable
from longtake.memory import database
from longtake.memory.search.document_store import DocumentsError, DocumentStore
from longtake.memory.search.search_index import Document, SearchFilter
from longtake.memory.timespan import TimeSpan

HELD = [document("a", 1, "It says “no” \u2028 и да"), document("a", 3, "one third"), document("a", 7, "")]
WRITER = """
import sys
from pathlib import Path
from helpers.data.search_index import axes, batch, documents, open_index
index, video = open_index(Path(sys.argv[1])), sys.argv[2]
for number in range(1_000_000):
    texts = [f"dragon {number} {row}" for row in range(20)]
    index.replace(video, [batch(documents(video, *texts), axes(*[1] * 20))])
    print(number, flush=True)
"""


@pytest.fixture
def store(tmp_path: Path) -> DocumentStore:
    store = DocumentStore(tmp_path / "documents.sqlite")
    store.add_all([("a", "one", HELD)])
    return store


def holds(store: DocumentStore, revision: str) -> bool:
    try:
        return bool(store.get([(revision, 0)]))
    except DocumentsError:
        return False


def test_what_is_read_is_what_was_written(store: DocumentStore) -> None:
    third = Document("b:1", "b", TimeSpan(start=1 / 3, end=2 / 3), "scene_text", "text", "engine", "layer", 0.75, False)
    store.add_all([("b", "two", [third]), ("a", "one", HELD)])
    again = DocumentStore(store.file)
    assert again.get([("one", 2), ("two", 0), ("one", 0), ("one", 2)]) == [HELD[2], third, HELD[0], HELD[2]]
    assert again.get([]) == []
    again.check({"one": 3, "two": 1, "empty": 0})


def test_a_missing_document_is_an_error(store: DocumentStore) -> None:
    for missing in (("one", 3), ("other", 0)):
        with pytest.raises(DocumentsError):
            store.get([("one", 0), missing])
    for counts in ({"one": 4}, {"other": 1}):
        with pytest.raises(DocumentsError):
            store.check(counts)
    with pytest.raises(DocumentsError):
        DocumentStore(store.file.with_name("elsewhere")).get([("one", 0)])


def test_removing_other_revisions_leaves_other_videos_alone(store: DocumentStore) -> None:
    store.add_all([("a", "new", [document("a", 0, "new")]), ("b", "far", [document("b", 0, "far")])])
    store.keep_only({"a": "new"})
    assert [holds(store, name) for name in ("one", "new", "far")] == [False, True, True]
    store.keep_only({"a": None, "unknown": "far"})
    assert [holds(store, name) for name in ("new", "far")] == [False, True]


def test_a_file_that_is_busy_is_not_damaged(store: DocumentStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_WAIT", 0.1)
    with closing(sqlite3.connect(store.file)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(LibraryUnavailable, match="try again"):
            store.keep_only({"a": None})
        assert store.get([("one", 1)]) == [HELD[1]]


def change_a_text(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"one third", b"one fifth"))


def take_a_column(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("ALTER TABLE documents RENAME COLUMN checksum TO digest")


@pytest.mark.parametrize(
    "damage",
    [
        change_a_text,
        take_a_column,
        lambda file: file.write_bytes(b""),
        lambda file: file.write_bytes(b"no database at all" * 100),
        *(lambda file, how=how: damage_file(file, how, file.read_bytes().index(b"one third")) for how in DAMAGES),
    ],
    ids=["text", "column", "empty", "other", *DAMAGES],
)
def test_damage_is_noticed(store: DocumentStore, damage: Callable[[Path], object]) -> None:
    store.add_all([(f"video {number}", f"{number}", documents("a", "A dragon flies.")) for number in range(100)])
    damage(store.file)
    with pytest.raises(DocumentsError):
        store.check({"one": 3, "99": 1})
    store.clear()
    assert list(store.file.parent.glob("documents.sqlite*")) == []
    store.add_all([("a", "one", HELD)])
    assert store.get([("one", 1)]) == [HELD[1]]


def test_a_search_imports_no_chroma(tmp_path: Path) -> None:
    open_index(tmp_path / "index").replace("a", [batch(documents("a", "A dragon flies."), None)])
    script = """
import sys
from pathlib import Path
from longtake.memory.search.hybrid_search import HybridIndex
from longtake.memory.search.search_index import SearchFilter
hits = HybridIndex(Path(sys.argv[1])).search("dragon", {}, SearchFilter(), 3)
print([hit.document.text for hit in hits], "chromadb" in sys.modules, "httpx" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "index")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "['A dragon flies.'] False False"


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
        found = [match.document for hit in hits for match in (hit, *hit.also)]
        assert len(found) == 60
        for video, file in written.items():
            last = int(file.read_text().split()[-1])
            texts = {each.text.split()[1] for each in found if each.video == video}
            assert texts in ({str(last)}, {str(last + 1)})
    assert not caplog.records
