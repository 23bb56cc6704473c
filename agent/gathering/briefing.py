"""Chooses what a language model reads before its first round: the likeliest moments, and the transcript if it fits.

The moments come from several searches at once: for the question, for each option, within the time that the question
names. Reciprocal rank fusion (Cormack et al. 2009) merges them, so that what several searches find comes first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from longtake.agent.gathering.contents import contents
from longtake.agent.gathering.gathered import Briefing
from longtake.agent.gathering.moments import GENERIC, MomentsOf, shown
from longtake.agent.query.query import Query
from longtake.memory.records import Moment
from longtake.memory.search.search_types import SearchFilter
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.pipeline.retrieval import retrieve
from longtake.tools.core.refinement import answered_before
from longtake.tools.core.registry import SPECS
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.usable import usable

if TYPE_CHECKING:
    from longtake.agent.graph.run_context import RunContext

MOST = 25  # moments
CHARACTERS_A_TOKEN = 4  # of English text, as a rule of thumb
TRANSCRIPT = 2_000  # tokens of the whole transcript
TRANSCRIPT_SHARE = 0.25  # of the model's context that it may take
_BESIDE = 500  # tokens of other moments beside it
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
    lists = [(1.0, _search(text, None, tools)) for text in (query.question, *query.options)]
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
    ranked = [each for moment in found for each in (moment, *context.moments(moment.video).reply_to(moment))]
    transcript = _transcript(context)
    most = tools.settings.gathering.tokens_for(tools.settings.controller.engine)
    room = (min(most, _BESIDE) if transcript else most) * CHARACTERS_A_TOKEN
    said = {item.id for item in transcript}
    chosen: list[Moment] = []
    for moment in _distinct(ranked, context.moments):
        length = len(moment.text) + 32
        if moment.id not in said and length <= room and len(chosen) < MOST:
            chosen.append(moment)
            room -= length
    conversation = tools.thread != context.trace.run
    able, missing = usable(
        tools.settings,
        tools.engines,
        list(tools.videos.values()),
        conversation=conversation,
        sees=context.profile.sees,
    )
    names = tuple(SPECS[tool].name for tool in able)
    return Briefing(
        moments=tuple(chosen), transcript=transcript, contents=contents(tools), tools=names, missing=missing
    )


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
    characters = sum(len(passage.text) + 32 for passage in passages)
    budget = context.tools.settings.budget
    each_round = budget.tokens / (budget.rounds + 2)
    room = min(TRANSCRIPT, TRANSCRIPT_SHARE * context.profile.context, each_round)
    return tuple(passages) if characters <= room * CHARACTERS_A_TOKEN else ()
