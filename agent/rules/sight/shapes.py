"""Shapes as questions name them: what the engine of plain shapes and colours knows by itself."""

from __future__ import annotations

from longtake.preprocess.engines.objects_query import parse_query


def shape_named(text: str) -> str | None:
    """The shape that a text names, with its colour, in the singular: "red circle"; None where it names anything else.

    Words like "moving" and "the" do not matter.
    """
    try:
        query = parse_query(text)
    except ValueError:
        return None
    return query.name if query.shape and not query.thing else None
