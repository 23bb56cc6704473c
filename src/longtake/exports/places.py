"""The parts of a video that an answer cites or lists among its closest lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from longtake.memory.library import LibraryStore
from longtake.memory.records import Answer, Citation
from longtake.memory.timespan import TimeSpan, joined
from longtake.tools.core.tool_context import VideoHandle

AROUND = 1.0  # seconds before and after a citation


class CitedPlace(NamedTuple):
    """A part of a video that an answer cites or lists among its closest lines, and the citations there."""

    number: int
    video: VideoHandle
    span: TimeSpan
    citations: tuple[Citation, ...]

    def file(self, ending: str) -> str:
        """The name of one of its files in an evidence pack; players find subtitles next to the clip."""
        return f"places/{self.number:02d}.{ending}"


def places_of(answer: Answer, library: LibraryStore) -> Iterator[CitedPlace]:
    """The cited or closest spans in existing videos, a second wider on either side; spans that touch are merged."""
    cited: dict[str, list[Citation]] = {}
    for citation in answer.places:
        cited.setdefault(citation.video, []).append(citation)
    number = 0
    for video_id, citations in cited.items():
        if video := library.get(video_id):
            spans = {citation: _span(citation).widened(AROUND, AROUND, video.duration) for citation in citations}
            for span in joined(spans.values()):
                number += 1
                here = tuple(citation for citation in citations if span.overlaps(spans[citation]))
                yield CitedPlace(number, VideoHandle(video, library), span, here)


def _span(citation: Citation) -> TimeSpan:
    return TimeSpan(start=citation.start, end=citation.end)
