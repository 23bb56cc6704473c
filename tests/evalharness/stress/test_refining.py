"""A prompt that a model improves by its own failures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from helpers.eval_command import eval_
from helpers.media.clips import noise, write_clip
from helpers.servers.openai_server import Reply, openai_server, says

from longtake.evalharness.stress.refining import ROUNDS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two driving clips: one without a lane change (A), and one with a change to the left (B)."""
    videos = tmp_path / "videos"
    videos.mkdir()
    for name in ("one", "two"):
        write_clip(videos / f"{name}.mp4", [noise(1, 64, 48)] * 5)
    (videos / "lanes.csv").write_text("video,label\none,none\ntwo,left\n", encoding="utf-8")
    made = eval_("stress", "lane-change", "--from", videos, "--out", tmp_path / "set")
    assert made[0] == 0, made[2]
    return tmp_path


def texts(request: dict[str, Any]) -> list[str]:
    return [part["text"] for part in request["messages"][-1]["content"] if part["type"] == "text"]


def refined(folder: Path, script: list[Reply]) -> tuple[dict[str, Any], str, list[list[str]]]:
    """What the command reports and remarks, and the texts of each request."""
    with openai_server(script) as server:
        subject = ("--subject", f"model:seer@{server.url}?frames=1")
        code, reported, remarks = eval_("refine", folder / "set", *subject, "--out", folder / "p.yaml", "--json")
    assert code == (3 if remarks else 0)
    return json.loads(reported), remarks, [texts(request) for request in server.requests]


def test_a_model_improves_the_prompt_until_it_is_right_and_a_run_takes_it(folder: Path) -> None:
    better = 'Watch the lane {marks}, "left" and right 🚗.'
    # Round 1: A is right of the first and wrong of the second, so it proposes; round 2: both are right.
    found, _, asked = refined(
        folder, [says("A"), says("A"), says(json.dumps({"prompt": better})), says("A"), says("B")]
    )
    assert (found["items"], found["right"], found["settled"]) == (2, [1, 2], True)
    proposed = asked[2][-1]
    for part in ("told nothing before", '"Which lane changes', 'Your reply: "A"', 'right answer: "One to the left"'):
        assert part in proposed
    assert asked[3][-1] == f"{better}\n\n{asked[0][-1]}"
    with openai_server([says("B")]) as server:
        run = ("run", folder / "set" / "items.jsonl", "--suite", "stress", "--media", folder / "set")
        subject = ("--subject", f"model:seer@{server.url}?frames=1")
        code, _, remarks = eval_(*run, "--prompts", folder / "p.yaml", *subject, "--out", folder / "run")
    assert code == 0, remarks
    assert texts(server.requests[0])[-1] == asked[3][-1]


def test_the_same_replies_twice_end_it_and_what_is_no_proposal_changes_nothing(folder: Path) -> None:
    # Always A: round 1 has one failure and no proposal that can be read, and round 2 the same replies.
    found, remarks, asked = refined(folder, [says("A")])
    assert (found["right"], found["settled"], len(asked)) == ([1, 1], True, 2 + 1 + 2)
    assert "has no prompt" in remarks
    assert yaml.safe_load((folder / "p.yaml").read_text(encoding="utf-8"))["question"].startswith("{{ question }}")


def test_replies_that_do_not_settle_end_it_all_the_same(folder: Path) -> None:
    proposal = says('{"prompt": "Look."}')
    # C and D are wrong of both clips, and change places in each round.
    odd, even = [says("C"), says("D"), proposal, proposal], [says("D"), says("C"), proposal, proposal]
    found, _, _ = refined(folder, [*odd, *even] * (ROUNDS // 2))
    assert (found["right"], found["settled"]) == ([0] * ROUNDS, False)
