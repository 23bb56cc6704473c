"""Looking a fact up: search, read closely around the best places, and accept only what really answers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import Call, Done, Move, called, evidence_from, failures, not_found, quote
from longtake.agent.words import NUMBER_WORDS, content_stems, coverage, numbers, stem
from longtake.memory.records import Evidence, Modality
from longtake.memory.timespan import TimeSpan

RESULTS = 10
CONTEXT = 6.0  # seconds read around a place found, before and after
ENOUGH = 0.6  # share of the question's content words that an answer, with its neighbours, must hold
CLOSE = 0.8  # of the best match: what else is quoted beside it
LOOK_AROUND = 2  # places read closely

COLOURS = frozenset("red orange yellow green blue purple violet pink brown black white grey gray silver gold beige".split())
# Words about the telling, not about the thing told.
TELLING = frozenset(
    stem(word)
    for word in "said says say spoken speaks speaker mentioned mention talk talks tell told asked asks ask line sentence words "
    "according narrator singer song sings sung lyrics joke jokes quote answer question written shown screen slide text sign "
    "title caption printed happen happens place subtitle subtitles".split()
)


def find_fact(
    orientation: Orientation, done: Sequence[Done], *, senses: Sequence[Modality], otherwise: str = ""
) -> Move:
    """Search in the senses that can answer, read around the best places, then quote what answers or abstain."""
    if not called(done, "cross_modal_search"):
        return _first_calls(orientation, senses)
    hits = [item for item in evidence_from(done, "cross_modal_search") if _in_span(item, orientation)]
    if not called(done, "transcribe_speech") and hits:
        closer = [_read_around(item, orientation) for item in _best(orientation, hits)[:LOOK_AROUND]]
        return [call for place, call in enumerate(closer) if call not in closer[:place]]
    found = hits + evidence_from(done, "transcribe_speech", "extract_scene_text")
    answers = accepted(orientation, [item for item in found if _in_span(item, orientation)])
    if answers:
        return quote(answers)
    reasons = [otherwise] if otherwise else failures(done) or ["Nothing said or written answers this."]
    return not_found(" ".join(reasons))


def _first_calls(orientation: Orientation, senses: Sequence[Modality]) -> list[Call]:
    query = " ".join([*orientation.quoted, orientation.question])
    calls = [Call("cross_modal_search", {"query": query, "modalities": list(senses), "k": RESULTS})]
    if orientation.span:
        at = [orientation.span.start] if orientation.point else [orientation.span.start, orientation.span.end]
        calls.append(Call("transcribe_speech", {"timestamp": at}))
        calls.append(Call("extract_scene_text", {"timestamp": at}))
    ordinal = re.search(r"\b(first|last)\b.*\b(?:word|words|line|sentence|thing)\b|\b(first|last) (?:spoken|said)", orientation.question.casefold())
    if ordinal:
        length = next(iter(orientation.videos.values()))
        calls.append(Call("transcribe_speech", {"timestamp": [0.0, length]}))
    return calls


def _read_around(item: Evidence, orientation: Orientation) -> Call:
    around = item.span.widened(CONTEXT, CONTEXT, orientation.videos.get(item.video, item.span.end))
    tool = "extract_scene_text" if item.modality == "scene_text" else "transcribe_speech"
    arguments: dict[str, object] = {"timestamp": [around.start, around.end]}
    if len(orientation.videos) > 1:
        arguments["video"] = item.video
    return Call(tool, arguments)


def accepted(orientation: Orientation, found: Sequence[Evidence]) -> list[Evidence]:
    """The evidence that answers, in order of time; none when nothing answers well enough."""
    ordinal = _ordinal(orientation, found)
    if ordinal:
        return ordinal
    scored = [(answer_score(orientation, item, found), item) for item in found]
    best = max((score for score, _ in scored), default=0.0)
    if best < ENOUGH:
        return []
    kept = [item for score, item in scored if score >= max(ENOUGH, best * CLOSE)]
    return _without_repeats(kept)[:3]


def answer_score(orientation: Orientation, item: Evidence, found: Sequence[Evidence]) -> float:
    """How well a piece of evidence answers, 0 to 1: words of the question held, and the kind of thing asked for."""
    if any(marked.casefold() in item.content.casefold() for marked in orientation.quoted):
        return 1.0
    wanted = key_terms(orientation.question)
    if not wanted or not holds_type(orientation.question, item.content):
        return 0.0
    nearby = [other.content for other in found if other is not item and _adjacent(item, other)]
    own = coverage(wanted, item.content)
    joined = coverage(wanted, " ".join([item.content, *nearby]))
    return max(own, 0.5 * own + 0.5 * joined) if own else 0.0


def key_terms(question: str) -> list[str]:
    """Content words of a question without those about the telling."""
    terms = content_stems(question)
    return [term for term in terms if term not in TELLING and not term.isdigit()] or terms


def holds_type(question: str, text: str) -> bool:
    """Whether a text holds the kind of thing that is asked for: a number, a colour."""
    asked = question.casefold()
    if re.search(r"\bhow (?:much|many)\b|\bwhat (?:price|number|year|percentage|amount)\b|\b(?:price|cost)s?\b", asked):
        return bool(numbers(text)) or any(word in NUMBER_WORDS for word in text.casefold().split())
    if re.search(r"\b(?:what|which) colou?rs?\b", asked):
        return bool(COLOURS & set(re.findall(r"\w+", text.casefold())))
    return True


def _ordinal(orientation: Orientation, found: Sequence[Evidence]) -> list[Evidence]:
    """The first or last line, where a question asks for what was said first or last."""
    match = re.search(r"\b(first|last)\b(?: (?:spoken|said|sung))?\b.*?\b(?:words?|lines?|sentences?|names?|thing|spoken|said)\b", orientation.question.casefold())
    spoken = sorted((item for item in found if item.modality == "speech"), key=lambda item: item.span.start)
    if not match or not spoken:
        return []
    return [spoken[0] if match[1] == "first" else spoken[-1]]


def _best(orientation: Orientation, hits: Sequence[Evidence]) -> list[Evidence]:
    return sorted(hits, key=lambda item: -answer_score(orientation, item, hits))


def _in_span(item: Evidence, orientation: Orientation) -> bool:
    return orientation.span is None or item.span.overlaps(orientation.span)


def _adjacent(one: Evidence, other: Evidence) -> bool:
    gap = max(one.span.start, other.span.start) - min(one.span.end, other.span.end)
    return one.video == other.video and one.modality == other.modality and gap <= 1.0


def _without_repeats(items: Sequence[Evidence]) -> list[Evidence]:
    """Drop what says again, in the same place, what another piece already says."""
    kept: list[Evidence] = []
    for item in sorted(items, key=lambda each: -len(each.content)):
        said = any(item.content in other.content and item.span.overlaps(other.span) for other in kept)
        if not said:
            kept.append(item)
    return sorted(kept, key=lambda item: item.span.start)


