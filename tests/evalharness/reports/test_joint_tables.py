"""One model under several conditions in one table, and the range of people, worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from longtake.evalharness.items import Item, Prediction, Reply, Turn, Variant
from longtake.evalharness.reports.joint_tables import by_frames, by_helps, people, people_and_models
from longtake.evalharness.reports.run_scores import SubjectScores, read_scores
from longtake.evalharness.runs.journal import Journal
from longtake.evalharness.runs.run_folder import RunCard, RunFolder
from longtake.evalharness.suites.video_tt import CHOICE

Write = Callable[..., RunFolder]
URL = "http://127.0.0.1:8000/v1"


def subjects(choices: Write, said: Mapping[str, Sequence[str]], specs: Mapping[str, str]) -> Sequence[SubjectScores]:
    folder = choices(said, name="-".join(said))
    file = folder.path / "run.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"specs": specs}))
    return read_scores(folder, None, pytest.fail).subjects


def right(count: int) -> list[str]:
    return ["right"] * count + ["wrong"] * (6 - count)


def test_a_model_with_other_frames_is_one_row(choices: Write) -> None:
    """3 of 6 with 8 frames and 6 of 6 with 64: 50 and 100. `blind` has no frames, `other` was asked once."""
    specs = {
        "many": f"model:m@{URL}?frames=64",
        "few": f"model:m@{URL}?frames=8&input_price=1",
        "blind": f"question-only:m@{URL}",
        "other": f"model:n@{URL}?frames=8",
        "heard": f"model:m@{URL}?frames=8&transcript=1",
    }
    said = {"many": right(6), "few": right(3), "blind": right(0), "other": right(1), "heard": right(2)}
    plot = by_frames(subjects(choices, said, specs))
    assert plot
    assert plot.grid.columns == ("Model", "Figure", "0 frames", "8 frames", "64 frames")
    [row] = plot.grid.rows
    assert [str(cell) for cell in row] == ["m", "Headline", "0.0", "50.0", "100.0"]
    assert [(point.place, point.score.value) for point in plot.points] == [(0, 0.0), (8, 50.0), (64, 100.0)]
    assert by_frames(subjects(choices, {"few": right(3)}, specs)) is None


def test_what_a_chain_of_thought_and_a_transcript_change(choices: Write) -> None:
    """4 of 6 as asked, 5 with a chain of thought: (5 - 4) / 4 = +25 %; 3 with the transcript: -25 %."""
    specs = {name: f"model:m@{URL}?frames=8{more}" for name, more in (("plain", ""), ("cot", "&cot=1"))}
    specs["heard"] = f"model:m@{URL}?frames=8&transcript=1"
    grid = by_helps(subjects(choices, {"plain": right(4), "cot": right(5), "heard": right(3)}, specs))
    assert grid
    assert grid.columns[3:7] == ("With a chain of thought", "Change", "With its transcript", "Change")
    [row] = grid.rows
    assert [str(cell) for cell in row] == [
        *("m frames=8", "Headline", "66.7", "83.3", "+25.0 %", "50.0", "-25.0 %"),
        *("none", ""),
    ]


def test_people_have_a_range_and_a_mean_over_what_they_answered(choices: Write) -> None:
    """Ann answers 4 and has 3 right, 75; bo answers 2 and has 1, 50: mean 62.5, all answers 4 of 6 = 66.7."""
    said = {
        "ann": ["right", "right", "right", "wrong", "fails", "fails"],
        "bo": ["right", "wrong", "fails", "fails", "fails", "fails"],
    }
    held = subjects(choices, said, {"ann": "replies:ann.jsonl", "bo": "replies:bo.jsonl"})
    grid = people(held)
    assert grid
    assert [tuple(map(str, row)) for row in grid.rows] == [
        ("ann", "4", "75.0"),
        ("bo", "2", "50.0"),
        ("Mean of persons", "", "62.5"),
        ("Lowest and highest", "", "50.0 to 75.0"),
        ("All answers", "6", "66.7"),
    ]
    assert people(held[:1]) is None


def test_what_is_easy_for_people_and_for_models_correlates_by_item_and_kind(tmp_path: Path) -> None:
    """Three choices, each of its own capability. People: 100, 50 (one of two), 0; models: 100, 50, 50.

    By hand: deviations 50, 0, -50 and 33.3, -16.7, -16.7; r = 2500 / sqrt(5000 x 1666.7) = 0.866.
    """
    said = {"ann": "rr-", "bo": "-ww", "m": "rww", "n": "rrr", "random": "www"}
    specs = {name: f"replies:{name}.csv" for name in ("ann", "bo")} | {name: f"model:{name}@{URL}" for name in "mn"}
    turn = Turn(question="Which?", options=("This", "That"), gold=0)
    items = [
        Item(suite="video-tt", id=kind, video=kind, task=kind, format="choice", turns=(turn,), tags={"way": CHOICE})
        for kind in ("counting", "order", "motive")
    ]
    folder = RunFolder(tmp_path / "run")
    folder.begin(RunCard(suite="video-tt", source="x", subjects=tuple(said), specs=specs, version="1"))
    folder.keep_items(items)
    with Journal(folder.predictions_file) as journal:
        for subject, done in said.items():
            for item, did in zip(items, done, strict=True):
                choice = Reply(text="A", choice="rw".index(did), parse="ok") if did != "-" else None
                reply = choice or Reply(text="", status="error", error="No reply.")
                journal.append(
                    Prediction(item=item.id, variant=Variant().name, subject=subject, replies=(reply,), seconds=0)
                )
    held = read_scores(folder, None, pytest.fail).subjects
    grid, plots = people_and_models(held)
    assert grid
    assert grid.rows == (("By item", "3", "0.87"), ("By capability", "3", "0.87"))
    [plot] = plots
    assert [(point.name, point.place, point.score.value) for point in plot.points] == [
        ("counting", 100.0, 100.0),
        ("order", 50.0, 50.0),
        ("motive", 0.0, 50.0),
    ]
    assert people_and_models(held[2:]) == (None, ())
