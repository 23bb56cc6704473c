"""Asks a vision-language model, and reads its replies as data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from longtake.language.json_text import parse_json
from longtake.memory.timespan import TIME, SpanError, TimeSpan, parse_span
from longtake.preprocess.engines.endpoints.chosen_frames import choose_times, read_chosen
from longtake.preprocess.engines.endpoints.visual_question import TimedJpeg, VisualQuestionEngine
from longtake.preprocess.engines.text.scene_text_engine import Box
from longtake.prompts import render
from longtake.tools.core.tool_context import ToolContext

MAX_ACTIVITIES = 20
_PROMPTS = "longtake.tools.prompts"
_MEGABYTE = 1_000_000
UNTOLD = re.compile(r"\W*cannot tell\b[\s.:,;*-]*", re.IGNORECASE)
_LINE = re.compile(rf"\W*((?:{TIME})\s*(?:-|–|—|to)\s*(?:{TIME}))\W*\s(.+)", re.IGNORECASE)
_ROUNDED = 1.0  # seconds by which a model may miss the span, because it writes whole seconds
_MAX_THINGS = 200


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's answer about pictures; `unsure` says why it couldn't tell."""

    text: str = ""
    unsure: str = ""


@dataclass(frozen=True, slots=True)
class LocatedThing:
    """An object that a model locates in a picture; `box` is left, top, width and height as shares of the picture."""

    label: str
    box: Box


def read_pictures(context: ToolContext, span: TimeSpan) -> list[TimedJpeg]:
    """The frames of a span for a model: more where more changes, within the budget of the settings.

    Raises:
        MediaError: if the file is missing or has no picture.
    """
    settings = context.settings.visual_question
    times = choose_times(span, context.video.items("changes", span), settings.pictures)
    path, media = context.video.media()
    return read_chosen(path, media, times, round(settings.megabytes * _MEGABYTE), context.budget.check)


def ask_about(context: ToolContext, question: str, pictures: Sequence[TimedJpeg]) -> Reply:
    """A model's answer to a question about pictures.

    Raises:
        EngineError: if no model is available, or it fails.
    """
    return _reply(context, render(_PROMPTS, "watch", question=question), pictures)


def ask_for_activities(
    context: ToolContext, span: TimeSpan, pictures: Sequence[TimedJpeg]
) -> list[tuple[TimeSpan, str]]:
    """The actions that a model names in pictures of a span, each with its time; none if it can't tell.

    A line without a time inside the span applies to all of it.

    Raises:
        EngineError: if no model is available, or it fails.
    """
    reply = _reply(context, render(_PROMPTS, "activities", most=MAX_ACTIVITIES), pictures)
    lines = [line.strip() for line in reply.text.splitlines() if any(map(str.isalpha, line))]
    return [_activity(line, span) for line in lines[:MAX_ACTIVITIES]]


def locate_things(context: ToolContext, kinds: Sequence[str], picture: TimedJpeg) -> list[LocatedThing]:
    """Where a model locates objects of some kinds in a picture. Other objects in its reply are dropped.

    Raises:
        EngineError: if no model is available, or it fails.
    """
    reply = _reply(context, render(_PROMPTS, "boxes", kinds=list(kinds)), [picture])
    by_name = {kind.casefold(): kind for kind in kinds}
    found = list[LocatedThing]()
    for item in _listed(reply.text):
        label = by_name.get(str(item.get("label", "")).casefold())
        box = _box(item.get("box"))
        if label is not None and box is not None:
            found.append(LocatedThing(label, box))
    return found[:_MAX_THINGS]


def _reply(context: ToolContext, prompt: str, pictures: Sequence[TimedJpeg]) -> Reply:
    engine: VisualQuestionEngine = context.engines.load("visual_question")
    context.budget.check()
    said = engine.answer(prompt, pictures, context.budget.left)
    unsure = UNTOLD.match(said)
    return Reply(unsure=said[unsure.end() :].strip() or "it gave no reason") if unsure else Reply(said)


def _activity(line: str, span: TimeSpan) -> tuple[TimeSpan, str]:
    timed = _LINE.fullmatch(line)
    if timed:
        with suppress(SpanError):
            stated = parse_span(timed[1], window=0.0, duration=span.end + _ROUNDED).span
            start, end = max(stated.start, span.start), min(stated.end, span.end)
            if start <= end:
                return TimeSpan(start=start, end=end), timed[2].strip()
    return span, line.lstrip("-*• ")


def _listed(text: str) -> Iterator[dict[str, Any]]:
    """The objects of the JSON list in a reply, which may be surrounded by text; none without a list."""
    start, end = text.find("["), text.rfind("]")
    with suppress(ValueError, RecursionError):
        listed = parse_json(text[start : end + 1])
        yield from (item for item in listed if isinstance(item, dict))


def _box(corners: Any) -> Box | None:
    match corners:
        case [int() | float() as left, int() | float() as top, int() | float() as right, int() | float() as bottom]:
            inside = 0 <= left < right <= 1 and 0 <= top < bottom <= 1
            sides = (left, top, right - left, bottom - top)
            return (sides[0], sides[1], round(sides[2], 4), round(sides[3], 4)) if inside else None
    return None
