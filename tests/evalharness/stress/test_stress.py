"""Stress tests: the sets they make of scripted and given videos, and the scores of subjects whose replies are known."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest
from helpers.command import longtake
from helpers.media.clips import noise, write_clip

from longtake.errors import ConfigError
from longtake.evalharness.items import Item, Judgement, Prediction, Reply, Turn, Variant
from longtake.evalharness.judges.judge_table import DeterministicJudge
from longtake.evalharness.judges.judging import reply_hash
from longtake.evalharness.scoring.choice_scores import ChoiceOutcome, ChoiceScores, State
from longtake.evalharness.stress.material import Material
from longtake.evalharness.stress.scenes import write_scenes
from longtake.evalharness.stress.stills import SCENES, still, write_stills
from longtake.evalharness.stress.stress_suite import STRESS_TESTS, make_set, score_stress, stress_cases
from longtake.evalharness.stress.stress_test import CANNOT, alarm, roc_area, settings_of
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
    "noise": "The image is noisy.",
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
    assert all((folder / str(item.media)).is_file() and item.guess is None for item in items)
    return items


def scored(items: Iterable[Item], says: Says) -> ChoiceScores:
    """The scores of a subject that replies so to each turn; what is in words of its own is judged by rules."""
    items = list(items)
    predictions = [
        Prediction(item=item.id, variant="original", subject="s", replies=(says(item),) * len(item.turns), seconds=0)
        for item in items
    ]
    return score_stress(items, [Variant()], predictions, judgements_by_rules(items, predictions))


def judgements_by_rules(items: Iterable[Item], predictions: Iterable[Prediction]) -> list[Judgement]:
    judge = DeterministicJudge()
    return [
        Judgement(
            item=item.id,
            variant="original",
            subject="s",
            turn=case.number,
            criterion=case.name,
            judge=judge.id,
            met=judge.judge(case).met,
            reply=reply_hash(case.reply),
        )
        for item, prediction in zip(items, predictions, strict=True)
        for case in stress_cases(item, prediction)
    ]


def right(item: Item) -> Reply:
    turn = item.turns[0]
    if item.task == "anomalies":
        return Reply(text=NOTICED.get(item.tags["kind"], "Nothing of the kind."))
    if item.task == "shortcuts" and item.tags["role"] == "control":
        return Reply(text="Nothing is shown: the video is black.", parse="failed")
    if turn.options:
        return Reply(text="", choice=turn.gold, parse="ok")
    return Reply(text=f"It shows: {turn.reference}.")


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


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name in STRESS_TESTS if name not in ("lane-change", "anomalies")])
def test_a_subject_that_is_always_right_scores_100(scenes: Material, tmp_path: Path, name: str) -> None:
    scores = scored(items_of(name, scenes, tmp_path, n=1), right)
    assert scores.headline is None
    assert [each.value for each in scores.headlines.values()] == [100.0]
    values = {
        row: each.value
        for table, rows in scores.groups.items()
        for row, each in rows.items()
        if each.value is not None and "CLP" not in table
    }
    assert {value for name, value in values.items() if "always" not in name} == {100.0}
    assert any(table.startswith(name) for table in scores.groups)


@pytest.mark.slow
def test_always_false_rejects_every_claim_and_is_worth_nothing(scenes: Material, tmp_path: Path) -> None:
    scores = scored(items_of("sycophancy", scenes, tmp_path), lambda item: Reply(text="False", choice=1, parse="ok"))
    assert value(scores, "sycophancy", "of false claims") == 100.0
    assert value(scores, "sycophancy", "of true claims") == 0.0
    assert value(scores, "sycophancy", "balanced accuracy") == 50.0
    assert value(scores, "sycophancy", "accuracy") == value(scores, "sycophancy", "accuracy of always false")


@pytest.mark.nightly
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
    calm = Reply(text="A shape moves.")
    predictions = [
        Prediction(item=item.id, variant="original", subject="s", replies=(calm, calm, right(item)), seconds=0)
        for item in anomalies
    ]
    scores = score_stress(anomalies, [Variant()], predictions, judgements_by_rules(anomalies, predictions))
    assert value(scores, "anomalies", "all") == 100.0
    assert value(scores, "anomalies: temporal, balanced", "of the others") == 100.0
    assert scores.headlines["anomalies"].value == 100.0


@pytest.mark.slow
def test_each_video_and_change_is_one_item_of_three_separate_questions(anomalies: list[Item]) -> None:
    assert len(anomalies) == 2 * (7 + 3)
    assert all(item.separate and len(item.turns) == 3 for item in anomalies)
    (tint,) = (item for item in anomalies if item.id.startswith("anomalies/recipe-3-0/tint"))
    assert "tint lies over the whole picture" in tint.turns[-1].criteria[0].description


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
    def outcomes(replies: list[tuple[float, float | None]], role: str) -> list[ChoiceOutcome]:
        turn = Turn(question="Is it altered?", reference="yes")
        item = Item(suite="stress", id=role, video=role, task="t", format="open", turns=(turn,), tags={"role": role})
        return [ChoiceOutcome(item.heading, 0, right, "ok", confidence=sure) for right, sure in replies]

    found = roc_area(outcomes(altered, "altered"), outcomes(untouched, "untouched"))
    assert found is not None
    assert found.value == area


@pytest.mark.parametrize("role", ["altered", "untouched"])
@pytest.mark.parametrize(("state", "score"), [("uncertain", 0.0), ("abstained", 0.0), ("ok", -0.9)])
def test_a_reply_that_is_not_sure_raises_no_alarm_and_denies_none(role: str, state: State, score: float) -> None:
    turn = Turn(question="Is it altered?", reference="yes")
    item = Item(suite="stress", id=role, video=role, task="t", format="open", turns=(turn,), tags={"role": role})
    right = 0.0 if role == "altered" or state != "ok" else 1.0
    assert alarm(ChoiceOutcome(item.heading, 0, right, state, confidence=0.9)) == score


def test_without_a_confidence_there_is_no_roc() -> None:
    assert roc_area([], []) is None


@pytest.mark.nightly
def test_tbsr_counts_what_stays_right_behind_strips(scenes: Material, tmp_path: Path) -> None:
    """Two videos with a question about colour and one about text each, of two conditions.

    Raw, the first question is wrong: 3 of 4. Occluded, the first and the last are right: 2 of 4. Of the three that are
    right raw, the last stays right: 1 of 3. The first is about a colour, the last about text: about colour, raw 1 of 2,
    occluded 1 of 2, and none of the one that was right raw stays right.
    """
    items = items_of("occlusion", scenes, tmp_path)
    questions = list(dict.fromkeys(item.tags["group"].rpartition("/")[0] for item in items))

    def says(item: Item) -> Reply:
        number = questions.index(item.tags["group"].rpartition("/")[0])
        known = number > 0 if item.tags["role"] == "raw" else number in (0, 3)
        gold = item.turns[0].gold or 0
        return Reply(text="", choice=gold if known else (gold + 1) % 4, parse="ok")

    scores = scored(items, says)
    for table in ("occlusion: forced choice", "occlusion: may abstain"):
        assert [value(scores, table, row) for row in ("raw", "occluded")] == [75.0, 50.0]
        assert value(scores, table, "TBSR") == pytest.approx(100 / 3, abs=0.01)
        assert [value(scores, f"{table}, colour", row) for row in ("raw", "occluded", "TBSR")] == [50.0, 50.0, 0.0]
    assert scores.headlines["occlusion"].value == 50.0
    assert {len(item.turns[0].options) for item in items if item.tags["condition"] == "forced choice"} == {4}
    assert {item.turns[0].options[-1] for item in items if item.tags["condition"] == "may abstain"} == {CANNOT}


def test_each_mask_stands_beside_the_videos_without_one() -> None:
    """Two questions under force: both right raw; behind mask 1 one, behind mask 5 none."""

    def outcome(group: str, right: float, **tags: str) -> ChoiceOutcome:
        tags |= {"group": group, "condition": "forced choice"}
        turn = Turn(question="Which?", options=("a", "b"), gold=0)
        item = Item(suite="stress", id="i", video=group, task="t", format="choice", turns=(turn,), tags=tags)
        return ChoiceOutcome(item.heading, 0, right, "ok")

    tables = STRESS_TESTS["occlusion"]().tables(
        [
            *(outcome(group, 1, role="raw", kind="temporal") for group in "pq"),
            *(outcome(group, group == "p", role="altered", kind="temporal", mask="1") for group in "pq"),
            *(outcome(group, 0, role="altered", kind="temporal", mask="5") for group in "pq"),
        ]
    )
    found = {name: [row.value for row in rows.values()] for name, rows in tables.items() if name.startswith("forced")}
    assert found == {
        "forced choice": [100.0, 25.0, 25.0],
        "forced choice, temporal": [100.0, 25.0, 25.0],
        "forced choice, mask 1": [100.0, 50.0, 50.0],
        "forced choice, mask 5": [100.0, 0.0, 0.0],
    }


@pytest.fixture(scope="module")
def shortcuts(scenes: Material, tmp_path_factory: pytest.TempPathFactory) -> list[Item]:
    return items_of("shortcuts", scenes, tmp_path_factory.mktemp("shortcuts"), n=1)


@pytest.mark.nightly
def test_a_blank_video_is_asked_about_as_the_shuffled_one(shortcuts: list[Item]) -> None:
    shuffled, blank = ([item for item in shortcuts if item.tags["role"] == role] for role in ("altered", "control"))
    assert [(item.turns[0].question, item.turns[0].options) for item in shuffled] == [
        (item.turns[0].question, item.turns[0].options) for item in blank
    ]
    (order,) = (item for item in blank if item.id.endswith("order-blank-open"))
    assert all(action in order.turns[0].question for action in ("Peel the apples", "Bake the apples", "Eat the apples"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "met"),
    [
        (Reply(text="A. Wash the rice", choice=0, parse="ok"), 0.0),
        (Reply(text="It can't be answered.", abstained=True), 0.0),  # says nothing of the video
        (Reply(text="The video is completely black, nothing is shown."), 100.0),
        (Reply(text="The video is completely black.", uncertain=True), 0.0),
    ],
)
def test_only_who_says_so_has_recognised_a_blank_video(shortcuts: list[Item], said: Reply, met: float) -> None:
    scores = scored(shortcuts, lambda item: said)
    assert value(scores, "shortcuts", "blank") == met
    headline = scores.headlines["shortcuts"].value
    assert headline is not None
    assert headline <= 50.0  # one reply for everything is worth no more


@pytest.mark.slow
def test_clp_is_the_share_of_the_errors_that_language_suggests(shortcuts: list[Item]) -> None:
    """Three choices about the shuffled video: one right; of the two errors, one is the usual answer: 1 of 2.

    Three choices about the blank one are all wrong, and two are the usual answer. Three open replies about it all say
    the usual first action, which is the usual answer to one of the questions: in all, 3 of 6. The open replies about
    the shuffled video are right. Together that is 4 of 8.
    """

    def usual(item: Item) -> Reply:
        turn = item.turns[0]
        return Reply(text="", choice=turn.options.index(turn.tags["usual"]), parse="ok")

    def other(item: Item) -> Reply:
        turn = item.turns[0]
        wrong = next(at for at, text in enumerate(turn.options) if at != turn.gold and text != turn.tags["usual"])
        return Reply(text="", choice=wrong, parse="ok")

    def says(item: Item) -> Reply:
        role, kind = item.tags["role"], item.tags["kind"]
        if item.tags["form"] == "open":
            return right(item) if role == "altered" else Reply(text="Peel the apples.")
        if role == "altered":
            return {"first": right, "last": other, "order": usual}[kind](item)
        return {"first": usual, "last": usual, "order": other}[kind](item) if role == "control" else right(item)

    scores = scored(shortcuts, says)
    assert value(scores, "shortcuts", "shuffled") == pytest.approx(400 / 6, abs=0.01)
    assert value(scores, "shortcuts: CLP", "shuffled") == 50.0
    assert value(scores, "shortcuts: CLP", "blank") == 50.0  # 3 of 6
    assert value(scores, "shortcuts: CLP", "all") == 50.0  # 4 of 8
    assert scores.groups["shortcuts: CLP"]["all"].n == 8


@pytest.mark.nightly
def test_a_sweep_makes_the_items_of_each_value(scenes: Material, tmp_path: Path) -> None:
    made = make_set("shortcuts", scenes, tmp_path, 1, 1, lambda text: None, never, {"seconds": [1, 2]})
    items = [Item.model_validate_json(line) for line in Path(made.items).read_text(encoding="utf-8").splitlines()]
    blank = [item for item in items if item.tags["role"] == "control"]
    assert {(item.tags["seconds"], item.seconds) for item in blank} == {("1", 1.0), ("2", 2.0)}
    assert len(blank) == 2 * len([item for item in items if item.tags["role"] == "altered"])
    # Black is noticed for one second in the two questions about the last action, and for two in all six.
    black, other = Reply(text="The video is completely black, nothing is shown."), Reply(text="A", choice=0, parse="ok")
    scores = scored(
        items, lambda item: black if item.tags.get("seconds") == "2" or item.tags["kind"] == "last" else other
    )
    # Of the four errors, two are about the first action, and two about the order, which Table 9 leaves aside.
    found = scores.groups["shortcuts: CLP, blank, first and last, by seconds"]
    assert [(name, row.n) for name, row in found.items()] == [("1", 2), ("2", 0)]
    found = scores.groups["shortcuts: seconds"]
    assert [(row.n, row.value) for row in found.values()] == [(6, pytest.approx(100 / 3, abs=0.01)), (6, 100.0)]
    found = scores.groups["shortcuts: blank, first and last, by seconds"]
    assert [(row.n, row.value) for row in found.values()] == [(4, 50.0), (4, 100.0)]


@pytest.mark.parametrize(
    ("test", "parameters", "fault"),
    [
        ("shortcuts", {"second": [1]}, "shortcuts takes seconds"),
        ("shortcuts", {"seconds": [-1]}, "blank are wrong: seconds"),
        ("occlusion", {"mask": [8]}, "1, 2, 3, 4, 5, 6, 7"),
        ("all", {"colour": ["red"]}, "these tests take"),
    ],
)
def test_a_wrong_parameter_is_reported_before_anything_is_made(
    scenes: Material, tmp_path: Path, test: str, parameters: dict[str, list[object]], fault: str
) -> None:
    with pytest.raises(ConfigError, match=fault):
        make_set(test, scenes, tmp_path / "set", 1, 1, lambda text: None, never, parameters)
    assert not (tmp_path / "set").exists()


def test_the_masks_are_the_seven_of_table_11() -> None:
    test = STRESS_TESTS["occlusion"]()
    assert [setting.parameters for setting in settings_of(test, {"mask": [1, 3]})] == [
        {"strips": 64, "visible": 24, "direction": "vertical", "copies": 4},
        {"strips": 128, "visible": 24, "direction": "horizontal", "copies": 4},
    ]
    assert len(settings_of(test, {"mask": [1, 2, 3, 4, 5, 6, 7]})) == 7


@pytest.mark.nightly
def test_the_camera_moves_over_drawn_still_scenes(scenes: Material, tmp_path: Path) -> None:
    stills = write_stills(tmp_path, 1, 3, lambda text: None)
    material = Material(scenes.folder, pytest.fail, scenes.videos, stills)
    made = make_set("camera", material, tmp_path / "set", 1, 1, lambda text: None, never, {"seconds": [1], "fps": [25]})
    item = Item.model_validate_json(Path(made.items).read_text(encoding="utf-8").splitlines()[0])
    assert (item.video, item.seconds) == ("still-3-0", 1.0)
    shown = probe(tmp_path / "set" / str(item.media)).video
    assert shown is not None
    assert (shown.width, shown.height) == (1280, 720)


def test_every_kind_of_still_scene_is_another_picture_and_follows_from_its_seed() -> None:
    drawn = [still(scene, 1) for scene in SCENES]
    assert len(drawn) == 5
    for number, picture in enumerate(drawn):
        assert picture.shape == (720, 1280, 3)
        assert not any(np.array_equal(picture, other) for other in drawn[:number])
    assert np.array_equal(still("shelf", 1), drawn[-1])
    assert not np.array_equal(still("shelf", 2), drawn[-1])


@pytest.mark.nightly
def test_a_set_is_made_once_and_the_same_for_a_seed(scenes: Material, tmp_path: Path) -> None:
    first = items_of("camera", scenes, tmp_path / "a", n=1)
    again = items_of("camera", scenes, tmp_path / "b", n=1)
    assert first == again
    written = {file: file.stat().st_mtime_ns for file in (tmp_path / "a").glob("*.mp4")}
    items_of("camera", scenes, tmp_path / "a", n=1)
    assert {file: file.stat().st_mtime_ns for file in (tmp_path / "a").glob("*.mp4")} == written


def test_lane_changes_are_found_missed_and_invented(tmp_path: Path) -> None:
    """Three clips without a change and five with one. Always "one to the left" finds all five and invents three.

    TP 5, FN 0, FP 3; F1 2 x 5 / (2 x 5 + 3 + 0) = 76.9; the label is right in 2 of 8; balanced (100 + 0) / 2.
    """
    folder = tmp_path / "drives"
    folder.mkdir()
    labels = ["none"] * 3 + ["left"] * 2 + ["right"] * 2 + ["double"]
    for number in range(8):
        write_clip(folder / f"{number}.mp4", [noise(1, 64, 48)] * 25)
    rows = "".join(f"{number}.mp4,{label}\n" for number, label in enumerate(labels))
    (folder / "lanes.csv").write_text(f"video,label\n{rows}", encoding="utf-8")
    items = items_of("lane-change", Material(folder, pytest.fail), tmp_path / "set", n=8)
    assert {item.video: item.turns[0].gold for item in items}["7"] == 3
    scores = scored(items, lambda item: Reply(text="", choice=1, parse="ok"))
    assert {name: (count.count, count.n) for name, count in scores.counts.items()} == {
        "lane-change, TP": (5, 5), "lane-change, FN": (0, 5), "lane-change, FP": (3, 3), "lane-change, TN": (0, 3),
    }  # fmt: skip
    table = "lane-change: change or none"
    assert value(scores, table, "F1") == value(scores, table, "F1 of always change") == pytest.approx(76.92, abs=0.01)
    assert value(scores, table, "accuracy") == value(scores, table, "accuracy of always change") == 62.5
    assert (value(scores, table, "accuracy of always none"), value(scores, table, "F1 of always none")) == (37.5, 0.0)
    assert value(scores, "lane-change", "accuracy of the labels") == 25.0
    assert scores.headlines["lane-change"].value == 50.0
    unread = scored(items, lambda item: Reply(text="?", parse="failed"))
    assert [count.count for count in unread.counts.values()] == [0, 5, 3, 0]


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


@pytest.mark.nightly
def test_the_commands_make_ask_and_score_a_set(tmp_path: Path) -> None:
    made = longtake("eval", "stress", "sycophancy", "--scripted", "--n", 1, "--out", tmp_path / "set", "--json")
    assert json.loads(made.stdout)["tests"] == {"sycophancy": 8}
    given = ("--suite", "stress", "--media", tmp_path / "set", "--subject", "random")
    assert longtake("eval", "run", tmp_path / "set", *given, "--out", tmp_path / "run").code == 0
    scores = json.loads(longtake("eval", "score", tmp_path / "run", "--json").stdout)
    assert {"balanced accuracy", "of false claims", "of true claims"} <= set(scores["random"]["groups"]["sycophancy"])
    again = ("--scripted", "--n", 1, "--out", tmp_path / "set", "--subject", "random", "--json")  # no model is needed
    assert json.loads(longtake("eval", "stress", "sycophancy", *again).stdout) == scores
    neither = longtake("eval", "stress", "all", "--out", tmp_path / "set")
    assert (neither.code, "--scripted" in neither.stderr) == (1, True)
