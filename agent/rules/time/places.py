"""Where something is: the place in the video of what a question names it by, found before the question is answered."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.named_spans import named_span
from longtake.agent.orientation import QUOTATION, Orientation
from longtake.agent.rules.denial import denies
from longtake.agent.rules.matching import ENOUGH, key_terms, score
from longtake.agent.rules.moves import LISTENER, READER, Call, evidence_from, on_each
from longtake.agent.rules.slides import names_slide, slide_named
from longtake.agent.rules.sounds import asked_kinds, of_kinds
from longtake.agent.rules.steps import Steps
from longtake.memory.records import Evidence
from longtake.memory.timespan import TIME, TimeSpan

RESULTS = 5
ALIKE = 0.8  # of the best match: what else may be meant
LEVELS = 2  # "X after Y" is found after Y; deeper than that nobody means
FINDERS = ("detect_audio_events", "cross_modal_search", LISTENER, READER)
_TIME = re.compile(rf"(?:the )?(?:{TIME})(?:\s*(?:s|secs?|seconds?|min|minutes?)(?: mark)?)?", re.IGNORECASE)
_UNIT = re.compile(r":|s|min", re.IGNORECASE)
_NESTED = re.compile(
    r"^(?P<thing>.+?)\s+(?:(?:that|which) (?:is|are|was|comes?|came|follows?)\s+)?(?:right |just )?"
    r"(?P<relation>after|before|during|while)\s+(?P<clause>.+)$",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"(?:the |a )?(?P<colour>black|white|blank|empty) (?:screen|picture|frame|image)", re.IGNORECASE)
# What a question says of a thing whose place in the video it means: "happened" may be long before the video.
TOLD = "said, mentioned, shown, displayed, written, appear, appears, appeared, seen, heard, sound, sounds"


def veiled(text: str) -> str:
    """A text with its quotations blotted out, letter for letter: what joins words inside them joins no sentences."""
    return QUOTATION.sub(lambda match: "_" * len(match[0]), text)


def is_time(thing: str) -> bool:
    """Whether a place is named by its time alone: `1:40`, `20 seconds`."""
    return bool(_TIME.fullmatch(thing.strip()) and _UNIT.search(thing))


def can_be_found(thing: str) -> bool:
    """Whether there is anything to find a thing by: a time, a quotation, words or a kind of sound."""
    return bool(
        is_time(thing) or QUOTATION.search(thing) or asked_kinds(thing) or names_slide(thing) or key_terms(thing)
    )


def is_of_video(thing: str) -> bool:
    """Whether a thing is of the video itself: a sound, an empty picture or a slide, not one that it tells of."""
    return bool(_kinds(thing) or _EMPTY.fullmatch(thing.strip()) or names_slide(thing))


def calls_for(thing: str, orientation: Orientation) -> list[Call]:
    """The calls that find something: in the sound track, by search, or, in a span or word for word, by reading all."""
    if _kinds(thing):
        return on_each(orientation, "detect_audio_events")
    if names_slide(thing):
        return on_each(orientation, READER)
    if orientation.span or QUOTATION.search(thing):
        return on_each(orientation, LISTENER) + on_each(orientation, READER)
    return [Call("cross_modal_search", {"query": thing, "modalities": ["speech", "scene_text"], "k": RESULTS})]


def find_places(thing: str, orientation: Orientation, levels: int = LEVELS) -> Steps[list[Evidence]]:
    """Where a thing may be, the likeliest place first; of a thing named by another, that other one first."""
    if not can_be_found(thing) or (denies(thing) and _kinds(thing)):  # where a sound is not, no rule tells
        return []
    if is_time(thing):
        return _at_time(thing, orientation)
    empty = _EMPTY.fullmatch(thing.strip())
    if empty:
        return empty_of(empty["colour"].casefold(), orientation.blank)
    nested = _NESTED.match(veiled(thing)) if levels > 1 else None
    if nested and can_be_found(_of(nested, "thing", thing)) and can_be_found(_of(nested, "clause", thing)):
        around = yield from find_places(_of(nested, "clause", thing), orientation, levels - 1)
        if not around:
            return []
        length = orientation.videos[around[0].video]
        span = beside(nested["relation"], around[0].span, length, length)
        narrowed = {"span": span, "point": False, "videos": {around[0].video: length}}
        inside = orientation.model_copy(update=narrowed)
        found = yield from find_places(_of(nested, "thing", thing), inside, levels - 1)
        return [place for place in found if place.span.start >= span.start] if nested["relation"] == "after" else found
    done = yield calls_for(thing, orientation)
    return _those(thing, evidence_from(done, *FINDERS))


def empty_of(colour: str, blank: Sequence[Evidence]) -> list[Evidence]:
    """Where the picture is empty and of this colour; `blank` and `empty` are any."""
    return [item for item in blank if colour in ("blank", "empty") or item.content.endswith(colour)]


def beside(relation: str, place: TimeSpan, length: float, reach: float) -> TimeSpan:
    """The span that lies so to a place: at most `reach` seconds after or before it, else the place itself.

    Args:
        relation: after, as soon as, since, before, until; anything else is the place.
        place: seconds of the thing itself.
        length: seconds of the video.
        reach: seconds that "after" and "before" mean; since and until mean all.
    """
    if relation in ("after", "as soon as"):
        return TimeSpan(start=min(place.end, length), end=min(length, place.end + reach))
    if relation == "before":
        return TimeSpan(start=max(0.0, place.start - reach), end=place.start)
    if relation == "since":
        return TimeSpan(start=place.start, end=length)
    if relation == "until":
        return TimeSpan(start=0.0, end=place.start)
    return place


def place_both(one: Sequence[Evidence], other: Sequence[Evidence]) -> tuple[Evidence, Evidence] | None:
    """The likeliest place of one thing, and of the other the first after it, else its likeliest; in order of time."""
    if not one:
        return None
    place = one[0]
    others = [each for each in other if each.video == place.video and each.span.start != place.span.start]
    following = next((each for each in others if each.span.start >= place.span.end), next(iter(others), None))
    if following is None:
        return None
    return (place, following) if place.span.start < following.span.start else (following, place)


def _of(match: re.Match[str], group: str, text: str) -> str:
    return text[match.start(group) : match.end(group)].strip()


def _kinds(thing: str) -> list[str]:
    """The kinds of sound that a thing is; what is quoted is words, not a sound."""
    return [] if QUOTATION.search(thing) else asked_kinds(thing)


def _at_time(thing: str, orientation: Orientation) -> list[Evidence]:
    video, length = max(orientation.videos.items(), key=lambda item: item[1])
    span, _ = named_span(f"at {thing}", length, ())
    content = thing.strip()
    return (
        [Evidence(video=video, span=span, modality="metadata", content=content, engine="the question")] if span else []
    )


def _those(thing: str, hits: Sequence[Evidence]) -> list[Evidence]:
    kinds = _kinds(thing)
    if kinds:
        return of_kinds(hits, kinds)
    if names_slide(thing):
        return slide_named(thing, hits)
    quoted = [match[0][1:-1].strip().casefold() for match in QUOTATION.finditer(thing)]
    if quoted:
        return sorted((hit for hit in hits if quoted[0] in hit.content.casefold()), key=lambda hit: hit.span.start)
    points = {hit.id: score(thing, hit, hits) for hit in hits}
    best = max(points.values(), default=0.0)
    likely = [hit for hit in hits if points[hit.id] >= max(ENOUGH, ALIKE * best)]
    return sorted(likely, key=lambda hit: (-points[hit.id], hit.span.start))
