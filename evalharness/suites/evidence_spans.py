"""Spans of a video as a row gives them: those that show the answer, and the clip that a question is about."""

from __future__ import annotations

from longtake.evalharness.suites.benchmark_rows import Row
from longtake.language.json_text import parse_json
from longtake.memory.timespan import TimeSpan


def spans_of(row: Row, columns: str | tuple[str, str]) -> tuple[TimeSpan, ...]:
    """The spans of a row, in seconds; none if its fields are empty.

    Args:
        row: of the table.
        columns: one with a [start, end] or a list of them, as JSON in a text table; or one each for start and end.

    Raises:
        BadRow: if a field has something else.
    """
    name = columns if isinstance(columns, str) else columns[0]
    try:
        if isinstance(columns, str):
            value = row.value(columns)
            value = parse_json(value) if isinstance(value, str) and value.strip() else value
        else:
            value = [text for column in columns if (text := row.text(column))]
        pairs = [] if not value else value if isinstance(value[0], list) else [value]
        return tuple(TimeSpan(start=float(start), end=float(end)) for start, end in pairs)
    except (LookupError, TypeError, ValueError):
        raise row.bad(name, "it has no spans in seconds, such as [[12, 15.5]]") from None


def clip_of(row: Row, columns: str | tuple[str, str]) -> TimeSpan | None:
    """The one span of a row that isn't empty, in seconds; None if its fields are.

    Raises:
        BadRow: if a field has something else.
    """
    spans = spans_of(row, columns)
    if len(spans) > 1 or any(not span.length for span in spans):
        raise row.bad(columns if isinstance(columns, str) else columns[0], "it isn't one clip, such as [12, 15.5]")
    return spans[0] if spans else None
