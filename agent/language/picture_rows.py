"""Texts that stand in one row of a picture, such as a line of a table."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from longtake.language.words import numbers
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan

CELLS = " · "  # between the texts of one row
SAME_TEXT = 0.7  # share of their characters in which two readings of one text agree at least
SAME_TIME = 0.5  # of the shorter one: how long two readings of one text stand together at least
SAME_ROW = 0.6  # of a line's height: how far the middles of two texts of one row lie apart at most


def rows(found: Sequence[Evidence]) -> list[Evidence]:
    """The evidence with the texts of each row of a picture joined, left to right."""
    joined: list[Evidence] = []
    boxed = {(item.id, item.box): item for item in found if item.modality == "scene_text" and item.box}
    read = boxed.values()
    texts = sorted((item for item in read if not any(_misreads(item, other) for other in read)), key=_left_first)
    others = [item for item in found if item.modality != "scene_text" or not item.box]
    for row in by_row(texts):
        content = CELLS.join(cell.content for cell in row)
        whole = {"content": content, "trusted": all(cell.trusted for cell in row), "span": _together(row)}
        joined.append(row[0].model_copy(update=whole) if len(row) > 1 else row[0])
    return others + joined


def by_row(texts: Sequence[Evidence]) -> list[list[Evidence]]:
    """The texts row by row, each from left to right; the rows in the order in which their first texts are given."""
    waiting, found = list(texts), list[list[Evidence]]()
    while waiting:
        row = row_of(waiting[0], waiting)
        waiting = [item for item in waiting if not any(item is cell for cell in row)]
        found.append(row)
    return found


def row_of(item: Evidence, texts: Sequence[Evidence]) -> list[Evidence]:
    """The texts that stand in one row with an item, itself among them, left to right."""
    return sorted((other for other in texts if _same_row(item, other)), key=_left_first)


def _together(row: Sequence[Evidence]) -> TimeSpan:
    """When all texts of a row stand; the moment when the last of them appears, where that is never."""
    start = max(item.span.start for item in row)
    return TimeSpan(start=start, end=max(start, min(item.span.end for item in row)))


def _misreads(item: Evidence, other: Evidence) -> bool:
    """Whether a text is a worse reading of another in the same place: "Clav pot." of "Clay pot".

    Texts that tell other numbers are two texts, and so are those of which one stands after the other.
    """
    if item is other or not item.box or not other.box or item.video != other.video or item.score >= other.score:
        return False
    apart = max(
        abs(item.box[side] + item.box[side + 2] / 2 - other.box[side] - other.box[side + 2] / 2) for side in (0, 1)
    )
    together = min(item.span.end, other.span.end) - max(item.span.start, other.span.start)
    alike = SequenceMatcher(None, item.content, other.content).ratio()
    return (
        apart <= SAME_ROW * other.box[3]
        and together > SAME_TIME * min(item.span.length, other.span.length)
        and numbers(item.content) == numbers(other.content)
        and SAME_TEXT <= alike < 1.0
    )


def _left_first(item: Evidence) -> tuple[float, ...]:
    return item.box or ()


def _same_row(one: Evidence, other: Evidence) -> bool:
    if one is other:
        return True
    if not one.box or not other.box or one.video != other.video or not one.span.overlaps(other.span):
        return False
    apart = abs(one.box[1] + one.box[3] / 2 - other.box[1] - other.box[3] / 2)
    return apart <= SAME_ROW * min(one.box[3], other.box[3]) and one.content != other.content
