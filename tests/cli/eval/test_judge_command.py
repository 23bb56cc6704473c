"""`longtake eval judge` and `judge-check`: what was said is judged once, and a judge is checked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.eval_command import OPEN_CARD, eval_, score_of
from helpers.servers.openai_server import openai_server, says
from typer.testing import CliRunner

from longtake.cli.main import app
from longtake.console import EXIT_PARTIAL


@pytest.fixture
def said(tmp_path: Path) -> Path:
    """A run of two open questions, of which the model answered one rightly."""
    (tmp_path / "card.yaml").write_text(OPEN_CARD)
    (tmp_path / "open.csv").write_text("number,question,right,clip\nq1,Which colour?,Red.,x\nq2,Which day?,Friday.,y\n")
    with openai_server([says("It is red.")]) as server:
        asked = ("run", tmp_path / "card.yaml", "--suite", "own", "--out", tmp_path / "run")
        name = f"question-only:seer@{server.url}"
        eval_(*asked, "--subject", name, settings=("--library", tmp_path / "library"))
    labels = [{"item": item, "subject": name, "met": met} for item, met in (("q1", True), ("q2", False))]
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(label) + "\n" for label in labels))
    return tmp_path


def test_scores_without_a_headline_say_why(said: Path) -> None:
    why = "No headline: 2 of 2 verdicts are missing (100.0 %), and more than 1 % is too much for one."
    assert eval_("score", said / "run")[1].splitlines()[1] == f"  {why}"
    shown = score_of(said / "run")
    assert (shown["headline"], shown["notes"]) == (None, [why])


def test_a_model_judges_what_was_said_and_nothing_twice(said: Path) -> None:
    library = ("--library", said / "library")
    with openai_server([says('{"same": true}'), says('{"same": false}')]) as server:
        judged = ("judge", said / "run", "--by", "endpoint", "--url", server.url, "--model", "jurist")
        assert eval_(*judged, settings=library)[1].startswith("2 verdicts, 0 kept from before, 0 undecided")
        assert eval_(*judged, settings=library)[1].startswith("0 verdicts, 2 kept from before")
        assert len(server.requests) == 2
    assert score_of(said / "run")["headline"]["value"] == 50.0


def test_a_dry_run_of_a_judge_asks_nothing_and_tells_the_time_once_a_reply_was_timed(said: Path) -> None:
    held = (said / "run" / "judgements.jsonl").exists
    with openai_server([says('{"same": true}')]) as server:
        judged = ("judge", said / "run", "--by", "endpoint", "--url", server.url, "--model", "jurist")
        own = (f"controller.base_url={server.url}", "controller.model=jurist", "controller.price.output=1000")
        settings = ("--library", said / "library", *(word for each in own for word in ("--set", each)))
        _, reported, _ = eval_(*judged, "--dry-run", settings=settings)
        assert (server.requests, held()) == ([], False)
        assert ": 2 verdicts to give; about 2 calls, " in reported
        assert reported.endswith(" tokens in, 80 out, time unknown until its first reply, price 0.08\n")
        assert eval_(*judged, "--limit", 1, settings=settings)[1].startswith("1 verdict")
        expected = json.loads(eval_(*judged, "--dry-run", "--json", settings=settings)[1])
        assert (expected["verdicts"], expected["calls"], expected["cost"]) == (1, 1, pytest.approx(0.04))
        assert expected["seconds"] is not None
        assert len(server.requests) == 1
    _, reported, _ = eval_("judge", said / "run", "--by", "rules", "--dry-run")
    assert reported.endswith(": 2 verdicts to give; no model is asked\n")


def test_a_judge_is_checked_against_people_and_against_itself(said: Path) -> None:
    library = ("--library", said / "library")
    by = ("--by", "endpoint", "--model", "jurist", "--url")
    with openai_server([says('{"same": true}')]) as server:
        eval_("judge", said / "run", *by, server.url, settings=library)
        checked = ("judge-check", said / "run", said / "labels.jsonl", *by, server.url)
        code, reported, _ = eval_(*checked, settings=library)
        assert code == 0
        against, itself = reported.splitlines()
        assert "reference: the person; n 2, TP 1, FP 1, FN 0, TN 0; accuracy 0.5000" in against
        assert itself == "itself, 3 runs over 2 cases: same verdict 1.0000, mean kappa none"
        assert len(server.requests) == 2 * 3  # the first of the three runs stands in the library already
        [check] = json.loads(eval_(*checked, "--json", settings=library)[1])["checks"]
    assert check["reference"] == "person"
    assert check["agreement"] == {
        "true_positive": 1,
        "false_positive": 1,
        "false_negative": 0,
        "true_negative": 0,
        "n": 2,
        "accuracy": 0.5,
        "f1": 2 / 3,
        "false_positive_rate": 1.0,
        "false_negative_rate": 0.0,
        "kappa": 0.0,
    }


def test_the_judge_by_rules_is_checked_without_asking_anybody(said: Path) -> None:
    assert eval_("judge", said / "run", "--by", "rules")[0] == 0
    _, reported, _ = eval_("judge-check", said / "run", said / "labels.jsonl", "--json")
    checked = json.loads(reported)
    assert [check["agreement"]["n"] + check["unjudged"] for check in checked["checks"]] == [2]
    assert checked["itself"] is None


def test_a_verdict_on_an_earlier_reply_is_compared_with_nobody(said: Path) -> None:
    eval_("judge", said / "run", "--by", "rules")
    file = said / "run" / "predictions.jsonl"
    file.write_text(file.read_text().replace("It is red.", "It is blue."))
    code, _, remarks = eval_("judge-check", said / "run", said / "labels.jsonl")
    assert (code, "has no verdicts yet" in remarks) == (1, True)


def test_a_label_that_fits_nothing_is_reported_and_left_out(said: Path) -> None:
    assert eval_("judge", said / "run", "--by", "rules")[0] == 0
    file = said / "labels.jsonl"
    (fits, _) = file.read_text().splitlines()
    file.write_text(f"{fits}\n{json.dumps(json.loads(fits) | {'item': 'q9'})}\n")
    code, reported, remarks = eval_("judge-check", said / "run", file, "--json")
    assert (code, "q9, turn 0 is of no case of the run; it was left out" in remarks) == (EXIT_PARTIAL, True)
    [check] = json.loads(reported)["checks"]
    assert check["agreement"]["n"] + check["unjudged"] == 1


@pytest.mark.parametrize(
    ("options", "reported"),
    [
        (("--by", "jury"), "There is no judge 'jury'"),
        (("--by", "endpoint", "--model", "jurist"), "needs both --model and --url"),
        (("--by", "endpoint", "--model", "jurist", "--url", "nowhere"), "isn't a URL"),
    ],
)
def test_a_judge_that_cannot_be_asked_is_reported(said: Path, options: tuple[str, ...], reported: str) -> None:
    eval_("judge", said / "run", "--by", "rules")
    for command in (("judge", said / "run"), ("judge-check", said / "run", said / "labels.jsonl")):
        result = CliRunner().invoke(app, ["eval", *map(str, command), *options])
        assert result.exit_code != 0
        assert reported in str(result.exception)
