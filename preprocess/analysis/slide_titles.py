"""Finds the titles of slides and cards among the texts in the picture."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from longtake.language.text import words_of

_LETTERS = 3  # that a title has at least
_UPPER = 0.5  # share of the picture's height in which a title begins
_LARGE = 0.75  # of the height of the largest text beside it
_RUNNING = 0.5  # share of the video from which on a text is a running header, or a logo
_SHORTEST = 2.0  # seconds; what stands for less is no card
_BRIDGE = 2.0  # seconds that a title may be gone and still go on


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
    legible = [item for item in texts if len(re.findall(r"[^\W\d_]", item["text"])) >= _LETTERS]
    shown: defaultdict[str, float] = defaultdict(float)
    for item in legible:
        shown[words_of(item["text"])] += item["end"] - item["start"]
    items = [item for item in legible if shown[words_of(item["text"])] < _RUNNING * duration]
    found: list[SlideTitle] = []
    for start, end in pairwise(sorted({time for item in items for time in (item["start"], item["end"])})):
        standing = [item for item in items if item["start"] <= start and item["end"] >= end]
        title = _title(standing)
        if title is None:
            continue
        last = found[-1] if found else None
        if last and words_of(last.text) == words_of(title) and start - last.end < _BRIDGE:
            found[-1] = last._replace(end=end)
        else:
            found.append(SlideTitle(start, end, title))
    return [title for title in found if title.end - title.start >= _SHORTEST]


def _title(standing: list[Mapping[str, Any]]) -> str | None:
    """The topmost of the large texts; a box is left, top, width and height as shares of the picture."""
    largest = max((item["box"][3] for item in standing), default=0.0)
    large = [item for item in standing if item["box"][1] < _UPPER and item["box"][3] >= _LARGE * largest]
    top = min(large, key=lambda item: (round(item["box"][1], 2), item["box"][0]), default=None)
    return str(top["text"]) if top else None
