"""The file that says which documents count."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.memory.search.current_revisions import Revision, read_current, write_current

HELD = {
    "a": Revision(key="one", count=2, spaces={"model": (0, 2)}),
    "b+refined": Revision(key="two", count=1, spaces={}),
}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    assert read_current(tmp_path / "revisions.json") == {}
    write_current(tmp_path / "revisions.json", HELD)
    assert read_current(tmp_path / "revisions.json") == HELD


def test_a_change_of_any_byte_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "revisions.json"
    write_current(file, HELD)
    written = file.read_bytes()
    for place in range(len(written) - 1):
        changed = bytearray(written)
        changed[place] ^= 1
        file.write_bytes(changed)
        with pytest.raises(ValueError, match=r"."):  # of any kind
            read_current(file)


def test_a_file_without_a_digest_is_read(tmp_path: Path) -> None:
    file = tmp_path / "revisions.json"
    write_current(file, HELD)
    file.write_text(file.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
    assert read_current(file) == HELD
