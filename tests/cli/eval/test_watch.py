"""`longtake eval watch`: a run as another process sees it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.eval_command import OPEN_CARD, eval_
from helpers.servers.openai_server import Reply, openai_server, says

from longtake.cli.eval import watch


@pytest.fixture
def card(tmp_path: Path) -> Path:
    (tmp_path / "card.yaml").write_text(OPEN_CARD)
    rows = [f"q{number},Which day is number {number}?,Friday.,x" for number in range(4)]
    (tmp_path / "open.csv").write_text("\n".join(["number,question,right,clip", *rows]))
    return tmp_path / "card.yaml"


def test_a_running_run_is_shown_from_outside(card: Path, tmp_path: Path) -> None:
    """At the third of four requests two replies are there: one fit, one a refusal, 100 and 20 tokens each.

    By hand: 2 x (100 x 1 + 20 x 4) / 1,000,000 = 0.00036.
    """
    run, seen = tmp_path / "run", list[tuple[int, str, str]]()

    def third(_: dict[str, Any]) -> Reply:
        seen.append(eval_("watch", run, "--once"))
        return says("Friday.")

    with openai_server([says("Friday."), says("I can't assist with that."), third, says("Friday.")]) as server:
        model = f"good=question-only:m@{server.url}?input_price=1&output_price=4"
        asked = (
            "run",
            card,
            "--suite",
            "own",
            "--out",
            run,
            "--at-once",
            1,
            "--subject",
            model,
            "--subject",
            "longest",
        )
        eval_(*asked, settings=("--library", tmp_path / "library"))
    [(code, shown, _)] = seen
    good, longest = shown.splitlines()
    assert code == 0
    assert good.startswith("good: 2 of 4, 2 left, 0 errors, 1 refused, cost 0.00036, ")
    assert " a minute, about 00:00:0" in good
    assert longest == "longest: 0 of 4, 4 left, 0 errors, 0 refused, cost 0"


def test_the_end_of_a_run_ends_it_and_shows_the_headlines(card: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    eval_("run", card, "--suite", "own", "--out", run, "--subject", "longest")
    why = "4 of 4 verdicts are missing (100.0 %), and more than 1 % is too much for one."
    done = "longest: 4 of 4, 0 left, 0 errors, 0 refused, cost 0"
    assert eval_("watch", run)[1].splitlines() == [done, f"longest: {why}"]
    eval_("judge", run, "--by", "rules")
    assert eval_("watch", run)[1].splitlines() == [done, "longest: headline 0.0"]


def test_a_run_that_nobody_works_on_is_said_to_be_unfinished(card: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    eval_("run", card, "--suite", "own", "--out", run, "--subject", "longest")
    lines = (run / "predictions.jsonl").read_text().splitlines(keepends=True)
    (run / "predictions.jsonl").write_text("".join(lines[:1]) + lines[1][:20])
    assert eval_("watch", run)[1].splitlines() == [
        "longest: 1 of 4, 3 left, 0 errors, 0 refused, cost 0",
        f"Nobody is working on {run}: 3 left; the same `longtake eval run` goes on.",
    ]


def test_what_is_new_is_shown_until_the_run_ends(card: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tmp_path / "run"
    eval_("run", card, "--suite", "own", "--out", run, "--subject", "longest")
    lines = (run / "predictions.jsonl").read_text().splitlines(keepends=True)
    (run / "predictions.jsonl").write_text(lines[0])
    at_work = iter([True, True, False])
    monkeypatch.setattr(watch.RunFolder, "busy", property(lambda _: next(at_work)))

    def one_more(seconds: float) -> None:
        with (run / "predictions.jsonl").open("a") as stream:
            stream.write(lines.pop(1))

    monkeypatch.setattr(watch, "_wait", one_more)
    shown = [line for line in eval_("watch", run)[1].splitlines() if " of 4" in line]
    assert [line.split(",")[0] for line in shown] == ["longest: 1 of 4", "longest: 2 of 4", "longest: 3 of 4"]
