"""Finds texts in one row on screen, such as a table row."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.memory.records import Evidence

CELLS = " · "  # between the texts of one row
SAME_ROW = 0.6  # of a line's height: the largest distance between the centres of two texts in one row


def by_row(texts: Sequence[Evidence]) -> list[list[Evidence]]:
    """The texts row by row, each from left to right. Rows keep the order of their first texts."""
    waiting, found = list(texts), list[list[Evidence]]()
    while waiting:
        row = row_of(waiting[0], waiting)
        waiting = [item for item in waiting if not any(item is cell for cell in row)]
        found.append(row)
    return found


def row_of(item: Evidence, texts: Sequence[Evidence]) -> list[Evidence]:
    """The texts in the same row as an item, including itself, left to right."""
    return sorted((other for other in texts if _same_row(item, other)), key=_left_first)


def _left_first(item: Evidence) -> tuple[float, ...]:
    return item.box or ()


def _same_row(one: Evidence, other: Evidence) -> bool:
    if one is other:
        return True
    if not one.box or not other.box or one.video != other.video or not one.span.overlaps(other.span):
        return False
    apart = abs(one.box[1] + one.box[3] / 2 - other.box[1] - other.box[3] / 2)
    return apart <= SAME_ROW * min(one.box[3], other.box[3]) and one.content != other.content
