"""Replays a run from its trace, without model, network, video or library, and finds where it first differs from it."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Mapping
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from langchain_core.language_models import BaseChatModel

from longtake.agent.graph.graph import build_graph
from longtake.agent.graph.known_videos import KnownVideo
from longtake.agent.graph.routing import OUT_OF_TIME, SILENT, STOPPED
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.running import run_graph
from longtake.agent.traces.playback import (
    RecordedController,
    RecordedFrames,
    RecordedMoments,
    RecordedReader,
    RecordedToolbox,
    Replies,
)
from longtake.agent.traces.trace import RecordedTrace, Trace
from longtake.agent.traces.whole_run import WholeRun, plans
from longtake.errors import Cancelled, EngineError, LibraryError
from longtake.memory.layers import canonical_json
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.search.index import Index
from longtake.preprocess.engines import EngineTable
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle

Event = Mapping[str, Any]
_COMPARED = ("input", "output", "spans", "evidence", "usage")
_SHOWN = 80  # maximum characters of a value
_BEFORE = 20  # of these, common characters before the difference


class Difference(NamedTuple):
    """The step in the recording (or in the new run, if the recording has ended), and a sentence about it."""

    step: int
    sentence: str


def first_difference(recorded: RecordedTrace, now: RecordedTrace) -> Difference | None:
    """The first step at which two runs differ in more than their times; None if they don't."""
    for before, after in zip_longest(_lined_up(recorded), _lined_up(now)):
        if before is None:
            return Difference(after["step"], f"the recording has ended, but the code continues: {_name(after)}")
        if after is None:
            return Difference(before["step"], f"{_describe(before)} is no longer reached")
        if _name(before) != _name(after):
            return Difference(before["step"], f"instead of {_describe(before)} there is now: {_name(after)}")
        place = _place(compared(recorded, before), compared(now, after))
        if place:
            path, one, other = place
            sentence = f"{_describe(before)} differs in {path}: {one} in the recording, {other} now"
            return Difference(before["step"], sentence)
    return None


def compared(trace: RecordedTrace, event: Event) -> dict[str, Any]:
    """The parts of an event that a replay must reproduce: all but times, and the names of runs and prompts."""
    whole = {name: event[name] for name in _COMPARED}
    for name in ("input", "output"):
        whole[name] = trace.blob(whole[name]) if whole[name] else None
    if event["type"] == "answer":
        answer = whole["output"]
        usage = {name: value for name, value in answer["usage"].items() if name != "seconds"}
        whole["output"] = {**answer, "usage": usage, "trace": None}
    # The text of a prompt is already in the input, as far as it was sent.
    return {**whole, "data": {name: value for name, value in event["data"].items() if name != "prompts"}}


def _lined_up(trace: RecordedTrace) -> list[Event]:
    """The events after the first; concurrent ones of a round in the order of its calls."""
    order: list[tuple[int, str]] = []
    events = list(trace.events())[1:]
    for event in events:
        call = event["data"].get("call", "")
        after = order[-1][0] if order else 0
        order.append((after if call else after + 1, call))
    return [event for _, event in sorted(zip(order, events, strict=True), key=lambda pair: pair[0])]


def _place(before: Any, after: Any, path: str = "") -> tuple[str, str, str] | None:
    """The first place at which two JSON values differ, and both values there."""
    if isinstance(before, dict) and isinstance(after, dict):
        pairs = [(str(name), before.get(name), after.get(name)) for name in sorted({*before, *after})]
    elif isinstance(before, list) and isinstance(after, list):
        pairs = [(str(number), *pair) for number, pair in enumerate(zip_longest(before, after))]
    else:
        return None if before == after else (path, *_around_difference(before, after))
    for name, one, other in pairs:
        if one != other:
            return _place(one, other, f"{path}.{name}" if path else name)
    return None


def _around_difference(before: Any, after: Any) -> tuple[str, str]:
    """Two values, shortened around their difference."""
    one, other = canonical_json(before), canonical_json(after)
    same = next((place for place, pair in enumerate(zip(one, other, strict=False)) if len({*pair}) > 1), 0)
    start = max(0, same - _BEFORE)
    return _cut(one, start), _cut(other, start)


def _cut(text: str, start: int) -> str:
    end = start + _SHOWN
    return f"{'…' if start else ''}{text[start:end]}{'…' if len(text) > end else ''}"


def _name(event: Event) -> str:
    return " ".join(filter(None, (event["type"], event["data"].get("tool"))))


def _describe(event: Event) -> str:
    return f"step {event['step']} ({_name(event)})"


_ENDS = ("answer", "error")
_LAST_TURN = 0.2  # seconds; less than any run keeps for its last turn


class Replayed(NamedTuple):
    """A replayed run: its steps, whether it ended as recorded, and the first difference."""

    run: str
    steps: int
    same: bool
    difference: Difference | None


def replay(trace: RecordedTrace) -> Replayed:
    """Replay a trace.

    Raises:
        LibraryError: when the trace can't be replayed: it is from an older version, incomplete, or has no end.
    """
    recording = WholeRun.of(trace)
    end = recording.last(*_ENDS)
    if end is None or end["data"].get("error") == "interrupted":
        raise LibraryError(f"Run {trace.run!r} was interrupted before its answer, so a replay has nothing to compare.")
    with tempfile.TemporaryDirectory(prefix="longtake-replay-") as folder:
        again = _run_again(recording, Path(folder))
        ended = [event for event in again.events() if event["type"] in _ENDS][-1]
        same = _ending(trace, end) == _ending(again, ended)
        return Replayed(trace.run, len(recording.events), same, first_difference(trace, again))


def _run_again(recording: WholeRun, folder: Path) -> RecordedTrace:
    """The trace of the new run; the empty folder is its library."""
    library, time_left = LibraryStore(folder), _RecordedTime(recording)
    handles = {video.id: VideoHandle(_record(video), library) for video in recording.known.videos}
    settings, moments = recording.settings, RecordedMoments(recording.beside)
    tools = ToolContext(handles, EngineTable(settings), Index(library.index_root), settings, time_left)
    controller, stand_in = _controllers(recording, time_left)
    trace = Trace(library.trace_root)
    context = RunContext(
        RecordedToolbox(recording.calls),
        tools,
        controller,
        trace,
        time.time(),
        RecordedReader(recording.reading),
        lambda video: moments,
        RecordedFrames(handles),
        gather=lambda query, context: recording.gathered,
        stand_in=None if settings.controller.engine == "extractive" else stand_in,
        known=recording.known,
    )
    run_graph(build_graph(None), recording.asked, context, trace.run)
    return RecordedTrace(library.trace_root, trace.run)


def _controllers(recording: WholeRun, time_left: _RecordedTime) -> tuple[RecordedController, RecordedController]:
    """The controller that planned, and its stand-in.

    Both give the same replies, unless the first stopped replying: later replies are then the stand-in's.
    """
    guards = [event for event in recording.events if event["type"] == "guard"]
    silent = next((event for event in guards if event["data"]["guard"].startswith(SILENT)), None)
    end = _end_of(recording, recording.last("guard"), time_left)
    if silent is None:
        replies = Replies(recording.replies, recording.calls, recording.checks, recording.problems)
        time_left.replies = replies
        both = RecordedController(replies=replies, then=end)
        return both, both
    own = Replies(
        [reply for reply in recording.replies if reply.step < silent["step"]],
        recording.calls,
        recording.checks,
        recording.problems,
    )
    time_left.replies = own
    others = [reply for reply in recording.replies if reply.step > silent["step"]]
    return (
        RecordedController(replies=own, then=_end_of(recording, silent, time_left)),
        RecordedController(replies=Replies(others, {}), then=end),
    )


class _RecordedTime(Budget):
    """A time budget that runs out when the recorded one did: then only the time for a last turn is left."""

    def __init__(self, recording: WholeRun) -> None:
        super().__init__(math.inf)
        self.over = False
        self.replies: Replies | None = None
        late = (event for event in recording.events if event["data"].get("guard") == OUT_OF_TIME)
        step = next((event["step"] for event in late), None)
        # A reply, or why there was none, follows the guard of a last turn.
        following = recording.events[step + 1 : step + 2] if step is not None else ()
        self._late = any(event["type"] == "guard" or plans(event) for event in following)
        self._last_turn = sum(map(plans, following))  # replies

    def share(self, seconds: float) -> Budget:
        """The same budget."""
        return self

    @property
    def left(self) -> float:
        """Seconds left."""
        if self.over:
            return 0.0
        late = self._late and self.replies is not None and self.replies.waiting <= self._last_turn
        return _LAST_TURN if late else super().left


def _end_of(
    recording: WholeRun, guard: Mapping[str, Any] | None, time_left: _RecordedTime
) -> Callable[[], BaseChatModel]:
    """What happens when the code requests one more reply than was recorded: the same as in the recorded run."""
    error = recording.last("error")
    reason = guard["data"]["guard"] if guard else ""

    def end() -> BaseChatModel:
        if reason == STOPPED:
            time_left.stop()
        elif reason == OUT_OF_TIME:
            time_left.over = True
        elif reason.startswith(SILENT):
            raise EngineError(reason.removeprefix(f"{SILENT} (").removesuffix(")"))
        elif error:
            raise EngineError(error["data"]["error"])
        else:
            raise LibraryError("The recording has no further reply of the controller.")
        raise Cancelled(reason)

    return end


def _record(video: KnownVideo) -> VideoRecord:
    return VideoRecord(id=video.id, name=video.name, path="", size=0, modified=0, duration=video.duration)


def _ending(trace: RecordedTrace, event: Mapping[str, Any]) -> Any:
    whole = compared(trace, event)
    return whole["output"] if event["type"] == "answer" else whole["data"]
