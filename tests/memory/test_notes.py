"""Notes of threads, in the library's SQLite file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

from longtake.agent.graph.threads import open_threads
from longtake.errors import LibraryError
from longtake.memory.library import LibraryStore
from longtake.memory.notes import MAX_NOTES, Notes
from longtake.memory.postgres import Postgres


@pytest.fixture
def notes(place: Path | Postgres) -> Notes:
    return Notes(place)


def found(notes: Notes, words: str, thread: str = "t") -> list[str]:
    return [note.text for note in notes.search(thread, words, 20)]


def test_a_note_is_found_by_its_words_in_any_form(notes: Notes) -> None:
    notes.add("t", "The kettles cost $249 at 00:12:30")
    notes.add("t", "A heron stands in the river")
    notes.add("t", "価格は二万円です")
    assert found(notes, "kettle") == ["The kettles cost $249 at 00:12:30"]
    assert found(notes, "what costs $249?") == ["The kettles cost $249 at 00:12:30"]
    assert found(notes, "RIVER herons") == ["A heron stands in the river"]
    assert found(notes, "価格") == ["価格は二万円です"]
    assert found(notes, "bridge") == []


def test_the_note_with_most_of_the_words_comes_first_and_then_the_newest(notes: Notes) -> None:
    for text in ("blue kettle", "a kettle", "red kettle on a blue table", "another kettle"):
        notes.add("t", text)
    assert found(notes, "blue kettle")[0] == "blue kettle"
    assert found(notes, "kettle") == ["another kettle", "red kettle on a blue table", "a kettle", "blue kettle"]
    assert [note.text for note in notes.search("t", "kettle", 1)] == ["another kettle"]


def test_without_words_all_are_listed_newest_first(notes: Notes) -> None:
    notes.add("t", "one")
    notes.add("t", "two")
    assert found(notes, " ") == ["two", "one"]


@pytest.mark.parametrize("words", ['"', "kettle OR", "' OR 1=1 --", "*", "NEAR(", "%", "\x00"])
def test_words_are_no_query_language(words: str, notes: Notes) -> None:
    notes.add("t", "heron")
    assert found(notes, words) == []


def test_threads_do_not_see_each_others_notes(notes: Notes) -> None:
    mine, other = notes.add("t", "kettle"), notes.add("u", "kettle and pot")
    assert found(notes, "kettle", "u") == ["kettle and pot"]
    assert notes.delete("t", str(other)) == 0
    assert notes.delete("t", "kettle and pot") == 0
    notes.forget("u")
    assert found(notes, "kettle", "u") == []
    assert notes.search("t", "", 9) == [(mine, "kettle")]


def test_a_note_is_deleted_by_id_or_by_its_exact_text(notes: Notes) -> None:
    first = notes.add("t", "kettle")
    for text in ("pot", "pot", "a pot", "42"):
        notes.add("t", text)
    assert notes.delete("t", str(first)) == 1
    assert notes.delete("t", str(first)) == 0
    assert notes.delete("t", "pot") == 2
    assert notes.delete("t", "42") == 1  # no id
    assert notes.delete("t", "9" * 40) == 0
    assert found(notes, "") == ["a pot"]


def test_an_id_is_never_used_again(notes: Notes) -> None:
    first = notes.add("t", "kettle")
    notes.delete("t", "kettle")
    assert notes.add("t", "pot") != first


def test_a_full_thread_takes_no_more_and_others_do(notes: Notes) -> None:
    with notes._open() as connection:
        rows = [("t", str(number), 0.0) for number in range(MAX_NOTES)]
        for row in rows:
            connection.execute("INSERT INTO notes (thread, text, written) VALUES (?, ?, ?)", row)
    assert notes.add("t", "one more") is None
    assert notes.add("u", "one more") is not None
    notes.delete("t", "17x")
    notes.delete("t", "50")
    assert notes.add("t", "one more") is not None


@pytest.mark.slow
def test_processes_that_write_at_once_lose_nothing(notes: Notes, place: Path | Postgres) -> None:
    url = place.url if isinstance(place, Postgres) else ""
    program = (
        "import sys; from pathlib import Path; from longtake.memory.notes import Notes\n"
        "from longtake.memory.postgres import Postgres\n"
        "notes = Notes(Postgres(sys.argv[3]) if sys.argv[3] else Path(sys.argv[1]))\n"
        "for number in range(15):\n"
        "    assert notes.add('t', f'{sys.argv[2]}-{number}')\n"
        "    notes.add('t', f'passing {sys.argv[2]}'); assert notes.delete('t', f'passing {sys.argv[2]}') == 1\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", program, str(place), str(each), url]) for each in range(4)]
    assert [writer.wait() for writer in writers] == [0] * 4
    kept = {note.text for note in notes.search("t", "", 1_000)}
    assert kept == {f"{each}-{number}" for each in range(4) for number in range(15)}


def test_notes_and_the_checkpoints_of_threads_share_a_file(tmp_path: Path) -> None:
    library = LibraryStore(tmp_path)
    notes = Notes(library.memory)
    notes.add("t", "before")
    threads = open_threads(library)
    assert isinstance(threads, SqliteSaver)
    notes.add("t", "after")
    assert threads.get({"configurable": {"thread_id": "t"}}) is None
    assert found(notes, "") == ["after", "before"]
    threads.delete_thread("t")
    assert found(notes, "") == ["after", "before"]


def test_a_damaged_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "memory.sqlite").write_bytes(b"no database at all" * 100)
    with pytest.raises(LibraryError, match=r"memory\.sqlite .*away"):
        Notes(tmp_path / "memory.sqlite").add("t", "kettle")
