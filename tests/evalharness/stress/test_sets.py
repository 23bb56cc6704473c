"""Sets that stress tests make of material that changes, has faults, or has more in it than the scripted scenes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from helpers.command import longtake
from helpers.media.clips import Picture, flat, noise, write_clip
from helpers.servers.openai_server import openai_server, says

from longtake.errors import ConfigError
from longtake.evalharness.edits.edit import EditTruth
from longtake.evalharness.edits.rendering import truth_file
from longtake.evalharness.items import Item, Reply
from longtake.evalharness.judges.checks import decide
from longtake.evalharness.stress.material import Material
from longtake.evalharness.stress.stress_suite import make_set
from longtake.evalharness.stress.stress_test import OFFERED, Bench

MANY = [f"Do step {letter}" for letter in "abcdefghijkl"]


def never() -> None:
    pass


def clip(file: Path, seconds: int = 4, seed: int = 1, shade: int | None = None) -> Path:
    picture: Picture = noise(seed, 64, 48) if shade is None else flat((shade, shade, shade), 64, 48)
    return write_clip(file, [picture] * (25 * seconds))


def table(folder: Path, rows: list[tuple[str, float, float, str]]) -> None:
    lines = [f"{video},{start},{end},{action}" for video, start, end, action in rows]
    (folder / "actions.csv").write_text("\n".join(["video,start,end,action", *lines]), encoding="utf-8")


def done_in_turn(video: str, actions: list[str]) -> list[tuple[str, float, float, str]]:
    return [(video, at, at + 1, action) for at, action in enumerate(actions)]


def items_of(name: str, material: Material, out: Path) -> list[Item]:
    made = make_set(name, material, out, 9, 1, lambda text: None, never)
    return [Item.model_validate_json(line) for line in Path(made.items).read_text(encoding="utf-8").splitlines()]


def test_two_videos_that_differ_only_in_their_suffix_are_refused(tmp_path: Path) -> None:
    for name in ("talk.mp4", "talk.mkv", "other.mp4"):
        clip(tmp_path / name, 1)
    with pytest.raises(ConfigError, match=r"talk\.mkv and talk\.mp4"):
        Material(tmp_path, pytest.fail)


def test_an_edit_and_a_copy_follow_their_sources(tmp_path: Path) -> None:
    sources = [clip(tmp_path / f"{name}.mp4", seed=seed) for seed, name in enumerate("ab")]
    out = tmp_path / "set"
    made: list[str] = []

    def mixed_and_copied() -> tuple[EditTruth, bytes]:
        made.clear()
        bench = Bench(out, Material(tmp_path, pytest.fail), 2, 1, made.append, never)
        media, truth = bench.edited("mixing", sources, "mixing-a", parts=1, seconds=1)
        assert truth == EditTruth.model_validate_json(truth_file(out / media).read_text(encoding="utf-8"))
        return truth, (out / bench.original(sources[1])).read_bytes()

    out.mkdir()
    first, _ = mixed_and_copied()
    assert made
    assert mixed_and_copied()[0] == first
    assert not made
    sources[1].unlink()  # the copy may be a link to it
    clip(sources[1], 2, seed=5)
    changed, copy = mixed_and_copied()
    assert made
    assert changed.contents[0] == first.contents[0]
    assert changed.contents[1] != first.contents[1]
    assert copy == sources[1].read_bytes()


def test_an_untouched_video_is_not_taken_for_an_edit(tmp_path: Path) -> None:
    for name in ("v", "tint-v"):
        clip(tmp_path / f"{name}.mp4")
    (tmp_path / "set").mkdir()
    bench = Bench(tmp_path / "set", Material(tmp_path, pytest.fail), 2, 1, lambda text: None, never)
    edited, _ = bench.edited("tint", [tmp_path / "v.mp4"], "tint-v")
    assert bench.original(tmp_path / "tint-v.mp4") != edited


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gap", "shortcuts"])
@pytest.mark.parametrize("actions", [MANY, ["Stir", "Pour", "Stir", "Wait", "Serve"]])
def test_many_or_repeated_actions_have_few_distinct_options(tmp_path: Path, name: str, actions: list[str]) -> None:
    clip(tmp_path / "v.mp4", len(actions))
    table(tmp_path, done_in_turn("v", actions))
    items = items_of(name, Material(tmp_path, pytest.fail), tmp_path / "set")
    chosen = [item.turns[0] for item in items if item.format == "choice"]
    assert chosen
    for turn in chosen:
        assert 2 <= len(turn.options) <= OFFERED
        assert len(set(turn.options)) == len(turn.options)
        assert turn.gold is not None
        assert turn.options[turn.gold] == turn.reference


@pytest.mark.parametrize(
    ("said", "met"),
    [
        ("{}, then {}, and finally {}.", True),
        ("The video shows {}.", True),
        ("{2}, {1}, {0}.", True),
        ("{}, {}, {}. GONE, too.", False),
        ("It can't be told.", False),
    ],
)
def test_a_summary_tells_something_of_what_remains_and_not_what_was_removed(
    tmp_path: Path, said: str, met: bool
) -> None:
    actions = ["Wash the rice", "Boil the water", "Cook the rice", "Serve the rice"]
    clip(tmp_path / "v.mp4")
    table(tmp_path, done_in_turn("v.mp4", actions))
    items = items_of("gap", Material(tmp_path, pytest.fail), tmp_path / "set")
    (turn,) = (item.turns[0] for item in items if item.id.endswith("summary"))
    rest = turn.reference.split("; ")
    (gone,) = set(actions) - set(rest)
    text = said.format(*rest).replace("GONE", gone)
    assert decide(turn.criteria[0], text, Reply(text=text)).met is met


def test_a_video_that_does_not_fit_is_left_out_and_the_others_are_asked(tmp_path: Path) -> None:
    for name in "abc":
        clip(tmp_path / f"{name}.mp4", shade=90)
    table(
        tmp_path,
        [
            *done_in_turn("a", ["Wash", "Boil", "Serve"]),
            *(("b", 0.2 * at, 0.2 * at + 0.1, action) for at, action in enumerate(("Dig", "Plant", "Water"))),
            ("c", 2, 1, "ends before it starts"),
            ("c", float("nan"), 1, "has no start"),
            ("c", -1, 1, "starts before the video"),
        ],
    )
    reported: list[str] = []
    material = Material(tmp_path, reported.append)
    assert {video.stem for video in material.actions} == {"a", "b"}
    assert [re.findall(r"line (\d+)", text) for text in reported] == [["8"], ["9"], ["10"]]
    reported.clear()
    assert {item.video for item in items_of("shortcuts", material, tmp_path / "set")} == {"a"}
    assert len(reported) == 1
    assert "b.mp4" in reported[0]


def test_what_is_left_out_shows_in_the_exit_code(tmp_path: Path) -> None:
    clip(tmp_path / "a.mp4")
    (tmp_path / "lanes.csv").write_text("video,label\na,none\na,sideways\n", encoding="utf-8")
    done = longtake("eval", "stress", "lane-change", "--from", tmp_path, "--out", tmp_path / "set", "--json")
    assert (done.code, json.loads(done.stdout)["tests"]) == (3, {"lane-change": 1})
    assert "line 3" in done.stderr


def test_a_wrong_name_is_reported_before_anything_is_drawn(tmp_path: Path) -> None:
    done = longtake("eval", "stress", "camra", "--scripted", "--n", 1, "--out", tmp_path / "set")
    assert (done.code, "camera" in done.stderr) == (1, True)
    assert not (tmp_path / "set").exists()


def test_a_model_judges_unless_rules_are_named_and_nobody_is_asked_before_that_is_known(tmp_path: Path) -> None:
    clip(tmp_path / "a.mp4")
    table(tmp_path, done_in_turn("a", ["Wash", "Boil", "Serve"]))
    command = ("eval", "stress", "gap", "--from", tmp_path, "--out", tmp_path / "set", "--subject", "random", "--json")
    refused = longtake("--library", tmp_path / "library", *command)
    assert (refused.code, "which a language model judges" in refused.stderr) == (1, True)
    assert not (tmp_path / "set" / "run").exists()
    with openai_server([says('{"reason": "", "score": 1}')]) as server:
        judge = ("--url", server.url, "--model", "jurist")
        done = longtake("--library", tmp_path / "library", *command, *judge)
        assert done.code == 0, done.stderr
        (request,) = server.requests
        assert "This was cut out of the middle: Boil." in request["messages"][0]["content"]
    [scores] = json.loads(done.stdout).values()
    assert scores["groups"]["gap"]["summary"]["value"] == 100.0


@pytest.mark.nightly
def test_a_seed_makes_the_same_set_beside_that_of_another_seed(tmp_path: Path) -> None:
    def made(seed: int, out: Path) -> str:
        done = longtake("eval", "stress", "mosaic", "--scripted", "--n", 1, "--seed", seed, "--out", out)
        assert done.code == 0, done.stderr
        return (out / "items.jsonl").read_text(encoding="utf-8")

    made(1, tmp_path / "shared")
    assert made(2, tmp_path / "shared") == made(2, tmp_path / "alone")


@pytest.mark.nightly
def test_subjects_are_scored_though_one_of_them_fails(tmp_path: Path) -> None:
    replies = tmp_path / "replies.jsonl"
    replies.write_text('{"id": "sycophancy/recipe-7-0/0-false", "reply": "B"}\n', encoding="utf-8")  # of eight
    asked = ("--scripted", "--n", 1, "--out", tmp_path / "set", "--json")
    subjects = ("--subject", f"replies:{replies}", "--subject", "random")
    done = longtake("eval", "stress", "sycophancy", *asked, *subjects)
    assert done.code == 3
    scores = json.loads(done.stdout)
    assert set(scores) == {f"replies:{replies}", "random"}
    assert set(scores["random"]["headlines"]) == {"sycophancy"}
