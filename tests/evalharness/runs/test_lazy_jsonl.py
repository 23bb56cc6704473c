"""What stays on disk is read whole, where it stands, and takes no memory."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from longtake.evalharness.items import Criterion, Format, Item, Prediction, Reply, Turn
from longtake.evalharness.judges.judging import Case, Finding, judge_run
from longtake.evalharness.reports.content import report_content
from longtake.evalharness.reports.run_scores import read_scores
from longtake.evalharness.runs.journal import Flat, Journal, Latest, OnDisk
from longtake.evalharness.runs.run_folder import RunCard, RunFolder
from longtake.evalharness.scoring.score_table import score_run

TEXT = 50_000  # characters of each reply and each reason
ITEMS = 200


def said(item: str, text: str, subject: str = "s") -> Prediction:
    return Prediction(item=item, variant="original", subject=subject, replies=(Reply(text=text),), seconds=0)


def texts(predictions: list[Prediction]) -> list[str]:
    return [prediction.replies[0].text for prediction in predictions]


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    """Two subjects; `b` was asked again, and two lines are no predictions."""
    folder = RunFolder(tmp_path)
    made = [said("a", "für a"), said("b", "too early"), said("a", "other", "t"), said("b", "für b"), said("c", "c")]
    written = [one.model_dump_json() for one in made]
    folder.predictions_file.write_text("\n".join([*written[:2], "", "{}", *written[2:]]) + '\n{"item":')
    return folder


def test_predictions_are_those_made_last_and_damaged_lines_are_reported(folder: RunFolder) -> None:
    reported: list[str] = []
    predictions = folder.predictions(reported.append)
    assert [(key.item, key.subject) for key in predictions] == [("a", "s"), ("b", "s"), ("a", "t"), ("c", "s")]
    assert texts(list(predictions.values())) == ["für a", "für b", "other", "c"]
    assert [text.partition(":")[0] for text in reported] == [f"{folder.predictions_file}, line 4"]


def test_each_subject_has_its_own_items(folder: RunFolder) -> None:
    subjects = folder.said(lambda text: None)
    assert {name: list(held) for name, held in subjects.items()} == {"s": ["a", "b", "c"], "t": ["a"]}
    assert texts(subjects["s"]["b"]) == ["für b"]
    assert subjects["t"].get("b") is None


def test_a_group_is_read_in_the_order_it_was_put_in_and_as_often_as_it_is_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "said.jsonl"
    with Journal(file) as journal:
        for text in "xyz":
            journal.append(said("a", text))
    size = len(said("a", "x").model_dump_json()) + 1
    held = OnDisk[str, Prediction](file, Prediction)
    for key, place in (("odd", 2), ("even", 1), ("odd", 0)):
        held.add(key, place * size)
    every = Flat(held)
    assert texts(list(every)) == texts(list(every)) == ["z", "x", "y"]
    last = Latest(held).values()
    assert texts(list(last)) == texts(list(last)) == ["x", "y"]
    some = held.only(lambda key: key == "even")
    assert ([texts(group) for group in some.values()], list(Latest(some))) == ([["y"]], ["even"])


def test_many_records_of_one_group_take_no_more_time_to_note_than_those_of_many(tmp_path: Path) -> None:
    def seconds(groups: int) -> float:
        held = OnDisk[int, Prediction](tmp_path / "said.jsonl", Prediction)
        began = time.process_time()
        for place in range(40_000):
            held.add(place % groups, place)
        taken = time.process_time() - began
        assert sum(held.count(key) for key in held) == 40_000
        return taken

    assert seconds(groups=1) < 10 * seconds(groups=20_000)


class Verbose:
    """Finds everything met, at length."""

    id, at_once = "verbose", 1

    def judge(self, case: Case) -> Finding:
        return Finding(met=True, reason="so " * (TEXT // 3))


QUESTION = Turn(question="is it " * (TEXT // 6), reference="It is.")
RUBRIC = (Criterion(name="fact", description="Says it.", weight=1),)


@pytest.fixture(scope="module", params=["longshot", "own"])
def long_run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run whose questions are 10 MB, and as much the replies, and as much the reasons of the judge."""
    folder, suite = RunFolder(tmp_path_factory.mktemp("long")), request.param
    folder.begin(RunCard(suite=suite, source="x", subjects=("s",), version="0"))
    form: Format = "open" if suite == "own" else "rubric"
    turn = QUESTION if suite == "own" else QUESTION.model_copy(update={"criteria": RUBRIC})
    items = [
        Item(suite=suite, id=str(n), video=str(n % 10), task="summarization", format=form, turns=(turn,))
        for n in range(ITEMS)
    ]
    folder.keep_items(items)
    with Journal(folder.predictions_file) as journal:
        for item in items:
            journal.append(said(item.id, "it is " * (TEXT // 6)))
    judge_run(folder, folder.items_by_id(pytest.fail), Verbose(), pytest.fail)
    return folder


@pytest.mark.nightly
@pytest.mark.parametrize(
    "read",
    [
        lambda run: judge_run(run, run.items_by_id(pytest.fail), Verbose(), pytest.fail),
        lambda run: score_run(run, None, pytest.fail),
        lambda run: report_content(read_scores(run, None, pytest.fail)),
    ],
    ids=["judge", "score", "report"],
)
def test_texts_are_not_held(long_run: RunFolder, read: Callable[[RunFolder], object]) -> None:
    files = (long_run.items_file, long_run.predictions_file, long_run.judgements_file)
    assert all(file.stat().st_size > 0.9 * ITEMS * TEXT for file in files)
    read(long_run)  # what it imports is not counted
    tracemalloc.start()
    try:
        kept = read(long_run)
        assert kept
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 0.4 * ITEMS * TEXT
