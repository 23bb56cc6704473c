"""A video of slides as a whole: the slides in order, each with its title, its lines and its time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import READER, evidence_from, on_each, trusted
from longtake.agent.rules.reading import BRIEF
from longtake.agent.rules.slides import in_rows, slides_of
from longtake.agent.rules.steps import Steps
from longtake.agent.words import coverage
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan

LOWEST_TITLE = 0.5  # of the picture's height: what begins further down is no title
_PROGRAM = re.compile(r"[={}]|\w\(")


class Slide(NamedTuple):
    """The title of a slide, what stands below it, row by row, and from when to when the title stands, in seconds."""

    title: Evidence
    lines: tuple[Evidence, ...]
    span: TimeSpan


def read_outline(orientation: Orientation) -> Steps[list[Slide]]:
    """The slides of the videos, or of the time that a question names, read from the picture."""
    done = yield on_each(orientation, READER)
    return outline(trusted(evidence_from(done, READER)))


def outline(texts: Sequence[Evidence]) -> list[Slide]:
    """The slides that have a title, in order of time; what appears while a title stands belongs to its slide.

    Args:
        texts: all that is read in the picture.
    """
    slides: list[Slide] = []
    for group in slides_of([text for text in texts if text.span.length > BRIEF]):
        first, *others = in_rows(group)
        last = slides[-1] if slides else None
        if last and last.title.video == first.video and first.span.start < last.span.end - BRIEF:
            slides[-1] = last._replace(lines=(*last.lines, first, *others))
        elif _is_title(first):
            slides.append(Slide(first, tuple(others), first.span))
    return slides


def titled(wanted: Sequence[str], slides: Sequence[Slide]) -> list[Slide]:
    """The slides whose titles hold all of these stems."""
    return [slide for slide in slides if coverage(wanted, slide.title.content) == 1.0]


def words_of(slide: Slide) -> str:
    """All that is written on a slide."""
    return " ".join(item.content for item in (slide.title, *slide.lines))


def _is_title(line: Evidence) -> bool:
    """Whether the uppermost line of a picture may be a title: it stands high enough and is no line of a program."""
    high = line.box is not None and line.box[1] < LOWEST_TITLE
    return high and bool(re.search(r"[^\W\d_]", line.content)) and not _PROGRAM.search(line.content)
