"""Opens the conversation: what the videos hold, and what a first search found for the question."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from langgraph.runtime import Runtime

from longtake.agent.controllers.extractive.model import GATHERED, QUERY
from longtake.agent.gathering.gathered import Briefing, Gathered
from longtake.agent.gathering.moments import line_of, shown
from longtake.agent.graph.known_videos import KnownVideo
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import AgentState
from longtake.agent.prompts.render import render
from longtake.agent.query.query import Query, Scope
from longtake.memory.records import FoundBy, Moment
from longtake.memory.timespan import clock, joined

ORIENT, BRIEF = "orient", "brief"  # the steps that find moments before the first call
_MOST_GAPS = 8  # spans of an empty picture that are named
_LONGEST_FACT = 200  # characters; a longer one lists every cut
_LAYERS: Mapping[str, tuple[str, ...]] = {  # as a model reads them
    "speech": ("subtitles", "speech"),
    "on-screen text": ("scene_text",),
    "sounds": ("sounds",),
    "picture descriptions": ("captions",),
    "shots": ("shots",),
}


def brief(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Search for the question and open the conversation with what was found."""
    started = time.time()
    context, query = runtime.context, state.query
    assert query is not None, "orient runs first"
    gathered = context.gather(query, context)
    found = gathered.evidence
    told = by_own_id(fact.evidence for fact in query.facts if fact.source != "speech")  # the contents tell who speaks
    facts = {f"m{number}": item for number, item in enumerate(told.values(), 1)}
    moments = (
        _numbered(gathered.briefing, facts, context) if gathered.briefing else by_own_id([*state.evidence, *found])
    )
    context.trace.event(
        "brief",
        started=started,
        parent=0,
        result=gathered.model_dump(mode="json"),
        data={"found": len(gathered.found)},
        spans=[(item.video, item.span.start, item.span.end) for item in found],
        evidence=[item.id for item in found],
    )
    known = {item.id for item in state.evidence}
    known_before = facts.keys() | by_own_id(state.evidence).keys()
    before = {name: FoundBy(tool=ORIENT if name in known_before else BRIEF) for name in moments}
    return {
        "gathered": gathered,
        "messages": _opening(query, gathered, moments, context),
        "evidence": [*state.evidence, *(item for item in found if item.id not in known)],
        "moments": moments,
        "found_by": before,
    }


def by_own_id(moments: Iterable[Moment]) -> dict[str, Moment]:
    """Moments by their own ids, which the extractive controller cites."""
    return {item.id: item for item in moments}


def _numbered(briefing: Briefing, facts: Mapping[str, Moment], context: RunContext) -> dict[str, Moment]:
    """The moments of the first message by id, numbered in the order in which they stand there."""
    transcript = {f"m{number}": item for number, item in enumerate(briefing.transcript, len(facts) + 1)}
    lines = sorted(briefing.moments, key=lambda item: (item.video, item.span.start))
    known = dict(facts) | transcript
    return known | shown(lines, known, context.moments)


def _opening(query: Query, gathered: Gathered, moments: Mapping[str, Moment], context: RunContext) -> list[BaseMessage]:
    """The instructions and the first message. What stays the same for a video comes first: servers keep it."""
    # Controllers that read data find the query and the evidence here; those that read text find them in the prompt.
    data = {QUERY: query.model_dump(mode="json"), GATHERED: gathered.model_dump(mode="json")}
    if not context.writes:
        return [SystemMessage(""), HumanMessage(query.own_words, additional_kwargs=data)]
    names = query.names
    lines = {name: line_of(name, item, names) for name, item in moments.items() if item.modality != "metadata"}
    briefing = gathered.briefing or Briefing()
    said = {item.id for item in briefing.transcript}
    scope = query.scope
    text = render(
        "brief",
        videos=[_video_summary(video, moments, names) for video in context.known.videos],
        missing=[f"{name} ({need})" for name, need in briefing.missing.items()],
        contents=briefing.contents,
        transcript=[line for name, line in lines.items() if moments[name].id in said],
        earlier=query.earlier,
        lines=[line for name, line in lines.items() if moments[name].id not in said],
        likely=[name for name in lines if moments[name].id in briefing.likely],
        question=query.own_words,
        options=query.options,
        time=_time(scope) if scope.named else "",
        rounds=context.tools.settings.budget.rounds,
    )
    system = render("system", several=len(names) > 1, looks="watch_segment" in briefing.tools)
    return [SystemMessage(system), HumanMessage(text, additional_kwargs=data)]


def _time(scope: Scope) -> str:
    """The span that a question names, or the start alone if it names no end ("from 4:15 on")."""
    if scope.span is None:
        return ""
    return str(scope.span) if scope.span.length else clock(scope.span.start)


def examined(video: KnownVideo) -> str:
    """What of a video was examined, and how much of it."""
    found = []
    for label, names in _LAYERS.items():
        seen = [name for name in names if video.coverage.get(name)]
        share = min(1.0, sum(video.coverage[name] for name in seen))  # a recogniser hears what subtitles leave out
        told = f" ({video.coverage['subtitles']:.0%} from subtitles)" if "subtitles" in seen else ""
        told = " (none found)" if all(name in video.empty for name in seen) else told
        found += [f"{label} {share:.0%}{told}"] if seen else []
    return ", ".join(found) or "nothing"


def _video_summary(video: KnownVideo, moments: Mapping[str, Moment], names: Mapping[str, str]) -> dict[str, Any]:
    """A video for the first message."""
    facts = [
        line_of(name, item, names)
        for name, item in moments.items()
        if item.modality == "metadata" and item.video == video.id and len(item.text) <= _LONGEST_FACT
    ]
    empty = joined((item.span for item in video.blank), gap=0.5)
    more = f" and {len(empty) - _MOST_GAPS} more" if len(empty) > _MOST_GAPS else ""
    spans = ", ".join(map(str, empty[:_MOST_GAPS]))
    gaps = [f"The picture is empty over {spans}{more}."] if empty else []
    gaps += [f"{item.text} over {item.span}." for item in video.pieces[:_MOST_GAPS]]
    return {
        "name": video.name,
        "length": clock(video.duration, decimals=1),
        "facts": facts,
        "examined": examined(video),
        "gaps": gaps,
    }
