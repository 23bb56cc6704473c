"""The demo's questions, from its file to answers with proof, on the embedded profile."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.agent.graph.agent import Agent
from longtake.agent.traces.trace import RecordedTrace
from longtake.memory.records import Answer
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.demo.demo_truth import DemoQuestion, load_truth
from longtake.preprocess.pipeline.workspace import Workspace

QUESTIONS = load_truth().questions
LEAST_FOUND = 0.6  # of the demo's questions, the share whose place is cited or among the closest lines


def _spans(answer: Answer) -> list[TimeSpan]:
    return [TimeSpan(start=each.start, end=each.end) for each in (*answer.citations, *answer.closest)]


def _holds(asked: DemoQuestion, answer: Answer) -> bool:
    """Whether an answer, sure or not, points at the seconds that prove the gold."""
    if asked.start is None or asked.end is None:
        return False
    gold = TimeSpan(start=asked.start, end=asked.end)
    return any(gold.overlaps(span) for span in _spans(answer))


@pytest.mark.nightly
def test_most_answers_point_at_the_seconds_that_prove_them(demo_asker: Agent, demo_video: Path) -> None:
    known = [each for each in QUESTIONS if each.answerable]
    answers = [demo_asker.ask([str(demo_video)], each.question, options=each.options) for each in known]
    assert sum(map(_holds, known, answers)) >= LEAST_FOUND * len(known)
    assert any(answer.status == "answered" for answer in answers)


@pytest.mark.parametrize("asked", QUESTIONS, ids=lambda asked: asked.question)
def test_an_answer_is_proven_and_what_is_not_sure_says_so(
    demo_asker: Agent, demo_video: Path, asked: DemoQuestion
) -> None:
    answer = demo_asker.ask([str(demo_video)], asked.question, options=asked.options)
    if answer.status == "answered":
        assert answer.claims
        assert all(claim.verdict == "supported" for claim in answer.claims)
    else:
        assert answer.status in ("uncertain", "abstained")
        assert answer.citations == ()
        assert (answer.closest != ()) == (answer.status == "uncertain")
    assert (answer.option is not None) == bool(asked.options)
    assert answer.coverage["scene_text"] == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize(
    ("question", "held"),
    [
        ("How long is the video?", "167.0 seconds"),
        ("What is the resolution of the video?", "854x480"),
        ("What is 12 * (3 + 4)?", "84"),
        ("When do the panels get fitted?", "22 April"),
    ],
)
def test_a_plain_question_is_answered(demo_asker: Agent, demo_video: Path, question: str, held: str) -> None:
    answer = demo_asker.ask([str(demo_video)], question)
    assert answer.status == "answered", answer.answer
    assert held in answer.answer


@pytest.mark.parametrize(
    "question",
    ["Does anybody mention a dragon?", "Is there a mention of France?", "Does it say anything of insurance?"],
)
def test_what_nothing_comes_near_is_not_said_without_unrelated_lines(
    demo_asker: Agent, demo_video: Path, question: str
) -> None:
    answer = demo_asker.ask([str(demo_video)], question)
    assert (answer.status, answer.closest) == ("abstained", ())


def test_lines_are_read_with_a_question_that_has_its_mark(
    demo_asker: Agent, demo_workspace: Workspace, demo_video: Path
) -> None:
    asked = set()
    for question in ("When do the panels get fitted", "When do the panels get fitted?"):
        run = demo_asker.ask([str(demo_video)], question).trace or ""
        trace = RecordedTrace(demo_workspace.library.trace_root, run)
        [oriented] = (event["output"] for event in trace.events() if event["type"] == "orient")
        asked.add(trace.blob(oriented)["question"])
    assert asked == {"When do the panels get fitted?"}


def test_a_summary_quotes_lines_of_all_parts(demo_asker: Agent, demo_video: Path) -> None:
    answer = demo_asker.ask([str(demo_video)], "Summarise the video.")
    assert answer.status == "answered"
    assert all(claim.verdict == "supported" for claim in answer.claims)
    starts = [citation.start for citation in answer.citations]
    assert starts == sorted(starts)
    assert starts[0] < 60 < starts[-1]
