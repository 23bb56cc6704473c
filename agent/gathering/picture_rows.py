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
        first = waiting[0]
        found.append(row_of(first, waiting))
        waiting = [item for item in waiting if not _same_row(first, item)]
    return found


def row_of(item: Evidence, texts: Sequence[Evidence]) -> list[Evidence]:
    """The texts in the same row as an item, including itself, left to right; of several in one place the best read."""
    row = [item]
    for other in sorted(texts, key=well_read, reverse=True):
        if _same_row(item, other) and not any(_in_one_column(cell, other) for cell in row):
            row.append(other)
    return sorted(row, key=_left_first)


def well_read(item: Evidence) -> float:
    """How well a text is read: the score times the seconds."""
    return item.score * (0.1 + item.span.length)


def _left_first(item: Evidence) -> tuple[float, ...]:
    return item.box or ()


def _same_row(one: Evidence, other: Evidence) -> bool:
    if one is other:
        return True
    if not one.box or not other.box or one.video != other.video or not one.span.overlaps(other.span):
        return False
    apart = abs(one.box[1] + one.box[3] / 2 - other.box[1] - other.box[3] / 2)
    return apart <= SAME_ROW * min(one.box[3], other.box[3])


def _in_one_column(one: Evidence, other: Evidence) -> bool:
    """Whether two texts lie over each other across, so that they can't be two cells of one row."""
    if not one.box or not other.box:
        return one.content == other.content
    shared = min(one.box[0] + one.box[2], other.box[0] + other.box[2]) - max(one.box[0], other.box[0])
    return shared > 0.5 * min(one.box[2], other.box[2])
