"""Turns text boxes into lines in reading order, and tracks how long each line is visible."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from math import hypot
from statistics import median

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.text.text_engines import TextBox

# Distances within a picture, in line heights.
_WORD_GAP = 1.0  # widest gap inside a line
_BAND_GAP = 0.75  # smallest empty band between a title and the text below it, or between the rows of a table
_COLUMN_GAP = 1.5  # smallest empty strip between two columns
_LEVEL = 0.5  # largest distance between the centres of two texts in one row

_IN_ROWS = 0.75  # share of the texts of a table that have another one beside them
_CELL = 3.0  # words of such a text, at most, in the mean

# Between pictures.
_SAME_TEXT = 0.8  # similarity of two readings of one text
_SAME_WORD = 0.6  # and of each word in it
_SAME_PLACE = 0.3  # share of the picture: text may drift
_IN_PLACE = 0.03  # the same: readings of one place differ by less
_DRIFTING = 3.0  # seconds for which a picture is shown at most of which text drifts or scrolls
_BRIDGE = 1.0  # seconds; a reading missed for this long doesn't end a text


@dataclass(frozen=True, slots=True)
class ShownText:
    """A line of text, visible from `start` to `end` (seconds); `best` is its most confident reading."""

    start: float
    end: float
    best: TextBox


def lines_of(boxes: Sequence[TextBox], aspect: float) -> list[TextBox]:
    """Join adjacent boxes into lines, and put the lines in reading order.

    Args:
        boxes: the texts of one picture.
        aspect: width of the picture divided by its height.
    """
    lines: list[TextBox] = []
    for box in sorted(boxes, key=lambda each: (each.box[0], each.box[1])):
        before = next((line for line in lines if _continues(line, box, aspect)), None)
        if before is None:
            lines.append(box)
        else:
            lines[lines.index(before)] = _joined(before, box)
    return _in_order(lines, aspect)


def lifetimes(pictures: Iterable[tuple[TimeSpan, Sequence[TextBox]]]) -> list[ShownText]:
    """Track each line over pictures in time order; sorted by first appearance, then reading order."""
    shown: list[ShownText] = []
    visible: dict[int, TextBox] = {}  # the last readings, by their places in `shown`
    stood: dict[int, float] = {}
    for span, lines in pictures:
        visible = {place: last for place, last in visible.items() if shown[place].end + _BRIDGE >= span.start}
        for line, place in zip(lines, _continued(lines, visible, stood), strict=True):
            if place is None:
                place = len(shown)
                shown.append(ShownText(span.start, span.end, line))
            else:
                best = max(shown[place].best, line, key=lambda reading: reading.confidence)
                shown[place] = ShownText(shown[place].start, span.end, best)
            visible[place], stood[place] = line, span.length
    return shown


def same_text(one: str, other: str) -> bool:
    """Whether two readings may be of the same text: spelling may vary slightly, numbers and whole words may not."""
    one, other = _normal(one), _normal(other)
    if one.replace(" ", "") == other.replace(" ", ""):
        return True
    words, others = one.split(), other.split()
    if re.findall(r"\d+", one) != re.findall(r"\d+", other) or len(words) != len(others):
        return False
    return _similarity(one, other) >= _SAME_TEXT and all(
        _similarity(word, counterpart) >= _SAME_WORD for word, counterpart in zip(words, others, strict=True)
    )


def _continues(line: TextBox, box: TextBox, aspect: float) -> bool:
    """Whether a box directly follows a line on its baseline, in letters of about the same size."""
    left, top, width, height = line.box
    x, y, _, down = box.box
    lower, higher = min(height, down), max(height, down)
    shared = min(top + height, y + down) - max(top, y)
    gap = (x - left - width) * aspect
    return higher <= 1.6 * lower and shared >= 0.6 * lower and -0.5 * lower <= gap <= _WORD_GAP * lower


def _joined(line: TextBox, box: TextBox) -> TextBox:
    left, top = min(line.box[0], box.box[0]), min(line.box[1], box.box[1])
    right = max(each.box[0] + each.box[2] for each in (line, box))
    bottom = max(each.box[1] + each.box[3] for each in (line, box))
    around = (left, top, round(right - left, 4), round(bottom - top, 4))
    return TextBox(f"{line.text} {box.text}", around, min(line.confidence, box.confidence))


def _in_order(lines: list[TextBox], aspect: float) -> list[TextBox]:
    """Recursive XY-cut (Nagy and Seth 1984): bands from the top, and in each columns from the left, tables by row."""
    if len(lines) < 2:
        return lines
    height = median(line.box[3] for line in lines)
    bands = _cut(lines, 1, _BAND_GAP * height)
    columns = _cut(lines, 0, _COLUMN_GAP * height / aspect) if len(bands) == 1 else []
    parts = columns if len(columns) > 1 and not _is_table(columns) else bands
    if len(parts) > 1:
        return [line for part in parts for line in _in_order(part, aspect)]
    return _by_row(lines)


def _is_table(columns: Sequence[Sequence[TextBox]]) -> bool:
    """Whether the texts of every column are short, and most have one of another column beside them."""
    lines = [(number, line) for number, column in enumerate(columns) for line in column]
    beside = [line for own, line in lines if any(own != number and _in_one_row(line, other) for number, other in lines)]
    short = all(sum(len(line.text.split()) for line in column) <= _CELL * len(column) for column in columns)
    return short and len(beside) >= _IN_ROWS * len(lines)


def _by_row(lines: Sequence[TextBox]) -> list[TextBox]:
    rows: list[list[TextBox]] = []
    for line in sorted(lines, key=lambda each: each.box[1]):
        row = next((row for row in rows if any(_in_one_row(each, line) for each in row)), None)
        if row is None:
            rows.append([line])
        else:
            row.append(line)
    return [line for row in rows for line in sorted(row, key=lambda each: each.box[0])]


def _in_one_row(one: TextBox, other: TextBox) -> bool:
    left, right = sorted((one.box, other.box))
    level = abs(_way(one, other)[1]) <= _LEVEL * min(one.box[3], other.box[3])
    return level and left[0] + left[2] / 2 < right[0]  # texts that lie over each other are in one column


def _cut(lines: Sequence[TextBox], axis: int, gap: float) -> list[list[TextBox]]:
    """Split lines at every empty gap of at least `gap` along an axis (0 across, 1 down)."""
    parts: list[list[TextBox]] = []
    reach = 0.0
    for line in sorted(lines, key=lambda each: each.box[axis]):
        start, end = line.box[axis], line.box[axis] + line.box[axis + 2]
        if not parts or start - reach >= gap:
            parts.append([])
            reach = end
        parts[-1].append(line)
        reach = max(reach, end)
    return parts


def _continued(
    lines: Sequence[TextBox], readings: Mapping[int, TextBox], stood: Mapping[int, float]
) -> list[int | None]:
    """For each line of a picture, the key of the earlier reading that it continues, the nearest ones first.

    Text that drifts stays near; lines that scroll go far, but together.

    Args:
        lines: of the picture.
        readings: the last ones of the texts before it.
        stood: for how long the pictures of these readings were shown, in seconds. What drifts or scrolls never stands
            for long; the same words elsewhere after that are those of the next slide.
    """
    pairs = sorted(
        (distance, number, key)
        for number, line in enumerate(lines)
        for key, reading in readings.items()
        if (distance := hypot(*_way(reading, line))) <= (_SAME_PLACE if stood[key] <= _DRIFTING else _IN_PLACE)
        and same_text(reading.text, line.text)
    )
    found: dict[int, int] = {}
    for _, number, key in pairs:
        if number not in found and key not in found.values():
            found[number] = key
    left = {key: reading for key, reading in readings.items() if key not in found.values() and stood[key] <= _DRIFTING}
    found |= _scrolled({number: line for number, line in enumerate(lines) if number not in found}, left)
    return [found.get(number) for number in range(len(lines))]


def _scrolled(lines: Mapping[int, TextBox], readings: Mapping[int, TextBox]) -> dict[int, int]:
    """The lines that went up or down together, at least two of them, each with the key of its earlier reading."""
    ways: dict[tuple[int, int], float] = {}
    for number, line in lines.items():
        same = [
            (key, _way(reading, line))
            for key, reading in readings.items()
            if abs(_way(reading, line)[0]) <= _IN_PLACE and same_text(reading.text, line.text)
        ]
        if len(same) == 1:
            [(key, (_, down))] = same
            ways[number, key] = down
    return {
        number: key
        for (number, key), down in ways.items()
        if any(abs(down - other) <= _IN_PLACE and place != (number, key) for place, other in ways.items())
    }


def _way(one: TextBox, other: TextBox) -> tuple[float, float]:
    """From one centre to the other, right and down, as fractions of the picture."""
    return (
        other.box[0] + other.box[2] / 2 - one.box[0] - one.box[2] / 2,
        other.box[1] + other.box[3] / 2 - one.box[1] - one.box[3] / 2,
    )


def _normal(text: str) -> str:
    # Accents count, unlike in `language.text`: readings that differ in one may be two words of the picture.
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _similarity(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio()
