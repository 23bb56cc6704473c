"""Two subjects on identical items."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from longtake.cli.eval.reports import reports
from longtake.errors import ConfigError
from longtake.evalharness.items import Variant
from longtake.evalharness.reports.compare import subject_of
from longtake.evalharness.runs.run_folder import RunFolder
from longtake.evalharness.suites.imports import import_run

Write = Callable[..., RunFolder]


def compare(*arguments: object) -> str:
    result = CliRunner().invoke(reports, ["compare", *map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.stderr
    return result.stdout


def found(*arguments: object) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(compare(*arguments, "--json"))
    return read


def test_the_difference_is_paired_and_the_flipped_items_are_named(choices: Write) -> None:
    reported = found(choices().path, "--first", "sharp", "--second", "dull")
    assert reported["paired"]["difference"]["value"] == pytest.approx(100 / 3, abs=1e-4)
    assert (reported["paired"]["only_first"], reported["paired"]["only_second"]) == (3, 1)
    assert reported["paired"]["p_items"] == 0.625  # two-sided: 2 (1 + 4) / 2^4
    assert reported["paired"]["p_videos"] == 0.75  # the videos' sums are 1, 2 and -1: six of eight ways make 2 or 4
    assert reported["paired"]["detectable"] is None  # there are three videos
    assert [(flip["item"], flip["first"], flip["second"]) for flip in reported["flips"]] == [
        ("q1", 1, 0),
        ("q2", 1, 0),
        ("q3", 1, 0),
        ("q4", 0, 1),
    ]
    assert reported["tasks"]["who"]["only_first"] == 2


def test_two_runs_of_one_subject_are_told_apart(choices: Write) -> None:
    before, after = choices({"agent": ["wrong"] * 6}, "before"), choices({"agent": ["right"] * 6}, "after")
    text = compare(after.path, before.path)
    assert text.startswith("agent of after 100.0, agent of before 0.0, difference 100.0\n")
    assert "Fewer than 6 videos" in text
    assert "over items, McNemar p = 0.0312; over videos, sign flips p = 0.2500" in text
    assert "  q0  100 -> 0  Which gate is number 0" in text


def test_what_was_said_is_what_decided(choices: Write) -> None:
    orders = (Variant(), Variant(name="original/gold-2", gold_at=1))
    right = choices({"agent": ["right"] * 6}, "right", orders)
    moody = choices({"agent": ["right"] * 6}, "moody", orders)
    held = moody.predictions_file.read_text()
    moody.predictions_file.write_text(
        held.replace(
            'gold-2","subject":"agent","seed":0,"replies":[{"text":"B","status":"ok","error":null,"choice":0',
            'gold-2","subject":"agent","seed":0,"replies":[{"text":"A","status":"ok","error":null,"choice":1',
        )
    )
    (flip, *_) = found(right.path, moody.path)["flips"]
    assert (flip["item"], flip["first_said"]) == ("q0", "A (lowest of 2: original, seed 0)")
    assert flip["second_said"] == "A (lowest of 2: original/gold-2, seed 0)"


def test_items_that_differ_or_lack_a_score_are_left_out_and_counted(choices: Write, rubric: Write) -> None:
    one, two = choices({"agent": ["right"] * 6}, "one"), choices({"agent": ["right"] * 6}, "two")
    two.items_file.write_text(two.items_file.read_text().replace("number 5,", "number five,"))
    reported = found(one.path, two.path)
    assert (reported["unshared"], reported["paired"]["difference"]["n"]) == (1, 5)
    judged = rubric((True, None), (True, True))
    reported = found(judged.path, judged.path)
    assert (reported["unscored"], reported["paired"]["difference"]["n"]) == (1, 1)


def test_only_items_that_both_were_asked_are_compared_and_the_others_counted(choices: Write) -> None:
    folder = choices()
    lines = folder.predictions_file.read_text().splitlines(keepends=True)
    folder.predictions_file.write_text("".join(lines[:8]))  # all six of sharp, two of dull
    reported = found(folder.path, "--first", "sharp", "--second", "dull")
    assert (reported["paired"]["difference"]["n"], reported["unasked"], reported["unshared"]) == (2, 4, 0)
    assert [flip["item"] for flip in reported["flips"]] == ["q1"]
    text = compare(folder.path, "--first", "sharp", "--second", "dull")
    assert "4 items skipped: " in text
    assert "left out: not put to both" not in text


@pytest.mark.parametrize(("suffix", "heading"), [(".md", "## Flipped"), (".html", "<h2>Flipped</h2>")])
def test_a_comparison_is_written_as_a_page(choices: Write, tmp_path: Path, suffix: str, heading: str) -> None:
    page = tmp_path / f"page{suffix}"
    compare(choices().path, "--first", "sharp", "--second", "dull", "--out", page)
    text = page.read_text()
    assert heading in text
    assert "McNemar p = 0.6250" in text
    assert "Flips, videos" in text
    assert "<b>A</b>" not in text or suffix == ".md"


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        ((), "Name one of the subjects sharp, dull with --first."),
        (("--first", "sharp", "--second", "blunt"), "--second blunt names no subject; name one of sharp, dull."),
        (("--first", "sharp", "--second", "sharp"), "Name two subjects"),
    ],
)
def test_subjects_that_are_not_there_are_one_sentence(
    choices: Write, arguments: tuple[str, ...], reported: str
) -> None:
    with pytest.raises(Exception, match=reported):
        compare(choices().path, *arguments)


def test_a_subject_is_named_by_how_its_name_begins(choices: Write) -> None:
    run = choices().path
    assert compare(run, "--first", "sh", "--second", "du") == compare(run, "--first", "sharp", "--second", "dull")


def test_a_run_is_compared_with_what_lmms_eval_wrote_of_the_same_questions(choices: Write, tmp_path: Path) -> None:
    run, answered = choices(), {"q0": 1.0, "q1": 1.0, "q2": 0.0, "q3": 0.0, "q4": 1.0, "q5": 0.0}
    prompts = {item.id: f"{item.turns[0].question}\nA. Gate 4 B. Gate 5" for item in run.items(pytest.fail)}
    prompts["q5"] = "Another question.\nA. Gate 4 B. Gate 5"
    rows = [
        {"doc_id": number, "doc": {"id": name}, "input": prompts[name], "filtered_resps": ["A"], "acc": score}
        for number, (name, score) in enumerate(answered.items(), 7)
    ]
    file = tmp_path / "seer" / "samples_gates.jsonl"
    file.parent.mkdir()
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_run("lmms-eval", file, tmp_path / "seen", pytest.fail)
    for reported in (
        found(run.path, tmp_path / "seen", "--first", "sharp"),
        found(tmp_path / "seen", run.path, "--second", "sharp"),
    ):
        assert (reported["paired"]["difference"]["n"], reported["unshared"]) == (5, 1)
        assert {flip["item"] for flip in reported["flips"]} == {"q2", "q3", "q4"}


def test_runs_without_a_common_item_are_not_compared(choices: Write, rubric: Write) -> None:
    one, two = choices({"agent": ["right"] * 6}), rubric((True, True))
    with pytest.raises(Exception, match="asked no identical item"):
        compare(one.path, two.path)


def test_what_different_judges_found_is_not_compared(rubric: Write, tmp_path: Path) -> None:
    ours = rubric((True, True), (False, True))
    theirs = RunFolder(Path(shutil.copytree(ours.path, tmp_path / "theirs")))
    theirs.judgements_file.write_text(theirs.judgements_file.read_text().replace('"judge":"rules"', '"judge":"jurist"'))
    with pytest.raises(ConfigError, match="was judged by rules and agent of theirs by jurist; judge both by one"):
        compare(ours.path, theirs.path)


def test_runs_that_were_asked_otherwise_are_compared_and_that_is_said(choices: Write) -> None:
    one, two = choices({"agent": ["right"] * 6}, "one"), choices({"agent": ["wrong"] * 6}, "two")
    assert "not asked alike" not in compare(one.path, two.path)
    changed = two.card().model_copy(update={"protocol": "paper", "variants": (Variant(history="own"),)})
    (two.path / "run.json").write_text(changed.model_dump_json())
    assert "protocol and variants" in compare(one.path, two.path)


def test_the_start_of_a_name_is_enough_where_no_other_begins_so() -> None:
    run: Any = SimpleNamespace(
        subjects=tuple(SimpleNamespace(name=name) for name in ("model:good", "model:goodish", "agent"))
    )
    assert subject_of(run, "ag", "--first").name == "agent"
    assert subject_of(run, "model:good", "--first").name == "model:good"  # the whole name, though another begins so
    with pytest.raises(ConfigError, match="--first model names several subjects; name one of model:good, model:goodi"):
        subject_of(run, "model", "--first")
    with pytest.raises(ConfigError, match="--first x names no subject; name one of model:good, model:goodish, agent"):
        subject_of(run, "x", "--first")
