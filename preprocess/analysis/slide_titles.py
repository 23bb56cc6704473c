"""Finds the titles of slides and cards among the texts in the picture."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

from longtake.language.text import words_of

_LETTERS = 3  # that a title has at least
_UPPER = 0.5  # share of the picture's height in which a title begins, unless its place is that of titles
_LARGE = 0.75  # of the height of the largest text beside it
_RUNNING = 0.5  # share of the video from which on a text is a running header, or a logo
_SHORTEST = 2.0  # seconds; what stands for less is no card
_BRIDGE = 2.0  # seconds that a title may be gone and still go on
_GRID = 0.05  # shares of the picture in which two texts begin at the same place
_SEVERAL = 3  # texts at one place from which it is a part of the slides' layout
_STANDS = 6.0  # seconds that such texts stand; subtitles don't
_BELOW = 1.6  # heights between the tops of two rows of one title


Item = Mapping[str, Any]


class SlideTitle(NamedTuple):
    """A title, and the seconds in which it stands."""

    start: float
    end: float
    text: str


def slide_titles(texts: Iterable[Mapping[str, Any]], duration: float) -> list[SlideTitle]:
    """The titles of a video by start: at each time, the topmost of its large texts.

    Args:
        texts: items of the layer `scene_text`.
        duration: of the video, in seconds.
    """
    legible = [item for item in texts if _is_legible(item["text"])]
    shown: defaultdict[str, float] = defaultdict(float)
    for item in legible:
        shown[words_of(item["text"])] += item["end"] - item["start"]
    items = [item for item in legible if shown[words_of(item["text"])] < _RUNNING * duration]
    layout = _layout(items)
    found: list[SlideTitle] = []
    for start, end in pairwise(sorted({time for item in items for time in (item["start"], item["end"])})):
        standing = [item for item in items if item["start"] <= start and item["end"] >= end]
        title = _title(standing, layout)
        if title is None:
            continue
        last = found[-1] if found else None
        if last and words_of(last.text) == words_of(title) and start - last.end < _BRIDGE:
            found[-1] = last._replace(end=end)
        else:
            found.append(SlideTitle(start, end, title))
    return [title for title in found if title.end - title.start >= _SHORTEST]


def _is_legible(text: str) -> bool:
    """Whether a text has enough letters, and not one alone: a row of equal shapes is read as "OOOO"."""
    letters = re.findall(r"[^\W\d_]", text.casefold())
    return len(letters) >= _LETTERS and len(set(letters)) > 1


def _place(item: Item) -> tuple[int, int]:
    """Where a text begins, from the left and the top."""
    return round(item["box"][0] / _GRID), round(item["box"][1] / _GRID)


def _layout(items: Sequence[Item]) -> dict[tuple[int, int], float]:
    """The usual height of the texts at each place where slides have different ones: one reading alone is inexact."""
    places: defaultdict[tuple[int, int], list[Item]] = defaultdict(list)
    for item in items:
        places[_place(item)].append(item)
    return {
        place: median(item["box"][3] for item in own)
        for place, own in places.items()
        if len({words_of(item["text"]) for item in own}) >= _SEVERAL
        and median(item["end"] - item["start"] for item in own) >= _STANDS
    }


def _title(standing: Sequence[Item], layout: Mapping[tuple[int, int], float]) -> str | None:
    """The topmost of the large texts with its further rows; a box is left, top, width and height, as shares."""

    def height(item: Item) -> float:
        return layout.get(_place(item), float(item["box"][3]))

    largest = max(map(height, standing), default=0.0)
    large = [item for item in standing if height(item) >= _LARGE * largest]
    upper = [item for item in large if item["box"][1] < _UPPER] or [item for item in large if _place(item) in layout]
    rows = sorted(upper, key=lambda item: (round(item["box"][1], 2), item["box"][0]))[:1]
    for item in sorted(large, key=lambda item: float(item["box"][1])):
        if rows and _continues(rows[-1], item):
            rows.append(item)
    return " ".join(str(item["text"]) for item in rows) or None


def _continues(row: Item, item: Item) -> bool:
    """Whether a text is the next row of a title: close below it, as large, and it begins or is centred like it."""
    (left, top, width, height), (other_left, other_top, other_width, other_height) = row["box"], item["box"]
    aligned = min(abs(left - other_left), abs(left + width / 2 - other_left - other_width / 2)) < _GRID / 2
    alike = min(height, other_height) >= _LARGE * max(height, other_height)
    return bool(aligned and alike and height / 2 < other_top - top < _BELOW * height)
