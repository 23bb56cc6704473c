"""Finds where a replay first differs from its recording: the step, and the place in it."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

from longtake.agent.traces.trace import RecordedTrace
from longtake.memory.layers import canonical_json

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
        return None if before == after else (path, *_shown(before, after))
    for name, one, other in pairs:
        if one != other:
            return _place(one, other, f"{path}.{name}" if path else name)
    return None


def _shown(before: Any, after: Any) -> tuple[str, str]:
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
