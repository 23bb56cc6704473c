"""The result of a call of a tool. A failure is a result, too: nothing is raised into the graph.

Items of layers become moments here, and text from unknown authors is made safe to show: it is data, whatever it says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from longtake.language.text import shortened, without_bullet
from longtake.memory.layers import Layer
from longtake.memory.records import Modality, Moment, Record
from longtake.memory.timespan import TimeSpan, clock

# Terminals obey these: colours, cursor movements, titles, hyperlinks (ECMA-48).
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])"
)
# Control characters except tab and line feed, marks of text direction, and invisible characters.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)


def printable(text: str) -> str:
    """The text without escape sequences and invisible characters, and with one kind of line end."""
    return _HIDDEN.sub("", _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str, most: int) -> str:
    """The text as one line of at most `most` characters; an ellipsis marks a cut."""
    return shortened(" ".join(printable(text).split()), most)


SLACK = 0.5  # seconds at the edges of streams, which rarely start and end together


def evidence_of(
    item: Mapping[str, Any], text: str, modality: Modality, layer: Layer, video: str, *, confidence: float = 1.0
) -> Moment:
    """The moment of one item of a layer: its span, and this text. It is trusted unless the item says otherwise."""
    return Moment(
        video=video,
        span=TimeSpan(start=item["start"], end=item["end"]),
        modality=modality,
        text=without_bullet(text),
        score=confidence,
        engine=layer.engine,
        layer=layer.key,
        box=item.get("box"),
        trusted=item.get("trusted", True),
    )


def examined(layer: Layer, span: TimeSpan) -> tuple[TimeSpan, ...]:
    """The parts of a span that a layer covers, in order. Nothing else was examined."""
    return tuple(
        TimeSpan(start=max(part.start, span.start), end=min(part.end, span.end))
        for part in layer.covered
        if part.overlaps(span)
    )


def unexamined(layer: Layer, span: TimeSpan, reader: Layer | None = None) -> tuple[str, ...]:
    """Notes if a layer covers a span only in part: how much, and what of the file couldn't be read.

    Args:
        layer: the layer.
        span: the span.
        reader: the layer that knows what couldn't be read, if that isn't `layer` itself.
    """
    seconds = sum(part.length for part in examined(layer, span))
    if span.length == 0 or seconds >= span.length - SLACK:
        return ()
    return (f"only {seconds:.1f} of {span.length:.1f} s of it were examined", *(reader or layer).left_out())


SHORTEST = 8  # characters of a text, below which it isn't cut further: less would mean nothing
TOO_LONG = "too long to show completely: ask for a shorter span"

FailureKind = Literal["bad_arguments", "unavailable", "timeout", "engine_failed", "refused"]


class ToolFailure(Record):
    """Why a call failed: the kind, one sentence, and the remedy."""

    kind: FailureKind
    message: str
    remedy: str = ""


class ToolResult(Record):
    """What a call gives: fields of output, the moments that prove them, and the spans that were examined."""

    tool: str
    output: dict[str, Any] = Field(default_factory=dict)
    evidence: tuple[Moment, ...] = ()
    looked_at: tuple[TimeSpan, ...] = ()
    notes: tuple[str, ...] = Field(
        default=(), description="Changes to the arguments; what was examined for an empty result."
    )
    failure: ToolFailure | None = None
    seconds: float = 0.0
    cached: bool = False

    def for_controller(self, limit: int) -> str:
        """JSON text of at most `limit` characters, for other programs' controllers: output, notes, evidence with times.

        A long result is cut, the evidence first. The whole result stays in the trace.
        """
        if self.failure:
            return _fitted({"error": self.failure.model_dump()}, limit)
        evidence = [
            {"at": clock(item.span.start), "to": clock(item.span.end), "found": item.text}
            | ({} if item.trusted else {"doubtful": True})
            for item in self.evidence
            if item.video  # web pages are in the output already and have no time
        ]
        parts: dict[str, Any] = {"data": self.output, "notes": list(self.notes), "evidence": evidence}
        while len(_json(parts)) > limit and parts["evidence"]:
            parts["evidence"] = parts["evidence"][: len(parts["evidence"]) // 2]
            parts["cut"] = f"{len(parts['evidence'])} of {len(evidence)} pieces of evidence shown"
        return _fitted(parts, limit)


def _fitted(parts: dict[str, Any], limit: int) -> str:
    """JSON of the parts, with texts and lists shortened until it fits."""
    text, room = _json(parts), limit
    while len(text) > limit and room > SHORTEST:
        room //= 2
        text = _json({**_cut(parts, room), "cut": TOO_LONG})
    return text if len(text) <= limit else _json({"cut": TOO_LONG})


def _cut(value: Any, room: int) -> Any:
    match value:
        case str() if len(value) > room:
            return value[:room] + "…"
        case list():
            # A span keeps both bounds.
            return [_cut(item, room) for item in value[: max(2, room // 20)]]
        case dict():
            return {name: _cut(item, room) for name, item in value.items()}
    return value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


class ToolError(Exception):
    """Raised inside a tool to end a call with a failure. The toolbox turns it into a value."""

    def __init__(self, kind: FailureKind, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.failure = ToolFailure(kind=kind, message=message, remedy=remedy)
