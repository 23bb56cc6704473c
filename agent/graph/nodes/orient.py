"""Reads the question: what it asks, where the answer may be, and what the recording offers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from langgraph.runtime import Runtime

from longtake.agent.graph.known_videos import KnownVideo
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import AgentState, Progress
from longtake.agent.query.query import ANSWERED, Query, Scope, Source
from longtake.agent.query.scope import (
    EDGES,
    asked_instead,
    pointed_at,
    quoted,
    read_scope,
    refers_back,
    resolve,
    what_is_said,
    with_times,
)
from longtake.language.text import as_question
from longtake.language.words import TELLING, content_stems
from longtake.memory.records import Citation


def orient(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Start a question. Everything from the last one except the thread is dropped."""
    started = time.time()
    context = runtime.context
    query = _query(state, context)
    context.trace.event(
        "orient",
        started=started,
        parent=0,
        given={
            "question": state.question,
            "options": list(state.options),
            "turns": [turn.model_dump(mode="json") for turn in state.turns],
        },
        result=query.model_dump(mode="json"),
    )
    return {
        "query": query,
        "gathered": None,
        "messages": [],
        "moments": {},
        "found_by": {},
        "evidence": [*(fact.evidence for fact in query.facts), *query.blank, *query.pieces],
        "results": [],
        "examined": [],
        "progress": Progress(),
        "draft": None,
        "judged": None,
        "stands_in": None,
        "answer": None,
    }


def _query(state: AgentState, context: RunContext) -> Query:
    videos = context.known.videos
    asked = with_times(state.question, {title: span for video in videos for title, span in video.sections.items()})
    # A cross-encoder gives other scores without the mark, which many people leave out.
    question = resolve(as_question(asked), [as_question(turn.question) for turn in state.turns])
    last = next((turn.proof for turn in reversed(state.turns) if turn.proof), None)
    scope = _scope(question, videos, last)
    told = TELLING | (EDGES if scope.span else frozenset())
    return Query(
        question=question,
        as_asked=state.question,
        reading=context.reader.read(asked),
        scope=scope,
        words=tuple(word for word in content_stems(question) if word not in told),
        instead=asked_instead(state.question) if question != asked else (),
        quoted=quoted(question),
        said=what_is_said(question),
        speakers=tuple(name for video in videos for name in video.speakers),
        options=state.options,
        videos={video.id: video.duration for video in videos},
        names={video.id: video.name for video in videos},
        coverage=_coverage(videos),
        facts=tuple(fact for video in videos for fact in video.facts),
        blank=tuple(span for video in videos for span in video.blank),
        pieces=tuple(span for video in videos for span in video.pieces),
        lacks=_lacks(videos),
        earlier=tuple(f"Q: {turn.question}{ANSWERED}{turn.answer}" for turn in state.turns[-4:]),
        last=last,
        refers_back=refers_back(state.question),
    )


def _scope(question: str, videos: Sequence[KnownVideo], last: Citation | None) -> Scope:
    longest = max(videos, key=lambda video: video.duration)
    scope = read_scope(question, longest.duration, longest.shots)
    if scope.span is None and (there := pointed_at(question, last, longest.duration)):
        return there
    return scope


def _lacks(videos: Sequence[KnownVideo]) -> dict[Source, str]:
    """The sources that all videos lack."""
    first, *others = videos
    return {source: why for source, why in first.lacks.items() if all(source in other.lacks for other in others)}


def _coverage(videos: Sequence[KnownVideo]) -> dict[str, float]:
    """The layers of all videos, each with its share of the joint timeline."""
    total = sum(video.duration for video in videos) or 1.0
    shares: dict[str, float] = {}
    for video in videos:
        for name, share in video.coverage.items():
            shares[name] = shares.get(name, 0.0) + share * video.duration / total
    return {name: round(share, 4) for name, share in shares.items()}
