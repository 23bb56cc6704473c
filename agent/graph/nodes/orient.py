"""Look at the question before anything is done: what it asks, where, of which senses, and what there is to look at."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langgraph.runtime import Runtime

from longtake.agent.context import RunContext
from longtake.agent.facts import KnownVideo
from longtake.agent.follow_up import pointed_at, resolve
from longtake.agent.named_spans import named_span
from longtake.agent.orientation import Orientation, classify, quoted, split_parts, wants_everything
from longtake.agent.prompts.render import render
from longtake.agent.state import AgentState, Progress
from longtake.memory.records import Citing


def orient(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Start a question: everything of the last one but the thread is forgotten."""
    started = time.time()
    context = runtime.context
    orientation = _orientation(state, context.known.videos)
    context.trace.event(
        "orient",
        started=started,
        parent=0,
        given={
            "question": state.question,
            "options": list(state.options),
            "turns": [turn.model_dump(mode="json") for turn in state.turns],
        },
        result=orientation.model_dump(mode="json"),
    )
    return {
        "orientation": orientation,
        "messages": _opening(orientation),
        "evidence": [*orientation.facts, *orientation.blank],
        "results": [],
        "examined": [],
        "progress": Progress(),
        "draft": None,
        "claims": [],
        "citing": Citing(),
        "answer": None,
    }


def _orientation(state: AgentState, videos: Sequence[KnownVideo]) -> Orientation:
    question = resolve(state.question, [turn.question for turn in state.turns])
    last = next((turn.proof for turn in reversed(state.turns) if turn.proof), None)
    kind, modalities = classify(question)
    longest = max(videos, key=lambda video: video.duration)
    span, point = named_span(question, longest.duration, longest.shots)
    return Orientation(
        question=question,
        as_asked="" if question == state.question else state.question,
        kind=kind,
        options=state.options,
        span=span or pointed_at(question, last),
        point=point,
        modalities=modalities,
        quoted=quoted(question),
        exhaustive=wants_everything(question),
        parts=split_parts(question),
        videos={video.id: video.duration for video in videos},
        names={video.id: video.name for video in videos},
        coverage=_coverage(videos),
        facts=tuple(fact for video in videos for fact in video.facts),
        blank=tuple(span for video in videos for span in video.blank),
        last=last,
        earlier=tuple(f"Q: {turn.question}\nA: {turn.answer}" for turn in state.turns[-4:]),
    )


def _coverage(videos: Sequence[KnownVideo]) -> dict[str, float]:
    """The layers of all videos, each with its share of their joint timeline."""
    total = sum(video.duration for video in videos) or 1.0
    shares: dict[str, float] = {}
    for video in videos:
        for name, share in video.coverage.items():
            shares[name] = shares.get(name, 0.0) + share * video.duration / total
    return {name: round(share, 4) for name, share in shares.items()}


def _opening(orientation: Orientation) -> list[BaseMessage]:
    system = render("system", orientation=orientation)
    asked = render("question", orientation=orientation)
    # A controller that reads data finds the orientation here; one that reads text finds it in the prompt.
    data = {"orientation": orientation.model_dump(mode="json")}
    return [SystemMessage(system), HumanMessage(asked, additional_kwargs=data)]
