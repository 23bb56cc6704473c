"""The library's SQLite file, read while others write it and where nobody may."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from longtake.agent.graph.threads import usable_threads
from longtake.errors import LibraryError, LibraryUnavailable
from longtake.memory import database
from longtake.memory.database import open_database, read_database
from longtake.memory.library import LibraryStore

TABLE = "CREATE TABLE IF NOT EXISTS pieces (number INTEGER PRIMARY KEY, text TEXT NOT NULL);"
WRITER = f"""
import sys
from pathlib import Path
from longtake.memory.database import open_database
for number in range(int(sys.argv[2])):
    with open_database(Path(sys.argv[1]), {TABLE!r}, "pieces") as connection:
        connection.execute("DELETE FROM pieces")
        connection.executemany("INSERT INTO pieces (text) VALUES (?)", [(f"{{number}} " * 400,)] * 40)
"""
# A user of whom no file is; without the right to write where he may not, which the administrator has.
READER = """
import os, sys
from pathlib import Path
from longtake.memory.database import read_database
if os.geteuid() == 0:
    os.setuid(65534)
with read_database(Path(sys.argv[1]), "pieces", "pieces") as connection:
    print(connection.execute("SELECT text FROM pieces").fetchall())
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "library" / "memory.sqlite"
    write(file, "kettle")
    return file


def write(file: Path, text: str) -> None:
    with open_database(file, TABLE, "pieces") as connection:
        connection.execute("INSERT INTO pieces (text) VALUES (?)", (text,))


def texts(file: Path) -> list[str]:
    with read_database(file, "pieces", "pieces") as connection:
        return [text for (text,) in connection.execute("SELECT text FROM pieces")] if connection else []


def test_what_another_process_writes_meanwhile_is_read(file: Path) -> None:
    with read_database(file, "pieces", "pieces") as connection:
        assert connection
        assert connection.execute("SELECT count(*) FROM pieces").fetchone() == (1,)
        subprocess.run([sys.executable, "-c", WRITER, str(file), "3"], check=True)
        assert connection.execute("SELECT DISTINCT text FROM pieces").fetchall() == [("2 " * 400,)]


@pytest.mark.slow
def test_a_reader_beside_a_writer_always_reads_what_was_written_at_once(file: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", WRITER, str(file), "200"]) as writer:
        while writer.poll() is None:
            assert len(set(texts(file))) == 1
    assert writer.returncode == 0
    assert texts(file) == ["199 " * 400] * 40


def test_reading_leaves_no_file_behind_and_the_file_as_it_was(file: Path) -> None:
    before = {each.name: each.read_bytes() for each in file.parent.iterdir()}
    assert texts(file) == ["kettle"]
    assert {each.name: each.read_bytes() for each in file.parent.iterdir()} == before


def test_nothing_is_written_by_a_connection_for_reading(file: Path) -> None:
    with read_database(file, "pieces", "pieces") as connection:
        assert connection
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute("DELETE FROM pieces")
    assert texts(file) == ["kettle"]


def test_what_lies_in_the_log_of_a_killed_writer_is_read(file: Path) -> None:
    program = (
        "import os, sqlite3, sys; connection = sqlite3.connect(sys.argv[1])\n"
        "connection.execute('PRAGMA journal_mode = WAL')\n"
        "connection.execute(\"INSERT INTO pieces (text) VALUES ('teapot')\"); connection.commit(); os._exit(1)"
    )
    subprocess.run([sys.executable, "-c", program, str(file)], check=False)
    assert file.with_name("memory.sqlite-wal").stat().st_size > 0
    assert texts(file) == ["kettle", "teapot"]


def test_a_library_that_may_not_be_written_to_is_read() -> None:
    with tempfile.TemporaryDirectory() as folder:  # one that another user may enter
        file = Path(folder) / "memory.sqlite"
        write(file, "kettle")
        os.chmod(file, 0o444)
        os.chmod(folder, 0o555)
        try:
            done = subprocess.run(
                [sys.executable, "-c", READER, str(file)], capture_output=True, text=True, check=False
            )
        finally:
            os.chmod(folder, 0o755)
    assert (done.stdout.strip(), done.stderr) == ("[('kettle',)]", "")


def test_a_file_that_cannot_be_opened_where_writing_is_allowed_is_an_error(file: Path) -> None:
    file.unlink()
    file.mkdir()
    with pytest.raises(LibraryError, match="pieces in "):
        texts(file)


def test_a_table_that_is_not_there_is_none(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DROP TABLE pieces")
    with read_database(file, "pieces", "pieces") as reading:
        assert reading is None


def add_a_piece(file: Path) -> None:
    write(file, "pot")


def add_a_thread(file: Path) -> None:
    with usable_threads(LibraryStore(file.parent)), closing(sqlite3.connect(file, timeout=0.1)) as connection:
        connection.execute("BEGIN IMMEDIATE")


@pytest.mark.parametrize("add", [add_a_piece, add_a_thread])
def test_a_busy_file_is_tried_again_and_never_moved_away(
    add: Callable[[Path], None], file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "_WAIT", 0.1)
    with closing(sqlite3.connect(file)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LibraryUnavailable, match="try again") as told:
            add(file)
    assert "away" not in str(told.value)
    assert texts(file) == ["kettle"]


def test_a_file_that_is_damaged_is_closed_again(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def watched(*arguments: Any, **options: Any) -> sqlite3.Connection:
        opened.append(connect(*arguments, **options))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", watched)
    file.write_bytes(b"no database at all" * 100)
    with pytest.raises(LibraryError, match="away"):
        write(file, "pot")
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")
    assert opened
