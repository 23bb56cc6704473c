"""Stress tests: the sets they make of scripted and given videos, and the scores of subjects whose replies are known."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from helpers.command import longtake
from helpers.media.clips import noise, write_clip

from longtake.config import load
from longtake.errors import ConfigError
from longtake.evalharness.items import Item, Judgement, Prediction, Reply, Turn, Variant
from longtake.evalharness.judges.deterministic import DeterministicJudge
from longtake.evalharness.judges.judging import cases
from longtake.evalharness.scoring.choice_scores import ChoiceScores, Outcome, State
from longtake.evalharness.stress.material import Material
from longtake.evalharness.stress.scenes import write_scenes
from longtake.evalharness.stress.stress_suite import STRESS_TESTS, make_set, score_stress
from longtake.evalharness.stress.stress_test import alarm, roc_area
from longtake.preprocess.engines.text.wordllama import WordLlamaEmbedding
from longtake.preprocess.media.media import probe

Says = Callable[[Item], Reply]
# What a subject might say that notices a change.
NOTICED = {
    "reversal": "The video plays in reverse.",
    "frame-shuffle": "The frames are out of order.",
    "cut": "There is an abrupt cut.",
    "mixing": "Scenes of another video are spliced in.",
    "tint": "The picture has a red tint.",
    "insertion": "A drawn car was inserted into the frame.",
    "noise": "The image has a lot of noise.",
}


def never() -> None:
    pass


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Material:
    folder = tmp_path_factory.mktemp("scenes")
    write_scenes(folder, 2, 3, lambda text: None, step_seconds=1.2)
    return Material(folder, pytest.fail)


@pytest.fixture(scope="module")
def anomalies(scenes: Material, tmp_path_factory: pytest.TempPathFactory) -> list[Item]:
    return items_of("anomalies", scenes, tmp_path_factory.mktemp("anomalies"))


def items_of(name: str, material: Material, folder: Path, n: int = 2) -> list[Item]:
    made = make_set(name, material, folder, n, 1, lambda text: None, never)
    items = [Item.model_validate_json(line) for line in Path(made.items).read_text(encoding="utf-8").splitlines()]
    assert sum(made.tests.values()) == len(items) == len({item.id for item in items})
    assert all((folder / str(item.media)).is_file() and not item.guess for item in items)
    return items


def scored(items: Iterable[Item], says: Says) -> ChoiceScores:
    """The scores of a subject that replies so; open replies are judged by rules."""
    items = list(items)
    predictions = [
        Prediction(item=item.id, variant="original", subject="s", replies=(says(item),), seconds=0) for item in items
    ]
    judge, judgements = DeterministicJudge(WordLlamaEmbedding(load())), list[Judgement]()
    for item, prediction in zip(items, predictions, strict=True):
        for case in cases(item, prediction):
            found = judge.judge(case)
            judgements.append(
                Judgement(
                    item=item.id,
                    variant="original",
                    subject="s",
                    turn=0,
                    criterion=case.name,
                    judge=judge.id,
                    met=found.met,
                )
            )
    return score_stress(items, [Variant()], predictions, judgements)


def right(item: Item) -> Reply:
    turn = item.turns[0]
    if item.tags["expects"] == "abstention":
        return Reply(text="It can't be answered: nothing is shown.", abstained=True)
    if turn.options:
        return Reply(text="", choice=turn.gold, parse="ok")
    if item.task == "anomalies":
        return Reply(text=NOTICED.get(item.tags["kind"], "Nothing of the kind."))
    return Reply(text=f"It shows: {item.turns[0].reference}.")


def value(scores: ChoiceScores, table: str, row: str) -> float | None:
    return scores.groups[table][row].value


def test_scripted_scenes_have_tables_of_what_they_show(scenes: Material) -> None:
    assert len(scenes.videos) == 2
    for video in scenes.videos:
        assert probe(video).duration == pytest.approx(4.8, abs=0.1)
        assert [action.start for action in scenes.actions[video]] == pytest.approx([0, 1.2, 2.4, 3.6])
        assert {claim.category for claim in scenes.claims[video]} == {
            "temporal reordering",
            "state reversal",
            "action substitution",
            "attribute modification",
        }
        assert all(claim.true != claim.false for claim in scenes.claims[video])
        assert [turn.tags["about"] for turn in scenes.questions[video]] == ["colour", "text"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in STRESS_TESTS if name not in ("lane-change", "anomalies")])
def test_a_subject_that_is_always_right_scores_100(scenes: Material, tmp_path: Path, name: str) -> None:
    scores = scored(items_of(name, scenes, tmp_path, n=1), right)
    assert scores.headline is not None
    assert scores.headline.value == 100.0
    values = {name: row.value for rows in scores.groups.values() for name, row in rows.items() if row.value is not None}
    assert {value for name, value in values.items() if "always" not in name} == {100.0}
    assert any(table.startswith(name) for table in scores.groups)


@pytest.mark.slow
def test_always_false_rejects_every_claim_and_is_worth_nothing(scenes: Material, tmp_path: Path) -> None:
    scores = scored(items_of("sycophancy", scenes, tmp_path), lambda item: Reply(text="False", choice=1, parse="ok"))
    assert value(scores, "sycophancy", "of false claims") == 100.0
    assert value(scores, "sycophancy", "of true claims") == 0.0
    assert value(scores, "sycophancy", "balanced accuracy") == 50.0
    assert value(scores, "sycophancy", "accuracy") == value(scores, "sycophancy", "accuracy of always false")


@pytest.mark.slow
def test_always_yes_detects_every_anomaly_and_raises_every_alarm(anomalies: list[Item]) -> None:
    scores = scored(anomalies, lambda item: Reply(text=" ".join(NOTICED.values())))
    assert value(scores, "anomalies", "all") == 100.0
    assert value(scores, "anomalies: spatial, balanced", "of the others") == 0.0
    assert value(scores, "anomalies: temporal, balanced", "balanced accuracy") == 50.0


@pytest.mark.slow
@pytest.mark.parametrize(
    "said",
    [
        "A red car passes a green sign, the scene cuts to a blue object, and everything looks normal.",
        "In this clip a runner jumps over a hurdle, then the batter is mixed, the lid removed, and a saw makes noise.",
        "Nothing is scrambled, nothing was inserted, and there is no noise.",
        "I'm not sure.",
    ],
)
def test_who_names_no_fault_notices_none(anomalies: list[Item], said: str) -> None:
    scores = scored(anomalies, lambda item: Reply(text=said))
    assert value(scores, "anomalies", "all") == 0.0
    for kind in ("spatial", "temporal"):
        assert (value(scores, f"anomalies: {kind}, balanced", "balanced accuracy") or 0.0) <= 50.0


@pytest.mark.slow
def test_one_of_three_replies_that_notices_is_enough(anomalies: list[Item]) -> None:
    def says(item: Item) -> Reply:
        return right(item) if item.id.endswith("-targeted") else Reply(text="A shape moves.")

    for replies in (says, right):
        scores = scored(anomalies, replies)
        assert value(scores, "anomalies", "all") == 100.0
        assert value(scores, "anomalies: temporal, balanced", "of the others") == 100.0


@pytest.mark.parametrize(
    ("altered", "untouched", "area"),
    [
        ([(1, 0.9), (1, 0.8)], [(1, 0.7), (1, None)], 100.0),  # alarms where they are due, and only there
        ([(1, 0.9), (0, 0.6)], [(0, 0.7), (1, 0.9)], 75.0),  # a false alarm, but less sure than the right one
        ([(0, 0.5), (0, 0.5)], [(1, 0.5), (1, 0.5)], 50.0),  # always no
        ([(1, None), (1, None)], [(0, 0.5), (0, None)], 75.0),
    ],
)
def test_the_area_under_the_roc_orders_videos_by_the_confidence_of_an_alarm(
    altered: list[tuple[float, float | None]], untouched: list[tuple[float, float | None]], area: float
) -> None:
    def outcomes(replies: list[tuple[float, float | None]], role: str) -> list[Outcome]:
        turn = Turn(question="Is it altered?", reference="yes")
        item = Item(suite="stress", id=role, video=role, task="t", format="open", turns=(turn,), tags={"role": role})
        return [Outcome(item.heading, 0, right, "ok", confidence=sure) for right, sure in replies]

    found = roc_area(outcomes(altered, "altered"), outcomes(untouched, "untouched"))
    assert found is not None
    assert found.value == area


@pytest.mark.parametrize("role", ["altered", "untouched"])
@pytest.mark.parametrize(("state", "score"), [("uncertain", 0.0), ("abstained", 0.0), ("ok", -0.9)])
def test_a_reply_that_is_not_sure_raises_no_alarm_and_denies_none(role: str, state: State, score: float) -> None:
    turn = Turn(question="Is it altered?", reference="yes")
    item = Item(suite="stress", id=role, video=role, task="t", format="open", turns=(turn,), tags={"role": role})
    right = 0.0 if role == "altered" or state != "ok" else 1.0
    assert alarm(Outcome(item.heading, 0, right, state, confidence=0.9)) == score


def test_without_a_confidence_there_is_no_roc() -> None:
    assert roc_area([], []) is None


@pytest.mark.slow
def test_tbsr_counts_what_stays_right_behind_strips(scenes: Material, tmp_path: Path) -> None:
    """Raw, everything is right but the first question; occluded, only that one and the last."""
    items = items_of("occlusion", scenes, tmp_path)
    questions = list(dict.fromkeys(item.tags["group"] for item in items))

    def says(item: Item) -> Reply:
        number = questions.index(item.tags["group"])
        known = number > 1 if item.tags["role"] == "raw" else number in (0, 1, len(questions) - 1, len(questions) - 2)
        gold = item.turns[0].gold or 0
        return Reply(text="", choice=gold if known else (gold + 1) % 4, parse="ok")

    scores = scored(items, says)
    for table in ("occlusion: abstention offered", "occlusion: abstention not offered"):
        assert [value(scores, table, row) for row in ("raw", "occluded")] == [75.0, 50.0]
        assert value(scores, table, "TBSR") == pytest.approx(100 / 3, abs=0.01)


@pytest.mark.slow
def test_a_blank_video_asks_for_an_abstention(scenes: Material, tmp_path: Path) -> None:
    items = items_of("shortcuts", scenes, tmp_path, n=1)
    guesses = scored(items, lambda item: Reply(text="Wash the rice", choice=0, parse="ok"))
    unsure = scored(items, lambda item: right(item).model_copy(update={"uncertain": True}))
    assert value(guesses, "shortcuts", "blank") == 0.0
    assert value(unsure, "shortcuts", "blank") == 0.0
    assert value(scored(items, right), "shortcuts", "blank") == 100.0


@pytest.mark.slow
def test_a_set_is_made_once_and_the_same_for_a_seed(scenes: Material, tmp_path: Path) -> None:
    first = items_of("camera", scenes, tmp_path / "a", n=1)
    again = items_of("camera", scenes, tmp_path / "b", n=1)
    assert first == again
    written = {file: file.stat().st_mtime_ns for file in (tmp_path / "a").glob("*.mp4")}
    items_of("camera", scenes, tmp_path / "a", n=1)
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "a").glob("*.mp4")} == written


def test_lane_changes_are_asked_by_their_labels(tmp_path: Path) -> None:
    folder = tmp_path / "drives"
    folder.mkdir()
    for name in ("one", "two"):
        write_clip(folder / f"{name}.mp4", [noise(1, 64, 48)] * 25)
    (folder / "lanes.csv").write_text("video,label\none,double\ntwo.mp4,none\n", encoding="utf-8")
    items = items_of("lane-change", Material(folder, pytest.fail), tmp_path / "set")
    assert {item.video: item.turns[0].gold for item in items} == {"one": 3, "two": 0}
    scores = scored(items, lambda item: Reply(text="", choice=0, parse="ok"))
    assert value(scores, "lane-change: balanced", "balanced accuracy") == 50.0


def test_bad_material_is_one_sentence_each(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no video"):
        Material(tmp_path, pytest.fail)
    write_clip(tmp_path / "v.mp4", [noise(1, 64, 48)] * 25)
    (tmp_path / "w.mp4").write_text("no video", encoding="utf-8")
    rows = [("video", "label"), ("x", "none"), ("v", "sideways")]
    with (tmp_path / "lanes.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    reported: list[str] = []
    material = Material(tmp_path, reported.append)
    assert material.lanes == {}
    assert ["w.mp4" in reported[0], "line 2" in reported[1], "line 3" in reported[2]] == [True] * 3
    with pytest.raises(ConfigError, match="no table for gap"):
        make_set("gap", material, tmp_path / "set", 1, 1, reported.append, never)
    with pytest.raises(ConfigError, match="camera"):
        make_set("camra", material, tmp_path / "set", 1, 1, reported.append, never)


@pytest.mark.slow
def test_the_commands_make_ask_and_score_a_set(tmp_path: Path) -> None:
    made = longtake("eval", "stress", "sycophancy", "--scripted", "--n", 1, "--out", tmp_path / "set", "--json")
    assert json.loads(made.stdout)["tests"] == {"sycophancy": 8}
    given = ("--suite", "stress", "--media", tmp_path / "set", "--subject", "random")
    assert longtake("eval", "run", tmp_path / "set", *given, "--out", tmp_path / "run").code == 0
    scores = json.loads(longtake("eval", "score", tmp_path / "run", "--json").stdout)
    assert {"balanced accuracy", "of false claims", "of true claims"} <= set(scores["groups"]["sycophancy"])
    again = ("--scripted", "--n", 1, "--out", tmp_path / "set", "--subject", "random", "--json")
    assert json.loads(longtake("eval", "stress", "sycophancy", *again).stdout) == scores
    neither = longtake("eval", "stress", "all", "--out", tmp_path / "set")
    assert (neither.code, "--scripted" in neither.stderr) == (1, True)
