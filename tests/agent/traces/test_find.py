"""Which run a person means."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from longtake.agent.traces.lenient_run import find_run, run_ids
from longtake.agent.traces.trace import Trace
from longtake.errors import LibraryError

IDS = ["20260101-000000-aaaaaaaa", "20260102-000000-bbbbbbbb", "20260102-000000-bbcccccc"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for number, run in enumerate(IDS):
        (tmp_path / f"{run}.jsonl").write_text("", encoding="utf-8")
        os.utime(tmp_path / f"{run}.jsonl", (number, 9 - number))
    (tmp_path / "notes.jsonl").write_text("", encoding="utf-8")
    return tmp_path


def test_runs_are_listed_newest_first_those_of_one_second_by_when_they_ended(root: Path) -> None:
    assert run_ids(root) == [IDS[1], IDS[2], IDS[0]]


@pytest.mark.parametrize(("reference", "run"), [(IDS[0], IDS[0]), ("20260101", IDS[0]), ("last", IDS[1])])
def test_a_run_is_named_by_its_id_its_beginning_or_as_the_last(root: Path, reference: str, run: str) -> None:
    assert find_run(root, reference).id == run


def test_the_run_that_was_just_asked_is_the_last(root: Path) -> None:
    trace = Trace(root)
    trace.close()
    assert find_run(root, "last").id == trace.run


def test_a_beginning_of_several_and_of_none_is_refused(root: Path) -> None:
    with pytest.raises(LibraryError, match=f"'20260102' matches 2 traces, such as {IDS[1]}, {IDS[2]}: give more"):
        find_run(root, "20260102")
    with pytest.raises(LibraryError, match=r"begins with '\.\./x': `longtake trace list` lists them"):
        find_run(root, "../x")


def test_a_library_without_traces_says_what_leaves_one(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="`longtake ask`"):
        find_run(tmp_path / "none", "last")
