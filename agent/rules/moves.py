"""What the rules decide on: calls to make, or the draft of an answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from longtake.agent.claims import NOT_FOUND
from longtake.agent.orientation import Orientation
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan, clock, joined
from longtake.tools.result import ToolResult

READER, LISTENER = "extract_scene_text", "transcribe_speech"  # the tools that read the picture, and hear the speech
MOST_PLACES = 3
SLACK = 0.5  # seconds by which what was looked at may miss the edges of what was asked for


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Done:
    """A call that was made, and its result."""

    call: Call
    result: ToolResult


Move = list[Call] | str


def evidence_from(done: Iterable[Done], *tools: str) -> list[Evidence]:
    """Evidence that the named tools found, without repeats, in the order found; two cells may hold the same."""
    found = {(item.id, item.box): item for step in done if step.call.name in tools for item in step.result.evidence}
    return list(found.values())


def trusted(items: Iterable[Evidence]) -> list[Evidence]:
    """The evidence that may be quoted: the rest may lead to a place, and proves nothing."""
    return [item for item in items if item.trusted]


def called(done: Sequence[Done], name: str) -> bool:
    """Whether a tool has been called in this question."""
    return any(step.call.name == name for step in done)


def failures(done: Iterable[Done]) -> list[str]:
    """What went wrong, a sentence each."""
    failed = (step.result.failure for step in done if step.result.failure)
    return list(dict.fromkeys(f"{failure.message} {failure.remedy}".strip() for failure in failed))


def noted(done: Iterable[Done]) -> list[str]:
    """What the tools say of how they looked, a sentence each."""
    return list(dict.fromkeys(f"{note[:1].upper()}{note[1:]}." for step in done for note in step.result.notes))


def unexamined(done: Sequence[Done], tool: str, orientation: Orientation) -> list[str]:
    """Why what a tool found does not stand for all that it was called for, a sentence each; none where it does."""
    steps = [step for step in done if step.call.name == tool]
    reasons = failures(steps)
    for step in steps:
        video = step.call.arguments.get("video", next(iter(orientation.videos), ""))
        start, end = step.call.arguments["timestamp"][0], step.call.arguments["timestamp"][-1]
        end = min(end, orientation.videos.get(video, end))
        looked = joined(step.result.looked_at, gap=SLACK)
        whole = any(span.start <= start + SLACK and end - SLACK <= span.end for span in looked)
        if not step.result.failure and not whole:
            seen = ", ".join(map(str, looked)) or "nothing"
            reasons.append(f"Of {TimeSpan(start=start, end=end)} what was looked at is {seen}.")
    return reasons


def partly_unread(done: Sequence[Done], tool: str, orientation: Orientation) -> list[str]:
    """Why a tool that found something somewhere did not look at all; nothing of a tool that nowhere could look."""
    looked = any(step.call.name == tool and not step.result.failure for step in done)
    return unexamined(done, tool, orientation) if looked else []


def within(items: Iterable[Evidence], orientation: Orientation) -> list[Evidence]:
    """What lies in the time that a question names; all where it names none."""
    return [item for item in items if orientation.span is None or item.span.overlaps(orientation.span)]


def on_each(orientation: Orientation, tool: str, **arguments: Any) -> list[Call]:
    """The same call on every video: over the time that the question names, else over the whole."""
    calls = []
    for video, seconds in orientation.videos.items():
        span = orientation.span or TimeSpan(start=0.0, end=seconds)
        if span.start > seconds:
            continue  # the time named lies behind the end of this one
        place = [span.start] if orientation.point else [span.start, span.end]
        calls.append(on_video(orientation, video, tool, timestamp=place, **arguments))
    return calls


def on_video(orientation: Orientation, video: str, tool: str, **arguments: Any) -> Call:
    """A call on one video, which is named where several are open."""
    return Call(tool, arguments | {"video": video} if len(orientation.names) > 1 else arguments)


def read_around(item: Evidence, orientation: Orientation, seconds: float = 0.0) -> Call:
    """The call that reads closely, in the sense of a piece of evidence, so many seconds before and after it, too."""
    around = item.span.widened(seconds, seconds, orientation.videos.get(item.video, item.span.end))
    tool = LISTENER if item.modality == "speech" else READER
    return on_video(orientation, item.video, tool, timestamp=[round(around.start, 3), round(around.end, 3)])


def cite(item: Evidence, orientation: Orientation, *, decimals: int = 0) -> str:
    """The citation mark of a piece of evidence, with the video's name where several are open."""
    name = orientation.names.get(item.video, item.video) + " " if len(orientation.names) > 1 else ""
    return f"[{name}{clock(item.span.start, decimals=decimals)}]"


def quote(items: Iterable[Evidence], orientation: Orientation) -> str:
    """Pieces of evidence in their own words, each with its mark."""
    return " ".join(f"“{item.content.strip()}” {cite(item, orientation)}" for item in items)


def doubtful(items: Iterable[Evidence], orientation: Orientation) -> list[str]:
    """A sentence that leads to the first of these pieces of evidence that are not trusted; none when all are."""
    marks = list(dict.fromkeys(cite(item, orientation) for item in items if not item.trusted))
    return (
        [f"Go to {''.join(marks[:MOST_PLACES])}: what was recognised there is too doubtful to quote."] if marks else []
    )


def not_found(reason: str) -> str:
    """The draft of an abstention."""
    return f"{NOT_FOUND} {reason}"
