"""Moment-Video: the rows of a file as items, and the orders and frame rates in which they are put."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from helpers.media.clips import flat, write_clip

from longtake.errors import ConfigError
from longtake.evalharness.items import Item, Prediction, Protocol, Reply, Variant
from longtake.evalharness.runs.predicting import predict
from longtake.evalharness.runs.run_folder import RunCard, RunFolder
from longtake.evalharness.subjects.baselines import chosen
from longtake.evalharness.subjects.subject import AskedTurn
from longtake.evalharness.suites.benchmark_rows import read_rows
from longtake.evalharness.suites.moment_video import RATES, load_moment_video, moment_cases, moment_variants


def row(index: int, **changed: Any) -> dict[str, Any]:
    """A row of an open question."""
    fields = {
        "Category": "Craft",
        "Subclass": "pottery",
        "Index": str(index),
        "QuestionType": "TO",
        "AnswerType": "open",
        "Question": "What falls off the shelf (for a moment)?",
        "Answer": "A blue cup.",
    }
    return fields | changed


def closed(index: int, **changed: Any) -> dict[str, Any]:
    """A row of a closed question with four options, the second of them right."""
    question = "Which pot cracks first?\n(a) The tall one.\n(b) The round one.\n(c) The flat one.\n(d) None."
    return row(index, AnswerType="closed", Question=question, Answer="(b)") | changed


def written(folder: Path, rows: list[dict[str, Any]]) -> Path:
    file = folder / "annotation.json"
    file.write_text(json.dumps(rows, indent=2), encoding="utf-8")
    return file


def loaded(folder: Path, *rows: dict[str, Any], media: Path | None = None) -> tuple[list[Item], list[str]]:
    reported: list[str] = []
    return load_moment_video(written(folder, list(rows)), media, reported.append), reported


def test_rows_become_items(tmp_path: Path) -> None:
    (opened, choice), reported = loaded(tmp_path, row(1), closed(2, QuestionType="TC"))
    assert reported == []
    assert (opened.format, opened.task, opened.id) == ("open", "TO", "Craft/pottery/1")
    assert opened.turns[0].question == "What falls off the shelf (for a moment)?"
    assert opened.turns[0].reference == "A blue cup."
    assert opened.tags == {"domain": "Craft", "subclass": "Craft/pottery"}
    assert (choice.format, choice.task, choice.turns[0].question) == ("choice", "TC", "Which pot cracks first?")
    assert choice.turns[0].options == ("The tall one.", "The round one.", "The flat one.", "None.")
    assert (choice.turns[0].gold, choice.turns[0].reference) == (1, "The round one.")


def test_a_table_of_the_same_rows_gives_the_same_items(tmp_path: Path) -> None:
    rows = [row(1), closed(2)]
    file = tmp_path / "annotation.csv"
    with file.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    assert load_moment_video(file, None, pytest.fail) == loaded(tmp_path, *rows)[0]


def test_a_row_with_a_task_for_its_answer_type_is_mended_and_reported(tmp_path: Path) -> None:
    (choice, opened), reported = loaded(tmp_path, closed(1, AnswerType="TR"), row(2, AnswerType="TR"))
    assert (choice.format, choice.task, choice.turns[0].gold) == ("choice", "TO", 1)
    assert opened.format == "open"
    assert len(reported) == 2
    assert "annotation.json, line 2, AnswerType: 'TR'" in reported[0]


def test_an_unknown_task_is_kept_and_reported(tmp_path: Path) -> None:
    (item,), reported = loaded(tmp_path, row(1, QuestionType="XX"))
    assert item.task == "XX"
    assert "line 2, QuestionType: XX is none of TO, TC, AD, TR" in reported[0]


def test_each_bad_row_is_reported_with_line_and_field_and_the_rest_is_kept(tmp_path: Path) -> None:
    items, reported = loaded(
        tmp_path,
        row(1),
        closed(2, Question="Which pot cracks first?"),
        closed(3, Answer="(e)"),
        row(4, Answer=" "),
        row(5, Question=None),
        row(1),
        row(7),
    )
    assert [item.id for item in items] == ["Craft/pottery/1", "Craft/pottery/7"]
    # Each row of the file takes nine lines.
    assert [sentence.split(": ")[0].removeprefix(f"{tmp_path}/annotation.json, ") for sentence in reported] == [
        "line 11, Question",
        "line 20, Answer",
        "line 29, Answer",
        "line 38, Question",
        "line 47, Index",
    ]
    assert all(sentence.endswith("left out.") and "\n" not in sentence for sentence in reported)


def test_after_a_broken_row_of_the_list_the_next_one_is_read(tmp_path: Path) -> None:
    file = written(tmp_path, [row(1), row(2), row(3)])
    file.write_text(file.read_text().replace('"Index": "2",', '"Index": "2'), encoding="utf-8")
    reported: list[str] = []
    items = load_moment_video(file, None, reported.append)
    assert [item.id for item in items] == ["Craft/pottery/1", "Craft/pottery/3"]
    assert len(reported) == 1
    assert "line 14: no valid JSON" in reported[0]


def test_a_broken_line_between_rows_is_named_by_its_own_number(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"a": 1}\nnot json\n\n{"a": 2}\n', encoding="utf-8")
    reported: list[str] = []
    assert [row.line for row in read_rows(file, reported.append)] == [1, 4]
    assert ["line 2" in sentence for sentence in reported] == [True]


def test_a_file_without_questions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no question of Moment-Video"):
        loaded(tmp_path)
    with pytest.raises(ConfigError, match="No such file"):
        load_moment_video(tmp_path / "absent.json", None, pytest.fail)
    with pytest.raises(ConfigError, match=r"\.json, \.jsonl"):
        load_moment_video(tmp_path / "test.xlsx", None, pytest.fail)


def test_videos_are_found_and_measured_and_what_is_wrong_with_them_is_reported(tmp_path: Path) -> None:
    folder = tmp_path / "videos" / "release" / "Craft" / "pottery"
    folder.mkdir(parents=True)
    write_clip(folder / "1.mkv", [flat((10, 20, 30), 64, 48)] * 20, times=lambda number: number / 5)
    (folder / "2.mp4").write_bytes(b"no video")
    items, reported = loaded(tmp_path, row(1), row(2), row(3), media=tmp_path / "videos")
    assert [item.media and Path(item.media).name for item in items] == ["1.mkv", "2.mp4", None]
    assert items[0].seconds == pytest.approx(4.0, abs=0.3)
    assert [item.seconds for item in items[1:]] == [None, None]
    assert len(reported) == 2
    assert "line 11, Index" in reported[0]
    assert "2.mp4" in reported[0]
    assert "line 20, Index: Craft/pottery/3: " in reported[1]


class Recording:
    """Chooses the first option put, and keeps what was put in which variant."""

    name = "recording"
    at_once = 1

    def __init__(self) -> None:
        self.asked: list[AskedTurn] = []

    def reply(self, asked: AskedTurn) -> Reply:
        self.asked.append(asked)
        return chosen(asked, 0) if asked.options else Reply(text="A cup.")


def put(folder: Path, items: list[Item], variants: tuple[Variant, ...]) -> list[AskedTurn]:
    subject, run = Recording(), RunFolder(folder / "run")
    card = RunCard(suite="moment-video", source="s", subjects=(subject.name,), variants=variants, version="0")
    run.begin(card)
    predict(run, card, items, [subject], pytest.fail)
    predict(run, card, items, [subject], pytest.fail)
    return subject.asked


def test_the_right_option_stands_at_every_place_once_and_open_questions_are_asked_once(tmp_path: Path) -> None:
    two = "Which?\n(a) One.\n(b) Other."
    items, _ = loaded(tmp_path, row(1), closed(2), closed(3, Question=two))
    asked = put(tmp_path, items, moment_variants(items, "paper"))
    places: dict[str, list[int]] = {item.id: [] for item in items}
    for each in asked:
        places[each.item.id] += [each.options.index(each.turn.reference)] if each.options else [-1]
    assert {name: sorted(found) for name, found in places.items()} == {
        "Craft/pottery/1": [-1],
        "Craft/pottery/2": [0, 1, 2, 3],
        "Craft/pottery/3": [0, 1],
    }


def test_the_right_option_changes_places_with_one_other(tmp_path: Path) -> None:
    items, _ = loaded(tmp_path, closed(1))
    orders = {each.variant.name: each.order for each in put(tmp_path, items, moment_variants(items, "paper"))}
    assert orders == {
        "original": (0, 1, 2, 3),
        "original/gold-1": (1, 0, 2, 3),
        "original/gold-3": (0, 2, 1, 3),
        "original/gold-4": (0, 3, 2, 1),
    }


def test_the_choices_of_the_release_take_878_calls(tmp_path: Path) -> None:
    def options(count: int) -> str:
        return "Which?" + "".join(f"\n({label}) {label * 3}" for label in "abcd"[:count])

    counts = [4] * 199 + [3] * 8 + [2] * 29
    rows = [closed(n, Question=options(count), Answer=f"({'abcd'[n % count]})") for n, count in enumerate(counts)]
    items, _ = loaded(tmp_path, *rows)
    variants = moment_variants(items, "repo")
    assert sum(variant.applies(item) for variant in variants for item in items) == 878


def test_the_ablation_asks_at_four_rates_with_the_caps_of_paper_or_code(tmp_path: Path) -> None:
    items, _ = loaded(tmp_path, row(1))
    caps: dict[Protocol, int] = {"paper": 32, "repo": 110}
    for protocol, cap in caps.items():
        variants = moment_variants(items, protocol, RATES)
        assert [(each.name, each.fps, each.most_frames) for each in variants] == [
            ("original", 1.0, 64),
            ("5fps", 5.0, cap),
            ("8fps", 8.0, cap),
            ("16fps", 16.0, cap),
        ]


def judged(item: Item, reply: Reply, protocol: Protocol) -> list[tuple[str, str, bool]]:
    """What the judge is asked about a reply: how, against which reference, and whether it sees the question."""
    said = Prediction(item=item.id, variant="original", subject="s", replies=(reply,), seconds=0.0)
    return [(case.asks, case.reference, case.with_question) for case in moment_cases(item, said, protocol)]


def test_the_judge_sees_the_question_in_the_paper_only(tmp_path: Path) -> None:
    (item,), _ = loaded(tmp_path, row(1))
    assert judged(item, Reply(text="A cup."), "paper") == [("whole", "A blue cup.", True)]
    assert judged(item, Reply(text="A cup."), "repo") == [("whole", "A blue cup.", False)]


def test_the_judge_decides_about_choices_without_a_label_in_the_code_only(tmp_path: Path) -> None:
    (item,), _ = loaded(tmp_path, closed(1))
    label, words = Reply(text="B", choice=1, parse="ok"), Reply(text="the round one", choice=1, parse="fallback")
    assert judged(item, label, "repo") == judged(item, words, "paper") == []
    assert judged(item, words, "repo") == [("whole", "The round one.", False)]
