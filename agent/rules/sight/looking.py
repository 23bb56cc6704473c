"""Questions for eyes: a model that watches is asked where one is configured, then words, then what moves."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.agent.claims import NOT_FOUND
from longtake.agent.orientation import Orientation
from longtake.agent.rules.facts import find_fact
from longtake.agent.rules.moves import Call, Done, Move, called, evidence_from, not_found, on_each, quote, trusted
from longtake.agent.rules.sight.movement import asks_happenings, tell_happenings
from longtake.agent.rules.sight.seeing import without_tools
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan

WATCH = "watch_segment"
LONGEST = 120.0  # seconds that a few pictures can stand for
EMPTY = 0.9  # share of the time asked about that must be without a picture
EYES = "the engines here read text, hear sounds, and measure colour, camera and movement, but name no thing or action"


def look(orientation: Orientation, done: Sequence[Done]) -> Move:
    """What a model that watches says, else what is said or written of it, else what moves."""
    empty = empty_picture(orientation)
    if empty:
        return not_found(say_empty(empty))
    seen = _watched(orientation, done)
    if seen:
        return seen
    told = find_fact(
        orientation,
        without_tools(done, WATCH),
        otherwise=f"No evidence in words, and {EYES}.",
    )
    if isinstance(told, list):
        return told + _watch_calls(orientation, done)
    happens = told.startswith(NOT_FOUND) and asks_happenings(orientation)
    return tell_happenings(orientation, done) if happens else told


def mention_empty(draft: str, orientation: Orientation) -> str:
    """An abstention that also says that there was no picture to look at, where that is so."""
    empty = empty_picture(orientation)
    if empty is None or say_empty(empty) in draft:
        return draft
    return not_found(f"{say_empty(empty)} {draft.removeprefix(NOT_FOUND).strip()}")


def say_empty(empty: Evidence) -> str:
    """That the picture is empty, and when, in a sentence."""
    return f"The picture is empty there: {empty.content.rpartition(': ')[2]} over {empty.span}."


def empty_picture(orientation: Orientation) -> Evidence | None:
    """Where the picture is empty, when in every video that is so for nearly all of the time the question is about."""
    found: list[Evidence] = []
    for video, seconds in orientation.videos.items():
        about = orientation.span or TimeSpan(start=0.0, end=seconds)
        empty = [item for item in orientation.blank if item.video == video and item.span.overlaps(about)]
        covered = sum(min(item.span.end, about.end) - max(item.span.start, about.start) for item in empty)
        if not empty or covered < EMPTY * about.length:
            return None
        found += empty
    return found[0]


def _watch_calls(orientation: Orientation, done: Sequence[Done]) -> list[Call]:
    """The calls that put the question to a model, of the time it names or of short videos; none when they were made."""
    lengths = [orientation.span.length] if orientation.span else orientation.videos.values()
    if called(done, WATCH) or max(lengths) > LONGEST:
        return []
    return on_each(orientation, WATCH, question=orientation.question)


def _watched(orientation: Orientation, done: Sequence[Done]) -> str:
    """What the model said, in its own words; empty where there is none or it could not tell."""
    return quote(trusted(evidence_from(done, WATCH)), orientation)
