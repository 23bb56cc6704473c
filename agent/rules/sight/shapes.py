"""Shapes as questions name them: what the engine of plain shapes and colours knows by itself, and follows."""

from __future__ import annotations

import re

from longtake.agent.rules.moves import Done
from longtake.agent.words import cue
from longtake.preprocess.engines.objects_query import parse_query

COUNTER = "count_objects"
SHAPES = ("circle", "square", "rectangle", "triangle")
MOVES = cue(
    "cross*, pass*, move, moves, moved, moving, travel*, go by, goes by, fly*, flies, slide across, come, comes"
)
_AT_REST = cue(
    "still, standing, static, stationary, motionless, unmoving, resting, fixed, immobile, that does not move, "
    "that doesn't move, which does not move, that stands still, that stays in its place, that never moves"
)


def shape_named(text: str) -> str | None:
    """The shape that a text names, with its colour, in the singular: "red circle"; None where it names anything else.

    Words like "the", and whether it moves, do not matter.
    """
    try:
        query = parse_query(_AT_REST.sub(" ", text))
    except ValueError:
        return None
    return query.name if query.shape and not query.thing else None


def different(shape: str, question: str) -> str:
    """The query that counts the different ones over time, of those that move where the question says that they do."""
    moving = MOVES.search(_AT_REST.sub(" ", question))
    return f"different {'moving ' if moving else ''}{shape}"


def count_of(step: Done) -> int:
    """How many a call of the counting tool found; 0 where it failed."""
    return int(step.result.output.get("count", 0))


def without_article(name: str) -> str:
    """What a question calls a thing, without its article: "the red circles" is "red circles"."""
    return re.sub(r"^(?:the|any|all|more)\s+", "", name.strip(), flags=re.IGNORECASE)
