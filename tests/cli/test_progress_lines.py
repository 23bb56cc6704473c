"""Progress where there is no terminal."""

from __future__ import annotations

import time

import pytest

from longtake.cli import progress
from longtake.cli.progress import display


def test_news_is_told_once_and_in_between_that_work_goes_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "LONGEST_SILENCE", 0.02)
    with display(quiet=False) as shown:
        for share, left in ((0.25, "00:02:10 left"), (1.0, "00:00:00 left")):
            shown.show("speech", share, left)
            time.sleep(0.2)
    lines = capsys.readouterr().err.splitlines()
    news = ["speech 25%, 00:02:10 left", "speech done"]
    assert [line for line in lines if line in news] == news
    over = lines.index("speech done")
    between, afterwards = [line for line in lines[:over] if line not in news], lines[over + 1 :]
    assert between
    assert all(line.startswith("speech: ") and line.endswith(" so far") for line in between)
    assert afterwards  # by another step, whose name isn't known until it reports
    assert all("speech" not in line and line.endswith(" so far") for line in afterwards)


def test_nothing_is_told_of_what_is_over_at_once_nor_if_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    for quiet in (False, True):
        with display(quiet=quiet) as shown:
            shown.show("speech", 0.5)
    assert capsys.readouterr().err == ""
