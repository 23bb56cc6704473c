"""Made-up answers that are not sure, and an agent that gives nothing else."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import pytest

from longtake.agent.graph.graph import Graph
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import Question
from longtake.agent.traces.lenient_run import LenientRun
from longtake.agent.traces.trace import RecordedTrace, Trace
from longtake.config import load
from longtake.memory.records import Answer, Citation, Claim, Closest

KETTLE = "The blue kettle costs 249 dollars."
ROOM = "Room 4417"
TEXT = f"I'm not sure. Closest in what is said at 00:00:04: “{KETTLE}”"
QUESTION = "How much is the pot?"


def unsure(video: str = "v", trace: str | None = None, question: str = QUESTION) -> Answer:
    """An uncertain answer with two closest lines of the small video, and a claim that no evidence bore out."""
    return Answer(
        question=question,
        status="uncertain",
        answer=TEXT,
        confidence=0.4,
        closest=(
            Closest(text=KETTLE, start=4.0, end=6.0, modality="speech", video=video),
            Closest(text=ROOM, start=1.0, end=3.0, modality="scene_text", video=video),
        ),
        claims=(Claim(text="The pot costs 249 dollars.", verdict="not_shown", reason="No pot is named."),),
        coverage={"subtitles": 1.0},
        trace=trace,
    )


def places(video: str = "v") -> list[Citation]:
    """The places of its closest lines."""
    return [
        Citation(video=video, start=4.0, end=6.0, modality="speech", quote=KETTLE),
        Citation(video=video, start=1.0, end=3.0, modality="scene_text", quote=ROOM),
    ]


def always_unsure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every run end at once with the uncertain answer, about the first video asked about."""

    def run(graph: Graph, asked: Question, context: RunContext, thread: str) -> Answer:
        with closing(context.trace):
            return _traced(context.trace, asked.videos[0], asked.question, thread)

    monkeypatch.setattr("longtake.agent.graph.agent.run_graph", run)


def unsure_run(root: Path, video: str) -> LenientRun:
    """The trace of such a run."""
    trace = Trace(root)
    with closing(trace):
        _traced(trace, video, QUESTION, "t")
    return LenientRun(RecordedTrace(root, trace.run))


def _traced(trace: Trace, video: str, question: str, thread: str) -> Answer:
    answer, now = unsure(video, trace.run, question), time.time()
    given = {"question": question, "options": [], "videos": [video]}
    trace.event("run", started=now, given=given, result=load().model_dump(mode="json"), data={"thread": thread})
    known = {"names": {video: "talk.mp4"}, "videos": {video: 8.0}}
    trace.event("orient", started=now, parent=0, result={"question": question, "kind": "fact", **known})
    result = answer.model_dump(mode="json")
    trace.event("answer", started=now, parent=0, result=result, data={"status": answer.status})
    return answer
