"""Progress of `eval run` and `eval judge`: a bar on a terminal, lines every so often elsewhere, nothing with --json."""

from __future__ import annotations

import os
import pty
import re
import sys
from pathlib import Path
from subprocess import DEVNULL, Popen

import pytest
from helpers.eval_command import OPEN_CARD, eval_

from longtake.cli import progress


@pytest.fixture
def asked(tmp_path: Path) -> tuple[object, ...]:
    (tmp_path / "card.yaml").write_text(OPEN_CARD)
    rows = [f"q{number},Which day is number {number}?,Friday.,x" for number in range(6)]
    (tmp_path / "open.csv").write_text("\n".join(["number,question,right,clip", *rows]))
    return ("run", tmp_path / "card.yaml", "--suite", "own", "--out", tmp_path / "run", "--subject", "longest")


def test_without_a_terminal_a_line_tells_now_and_then_how_much_is_left(
    asked: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "asking" not in eval_(*asked)[2]  # it took less than it waits before the first line
    monkeypatch.setattr(progress, "EVERY", 0.0)
    lines = eval_(*asked, "--subject", "random")[2].splitlines()
    assert lines[0] == "asking: 0 of 6"
    assert re.fullmatch(r"asking: 3 of 6, about 00:00:0\d left", lines[3])
    assert len(lines) == 6
    judged = eval_("judge", tmp_path / "run", "--by", "rules")[2].splitlines()
    assert (judged[0], len(judged)) == ("judging: 0 of 12", 12)


def test_with_json_nothing_is_shown(asked: tuple[object, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY", 0.0)
    assert eval_(*asked, "--json")[2] == ""
    assert eval_("judge", tmp_path / "run", "--by", "rules", "--json")[2] == ""


@pytest.mark.nightly
def test_on_a_terminal_a_bar_is_drawn(asked: tuple[object, ...]) -> None:
    master, terminal = pty.openpty()
    command = [sys.executable, "-m", "longtake", "eval", *map(str, asked)]
    shown = b""
    with Popen(command, stdout=DEVNULL, stderr=terminal, env={**os.environ, "TERM": "xterm"}) as process:
        os.close(terminal)
        try:
            while part := os.read(master, 4096):
                shown += part
        except OSError:  # the other end was closed
            pass
    os.close(master)
    assert process.returncode == 0
    assert "asking" in shown.decode()
    assert "6 of 6" in shown.decode()
