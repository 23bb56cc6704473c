"""`longtake eval`, from a file of questions to scores, and from another evaluator's output."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.eval_command import OPEN_CARD, eval_, score_of, scores
from helpers.servers.openai_server import openai_server, refuses, says
from typer.testing import CliRunner

from longtake.cli.main import app
from longtake.console import EXIT_PARTIAL
from longtake.preprocess.pipeline.workspace import Workspace

CARD = """
name: demo
file: questions.csv
videos: clips
fields: {id: number, question: question, options: [a, b, c], answer: right, video: clip}
format: choice
answer: letter
"""
QUESTIONS = """number,question,a,b,c,right,clip
q1,Which phone extension is given?,1234,4417,9999,B,demo
q2,On which day is the lecture?,,,,B,demo
q3,Which phone extension is given?,4417,one that is not given at all,9999,A,demo
"""


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    (tmp_path / "card.yaml").write_text(CARD)
    (tmp_path / "questions.csv").write_text(QUESTIONS)
    (tmp_path / "clips").mkdir()
    return tmp_path


def test_a_set_is_asked_judged_and_scored_and_goes_on_where_it_was(questions: Path) -> None:
    run = questions / "run"
    asked = (
        "run",
        questions / "card.yaml",
        "--suite",
        "own",
        "--out",
        run,
        "--subject",
        "longest",
        "--subject",
        "random",
    )
    code, reported, remarks = eval_(*asked)
    assert code == EXIT_PARTIAL
    assert "line 3" in remarks
    assert reported.startswith("4 replies, 0 kept from before, 0 errors")
    assert eval_(*asked)[1].startswith("0 replies, 4 kept from before")
    assert eval_("judge", run)[0] == 0
    longest = scores(run)["longest"]
    assert longest["headline"]["value"] == 0.0
    assert longest["errors"] == {"count": 0, "n": 2}


def test_scores_and_report_of_an_unfinished_run_say_what_is_left(questions: Path) -> None:
    run = questions / "run"
    eval_("run", questions / "card.yaml", "--suite", "own", "--out", run, "--subject", "longest", "--subject", "random")
    file = run / "predictions.jsonl"
    file.write_text(file.read_text().splitlines(keepends=True)[0])
    reported = (
        "1 of 2 predictions are not made yet, and their items are left out; the same `longtake eval run` goes on."
    )
    never = reported.replace("1 of 2", "2 of 2")
    assert [line for line in eval_("score", run)[1].splitlines() if "not made" in line] == [
        f"  {reported}",
        f"  {never}",
    ]
    assert [subject["notes"] for subject in scores(run).values()] == [[reported], [never]]
    shown = eval_("report", run)[1]
    assert f"longest: {reported}" in shown
    assert f"random: {never}" in (run / "report.md").read_text()


def test_a_subject_is_added_to_a_run_later(questions: Path) -> None:
    run = questions / "run"
    asked = ("run", questions / "card.yaml", "--suite", "own", "--out", run)
    eval_(*asked, "--subject", "longest")
    alone = scores(run)
    assert eval_(*asked, "--subject", "random")[1].startswith("2 replies, 2 kept from before")
    both = scores(run)
    assert (list(both), both["longest"]) == (["longest", "random"], alone["longest"])
    (questions / "questions.csv").write_text(QUESTIONS.replace("1234", "1235"))
    assert "The item q1 differs" in eval_(*asked, "--subject", "majority")[2]
    assert list(scores(run)) == ["longest", "random"]


def test_a_limit_changes_neither_the_majority_letter_nor_the_orders_and_can_be_lifted(questions: Path) -> None:
    (questions / "card.yaml").write_text(CARD + "rotate: true\n")
    (questions / "questions.csv").write_text(
        "number,question,a,b,c,right,clip\nq1,Which?,1,2,,A,x\nq2,Which?,1,2,3,C,x\nq3,Which?,1,2,3,C,y\n"
    )
    asked = ("run", questions / "card.yaml", "--suite", "own", "--out", questions / "run", "--subject", "majority")
    assert eval_(*asked, "--limit", 1)[1].startswith("2 replies")
    assert eval_(*asked)[1].startswith("6 replies, 2 kept from before")
    said = [json.loads(line) for line in (questions / "run" / "predictions.jsonl").read_text().splitlines()]
    assert {each["replies"][0]["text"][0] for each in said if each["item"] != "q1"} == {"C"}
    assert {each["replies"][0]["text"] for each in said if each["item"] == "q1"} == {"B. 2", "B. 1"}  # of two, the last


def test_every_seed_asks_everything_once_more_and_other_seeds_are_another_run(questions: Path) -> None:
    rows = [f"q{number},Which?,1,2,3,B,x" for number in range(12)]
    (questions / "questions.csv").write_text("\n".join(["number,question,a,b,c,right,clip", *rows]))
    asked = ("run", questions / "card.yaml", "--suite", "own", "--out", questions / "run", "--subject", "random")
    seeds = ("--seed", 3, "--seed", 8, "--seed", 3)
    assert eval_(*asked, *seeds)[1].startswith("24 replies")
    assert eval_(*asked, *seeds)[1].startswith("0 replies, 24 kept from before")
    assert "(different: seeds)" in eval_(*asked)[2]
    said = [json.loads(line) for line in (questions / "run" / "predictions.jsonl").read_text().splitlines()]
    drawn = {seed: [each["replies"][0]["choice"] for each in said if each["seed"] == seed] for seed in (3, 8)}
    assert (len(drawn[3]), drawn[3] != drawn[8]) == (12, True)
    right = sum(choice == 1 for choices in drawn.values() for choice in choices)
    assert score_of(questions / "run")["headline"]["value"] == pytest.approx(100 * right / 24, abs=1e-4)
    alone = {f"seed {seed}": 100 * choices.count(1) / 12 for seed, choices in drawn.items()}
    shown = score_of(questions / "run")["seeds"]
    assert {seed: row["value"] for seed, row in shown.items()} == pytest.approx(alone, abs=1e-4)
    low, high = sorted(alone.values())
    reported = f"Over 2 seeds the score is between {low:.1f} and {high:.1f}."
    assert low < high
    assert (
        f"    seed 8                       {alone['seed 8']:.1f}" in eval_("score", questions / "run")[1].splitlines()
    )
    assert f"random: {reported}" in eval_("report", questions / "run")[1]
    assert "## By seed" in (questions / "run" / "report.md").read_text()
    assert eval_("doctor", questions / "run")[1].splitlines()[1] == "  random: 24 of 24 predictions"
    assert eval_(*asked, *seeds[:-1], -1)[0] == 2


def test_the_agent_is_asked_like_any_other(questions: Path, demo_workspace: Workspace) -> None:
    shutil.copytree(demo_workspace.library.root / "demo", questions / "clips", dirs_exist_ok=True)
    run = questions / "run"
    asked = ("run", questions / "card.yaml", "--suite", "own", "--out", run, "--subject", "agent", "--limit", 1)
    result = CliRunner().invoke(app, ["--library", str(demo_workspace.library.root), "eval", *map(str, asked)])
    assert result.stdout.startswith("1 reply, 0 kept from before, 0 errors")
    assert score_of(run)["headline"]["value"] == 100.0


@pytest.mark.slow
def test_a_controller_that_dies_midway_is_an_error_that_can_be_asked_again(
    questions: Path, demo_workspace: Workspace
) -> None:
    shutil.copytree(demo_workspace.library.root / "demo", questions / "clips", dirs_exist_ok=True)
    run, call = questions / "run", ("transcribe_speech", {"timestamp": "00:00:00-00:00:20"})
    asked = ("run", questions / "card.yaml", "--suite", "own", "--out", run, "--subject", "agent", "--limit", 1)
    with openai_server([says(None, call), refuses(400, "no more")]) as server:
        controller = {"engine": "openai", "base_url": server.url, "model": "scripted"}
        options = [("--set", f"controller.{name}={value}") for name, value in controller.items()]
        settings = ("--library", demo_workspace.library.root, *(part for option in options for part in option))
        assert eval_(*asked, settings=settings)[1].startswith("1 reply, 0 kept from before, 1 error")
        assert score_of(run)["errors"] == {"count": 1, "n": 1}
        server.script[:] = [says("The extension is 4417. ANSWER: B")]
        again = eval_(*asked, "--retry-errors", settings=settings)[1]
        assert again.startswith("1 reply, 0 kept from before, 0 errors")


def test_replies_recorded_elsewhere_are_scored_and_missing_ones_can_follow(questions: Path) -> None:
    file, run = questions / "said.jsonl", questions / "run"
    asked = ("run", questions / "card.yaml", "--suite", "own", "--out", run, "--subject", f"replies:{file}")
    file.write_text('{"id": "q1", "reply": "(B)"}\n')
    assert eval_(*asked)[1].startswith("2 replies, 0 kept from before, 1 error")
    assert score_of(run)["headline"]["value"] == 50.0
    file.write_text('{"id": "q1", "reply": "(B)"}\n{"id": "q3", "reply": "The answer is A."}\n')
    assert eval_(*asked, "--retry-errors")[1].startswith("1 reply, 1 kept from before, 0 errors")
    assert score_of(run)["headline"]["value"] == 100.0


def test_a_model_is_asked_like_any_other_and_its_key_is_written_nowhere(
    questions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SEER_KEY", "sk-seer")
    run, library = questions / "run", ("--library", questions / "library")
    with openai_server([says("<think>9999?</think>4417")]) as server:
        name = f"question-only:seer@{server.url}?key=SEER_KEY"
        asked = ("run", questions / "card.yaml", "--suite", "own", "--out", run, "--subject", name)
        assert eval_(*asked, settings=library)[1].startswith("2 replies, 0 kept from before, 0 errors")
    assert server.keys == ["Bearer sk-seer"] * 2
    assert score_of(run)["headline"]["value"] == 100.0
    written = [file.read_text() for file in run.iterdir() if file.suffix in (".json", ".jsonl")]
    assert len(written) == 5
    assert not any("sk-seer" in text for text in written)


@pytest.mark.nightly
@pytest.mark.parametrize(("most", "waiting"), [(1, {"delay": 0.3}), (3, {"delay": 20.0, "together": 3})])
def test_no_more_requests_are_under_way_at_once_than_asked_for(
    tmp_path: Path, most: int, waiting: dict[str, Any]
) -> None:
    (tmp_path / "card.yaml").write_text(OPEN_CARD)
    rows = [f"q{number},Which day is number {number}?,Friday.,x" for number in range(6)]
    (tmp_path / "open.csv").write_text("\n".join(["number,question,right,clip", *rows]))
    run, library, at_once = tmp_path / "run", ("--library", tmp_path / "library"), ("--at-once", most)
    with openai_server([replace(says("Friday."), **waiting)]) as server:
        asked = ("run", tmp_path / "card.yaml", "--suite", "own", "--out", run, *at_once)
        eval_(*asked, "--subject", f"question-only:seer@{server.url}", settings=library)
    with openai_server([replace(says('{"same": true}'), **waiting)]) as judge:
        by = ("--by", "endpoint", "--url", judge.url, "--model", "jurist")
        eval_("judge", run, *by, *at_once, settings=library)
    assert [(server.most_at_once, len(server.requests)), (judge.most_at_once, len(judge.requests))] == [(most, 6)] * 2


def test_a_key_given_in_place_of_its_variable_is_not_written_down(questions: Path) -> None:
    name = "question-only:seer@http://127.0.0.1:9/v1?key=sk-seer"
    asked = ("run", questions / "card.yaml", "--suite", "own", "--out", questions / "run", "--subject", name)
    assert eval_(*asked)[0] == 1
    assert not (questions / "run").exists()


def test_a_dry_run_asks_nothing_and_tells_what_each_subject_says_of_itself(questions: Path, tmp_path: Path) -> None:
    run = questions / "run"
    settings = ("--library", tmp_path / "library")
    name = "question-only:seer@http://127.0.0.1:9/v1"
    asked = ("run", questions / "card.yaml", "--suite", "own", "--out", run, "--dry-run")
    asked += ("--subject", "longest", "--subject", "agent", "--subject", f"{name}?output_price=1000")
    _, reported, _ = eval_(*asked, settings=settings)
    longest, agent, model = reported.splitlines()
    assert longest == "longest: 2 predictions, 2 turns; about 0 calls, 0 tokens in, 0 out, 00:00:00, price 0"
    assert agent.startswith("agent: 2 predictions, 2 turns; at most 0 calls, 0 tokens in, 0 out, ")
    assert agent.endswith(", time unknown until its first reply, price 0")
    assert model.startswith(f"{name}: 2 predictions, 2 turns; about 2 calls, ")
    assert model.endswith(" tokens in, 200 out, time unknown until its first reply, price 0.2")
    assert not run.exists()


def test_a_run_does_not_go_on_under_other_settings(questions: Path, tmp_path: Path) -> None:
    asked = ("run", questions / "card.yaml", "--suite", "own", "--out", questions / "run", "--subject", "random")
    assert "2 replies" in eval_(*asked, settings=("--library", tmp_path / "one"))[1]
    assert "2 kept from before" in eval_(*asked, settings=("--library", tmp_path / "other"))[1]
    code, _, reported = eval_(*asked, settings=("--set", "controller.temperature=0.5"))
    assert (code, "holds another run (different: settings of " in reported) == (1, True)


def test_a_run_does_not_go_on_with_a_profile_that_was_changed(questions: Path) -> None:
    profile = questions / "mine.yaml"
    asked = ("run", questions / "card.yaml", "--suite", "own", "--out", questions / "run")
    asked += ("--subject", "random", "--subject", f"agent:{profile}")
    profile.write_text("profile: embedded\nbudget: {seconds: 60}\n")
    eval_(*asked, "--limit", 1, settings=("--library", questions / "library"))
    profile.write_text("profile: embedded\nbudget: {seconds: 90}\n")
    code, _, reported = eval_(*asked, settings=("--library", questions / "library"))
    assert (code, "holds another run (different: settings of " in reported) == (1, True)


def test_a_simulated_model_is_told_to_make_two_calls_a_turn(questions: Path, tmp_path: Path) -> None:
    asked = ("run", questions / "card.yaml", "--suite", "own", "--out", questions / "run", "--dry-run")
    name = "simulated:seer@http://127.0.0.1:9/v1?frames=8"
    code, reported, _ = eval_(*asked, "--subject", name, settings=("--library", tmp_path / "library"))
    assert (code, reported.startswith(f"{name}: 2 predictions, 2 turns; about 4 calls, ")) == (EXIT_PARTIAL, True)


def test_where_predictions_are_there_a_dry_run_tells_of_the_rest_by_them(questions: Path) -> None:
    run = questions / "run"
    settings = ("--library", questions / "library")
    with openai_server([says("B", usage=(3000, 40))]) as server:
        name = f"question-only:seer@{server.url}?input_price=10"
        asked = ("run", questions / "card.yaml", "--suite", "own", "--out", run, "--subject", name)
        eval_(*asked, "--limit", 1, settings=settings)
        _, reported, _ = eval_(*asked, "--dry-run", "--json", settings=settings)
        assert len(server.requests) == 1
        [expected] = json.loads(reported)["subjects"]
        assert (expected["predictions"], expected["calls"], expected["measured_on"]) == (1, 1, 1)
        assert (expected["input_tokens"], expected["output_tokens"], expected["cost"]) == (3000, 40, 0.03)
        assert expected["seconds"] is not None
        eval_(*asked, settings=settings)
        assert "0 predictions, 0 turns; nothing left to ask" in eval_(*asked, "--dry-run", settings=settings)[1]


def test_a_dry_run_tells_of_videos_that_have_to_be_indexed_first(questions: Path, demo_workspace: Workspace) -> None:
    (questions / "clips" / "demo.mp4").symlink_to(demo_workspace.library.root / "demo" / "demo.mp4")
    asked = ("run", questions / "card.yaml", "--suite", "own", "--out", questions / "run", "--dry-run", "--json")
    for library, subject, indexing in [
        (questions / "library", "retrieval", None),
        (questions / "library", "random", 0.0),
        (demo_workspace.library.root, "retrieval", 0.0),
    ]:
        _, reported, _ = eval_(*asked, "--subject", subject, settings=("--library", library))
        assert json.loads(reported)["indexing"] == indexing


def test_what_another_evaluator_wrote_is_scored(tmp_path: Path) -> None:
    criteria = [
        {
            "name": name,
            "description": name,
            "category": kind,
            "weight": weight,
            "is_penalty": weight < 0,
            "criteria_met": met,
        }
        for name, kind, weight, met in [
            ("says the price", "high_priority", 5, True),
            ("says the day", "medium_priority", 3, False),
            ("contradiction", "penalty", -5, False),
        ]
    ]
    turns = [
        {"role": "user", "content": "What does it cost?", "difficulty": 1, "modalities": ["speech"]},
        {"role": "assistant", "content": "5", "criteria": criteria, "candidate_response": "It costs 5."},
    ]
    sample = {"sample_id": "sample_1", "video_id": "v", "duration": 100, "sample_type": "single_turn"}
    file = tmp_path / "model_eval.jsonl"
    file.write_text(json.dumps(sample | {"task": "information_retrieval", "conversations": turns}) + "\n")
    assert eval_("import", file, "--suite", "longshot", "--out", tmp_path / "run")[0] == 0
    assert score_of(tmp_path / "run")["overall"]["value"] == 62.5
    assert score_of(tmp_path / "run", "--variant", "signed")["overall"]["value"] == 0.0
    assert {"overall", "categories", "tasks", "errors", "unjudged", "refused"} <= score_of(tmp_path / "run").keys()


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (("score", "nowhere"), "run.json"),
        (("run", "card.yaml", "--suite", "longshoot", "--out", "run", "--subject", "agent"), "There is no suite"),
        (("import", "x.jsonl", "--suite", "moment-video", "--out", "run"), "Can't import 'moment-video'"),
        (("judge-check", "nowhere"), "run.json"),
    ],
)
def test_bad_input_is_one_sentence(arguments: tuple[str, ...], reported: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["eval", *(str(tmp_path / each) if "." in each else each for each in arguments)])
    assert result.exit_code != 0
    assert reported in str(result.exception)


def test_a_named_subject_is_called_so_everywhere_and_its_cost_is_known_by_its_price(questions: Path) -> None:
    """Two questions of 100 tokens in and 20 out at 1 and 4 a million: 2 x 180 / 1,000,000 = 0.00036."""
    run = questions / "run"
    with openai_server([says("B")]) as server:
        spec = f"question-only:seer@{server.url}?input_price=1&output_price=4"
        asked = ("run", questions / "card.yaml", "--suite", "own", "--out", run, "--subject", f"seer={spec}")
        eval_(*asked, settings=("--library", questions / "library"))
        again = ("run", questions / "card.yaml", "--suite", "own", "--out", run, "--subject", "seer=random")
        assert "different: what seer is" in eval_(*again)[2]
    assert json.loads((run / "run.json").read_text())["specs"] == {"seer": spec}
    eval_("judge", run)
    assert list(scores(run)) == ["seer"]
    assert score_of(run)["spent"]["cost"] == 0.00036
    assert "  cost                         0.00036 (200 tokens in, 40 out)" in eval_("score", run)[1].splitlines()
    assert "seer" in eval_("leaderboard", run)[1]


def test_refusals_have_a_rate_of_their_own(questions: Path) -> None:
    run = questions / "run"
    with openai_server([says("I'm sorry, but I can't assist with that."), says("It is B.")]) as server:
        asked = ("run", questions / "card.yaml", "--suite", "own", "--out", run)
        eval_(*asked, "--subject", f"question-only:seer@{server.url}", settings=("--library", questions / "library"))
    found = score_of(run)
    assert (found["refused"], found["parse_failures"]) == ({"count": 1, "n": 2}, {"count": 0, "n": 2})
    assert "refused                      1 of 2" in eval_("score", run)[1]
    assert "cost                         unknown (200 tokens in, 40 out)" in eval_("score", run)[1]
