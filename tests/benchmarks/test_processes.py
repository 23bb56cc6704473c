"""Processes that are started to be measured."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from longtake.benchmarks.processes import longtake, python, run
from longtake.console import EXIT_PARTIAL, Session
from longtake.errors import EngineError


def test_started_process_hands_back_what_it_wrote() -> None:
    assert run(python("-c", "print('here')")) == "here\n"


def test_work_that_is_done_in_part_is_done() -> None:
    assert run(python("-c", f"import sys; print('here'); sys.exit({EXIT_PARTIAL})")) == "here\n"


def test_failing_process_is_one_sentence() -> None:
    with pytest.raises(EngineError, match=r"failed: the last word$") as caught:
        run(python("-c", "import sys; sys.exit('first\\nthe last word')"))
    assert sys.executable in str(caught.value)


def test_process_that_takes_too_long_is_one_sentence() -> None:
    with pytest.raises(EngineError, match=r"took longer than 0\.2 s"):
        run(python("-c", "import time; time.sleep(9)"), 0.2)


def test_the_options_of_the_session_go_along(tmp_path: Path) -> None:
    session = Session("standard", ("search.k=3",), library=Path("/elsewhere"), offline=True)
    command = longtake(session, tmp_path, "doctor")
    assert command[3:] == [
        *("--config", "standard", "--set", "search.k=3", "--offline", "--library", str(tmp_path), "doctor"),
    ]
