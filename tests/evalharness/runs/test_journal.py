"""Append-only JSONL: what was written survives, what was torn is cut off, what is broken is told."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.full_disk import full_disk

from longtake.errors import LibraryError
from longtake.evalharness.runs.journal import Journal, read_records
from longtake.memory.timespan import TimeSpan

ONE, TWO = TimeSpan(start=1, end=2), TimeSpan(start=3, end=4)


def read(file: Path) -> tuple[list[TimeSpan], list[str]]:
    reported: list[str] = []
    return list(read_records(file, TimeSpan, reported.append)), reported


def test_what_is_appended_is_read_in_order(tmp_path: Path) -> None:
    file = tmp_path / "spans.jsonl"
    for span in (ONE, TWO):
        with Journal(file) as journal:
            journal.append(span)
    assert read(file) == ([ONE, TWO], [])


def test_a_torn_last_line_is_left_out_and_cut_off_before_the_next(tmp_path: Path) -> None:
    file = tmp_path / "spans.jsonl"
    with Journal(file) as journal:
        journal.append(ONE)
    with file.open("ab") as stream:
        stream.write(b'{"start":3.0,' + b" " * 100_000)
    assert read(file) == ([ONE], [])
    with Journal(file) as journal:
        journal.append(TWO)
    assert read(file) == ([ONE, TWO], [])


def test_a_file_that_is_one_torn_line_is_emptied(tmp_path: Path) -> None:
    file = tmp_path / "spans.jsonl"
    file.write_bytes(b'{"start"')
    with Journal(file):
        pass
    assert file.read_bytes() == b""


def test_a_broken_line_is_reported_with_its_number_and_field_and_the_rest_is_read(tmp_path: Path) -> None:
    file = tmp_path / "spans.jsonl"
    file.write_text(f'{ONE.model_dump_json()}\n\n{{"start": 1, "end": "soon"}}\nnonsense\n{TWO.model_dump_json()}\n')
    spans, reported = read(file)
    assert spans == [ONE, TWO]
    assert [text.partition(":")[0] for text in reported] == [f"{file}, line 3", f"{file}, line 4"]
    assert "end: " in reported[0]


def test_a_file_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert read(tmp_path / "none.jsonl") == ([], [])


def test_where_there_is_no_room_the_half_line_is_taken_back(tmp_path: Path) -> None:
    file = tmp_path / "spans.jsonl"
    with Journal(file) as journal:
        journal.append(ONE)
        room = file.stat().st_size + 5
        with full_disk(room), pytest.raises(LibraryError, match=r"cannot be written to: File too large; make room"):
            journal.append(TWO)
        journal.append(TWO)
    assert read(file) == ([ONE, TWO], [])


def test_a_folder_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="cannot be written to"):
        Journal(tmp_path / "none" / "spans.jsonl")


def test_a_killed_writer_leaves_every_record_whose_append_returned(tmp_path: Path) -> None:
    file = tmp_path / "spans.jsonl"
    writer = (
        "import sys\nfrom pathlib import Path\nfrom longtake.evalharness.runs.journal import Journal\n"
        "from longtake.memory.timespan import TimeSpan\n"
        "with Journal(Path(sys.argv[1])) as journal:\n"
        "    for number in range(10**6):\n"
        "        journal.append(TimeSpan(start=number, end=number + 1))\n"
        "        print(number, flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", writer, str(file)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) == 200:
                process.send_signal(signal.SIGKILL)
                break
        returned = max([200, *(int(line) for line in process.stdout if line.endswith("\n"))])
    spans, reported = read(file)
    assert reported == []
    assert [span.start for span in spans[: returned + 1]] == [float(number) for number in range(returned + 1)]
