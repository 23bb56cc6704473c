"""Forks a recorded run at a call with changed arguments: as recorded up to there, live from there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage

from longtake.agent.controllers.call_parsing.calls import PLANNED, read_reply
from longtake.agent.graph.agent import Agent
from longtake.agent.graph.routing import SILENT
from longtake.agent.graph.run_context import RunContext
from longtake.agent.traces.playback import RecordedController, RecordedReader, RecordedToolbox, Replies
from longtake.agent.traces.trace import RecordedTrace
from longtake.agent.traces.whole_run import RecordedCall, WholeRun
from longtake.errors import EngineError, LibraryError
from longtake.memory.records import Answer
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.result import ToolError
from longtake.tools.core.tool_context import VideoHandle
from longtake.tools.core.toolbox import Toolbox


def fork(trace: RecordedTrace, step: int, changes: Mapping[str, Any], workspace: Workspace) -> Answer:
    """Answer the question of a run again, with other arguments for one of its calls.

    The new run isn't part of the recorded run's conversation, and has none of its notes.

    Args:
        trace: the recorded run.
        step: the call's step.
        changes: new values of arguments, by name.
        workspace: the library with the videos, and the settings for the live part.

    Raises:
        LibraryError: when there is no such call, it doesn't take these arguments, a video is missing, or the code no
            longer reaches it.
        ConfigError: when the settings' controller isn't available.
    """
    recording = WholeRun.of(trace)
    identity, call = _call_at(recording, step)
    arguments = {**call.arguments, **changes}
    _check(workspace, recording, call, arguments)
    replies = [reply for reply in recording.replies if reply.step <= call.asked_at]
    asked = replies[-1]
    changed = asked._replace(message=_changed(asked.message, len(replies) - 1, identity, arguments))
    kept = {name: made for name, made in recording.calls.items() if made.asked_at <= call.asked_at and name != identity}
    silent = _silenced(recording, call)
    before = [reply for reply in replies[:-1] if reply.step < silent.step] if silent else replies[:-1]
    own = Replies(before if silent else [*before, changed], kept, recording.checks)
    others = Replies([*replies[len(before) : -1], changed], kept) if silent else own

    def forked(context: RunContext) -> RunContext:
        other, judge = context.stand_in, context.judge
        return replace(
            context,
            toolbox=RecordedToolbox(kept, context.toolbox),
            controller=RecordedController(replies=own, then=silent.end if silent else lambda: context.controller),
            stand_in=other and RecordedController(replies=others, then=lambda: other),
            judge=judge and RecordedController(replies=own, then=lambda: judge),
            reader=RecordedReader(recording.reading),
            gather=lambda query, context: recording.gathered,
            known=recording.known,
            origin={"forked_from": {"run": trace.run, "step": step, "set": dict(changes)}},
        )

    question = recording.asked
    answer = Agent(workspace).ask(
        question.videos,
        question.question,
        options=question.options,
        earlier=question.turns,
        change=forked,
    )
    if own.waiting or others.waiting:
        raise LibraryError(
            f"The new run {answer.trace} ended before step {step}: its limits or code differ from those of "
            f"run {trace.run!r}."
        )
    return answer


class _Silence(NamedTuple):
    """The step at which a controller stopped replying, so that another one stood in, and why."""

    step: int
    why: str

    def end(self) -> BaseChatModel:
        """Fail as it did."""
        raise EngineError(self.why)


def _silenced(recording: WholeRun, call: RecordedCall) -> _Silence | None:
    """What ended the replies of the controller before a call, which then is the stand-in's."""
    for event in recording.events[: call.asked_at]:
        if event["type"] == "guard" and event["data"]["guard"].startswith(SILENT):
            return _Silence(event["step"], event["data"]["guard"].removeprefix(f"{SILENT} (").removesuffix(")"))
    return None


def _call_at(recording: WholeRun, step: int) -> tuple[str, RecordedCall]:
    """The id of the call at a step, and the call."""
    for identity, call in recording.calls.items():
        if call.step == step:
            return identity, call
    steps = ", ".join(f"{call.step} ({call.name})" for call in recording.calls.values())
    calls = f"its calls are at {steps}" if steps else "it made none"
    raise LibraryError(f"Step {step} of run {recording.trace.run!r} isn't a tool call: {calls}.")


def _check(workspace: Workspace, recording: WholeRun, call: RecordedCall, arguments: Mapping[str, Any]) -> None:
    library = workspace.library
    handles = {name: VideoHandle(library.resolve(name), library) for name in recording.asked.videos}
    try:
        Toolbox(ALL_TOOLS).check(call.name, arguments, handles)
    except ToolError as error:
        raise LibraryError(f"Step {call.step} can't be changed like this: {error}") from error


def _changed(message: AIMessage, round_number: int, identity: str, arguments: Mapping[str, Any]) -> AIMessage:
    """The reply that requested a call, with the new arguments, and the planned ones kept alongside."""
    read, _ = read_reply(message, Toolbox(ALL_TOOLS), round_number)
    if identity not in [call["id"] for call in read.tool_calls]:
        raise LibraryError(f"The code no longer finds the call {identity} in the controller's reply.")
    calls = [{**call, "args": dict(arguments)} if call["id"] == identity else call for call in read.tool_calls]
    planned = {call["id"]: call["args"] for call in read.tool_calls if call["id"] == identity}
    facts = {**read.additional_kwargs, PLANNED: planned}
    return read.model_copy(update={"tool_calls": calls, "additional_kwargs": facts})
