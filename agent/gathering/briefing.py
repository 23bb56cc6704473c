"""Chooses what a language model reads before its first round: the likeliest moments, and the transcript if it fits.

The moments come from several searches at once: for the question, for each option, within the time that the question
names. Reciprocal rank fusion (Cormack et al. 2009) merges them, so that what several searches find comes first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from longtake.agent.gathering.gathered import Briefing
from longtake.agent.gathering.moments import GENERIC, MomentsOf, shown
from longtake.agent.query.query import ANSWERED, Query
from longtake.errors import LibraryError
from longtake.language.text import as_sentence, shortened
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.records import Moment
from longtake.memory.search.search_types import SearchFilter
from longtake.memory.timespan import TimeSpan, clock
from longtake.preprocess.layers.entities import Entity, entities_of
from longtake.preprocess.layers.sections import Section, overview_of, sections_of
from longtake.preprocess.layers.segments import Segment, segments_of
from longtake.preprocess.pipeline.retrieval import retrieve
from longtake.tools.core.refinement import answered_before
from longtake.tools.core.registry import SPECS
from longtake.tools.core.tool_context import ToolContext, VideoHandle
from longtake.tools.usable import usable

if TYPE_CHECKING:
    from longtake.agent.graph.run_context import RunContext

_SHARE = 2.4  # characters of the contents of all videos for each token of evidence: 600 tokens beside 1,000
_NAMES = 0.25  # share of them for entities
_ROW, _NAME, _OVERVIEW = 120, 70, 500  # characters of a segment, of an entity and of the overview
_KINDS = ("person", "place", "thing", "name")  # in the order in which they are told
_TIMES, _TITLE = 24, 20  # characters of a row's times, and the fewest of a title
_PLACES = 3  # of an entity
_IN_IT, _MORE = "Who and what is in it: ", 10  # before the entities, and characters to say how many more there are

Level = TypeVar("Level")


def contents(tools: ToolContext) -> tuple[str, ...]:
    """Lines about each video: an overview, its parts as finely as there is room for, its entities.

    A damaged layer leaves out what it would tell.
    """
    lines: list[str] = []
    handles = list(tools.videos.values())
    characters = int(_SHARE * tools.settings.gathering.tokens_for(tools.settings.controller.engine))
    for handle in handles:
        name = [f"{' '.join(handle.record.name.split())}:"] if len(handles) > 1 else []
        own = _of_video(handle, characters // len(handles) - sum(map(len, name)))
        lines += [*name, *own] if own else []
    return tuple(lines)


def _of_video(handle: VideoHandle, characters: int) -> list[str]:
    overview = shortened(overview_of(handle.library, handle.record), min(_OVERVIEW, characters // 4))
    sections = _levels(sections_of, handle)
    room = int(characters * (1 - _NAMES)) - len(overview)
    parts = _finest(sections, _levels(segments_of, handle), room)
    found = sorted(_levels(entities_of, handle), key=lambda each: _KINDS.index(each.kind))
    entities = _fitting([_entity(each) for each in found], characters - room - len(overview) - len(_IN_IT) - _MORE)
    listed = [f"{_IN_IT}{'; '.join(entities)}"] if entities else []
    return [*([overview] if overview else []), *parts, *listed]


def _finest(sections: Sequence[Section], segments: Sequence[Segment], room: int) -> list[str]:
    """The segments if they fit or there is nothing else, else the sections, with as much of each as fits."""
    rows = [_row(each.start, each.end, each.brief(_ROW)) for each in segments]
    if rows and sum(map(len, rows)) <= room:
        return rows
    told = [_row(each.start, each.end, f"{as_sentence(each.title)} {each.text}") for each in sections]
    rows = told or rows
    most = _most([len(row) for row in rows], room)
    return [shortened(row, most) for row in rows] if most >= _TIMES + _TITLE else []


def _most(lengths: Sequence[int], room: int) -> int:
    """How long each may be so that all fit, if the shorter ones leave their room to the longer ones."""
    for number, length in enumerate(sorted(lengths)):
        share = room // (len(lengths) - number)
        if length > share:
            return share
        room -= length
    return max(lengths, default=0)


def _row(start: float, end: float, text: str) -> str:
    return f"[{clock(start)}-{clock(end)}] {' '.join(text.split())}"


def _entity(entity: Entity) -> str:
    places = ", ".join(clock(start) for start, _ in entity.spans[:_PLACES])
    left = len(entity.spans) - _PLACES
    more = f" and {left} more" if left > 0 else ""
    return f"{shortened(entity.text, _NAME)} [{places}{more}]"


def _fitting(texts: Sequence[str], room: int) -> list[str]:
    """The first texts that fit, and how many are left out."""
    kept: list[str] = []
    for text in texts:
        room -= len(text) + 2
        if room < 0:
            return [*kept, f"{len(texts) - len(kept)} more"] if kept else []
        kept.append(text)
    return kept


def _levels(read: Callable[[LibraryStore, VideoRecord], list[Level]], handle: VideoHandle) -> list[Level]:
    with suppress(LibraryError):
        return read(handle.library, handle.record)
    return []


MOST = 25  # moments
CHARACTERS_A_TOKEN = 4  # of English text, as a rule of thumb
TRANSCRIPT = 10_000  # tokens of the whole transcript: forty minutes of speech
TRANSCRIPT_SHARE = 0.25  # of the model's context that it may take
_OF_A_ROUND = 0.5  # of the tokens that a question may spend on each round, the same
_BESIDE = 500  # tokens of other moments beside it
_LIKELY = 10  # lines of the transcript that are pointed out
_EACH = 24  # moments per search
_RANK = 60  # Cormack's constant
_AROUND = 5.0  # seconds on either side of a time that the question names
_GENERIC_MOST = 5  # of what every recording has
_NAMED = 2.0  # weight of what is within the time that the question names


def brief(query: Query, spot: Moment | None, context: RunContext) -> Briefing:
    """The moments for a question, best first, and the transcript of its videos if the model has room for it.

    Args:
        query: the question.
        spot: what the question's anchor ("after the vote") names, if it was found.
        context: of the run.
    """
    tools = context.tools
    scores: dict[str, float] = defaultdict(float)
    items: dict[str, Moment] = {}
    asked = [query.question, *query.options]
    if query.earlier and not query.goes_on:  # what the question goes on from may name what it is about
        asked.append(f"{query.earlier[-1].partition(ANSWERED)[0]} {query.question}")
    lists = [(1.0, _search(text, None, tools)) for text in asked]
    if query.scope.span is not None:
        around = query.scope.span.widened(_AROUND, _AROUND, max(query.videos.values(), default=0.0))
        lists.append((_NAMED, _search(query.question, around, tools)))
    if spot is not None:
        lists.append((_NAMED, [spot]))
    lists.append((_NAMED, list(answered_before(tools, [query.question]))))
    for weight, moments in lists:
        for rank, item in enumerate(_telling(moments, query)):
            moment = context.moments(item.video).around(item)
            items.setdefault(moment.id, moment)
            scores[moment.id] += weight / (_RANK + rank)
    found = [items[name] for name in sorted(scores, key=lambda name: -scores[name])]
    ranked: list[Moment] = []
    for moment in found:
        of_video = context.moments(moment.video)
        ranked += [moment, *of_video.forms(moment), *of_video.reply_to(moment)]
    transcript = _transcript(context)
    most = tools.settings.gathering.tokens_for(tools.settings.controller.engine)
    room = (min(most, _BESIDE) if transcript else most) * CHARACTERS_A_TOKEN
    said = {item.id for item in transcript}
    chosen: list[Moment] = []
    for moment in _distinct(ranked, context.moments):
        if moment.id not in said and length_of(moment) <= room and len(chosen) < MOST:
            chosen.append(moment)
            room -= length_of(moment)
    chosen += _texts(context, chosen, room)
    conversation = tools.thread != context.trace.run
    able, missing = usable(
        tools.settings,
        tools.engines,
        list(tools.videos.values()),
        conversation=conversation,
        sees=context.profile.sees,
    )
    names = tuple(SPECS[tool].name for tool in able)
    likely = list(dict.fromkeys(moment.id for moment in ranked if moment.id in said))[:_LIKELY]
    return Briefing(
        moments=tuple(chosen),
        transcript=transcript,
        likely=tuple(likely),
        contents=contents(tools),
        tools=names,
        missing=missing,
    )


def length_of(moment: Moment) -> int:
    """The characters of a moment's line, with its id and times. One that isn't ASCII takes as many tokens as four."""
    return len(moment.text) + (CHARACTERS_A_TOKEN - 1) * sum(not each.isascii() for each in moment.text) + 32


def _texts(context: RunContext, chosen: Sequence[Moment], room: int) -> list[Moment]:
    """What else is on screen, in order; nothing if not all of it fits."""
    cells = [text for video in context.tools.videos for text in context.moments(video).texts]
    if sum(len(cell.text) for cell in cells) > room:  # before slides are made of many cells
        return []
    known = {moment.id for moment in chosen}
    texts = [moment for moment in _distinct(cells, context.moments) if moment.id not in known]
    return texts if sum(map(length_of, texts)) <= room and len(texts) + len(chosen) <= MOST else []


def _search(text: str, span: TimeSpan | None, tools: ToolContext) -> list[Moment]:
    """The moments for a text, best first: words count as much as vectors."""
    where = SearchFilter(tuple(tools.videos), (), span)
    hits = retrieve(text, where, _EACH, tools.engines, tools.index)
    matches = (match for hit in hits if not hit.weak or span for match in (hit, *hit.also))
    return [match.scored for match in matches if match.moment.text]


def _telling(items: Iterable[Moment], query: Query) -> list[Moment]:
    """Without what every recording has, unless the question is about sounds or changes of the picture."""
    most = _GENERIC_MOST if query.source in ("sound", "shots", "motion") else 0
    told: list[Moment] = []
    for item in items:
        generic = item.text.startswith(GENERIC)
        most -= generic
        if most >= 0 or not generic:
            told.append(item)
    return told


def _distinct(moments: Sequence[Moment], of: MomentsOf) -> list[Moment]:
    """Each moment once, also if another one has all of its text."""
    return list(shown(moments, {}, of).values())


def _transcript(context: RunContext) -> tuple[Moment, ...]:
    """The passages of all videos in order; none if the model hasn't room for them."""
    passages = [passage for video in context.tools.videos for passage in context.moments(video).passages]
    characters = sum(map(length_of, passages))
    budget = context.tools.settings.budget
    each_round = _OF_A_ROUND * budget.tokens / (budget.rounds + 2)
    room = min(TRANSCRIPT, TRANSCRIPT_SHARE * context.profile.context, each_round)
    return tuple(passages) if characters <= room * CHARACTERS_A_TOKEN else ()
