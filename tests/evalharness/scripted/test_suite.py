"""A suite in a folder: written, loaded, judged and scored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from longtake.cli.eval.scripted import scripted
from longtake.errors import ConfigError
from longtake.evalharness.items import Reply
from longtake.evalharness.judges.judge_table import DeterministicJudge
from longtake.evalharness.judges.judging import judge_run
from longtake.evalharness.runs.predicting import predict
from longtake.evalharness.runs.run_folder import RunCard, RunFolder
from longtake.evalharness.scripted.questions import read_wordings
from longtake.evalharness.scripted.scores import ScriptedScores, score_scripted
from longtake.evalharness.scripted.suite import load_scripted, write_suite
from longtake.evalharness.subjects.subject import AskedTurn

pytestmark = pytest.mark.usefixtures("voice")


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suite")
    seen = read_wordings("seen")
    write_suite(folder, range(1, 2), 3, {"seen": seen, "unseen": seen}, notify=lambda text: None)
    return folder


class Knowing:
    """Says what the reference says; of what cannot be told, that it cannot."""

    name = "knowing"
    at_once = 1

    def reply(self, asked: AskedTurn) -> Reply:
        turn = asked.turn
        unknown = turn.criteria[0].name == "abstains"
        return Reply(text=turn.reference, choice=turn.gold, cited=turn.evidence, calls=turn.calls, abstained=unknown)


class Boasting(Knowing):
    """Has an answer to everything, and the same one."""

    name = "boasting"

    def reply(self, asked: AskedTurn) -> Reply:
        return Reply(text="It rains in Lisbon.")


class Silent(Knowing):
    """Never tells."""

    name = "silent"

    def reply(self, asked: AskedTurn) -> Reply:
        return Reply(text="NOT FOUND: nothing was found.", abstained=True)


def scores_of(suite: Path, tmp_path: Path, subject: Knowing) -> ScriptedScores:
    items = load_scripted(suite, None, pytest.fail)
    folder = RunFolder(tmp_path / subject.name)
    card = RunCard(suite="scripted", source=str(suite), subjects=(subject.name,), version="0")
    folder.begin(card)
    predict(folder, card, items, [subject], pytest.fail)
    judge = DeterministicJudge()
    judge_run(folder, {item.id: item for item in items}, judge, pytest.fail)
    predictions = list(folder.predictions(pytest.fail).values())
    return score_scripted(items, predictions, list(folder.judgements(pytest.fail)), "signed")


def test_items_are_loaded_with_the_videos_beside_them(suite: Path) -> None:
    items = load_scripted(suite / "items.jsonl", None, pytest.fail)
    assert {Path(str(item.media)) for item in items} == set(suite.glob("*.mp4"))
    assert {item.video for item in items} == {"scripted-3-001"}
    assert {item.tags["wording"] for item in items} == {"seen", "unseen"}


def test_a_missing_video_is_reported_once_and_a_folder_without_items_is_refused(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "items.jsonl").write_bytes((suite / "items.jsonl").read_bytes())
    reported: list[str] = []
    items = load_scripted(tmp_path, None, reported.append)
    assert len(reported) == 1
    assert "scripted-3-001.mp4" in reported[0]
    assert {item.media for item in items} == {None}
    assert {item.media for item in load_scripted(tmp_path, suite, pytest.fail)} != {None}
    (tmp_path / "items.jsonl").write_text("\n")
    with pytest.raises(ConfigError, match="longtake eval scripted"):
        load_scripted(tmp_path, None, pytest.fail)


def test_a_row_that_is_no_item_is_reported_with_its_line_and_field_and_left_out(suite: Path, tmp_path: Path) -> None:
    lines = (suite / "items.jsonl").read_text().splitlines()
    chosen = next(line for line in lines if json.loads(line)["turns"][0]["gold"] is not None)
    beyond = json.loads(chosen) | {"id": "beyond"}
    beyond["turns"][0]["gold"] = 26
    bad = [json.dumps(beyond), lines[0], lines[0][:-9], json.dumps(json.loads(chosen) | {"format": "essay"})]
    (tmp_path / "items.jsonl").write_text("\n".join([*lines, *bad]) + "\n")
    reported: list[str] = []
    assert len(load_scripted(tmp_path, suite, reported.append)) == len(lines)
    places = [f"{tmp_path / 'items.jsonl'}, line {len(lines) + number}" for number in range(1, 5)]
    assert [text[: len(place)] for text, place in zip(reported, places, strict=True)] == places
    wanted = ("turns.0: ", "line 1 of", "no valid JSON", "format: ")
    assert all(fault in text for text, fault in zip(reported, wanted, strict=True))
    assert "gold 26 is none of its" in reported[0]


def test_one_who_knows_has_everything_and_one_who_boasts_nothing(suite: Path, tmp_path: Path) -> None:
    knowing = scores_of(suite, tmp_path, Knowing())
    assert knowing.headline is not None
    assert knowing.headline.value == 100.0
    assert all(row.value == 100.0 for rows in knowing.groups.values() for row in rows.values())
    assert set(knowing.groups["wording"]) == {"seen", "unseen"}
    boasting = scores_of(suite, tmp_path, Boasting())
    assert boasting.overall.value == 0.0
    assert boasting.outcomes["answer"]["wrong"] > 0
    assert sum(boasting.outcomes["answer"][outcome] for outcome in ("right", "abstained", "error", "unjudged")) == 0


def test_one_who_never_tells_has_only_what_cannot_be_told(suite: Path, tmp_path: Path) -> None:
    silent = scores_of(suite, tmp_path, Silent())
    rows = silent.groups["expects"]
    assert (rows["abstention"].value, rows["answer"].value) == (100.0, 0.0)
    assert silent.outcomes["answer"]["wrong"] == 0
    assert silent.outcomes["abstention"]["abstained"] == 0


@pytest.mark.nightly
def test_the_command_writes_videos_items_and_says_what_comes_next(tmp_path: Path) -> None:
    app = typer.Typer()
    app.command()(scripted)
    result = CliRunner().invoke(app, ["--out", str(tmp_path), "--n", "2", "--seed", "11"])
    assert result.exit_code == 0
    assert result.stdout.startswith("2 videos of ")
    assert f"--suite scripted --media {tmp_path} --out RUN --subject agent" in result.stdout
    assert len(list(tmp_path.glob("*.mp4"))) == 2
    assert {item.tags["seed"] for item in load_scripted(tmp_path, None, pytest.fail)} == {"unseen"}
