"""Explains from its trace why a question was not answered right.

The first that applies, where "there" is the time in which the gold is shown, and the sense is the one that the gold's
modality takes to answer:

    found, not answered with       the gathered evidence or a tool's findings there hold the gold: the controller or
                                   the checks lost it
    no engine here                 a tool of the sense was called and is not available, or no general engine for the
                                   sense is installed and no special tool of it was tried there
    looked there, not recognised   gathered evidence of the sense, a tool of it or a citation covers part of that time,
                                   without the gold
    never looked there             an engine for the sense is available, but nothing used it there

`longtake.evalharness.scoring.grading` decides whether something holds the gold; a short gold may match by chance.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import Field

from longtake.agent.gathering.gathered import Gathered
from longtake.agent.traces.trace import RecordedTrace
from longtake.benchmarks.clips.clip_questions import ClipQuestion
from longtake.evalharness.scoring.grading import Gold, holds
from longtake.memory.records import Answer, Citation, Modality, Moment, Record
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.engine_table import ENGINES
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.registry import SPECS
from longtake.tools.core.result import ToolResult

Group = Literal["found, not answered with", "no engine here", "looked there, not recognised", "never looked there"]
GROUPS: tuple[Group, ...] = get_args(Group)
_CAPABILITIES = {SPECS[tool].name: SPECS[tool].capabilities for tool in ALL_TOOLS}


@dataclass(frozen=True, slots=True)
class _Sense:
    """The evidence that may hold a gold, its general readers (layers and engines), and its special ones."""

    evidence: tuple[Modality, ...]
    readers: tuple[str, ...]
    special: tuple[str, ...] = ()

    def uses(self, tool: str) -> bool:
        """Whether a tool uses one of them."""
        return bool({*self.readers, *self.special} & set(_CAPABILITIES.get(tool, ())))


_SEEN = _Sense(("visual",), ("captions", "visual_question"), ("objects", "faces", "activities"))
# By the modality of the gold.
_SENSES = {
    "speech": _Sense(("speech",), ("subtitles", "speech")),
    "subtitle": _Sense(("speech", "scene_text"), ("subtitles",), ("speech", "scene_text")),
    "ocr": _Sense(("scene_text",), ("scene_text",)),
    "audio": _Sense(("audio",), ("sounds",)),
    "visual": _SEEN,
    "image": _SEEN,
    "audiovisual": _SEEN,
}
_UNKNOWN = _Sense(("speech", "scene_text", "visual", "audio"), ())


class Needed(Record):
    """Why a question was not answered right, as far as its trace shows."""

    group: Group
    missing: dict[str, str] = Field(description="What has no engine here, and why: called tools, and readers.")
    called: tuple[str, ...] = Field(description="The tools called, each once.")

    def __str__(self) -> str:
        lacking = f" (not available: {', '.join(self.missing)})" if self.missing else ""
        return f"{self.group}{lacking}; called: {', '.join(self.called) or 'nothing'}"


def evidence_of(modality: str) -> tuple[Modality, ...]:
    """Evidence that may hold a gold of this modality."""
    return _SENSES.get(modality, _UNKNOWN).evidence


def what_was_needed(question: ClipQuestion, answer: Answer, workspace: Workspace) -> Needed:
    """Explain a question that was not answered right from its trace.

    Raises:
        LibraryError: if the trace is incomplete.
    """
    sense = _SENSES.get(question.modality, _UNKNOWN)
    gathered, calls = _recorded(workspace, answer)
    own = [call for call in calls if sense.uses(call.name)]
    refused = {
        call.name: f"{call.result.failure.message} {call.result.failure.remedy}".strip()
        for call in own
        if call.result.failure and call.result.failure.kind == "unavailable"
    }
    unread = {} if any(answer.coverage.get(name) for name in sense.readers) else _unread(sense, workspace)
    found = [*gathered, *(item for call in calls for item in call.result.evidence)]
    there = [item for item in found if item.span.overlaps(question.evidence)]
    seen = [item for item in there if item.modality in sense.evidence]
    looked = bool(seen) or _cited(question, answer, sense) or any(_covers(call, question) for call in own)
    if _holds(question, seen):
        group: Group = "found, not answered with"
    elif refused or (unread and not looked):
        group = "no engine here"
    else:
        group = "looked there, not recognised" if looked else "never looked there"
    return Needed(group=group, missing=refused | unread, called=tuple(dict.fromkeys(call.name for call in calls)))


@dataclass(frozen=True, slots=True)
class _Call:
    name: str
    result: ToolResult
    spans: tuple[TimeSpan, ...]


def _recorded(workspace: Workspace, answer: Answer) -> tuple[list[Moment], list[_Call]]:
    """The evidence gathered before the first call, and the calls."""
    if answer.trace is None:
        return [], []
    trace = RecordedTrace(workspace.library.trace_root, answer.trace)
    gathered: list[Moment] = []
    calls = []
    for event in trace.events():
        if event["type"] == "brief":
            gathered += [
                item for found in Gathered.model_validate(trace.blob(event["output"])).found for item in found.line
            ]
        elif event["type"] == "tool":
            result = ToolResult.model_validate(trace.blob(event["output"]))
            spans = tuple(TimeSpan(start=start, end=end) for _, start, end in event["spans"])
            calls.append(_Call(event["data"]["tool"], result, spans))
    return gathered, calls


def _unread(sense: _Sense, workspace: Workspace) -> dict[str, str]:
    """Why nothing here can read a sense, by layer or capability; empty if something can."""
    reasons: dict[str, str] = {}
    for name in sense.readers:
        if name not in ENGINES:
            reasons[name] = "none in the file or next to it"
            continue
        report = workspace.engines.report(name)
        if report.engine:
            return {}
        tried = (f"{engine}: {reason}" for engine, reason in report.reasons.items())
        reasons[name] = "; ".join(tried) or "no engine in the profile"
    return reasons


def _covers(call: _Call, question: ClipQuestion) -> bool:
    """Whether a call covered part of the time in which the gold is shown."""
    return not call.result.failure and any(span.overlaps(question.evidence) for span in call.spans)


def _cited(question: ClipQuestion, answer: Answer, sense: _Sense) -> bool:
    """Whether the answer cites something there; a recording's metadata counts for every sense."""
    return any(
        citation.modality in (*sense.evidence, "metadata")
        and TimeSpan(start=citation.start, end=citation.end).overlaps(question.evidence)
        for citation in answer.citations
    )


def _holds(question: ClipQuestion, found: Sequence[Moment]) -> bool:
    """Whether the findings, together or one of them, hold the gold."""
    gold, cited_times = Gold.read(question.answer), question.kind != "duration"
    return any(
        holds(gold, _quoting(question, items), question.tolerance_s, cited_times=cited_times)
        for items in (found, *([item] for item in found))
        if items
    )


def _quoting(question: ClipQuestion, items: Sequence[Moment]) -> Answer:
    text = "\n".join(item.text for item in items)
    citations = tuple(Citation.of(item) for item in items)
    return Answer(question=question.question, status="answered", answer=text, citations=citations)
