"""Several of a kind in one run: profiles of the agent, frame rates, judges."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.eval_command import eval_, score_of
from helpers.media.clips import flat, write_clip
from helpers.servers.openai_server import openai_server, says

from longtake.console import EXIT_FAILED
from longtake.preprocess.pipeline.workspace import Workspace


def cells(run: Path, table: str) -> list[list[str]]:
    """The rows of a table of a run's report, the first one its columns."""
    lines = (run / "report.md").read_text().partition(f"## {table}\n")[2].split("\n## ")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return [rows[0], *rows[2:]]


@pytest.mark.nightly
def test_agents_of_several_profiles_are_asked_beside_each_other(tmp_path: Path, demo_workspace: Workspace) -> None:
    (tmp_path / "card.yaml").write_text(
        "name: demo\nfile: questions.csv\nvideos: nowhere\n"
        "fields: {question: question, options: [a, b, c], answer: right, video: clip}\n"
    )
    (tmp_path / "questions.csv").write_text(
        "question,a,b,c,right,clip\nWhich phone extension is given?,1234,4417,9999,B,demo\n"
    )
    (tmp_path / "brief.yaml").write_text("profile: embedded\nbudget: {rounds: 3}\n")
    run, library = tmp_path / "run", demo_workspace.library.root
    with openai_server([says("NOT FOUND: I do not know.")]) as server:
        served = tmp_path / "served.yaml"
        served.write_text(
            f"controller: {{engine: openai, base_url: '{server.url}', model: planner}}\nbudget: {{rounds: 3}}\n"
        )
        names = ["agent:embedded", f"agent:{tmp_path / 'brief.yaml'}", f"agent:{served}"]
        command = ["run", tmp_path / "card.yaml", "--suite", "own", "--out", run, "--media", library / "demo"]
        command += [word for name in names for word in ("--subject", name)]
        settings = ("--library", library, "--config", "standard", "--set", "budget.seconds=60")
        _, reported, _ = eval_(*command, "--dry-run", "--json", settings=settings)
        expected = {each["subject"]: each for each in json.loads(reported)["subjects"]}
        assert [(expected[name]["calls"], expected[name]["seconds"]) for name in names] == [
            (0, None),
            (0, None),
            (3, 60.0),
        ]
        assert eval_(*command, settings=settings)[0] == 0
        assert server.requests
    assert {request["model"] for request in server.requests} == {"planner"}
    _, reported, _ = eval_("report", run)
    # The served model abstains, and its abstention stands.
    assert reported.splitlines()[1:4] == [f"{names[0]}  100.0", f"{names[1]}  100.0", f"{names[2]}  0.0"]
    assert [row[0] for row in cells(run, "Headline score")[1:]] == names


@pytest.fixture
def moments(tmp_path: Path) -> Path:
    """An annotation file of Moment-Video with one open question about eight seconds of video."""
    folder = tmp_path / "Craft" / "pottery"
    folder.mkdir(parents=True)
    write_clip(folder / "1.mp4", [flat((0, 0, number)) for number in range(200)])
    row = {"Category": "Craft", "Subclass": "pottery", "Index": "1", "QuestionType": "TO", "AnswerType": "open"}
    (tmp_path / "moments.json").write_text(json.dumps([row | {"Question": "What falls?", "Answer": "A cup."}]))
    return tmp_path


def frames(request: dict[str, Any]) -> int:
    return sum(part["type"] == "image_url" for part in request["messages"][0]["content"])


@pytest.mark.nightly
@pytest.mark.parametrize(("protocol", "cap"), [(("--paper",), 32), ((), 110)])
def test_models_are_asked_at_several_frame_rates_and_others_once(
    moments: Path, protocol: tuple[str, ...], cap: int
) -> None:
    run, settings = moments / "run", ("--library", moments / "library")
    with openai_server([says("A cup.")]) as server:
        names = [f"model:seer@{server.url}", f"single-frame:seer@{server.url}", f"model:seer@{server.url}?fps=2"]
        command = ["run", moments / "moments.json", "--suite", "moment-video", "--media", moments, "--out", run]
        command += [*protocol, *(word for fps in (1, 5, 8, 16, 5) for word in ("--fps", fps))]
        command += [word for name in (*names, "random", "random") for word in ("--subject", name)]
        assert eval_(*command, settings=settings)[1].startswith("7 replies")
        # Of 200 frames at 25 a second, every 25th, 5th, 3rd and 2nd; then the one in the middle, and every 12th.
        assert sorted(map(frames, server.requests)) == sorted([8, min(40, cap), min(67, cap), min(100, cap), 1, 17])
        assert eval_(*command, settings=settings)[1].startswith("0 replies, 7 kept from before")
    eval_("judge", run, "--by", "rules")
    assert eval_("report", run)[0] == 0
    columns, *rows = cells(run, "By frame rate")
    assert columns[2:] == [*names, "random"]
    caps = ["1 fps, at most 64 frames", *(f"{fps} fps, at most {cap} frames" for fps in (5, 8, 16))]
    assert [row[0] for row in rows] == caps
    assert {tuple(row[2:]) for row in rows} == {("100.0", "none", "none", "none")}
    doctor = json.loads(eval_("doctor", run, "--json")[1])
    assert [(each["made"], each["expected"]) for each in doctor["subjects"]] == [(4, 4), (1, 1), (1, 1), (1, 1)]
    eval_("export", run, "--to", "lmms-eval", "--out", moments / "samples")
    assert len(list((moments / "samples" / "random").iterdir())) == 1


def test_models_are_asked_as_the_repository_does_or_in_our_words(moments: Path, tmp_path: Path) -> None:
    told = {}
    for prompts in ((), ("--prompts", "longtake")):
        run = tmp_path / "-".join(("run", *prompts))
        with openai_server([says("A cup.")]) as server:
            command = ("run", moments / "moments.json", "--suite", "moment-video", "--media", moments, "--out", run)
            subject = ("--subject", f"single-frame:seer@{server.url}")
            eval_(*command, *subject, *prompts, settings=("--library", moments / "library"))
            (message,) = server.requests[0]["messages"]
        told[prompts] = [part["text"] for part in message["content"] if part["type"] == "text"]
        eval_("judge", run)
        eval_("report", run)
    assert told[()] == ["What falls?"]
    assert told["--prompts", "longtake"][-1] == "What falls?"
    assert told["--prompts", "longtake"][1].startswith("Frame")
    as_repo, ours = (
        (tmp_path / name / "report.md").read_text(encoding="utf-8") for name in ("run", "run---prompts-longtake")
    )
    assert "those of the released code, reworded" in as_repo
    assert "those of the released code, reworded" not in ours
    both = [tmp_path / name for name in ("run", "run---prompts-longtake")]
    assert "The two were asked with different prompts\n" in eval_("compare", *both)[1]
    given = ("--media", moments, "--out", both[0], "--prompts", "longtake", "--subject", "random")
    again = eval_("run", moments / "moments.json", "--suite", "moment-video", *given)
    assert (again[0], "(different: prompts)" in again[2]) == (1, True)


@pytest.fixture
def judged_twice(moments: Path) -> Path:
    """A run of one open question that one judge accepts and another does not."""
    run, settings = moments / "run", ("--library", moments / "library")
    command = ("run", moments / "moments.json", "--suite", "moment-video", "--media", moments, "--out", run)
    with openai_server([says("A cup.")]) as server:
        eval_(*command, "--subject", f"question-only:seer@{server.url}", settings=settings)
    for model, verdict in (("mild", "true"), ("strict", "false")):
        with openai_server([says(f'{{"is_consistent": {verdict}}}')]) as server:
            by = ("--by", "endpoint", "--url", server.url, "--model", model)
            assert eval_("judge", run, *by, settings=settings)[1].startswith("1 verdict, 0 kept from before")
    return run


def test_it_is_said_where_scores_are_read_otherwise_than_the_run_was_asked(moments: Path) -> None:
    for out, paper, other in (("repo", (), "paper"), ("paper", ("--paper",), "repo")):
        asked = ("run", moments / "moments.json", "--suite", "moment-video", "--out", moments / out, *paper)
        eval_(*asked, "--subject", "random")
        eval_("judge", moments / out, "--by", "rules")
        for command in ("score", "report"):
            code, _, remarks = eval_(command, moments / out, "--variant", other)
            assert (code, remarks) == (
                0,
                f"longtake: The run was asked under {out}, but is scored as {other}.\n",
            )
            for same in ((), ("--variant", out)):
                assert eval_(command, moments / out, *same)[2] == ""


def test_scores_are_made_of_the_verdicts_of_one_judge(judged_twice: Path) -> None:
    run, page = judged_twice, judged_twice / "run.csv"
    exported = ("export", run, "--to", "csv", "--out", page)
    for command in (("score", run), ("report", run), ("compare", run, run), exported):
        code, _, remarks = eval_(*command)
        assert code == EXIT_FAILED
        assert f"{run} has verdicts of mild-" in remarks
        assert "(1), strict-" in remarks
        assert "name one of these judges with --judge." in remarks
    for judge, score in (("mild", 100.0), ("strict", 0.0)):
        assert score_of(run, "--judge", judge)["headline"]["value"] == score
        assert eval_("report", run, "--judge", judge)[1].splitlines()[1].endswith(f"  {score}")
        assert f"- Judge: {judge}-" in (run / "report.md").read_text()
        assert eval_(*exported, "--judge", judge)[0] == 0
        assert f",{score / 100}," in page.read_text()
        assert f" of run {score}, " in eval_("compare", run, run, "--judge", judge)[1]


def test_judges_of_one_run_are_compared_without_labels(judged_twice: Path) -> None:
    code, reported, _ = eval_("judge-check", judged_twice)
    assert code == 0
    assert reported.startswith("mild-")
    assert ": n 1, same verdict 0.0000, kappa 0.0000; met for the first alone 1," in reported
    [pair] = json.loads(eval_("judge-check", judged_twice, "--json")[1])["judges"]
    assert (pair["n"], pair["only_first"], pair["only_second"], pair["undecided"]) == (1, 1, 0, 0)


def test_a_judge_alone_has_nobody_to_be_compared_with(moments: Path) -> None:
    run = moments / "run"
    command = ("run", moments / "moments.json", "--suite", "moment-video", "--out", run, "--subject", "random")
    eval_(*command)
    eval_("judge", run, "--by", "rules")
    for by in ((), ("--by", "endpoint", "--url", "http://127.0.0.1:9/v1", "--model", "jurist")):
        code, _, remarks = eval_("judge-check", run, *by)
        assert (code, "give LABELS" in remarks) == (EXIT_FAILED, True)
