"""Finds the best evidence for a `Query` by hybrid search in the likely sources, within the named scope."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longtake.agent.gathering.briefing import brief
from longtake.agent.gathering.gathered import Found, Gathered
from longtake.agent.gathering.text_lines import Lines
from longtake.agent.query.query import Anchor, Query, Relation
from longtake.language.words import holds_phrase
from longtake.memory.records import Modality, Moment
from longtake.memory.search.fusion import WORDS
from longtake.memory.search.search_types import Match, SearchFilter
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.layers.speaker_lines import SPEAKERS
from longtake.preprocess.pipeline.retrieval import query_vectors
from longtake.tools.core.tool_context import ToolContext

if TYPE_CHECKING:
    from longtake.agent.graph.run_context import RunContext

SEARCHED: tuple[Modality, ...] = ("speech", "scene_text", "audio", "visual")
MOST = 24  # moments per modality
_OF_AN_OPTION = 4  # moments per modality that are searched for each option
_AROUND = 2.0  # seconds on either side of a named time, because speech and text began before it
_NEAR = 15.0  # seconds around the scope to search if it is empty
_CONVERSED = 30.0  # seconds on either side of the last answer's place that a follow-up is likely about
_AFTERWARDS = 60.0  # seconds after or before an anchor that are searched
_ANCHOR_COSINE = 0.3  # below which no moment matches a phrase


def gather(query: Query, context: RunContext) -> Gathered:
    """The moments closest to a question, with their lines; for a language model also what it reads first."""
    search = _Search(query, context.tools)
    gathered = _gather(query, search)
    if not context.writes:
        return gathered.model_copy(update={"found": (*gathered.found, *_for_options(query, gathered, search))})
    return gathered.model_copy(update={"briefing": brief(query, gathered.spot, context)})


def _gather(query: Query, search: _Search) -> Gathered:
    span = query.scope.span
    if span is not None:
        around = _AROUND if query.scope.point else 0.0
        window = span.widened(around, around, _longest(query))
        found = search.within(query.question, window)
        if found:
            return Gathered(found=found, window=window)
        near = window.widened(_NEAR, _NEAR, _longest(query))
        return Gathered(found=search.within(query.question, near), window=window, widened=True)
    there, spot = search.anchored(query.scope.anchors)
    found = search.within(query.question, None)
    likely = there or _referred_to(query)
    if likely is None:
        return Gathered(found=found)
    place = spot or query.last
    inside = [
        each.model_copy(update={"anchored": True})
        for each in search.within(query.question, likely)
        if place and each.evidence.video == place.video
    ]
    known = {each.evidence.id for each in inside}
    others = [each for each in found if each.evidence.id not in known]
    return Gathered(found=(*inside, *others), window=there, spot=spot)


def _referred_to(query: Query) -> TimeSpan | None:
    """The seconds around what the last answer showed, if the question refers back to it and names nothing else."""
    if query.last is None or not query.refers_back or query.instead or query.last.video not in query.videos:
        return None
    shown = TimeSpan(start=query.last.start, end=query.last.end)
    return shown.widened(_CONVERSED, _CONVERSED, query.videos[query.last.video])


def _for_options(query: Query, gathered: Gathered, search: _Search) -> list[Found]:
    """What is closest to the question with each option and isn't found yet, without scores for the question alone."""
    found = {each.evidence.id: each for each in gathered.found}
    known = len(found)
    for option in query.options:
        for each in search.within(f"{query.question} {option}", gathered.window, _OF_AN_OPTION):
            found.setdefault(each.evidence.id, each.model_copy(update={"cosine": 0.0, "words": 0.0}))
    return list(found.values())[known:]


def _longest(query: Query) -> float:
    return max(query.videos.values(), default=0.0)


class _Search:
    """Searches the moments of the open videos."""

    def __init__(self, query: Query, tools: ToolContext) -> None:
        self._query = query
        self._tools = tools
        self._lines = {
            video: Lines([item for item in tools.index.moments(video) if item.engine != SPEAKERS])
            for video in tools.videos
        }

    def within(self, text: str, window: TimeSpan | None, most: int = MOST) -> tuple[Found, ...]:
        """The moments found for a text, best first in each modality."""
        videos = tuple(self._tools.videos)
        vectors = query_vectors(text, videos, self._tools.engines, self._tools.index)
        found: dict[str, Found] = {}
        for modality in SEARCHED:
            where = SearchFilter(videos, (modality,), window)
            hits = self._tools.index.search(text, vectors, where, most)
            matches = (match for hit in hits for match in (hit, *hit.also))
            for match in sorted(matches, key=lambda match: -match.score)[:most]:
                found.setdefault(match.moment.id, self._with_line(match, window))
        return tuple(found.values())

    def anchored(self, anchors: Sequence[Anchor]) -> tuple[TimeSpan | None, Moment | None]:
        """The seconds that the anchors select, and the moment that the first anchor names."""
        start, end = 0.0, _longest(self._query)
        spots: list[Moment] = []
        for anchor in anchors:
            spot = self._spot(anchor.phrase)
            if spot is not None:
                spots.append(spot)
                start, end = _narrowed(start, end, spot.span, anchor.relation)
        there = TimeSpan(start=start, end=end) if spots and start < end else None
        return there, spots[0] if there else None

    def _spot(self, phrase: str) -> Moment | None:
        """The moment that a phrase names; exact words are preferred to similar ones."""
        found = self.within(phrase, None)
        best = max(found, key=lambda each: (holds_phrase(phrase, each.evidence.text), each.cosine), default=None)
        return best.evidence if best and best.cosine >= _ANCHOR_COSINE else None

    def _with_line(self, match: Match, window: TimeSpan | None) -> Found:
        lines = self._lines[match.moment.video]
        line = lines.line_of(match.moment)
        if window:
            line = tuple(item for item in line if item.span.overlaps(window))
        words = match.signals.get(WORDS)
        cosines = [signal.score for name, signal in match.signals.items() if name != WORDS]
        return Found(
            evidence=match.moment,
            line=line or (match.moment,),
            around=lines.around(line or (match.moment,)),
            cosine=round(max(cosines, default=0.0), 4),
            words=round(words.score, 4) if words else 0.0,
        )


def _narrowed(start: float, end: float, spot: TimeSpan, relation: Relation) -> tuple[float, float]:
    if relation == "after":
        return max(start, spot.start), min(end, spot.end + _AFTERWARDS)
    if relation == "before":
        return max(start, spot.start - _AFTERWARDS), min(end, spot.end)
    return max(start, spot.start), min(end, spot.end)
