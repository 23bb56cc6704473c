"""Makes chapters from the places an answer cites, for players and video descriptions."""

from __future__ import annotations

import html
import re

from longtake.agent.drafts.statements import without_marks
from longtake.memory.records import Answer
from longtake.memory.timespan import clock
from longtake.preprocess.layers.sections import Section, title_of

_TIMES = re.compile(r"\s*\[[^\]]*\d:\d\d[^\]]*\]")


def chapters_of(answer: Answer, video: str, name: str, duration: float) -> list[Section]:
    """A chapter for every second at which a cited place starts, up to the next one.

    Its title is the claim it supports, or the quote if that claim cites several places. The first chapter starts with
    the video, as players and descriptions require, and is titled with the video's name if nothing is cited there.

    Args:
        answer: its claims become chapters.
        video: id of the video; citations of other videos are left out.
        name: the video's name.
        duration: the video's duration in seconds.
    """
    titles: dict[int, str] = {}
    for claim in answer.claims:
        places = [citation for citation in claim.citations if citation.video == video and claim.verdict == "supported"]
        one_place = len({int(place.start) for place in places}) == 1
        for place in places:
            titles.setdefault(int(place.start), title_of(without_marks(claim.text if one_place else place.quote)))
    if not titles:
        return []
    titles.setdefault(0, name)
    starts = sorted(titles)
    ends = [*map(float, starts[1:]), max(duration, starts[-1])]
    return [Section(float(start), end, titles[start]) for start, end in zip(starts, ends, strict=True)]


def as_text(chapters: list[Section]) -> str:
    """One line per chapter, as YouTube reads them in a description."""
    return "".join(f"{clock(chapter.start)} {chapter.title}\n" for chapter in chapters)


def as_vtt(chapters: list[Section]) -> str:
    """A WebVTT chapter file (W3C WebVTT, 6.3), for a `track` of that kind."""
    return "WEBVTT\n" + "".join(_cue(chapter) for chapter in chapters)


def _cue(chapter: Section) -> str:
    times = f"{clock(chapter.start, decimals=3)} --> {clock(chapter.end, decimals=3)}"
    return f"\n{times}\n{html.escape(chapter.title, quote=False)}\n"
