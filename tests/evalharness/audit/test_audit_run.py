"""An audit from the command line, with baselines as models: guessing finds as many shortcuts as the floor says."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest
import yaml
from helpers.command import longtake
from helpers.media.clips import flat, write_clip
from helpers.servers.openai_server import openai_server, says

TEXTS = ("red", "green", "blue", "yellow")


def benchmark(folder: Path, count: int) -> Path:
    """Questions whose right option is always the longest for the first half."""
    rows = []
    for number in range(count):
        gold = number % 4
        options = [f"{text} as ever" if at == gold and number < count // 2 else text for at, text in enumerate(TEXTS)]
        rows.append(
            {"question": f"Question {number}?", "options": options, "answer": "ABCD"[gold], "video": f"v{number}"}
        )
    (folder / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    fields = {"question": "question", "options": "options", "answer": "answer", "video": "video"}
    card = {"name": "colours", "file": "questions.jsonl", "fields": fields}
    (folder / "card.yaml").write_text(yaml.safe_dump(card), encoding="utf-8")
    return folder / "card.yaml"


@pytest.mark.slow
def test_an_audit_finds_what_a_baseline_solves_blind(tmp_path: Path) -> None:
    card = benchmark(tmp_path, 200)
    made = longtake("eval", "audit", card, "--model", "longest", "--no-parts", "--out", tmp_path / "run")
    assert made.code == 0, made.stderr
    scores = json.loads(longtake("eval", "audit", "score", tmp_path / "run", "--json").stdout)
    flagged = set(scores["shortcuts"]["flagged"])
    assert {str(number + 1) for number in range(100)} <= flagged
    assert scores["accuracy"]["blind"]["longest"]["value"] >= 0.5
    # One model that guesses in five tests flags 76 % of four options.
    assert scores["shortcuts"]["consensus"]["1"]["floor"] == pytest.approx(1 - 0.75**5)
    guessed = tmp_path / "guessed"
    longtake("eval", "audit", "run", card, "--model", "random", "--no-parts", "--out", guessed)
    floor = json.loads(longtake("eval", "audit", "score", guessed, "--json").stdout)["shortcuts"]["consensus"]["1"]
    assert floor["value"] == pytest.approx(floor["floor"], abs=0.1)
    shown = longtake("eval", "audit", "score", tmp_path / "run").stdout
    assert "guessing alone" in shown


def test_a_model_with_a_name_or_a_price_is_asked_under_its_name(tmp_path: Path) -> None:
    card = benchmark(tmp_path, 4)
    with openai_server([says("B")]) as server:
        spec = f"model:m@{server.url}?input_price=1&output_price=1"
        made = longtake(
            *("eval", "audit", card, "--model", f"mine={spec}", "--model", f"text:{spec}&frames=2"),
            *("--test", "blind", "--no-parts", "--limit", "1", "--out", tmp_path / "run"),
        )
        requests = len(server.requests)
    assert requests == 2, made.stderr  # both blind; the whole video of the first is missing
    lines = [json.loads(line) for line in (tmp_path / "run" / "predictions.jsonl").read_text().splitlines()]
    asked = {(line["subject"], line["variant"]) for line in lines}
    assert asked == {("mine", "blind"), ("mine", "standard"), (f"model:m@{server.url}?frames=2", "blind")}


def test_only_the_first_model_is_asked_about_parts_also_when_models_are_added(tmp_path: Path) -> None:
    card = benchmark(tmp_path, 4)
    for model in (["random"], ["longest"]):
        named = [word for name in model for word in ("--model", name)]
        made = longtake("eval", "audit", card, *named, "--test", "blind", "--out", tmp_path / "run")
        assert made.code == 0, made.stderr
    lines = [json.loads(line) for line in (tmp_path / "run" / "predictions.jsonl").read_text().splitlines()]
    asked = Counter((line["subject"], line["variant"].startswith("chunk-")) for line in lines)
    assert asked == {("random", False): 8, ("random", True): 32, ("longest", False): 8}
    shown = longtake("eval", "doctor", tmp_path / "run").stdout
    assert "random: 40 of 40" in shown
    assert "longest: 8 of 8" in shown


def test_models_join_an_audit_in_a_role(tmp_path: Path) -> None:
    card, run = benchmark(tmp_path, 4), tmp_path / "run"
    for model in (("random", "text:majority"), ("validation:longest",)):
        named = [word for name in model for word in ("--model", name)]
        made = longtake("eval", "audit", card, *named, "--test", "blind", "--test", "center-frame", "--out", run)
        assert made.code == 0, made.stderr
    lines = [json.loads(line) for line in (run / "predictions.jsonl").read_text().splitlines()]
    asked = {(line["subject"], line["variant"]) for line in lines if not line["variant"].startswith("chunk-")}
    views = ("standard", "blind", "center-frame")
    assert asked == {*(("random", view) for view in views), ("majority", "blind"), ("longest", "validation")}
    scores = json.loads(longtake("eval", "audit", "score", run, "--json").stdout)
    # The longest option is right on the first half, 2 of 4, and `longest` took part in no test.
    assert scores["accuracy"]["standard"]["longest"]["items"] == 4
    assert scores["shortcuts"]["level"] == 2
    assert "longest" not in scores["accuracy"]["blind"]


def test_a_pooled_file_is_split_by_a_tag(tmp_path: Path) -> None:
    card = benchmark(tmp_path, 4)
    rows = [json.loads(line) for line in (tmp_path / "questions.jsonl").read_text().splitlines()]
    for row, name in zip(rows, ("MVBench", "MVBench", "LVBench", ""), strict=True):
        row["db"] = name
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    tree = yaml.safe_load(card.read_text())
    tree["fields"]["tags"] = ["db"]
    card.write_text(yaml.safe_dump(tree), encoding="utf-8")
    run, out = tmp_path / "run", tmp_path / "report"
    longtake("eval", "audit", card, "--model", "longest", "--test", "blind", "--no-parts", "--out", run)
    done = longtake("eval", "audit", "report", run, "--out", out, "--split", "db", "--group", "General=MVBench,LVBench")
    assert done.code == 0, done.stderr
    table = list(csv.reader((out / "tables" / "before-and-after.csv").read_text().splitlines()))
    # The longest option gives away the first two questions, which are those of MVBench.
    kept = [row[:4] for row in table[1:]]
    assert kept[0] == ["MVBench", "2", "0", "100.0"]
    assert [row[:2] for row in kept[1:]] == [["LVBench", "1"], ["without db", "1"], ["total", "4"]]


def test_items_with_spans_are_also_asked_with_these_alone(tmp_path: Path) -> None:
    card = benchmark(tmp_path, 4)
    rows = [json.loads(line) for line in (tmp_path / "questions.jsonl").read_text().splitlines()]
    for row, spans in zip(rows, ([3, 4], [], [[1, 2.5], [4, 5]], None), strict=True):
        row["shown"] = spans
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    tree = yaml.safe_load(card.read_text())
    tree["fields"]["evidence"] = "shown"
    card.write_text(yaml.safe_dump(tree), encoding="utf-8")
    first, second = tmp_path / "run", tmp_path / "again"

    def audited(given: Path, out: Path) -> dict[str, list[dict[str, float]]]:
        """The spans of the items that were asked with these alone."""
        made = longtake("eval", "audit", given, "--model", "longest", "--test", "blind", "--no-parts", "--out", out)
        assert made.code == 0, made.stderr
        items, asked = (
            [json.loads(line) for line in (out / name).read_text().splitlines()]
            for name in ("items.jsonl", "predictions.jsonl")
        )
        spans = {item["id"]: item["turns"][0]["evidence"] for item in items}
        return {line["item"]: spans[line["item"]] for line in asked if line["variant"] == "grounded"}

    two = [{"start": 1.0, "end": 2.5}, {"start": 4.0, "end": 5.0}]
    assert audited(card, first) == {"1": [{"start": 3.0, "end": 4.0}], "3": two}
    scores = json.loads(longtake("eval", "audit", "score", first, "--json").stdout)
    assert scores["grounded"]["longest"] == {"items": 2, "whole": 0.5, "spans": 0.5}
    longtake("eval", "audit", "distil", first, "--out", tmp_path / "distilled")
    assert audited(tmp_path / "distilled" / "card.yaml", second) == {"3": two}  # the longest option gave away the first


def test_clips_stay_clips_in_the_distilled_set_and_what_sees_whole_videos_refuses_them(tmp_path: Path) -> None:
    card = benchmark(tmp_path, 4)
    rows = [json.loads(line) for line in (tmp_path / "questions.jsonl").read_text().splitlines()]
    for row, clip in zip(rows, ((0, 2), (1, 2), (1.5, 4), ("", "")), strict=True):
        row["start_time"], row["end_time"] = clip
        write_clip(tmp_path / f"{row['video']}.mp4", [flat((20, 20, 180), 64, 64)] * 20, times=lambda n: n / 5)
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    tree = yaml.safe_load(card.read_text())
    tree["fields"]["clip"] = ["start_time", "end_time"]
    card.write_text(yaml.safe_dump(tree | {"videos": "."}), encoding="utf-8")
    run = tmp_path / "run"
    longtake("eval", "audit", card, "--model", "longest", "--test", "blind", "--no-parts", "--out", run)
    longtake("eval", "audit", "distil", run, "--out", tmp_path / "distilled")
    # The longest option gave away the first two.
    again = longtake(
        *("eval", "run", tmp_path / "distilled" / "card.yaml", "--suite", "own", "--limit", "1"),
        *("--subject", "transcript", "--out", tmp_path / "again"),
        library=tmp_path / "library",
    )
    assert "is about a part of its video" in again.stderr
    kept = (tmp_path / "distilled" / "questions.jsonl").read_text().splitlines()
    assert json.loads(kept[0])["clip"] == [1.5, 4.0]
    (item,) = (json.loads(line) for line in (tmp_path / "again" / "items.jsonl").read_text().splitlines())
    assert (item["clip"], item["seconds"]) == ({"start": 1.5, "end": 4.0}, 2.5)


def test_spans_that_are_none_leave_their_row_out(tmp_path: Path) -> None:
    card = benchmark(tmp_path, 2)
    text = (tmp_path / "questions.jsonl").read_text().splitlines()
    rows = [json.loads(text[0]) | {"from": 2, "to": 3}, json.loads(text[1]) | {"from": 3, "to": 2}]
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    tree = yaml.safe_load(card.read_text())
    tree["fields"]["evidence"] = ["from", "to"]
    card.write_text(yaml.safe_dump(tree), encoding="utf-8")
    made = longtake("eval", "audit", card, "--model", "longest", "--no-parts", "--out", tmp_path / "run")
    assert made.code == 3
    assert "line 2, from: it has no spans in seconds" in made.stderr
    (line,) = (tmp_path / "run" / "items.jsonl").read_text().splitlines()
    assert json.loads(line)["turns"][0]["evidence"] == [{"start": 2.0, "end": 3.0}]


def test_what_cannot_be_audited_is_one_sentence(tmp_path: Path) -> None:
    card = benchmark(tmp_path, 4)
    wrong = longtake("eval", "audit", "run", card, "--model", "random", "--test", "deaf", "--out", tmp_path / "run")
    assert (wrong.code, "blind" in wrong.stderr) == (1, True)
    longtake("eval", "run", card, "--suite", "own", "--subject", "random", "--out", tmp_path / "plain")
    other = longtake("eval", "audit", "score", tmp_path / "plain")
    assert (other.code, "isn't an audit" in other.stderr) == (1, True)


def test_the_short_option_for_help_shows_the_commands_of_an_audit() -> None:
    asked = longtake("eval", "audit", "-h")
    assert asked.code == 0
    assert asked.stdout == longtake("eval", "audit", "--help").stdout
