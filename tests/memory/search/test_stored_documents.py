"""Documents that Chroma wrote, read without it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from helpers.data.search_index import batch, document, documents, open_index

from longtake.errors import LibraryUnavailable
from longtake.memory import database
from longtake.memory.search import stored_documents
from longtake.memory.search.document_store import DocumentStore
from longtake.memory.search.search_index import SearchFilter
from longtake.memory.search.stored_documents import DocumentsError, read_documents

ALL = SearchFilter()


def test_what_chroma_wrote_is_read_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = DocumentStore(tmp_path)
    store.add("a", "old", [document("a", 0, "old")])
    held = [document("a", 1, "It says “no” \u2028 и да"), document("a", 3, "one third"), document("a", 7, "")]
    store.add("a", "new", held)
    store.remove_others("a", "new")
    rows = [("new", row) for row in (2, 0, 1, 0)]
    assert read_documents(tmp_path, rows) is None  # Chroma has the file open: its locks would be lost
    monkeypatch.setattr(stored_documents, "_of_chroma", threading.Event())
    assert read_documents(tmp_path, rows) == [held[row] for _, row in rows]
    for missing in (("old", 0), ("new", 3)):
        with pytest.raises(DocumentsError):
            read_documents(tmp_path, [missing])
    with pytest.raises(DocumentsError):
        read_documents(tmp_path / "elsewhere", [("new", 0)])


def test_a_file_that_is_busy_is_not_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    DocumentStore(tmp_path).add("a", "one", [document("a", 0, "text")])
    monkeypatch.setattr(stored_documents, "_of_chroma", threading.Event())
    monkeypatch.setattr(database, "_WAIT", 0.1)
    with closing(sqlite3.connect(tmp_path / "chroma.sqlite3")) as writer:
        writer.execute("BEGIN EXCLUSIVE")
        with pytest.raises(LibraryUnavailable):
            read_documents(tmp_path, [("one", 0)])
    assert read_documents(tmp_path, [("one", 0)]) == [document("a", 0, "text")]


def test_a_search_imports_no_chroma(tmp_path: Path) -> None:
    open_index(tmp_path / "index").replace("a", [batch(documents("a", "A dragon flies."), None)])
    script = """
import sys
from pathlib import Path
from longtake.memory.search.hybrid_search import HybridIndex
from longtake.memory.search.search_index import SearchFilter
hits = HybridIndex(Path(sys.argv[1])).search("dragon", {}, SearchFilter(), 3)
print([hit.document.text for hit in hits], "chromadb" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "index")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "['A dragon flies.'] False"


def test_files_of_another_form_are_read_with_chroma(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = open_index(tmp_path / "index")
    index.replace("a", [batch(documents("a", "A dragon flies."), None)])
    monkeypatch.setattr(stored_documents, "_of_chroma", threading.Event())
    monkeypatch.setattr(stored_documents, "_BY_KEY", "SELECT key, text FROM elsewhere WHERE ?1 AND ?2 AND ?3")
    assert [hit.document.text for hit in index.search("dragon", {}, ALL, 3)] == ["A dragon flies."]
