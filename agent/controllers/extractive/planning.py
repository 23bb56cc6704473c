"""The plan of the extractive controller: a table of the tools to call for each source and target."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, groupby, pairwise
from math import ceil
from typing import Any, NamedTuple

from longtake.agent.gathering.gathered import Gathered
from longtake.agent.query.query import Query, Source, Target
from longtake.agent.query.scope import QUOTATION
from longtake.language.words import STOPWORDS, TELLING, coverage, words
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.objects.nanodet import kind_of
from longtake.preprocess.engines.objects.objects_query import counting_of, knows_word, parse_query
from longtake.preprocess.media.language_names import language_name, language_of
from longtake.tools.vision.inspect_motion import LONGEST

PARTS = 5  # parts of a video that are summarised separately
_PART = 60.0  # seconds of a part, unless there would be more
_LOOKED_AT = 600.0  # seconds of video that a detector without a layer examines at most
_SUM = re.compile(r"[\d(][\d\s().,+*/x×÷^%-]*[-+*/x×÷^%][\d\s().,+*/x×÷^%-]*[\d)%]")
_TRANSLATED = 8  # lines on screen to translate
_SEEN = 0.5  # chance of the source "picture" from which detectors are called
_INSPECTED = 5  # parts of a long video that are inspected for faults
_FUSED = 8.0  # seconds of pieces that are fused into one picture
_MEANT = 0.6  # chance from which a note is saved, because notes are permanent
_ENGLISH = "English"
_CODE = 3  # letters of the longest language codes, which may also be words


class PlannedCall(NamedTuple):
    """A tool's name and its arguments."""

    name: str
    arguments: dict[str, Any]


class PlanningInput(NamedTuple):
    """The input for making calls."""

    query: Query
    gathered: Gathered
    video: str
    duration: float

    @property
    def where(self) -> str:
        """The named scope, or "all", in the format of the tools."""
        span = self.query.scope.span
        if span is None or not self.query.scope.named:
            span = self.gathered.window or span
        return "all" if span is None else as_argument(span)

    @property
    def near(self) -> str:
        """The scope, or the first part of the video that a detector can examine in reasonable time."""
        return self.where if self.where != "all" or self.duration <= _LOOKED_AT else f"0-{_LOOKED_AT:g}"


Make = Callable[[PlanningInput], Sequence[PlannedCall]]


def calls_for(query: Query, gathered: Gathered) -> list[PlannedCall]:
    """The calls of the first round, for each likely source, the target and each open video."""
    found: list[PlannedCall] = []
    for video, duration in query.videos.items():
        plan = PlanningInput(query, gathered, video, duration)
        named = {"video": video} if len(query.videos) > 1 else {}
        for call in chain.from_iterable(make(plan) for make in _makers(query)):
            found.append(PlannedCall(call.name, call.arguments | (named if "timestamp" in call.arguments else {})))
    return [call for number, call in enumerate(found) if call not in found[:number]]


def _makers(query: Query) -> list[Make]:
    """The rows of the table that fit a query; a row for its target comes first."""
    if query.target in _BY_TARGET:
        return [_BY_TARGET[query.target]]
    return [make for source in query.sources if source not in query.lacks and (make := _BY_SOURCE.get(source))]


def as_argument(span: TimeSpan) -> str:
    """A span, or a single moment, in the format of the tools."""
    return f"{span.start:g}" if span.length == 0 else f"{span.start:.3f}-{span.end:.3f}"


def _closer_calls(tool: str, plan: PlanningInput) -> list[PlannedCall]:
    """Hear or read the named seconds once more, closer."""
    return [PlannedCall(tool, {"timestamp": plan.where})] if plan.query.scope.named else []


def _fusing_calls(plan: PlanningInput) -> list[PlannedCall]:
    """Fuse frames that each show only a piece of the picture, if the footage has such frames in the scope."""
    scope = plan.query.scope.span or TimeSpan(start=0.0, end=plan.duration)
    there = [item for item in plan.query.pieces if item.video == plan.video and item.span.overlaps(scope)]
    if not there:
        return []
    start = max(scope.start, there[0].span.start)
    span = TimeSpan(start=start, end=min(scope.end, there[0].span.end, start + _FUSED))
    # What hides the picture is the darkest or the lightest colour there; the picture is what differs from it.
    mode = "minimum" if there[0].text.endswith("white") else "maximum"
    return [PlannedCall("integrate_frames", {"timestamp": as_argument(span), "mode": mode})]


def _picture_calls(plan: PlanningInput) -> list[PlannedCall]:
    """Ask a vision model first. Detectors are slow, so they only run if the picture is the most likely source."""
    query, thing = plan.query, object_in(plan.query)
    calls = [PlannedCall("watch_segment", {"timestamp": plan.near, "question": query.question}), *_fusing_calls(plan)]
    if query.source != "picture" or query.reading.sources["picture"] < _SEEN:
        return calls
    if query.target == "count" and thing:
        calls.append(_counting_call(plan, thing))
    elif query.target in ("place", "time", "yesno", "colour") and thing:
        calls.append(PlannedCall("object_detection", {"timestamp": _searched_span(plan, thing), "categories": [thing]}))
    elif query.target == "name":
        calls.append(PlannedCall("detect_faces", {"timestamp": plan.near}))
    elif query.target == "description":
        calls.append(PlannedCall("detect_activities", {"timestamp": plan.near}))
    return calls


def _motion_calls(plan: PlanningInput) -> list[PlannedCall]:
    calls = [PlannedCall(name, {"timestamp": plan.near}) for name in ("inspect_motion", "detect_activities")]
    thing = object_in(plan.query)
    counts = plan.query.target == "count" and any(map(knows_word, thing.split()))
    return [*calls, _counting_call(plan, thing)] if counts else calls


def _counting_call(plan: PlanningInput, thing: str) -> PlannedCall:
    return PlannedCall("count_objects", {"timestamp": _searched_span(plan, thing), "object_query": thing})


def _searched_span(plan: PlanningInput, thing: str) -> str:
    """Where to look for a thing: all of the scope if the index knows where such things are."""
    with suppress(ValueError):  # it may be a word such as "different" alone
        if plan.query.coverage.get("detections") and kind_of(parse_query(thing)):
            return plan.where
    return plan.near


def _inspection_calls(plan: PlanningInput) -> list[PlannedCall]:
    """Inspect the named scope, or parts spread over the whole video."""
    if plan.where != "all":
        return [PlannedCall("inspect_motion", {"timestamp": plan.where})]
    count = max(1, min(_INSPECTED, ceil(plan.duration / LONGEST)))
    length = min(LONGEST, plan.duration / count)
    first = [number * (plan.duration - length) / max(1, count - 1) for number in range(count)]
    spans = [TimeSpan(start=start, end=min(start + length, plan.duration)) for start in first]
    return [PlannedCall("inspect_motion", {"timestamp": as_argument(span)}) for span in spans]


def _summary_calls(plan: PlanningInput) -> list[PlannedCall]:
    """Summarise the window that was searched, or the whole video in parts."""
    return summary_calls(plan.gathered.window or plan.query.scope.span or TimeSpan(start=0.0, end=plan.duration))


def summary_calls(whole: TimeSpan) -> list[PlannedCall]:
    """The calls that summarise a span, part by part if it is long."""
    count = min(PARTS, max(1, ceil(whole.length / _PART)))
    edges = [whole.start + whole.length * number / count for number in range(count + 1)]
    length = "short" if count > 1 else "medium"
    return [
        PlannedCall(
            "summarize_segment",
            {"timestamp": as_argument(TimeSpan(start=one, end=other)), "text": "", "length": length},
        )
        for one, other in pairwise(edges)
    ]


def _translation_calls(plan: PlanningInput) -> list[PlannedCall]:
    """Translate speech directly, and on-screen text as it was read; of speech what the question tells of, else all."""
    language = wanted_language(plan.query.question)
    if plan.query.source == "speech":
        said = next((found for found in plan.gathered.found if found.modality == "speech"), None)
        told = said and coverage(plan.query.words, said.evidence.text)
        where = as_argument(said.span) if said and told and plan.where == "all" else plan.where
        return [PlannedCall("translate_speech", {"timestamp": where, "from_lang": "auto", "to_lang": language})]
    texts = [found.text for found in plan.gathered.found if found.modality == "scene_text"][:_TRANSLATED]
    return [PlannedCall("translate_text", {"text": text, "from_lang": "auto", "to_lang": language}) for text in texts]


def _calculation_calls(plan: PlanningInput) -> list[PlannedCall]:
    """Calculate what the question gives, else the formulas on screen."""
    if expression := _SUM.search(plan.query.question):
        return [PlannedCall("calculator", {"expression": expression[0].strip()})]
    return [PlannedCall("extract_math_exp", {"timestamp": plan.near})]


def _note_calls(plan: PlanningInput) -> list[PlannedCall]:
    if plan.query.reading.targets["keep"] < _MEANT:
        return []
    last = plan.query.last
    note = last.quote if last else plan.query.own_words
    return [PlannedCall("memory_tool", {"func": "add", "data": note})]


_BY_SOURCE: Mapping[Source, Make] = {
    "speech": lambda plan: _closer_calls("transcribe_speech", plan),
    "text": lambda plan: [*_closer_calls("extract_scene_text", plan), *_fusing_calls(plan)],
    "sound": lambda plan: [
        PlannedCall("detect_audio_events", {"timestamp": plan.where, "question": plan.query.question})
    ],
    "picture": _picture_calls,
    "motion": _motion_calls,
    "shots": lambda plan: [PlannedCall("find_moments", {"timestamp": plan.where})],
}
_BY_TARGET: Mapping[Target, Make] = {
    "summary": _summary_calls,
    "translation": _translation_calls,
    "calculation": _calculation_calls,
    "keep": _note_calls,
    "recall": lambda plan: [PlannedCall("memory_tool", {"func": "search", "data": ""})],
    "lookup": lambda plan: [PlannedCall("web_search", {"query": plan.query.question})],
    "fault": _inspection_calls,
}


def object_in(query: Query) -> str:
    """What detectors should look for: the first colour, shape, movement or person, else the first content words.

    With the former, also whether to count them at once or over time, if the question says so.
    """
    plain = words(QUOTATION.sub(" ", query.question))
    known = next((list(run) for is_known, run in groupby(plain, knows_word) if is_known), [])
    if known:
        counting = counting_of(query.question).replace("_", " ")
        return " ".join(filter(None, [*dict.fromkeys(known), counting]))
    named = [word for word in plain if word not in STOPWORDS and word not in TELLING and not word[0].isdigit()]
    return " ".join(named[:2])


def wanted_language(question: str) -> str:
    """The last language that a question names; English if it names none."""
    named = [code for word in words(question) if len(word) > _CODE and (code := language_of(word))]
    return language_name(named[-1]) if named else _ENGLISH
