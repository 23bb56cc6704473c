"""What a run lacks is told, with what to do about it."""

from __future__ import annotations

import json
from pathlib import Path

from longtake.evalharness.items import Item, Judgement, Prediction, Reply, Turn, Variant
from longtake.evalharness.judges.judging import reply_hash
from longtake.evalharness.runs.journal import Journal
from longtake.evalharness.runs.run_folder import RunCard, RunFolder
from longtake.evalharness.scoring.progress import completeness, show_completeness


def run_of(path: Path, *, judged: bool, error: bool = False) -> RunFolder:
    """A run of two open questions about one video that is there and one that is not, of which the first was asked."""
    video = path / "one.mp4"
    path.mkdir(parents=True)
    video.touch()
    turn = Turn(question="What is shown?", reference="a kettle")
    items = [
        Item(suite="own", id="a", video="one", media=str(video), format="open", turns=(turn,)),
        Item(suite="own", id="b", video="two", format="open", turns=(turn,)),
    ]
    folder = RunFolder(path / "run")
    folder.begin(RunCard(suite="own", source="set.yaml", subjects=("agent",), version="0"))
    folder.keep_items(items)
    reply = Reply(text="A kettle.", status="error" if error else "ok", error="broken" if error else None)
    with Journal(folder.predictions_file) as journal:
        journal.append(Prediction(item="a", variant="original", subject="agent", replies=(reply,), seconds=1.0))
    verdict = Judgement(
        item="a",
        variant="original",
        subject="agent",
        turn=0,
        criterion="",
        judge="rules",
        met=True,
        reply=reply_hash(reply),
    )
    if judged:
        with Journal(folder.judgements_file) as journal:
            journal.append(verdict)
    return folder


def test_what_was_not_asked_not_judged_or_is_not_there_is_reported(tmp_path: Path) -> None:
    held = completeness(run_of(tmp_path / "x", judged=False, error=True))
    [agent] = held.subjects
    assert (agent.expected, agent.made, agent.errors, agent.unjudged) == (2, 1, 1, 1)
    assert held.missing_videos == ("two",)
    assert not held.complete
    reported = "\n".join(show_completeness(held))
    assert all(
        word in reported for word in ("1 of 2 predictions", "--retry-errors", "longtake eval judge", "not there: two")
    )


def test_a_verdict_on_another_reply_is_none(tmp_path: Path) -> None:
    folder = run_of(tmp_path / "x", judged=True)
    assert completeness(folder).subjects[0].unjudged == 0
    again = Prediction(item="a", variant="original", subject="agent", replies=(Reply(text="A pan."),), seconds=1.0)
    with Journal(folder.predictions_file) as journal:
        journal.append(again)
    assert completeness(folder).subjects[0].unjudged == 1


def test_who_is_asked_at_one_frame_rate_is_complete_with_that(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    rates = tuple(Variant(name=f"{fps}fps", fps=fps) for fps in (1, 8))
    names = ("random", "model:m@http://127.0.0.1:9/v1")
    folder.begin(RunCard(suite="own", source="x", subjects=names, variants=rates, version="0"))
    turn = Turn(question="Which?", options=("a", "b"), gold=0)
    folder.keep_items([Item(suite="own", id="a", video="one", format="choice", turns=(turn,))])
    assert [each.expected for each in completeness(folder).subjects] == [1, 2]


def test_damaged_lines_are_reported_once_with_their_place(tmp_path: Path) -> None:
    folder = run_of(tmp_path / "x", judged=True)
    lines = folder.predictions_file.read_text(encoding="utf-8")
    folder.predictions_file.write_text(json.dumps({"item": 7}) + "\n" + lines, encoding="utf-8")
    [line] = completeness(folder).damaged
    assert "predictions.jsonl" in line
    assert "1" in line
