"""Describes camera movement, shots and still pictures from the layers as evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan, clock
from longtake.tools.core.result import ToolError, evidence_of, examined
from longtake.tools.core.tool_context import ToolContext

Item = Mapping[str, Any]
_CAMERA = {
    "pan_left": "camera pans left",
    "pan_right": "camera pans right",
    "tilt_up": "camera tilts up",
    "tilt_down": "camera tilts down",
    "zoom_in": "camera zooms in or moves closer",
    "zoom_out": "camera zooms out or moves away",
    "shake": "camera shakes",
}


def camera(item: Item) -> str:
    """An item of `motion` in words."""
    speed = round(100 * item["speed"])
    unit = "its size" if item["kind"].startswith("zoom") else "the width"
    return _CAMERA[item["kind"]] + ("" if item["kind"] == "shake" else f", {speed} % of {unit} a second")


def transition(item: Item) -> str:
    """How a shot begins, in words."""
    return {"cut": "cut to another shot", "dissolve": "dissolve to another shot", "fade": "fade to another shot"}[
        item["transition"]
    ]


def still(item: Item) -> str:
    """An item of `still` in words."""
    if item["kind"] == "frozen":
        return "frozen picture, nothing changes"
    if item["kind"] == "pieces":
        return f"each frame shows a piece of the picture, the rest is {item['colour']}"
    return f"blank picture, {item['colour']} all over"


_WORDS: Mapping[str, Callable[[Item], str]] = {"motion": camera, "shots": transition, "still": still}


def known_motion(context: ToolContext, span: TimeSpan) -> list[Moment]:
    """Evidence from the layers for a span: cuts at their moment, the rest for its duration inside the span."""
    found = []
    for name, words in _WORDS.items():
        layer = context.video.layer(name)
        if layer is None:
            continue
        for item in _inside(context, name, span):
            found.append(evidence_of(item, words(item), "visual", layer, context.video.id))
    return sorted(found, key=lambda item: (item.span.start, item.span.end))


def shot_starts(context: ToolContext, span: TimeSpan) -> list[float]:
    """The times in a span at which a shot begins."""
    return [item["start"] for item in _inside(context, "shots", span)]


def pictures_examined(context: ToolContext, span: TimeSpan) -> tuple[TimeSpan, ...]:
    """The part of a span that was analysed during indexing.

    Raises:
        ToolError: if there is none.
    """
    layer = context.video.layer("motion")
    if layer is None:
        raise ToolError(
            "unavailable", "The picture of this video wasn't analysed.", "Index it again if it has a picture."
        )
    return examined(layer, span)


def dated(item: Moment) -> str:
    """Evidence as a line: time and text."""
    start, end = (clock(time, decimals=1) for time in (item.span.start, item.span.end))
    return f"{start} {item.text}" if start == end else f"{start}-{end} {item.text}"


def _inside(context: ToolContext, name: str, span: TimeSpan) -> Iterator[dict[str, Any]]:
    for item in context.video.items(name, span):
        if name != "shots":
            yield item | {"start": max(item["start"], span.start), "end": min(item["end"], span.end)}
        elif item["transition"] != "start" and span.start <= item["start"] <= span.end:
            yield item | {"end": item["start"]}
