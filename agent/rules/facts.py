"""Looking a fact up: search, read closely around the best places, and accept only what really answers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import ORDINALS, Orientation
from longtake.agent.rows import rows
from longtake.agent.rules.matching import ENOUGH, key_terms, score, without_repeats
from longtake.agent.rules.moves import (
    LISTENER,
    READER,
    Call,
    Done,
    Move,
    called,
    doubtful,
    evidence_from,
    failures,
    not_found,
    on_each,
    quote,
    read_around,
    trusted,
    within,
)
from longtake.agent.words import content_stems, coverage
from longtake.memory.records import Evidence, Modality

SENSES: tuple[Modality, ...] = ("speech", "scene_text")
RESULTS = 10  # of a search; as many are quoted where they answer equally well, as in a list
CONTEXT = 6.0  # seconds read around a place found, before and after
CLOSE = 0.8  # of the best match: what else is quoted beside it
MOST_ANSWERS = 3
LONGEST_SENTENCE = 4  # lines
ENDS = re.compile(r"[.!?…。！？][\"”’)]*\s*$")
ORDINAL = re.compile(
    rf"\b(first|last)\b.{{0,30}}\b(?:words?|lines?|sentences?|names?|thing|spoken|said|sung)\b"
    rf"|\b({'|'.join(ORDINALS)}) (?:thing|line|sentence)\b.{{0,12}}\b(?:said|spoken|sung)\b",
    re.IGNORECASE,
)
LOOK_AROUND = 2  # places read closely


def find_fact(
    orientation: Orientation, done: Sequence[Done], *, senses: Sequence[Modality] = SENSES, otherwise: str = ""
) -> Move:
    """Search in the senses that can answer, read around the best places, then quote what answers or abstain."""
    if not called(done, "cross_modal_search"):
        return _first_calls(orientation, senses)
    hits = within(evidence_from(done, "cross_modal_search"), orientation)
    if hits and done[-1].call.name == "cross_modal_search":
        made = [step.call for step in done]
        closer = [read_around(item, orientation, CONTEXT) for item in _best(orientation, hits)[:LOOK_AROUND]]
        calls = [call for place, call in enumerate(closer) if call not in closer[:place] and call not in made]
        if calls:
            return calls
    read = evidence_from(done, LISTENER, READER)
    answers = [item for item in accepted(orientation, hits + within(read, orientation)) if _tells(item, orientation)]
    if trusted(answers):
        return quote(trusted(answers), orientation)
    reasons = [otherwise] if otherwise else failures(done) or ["Nothing said or written answers this."]
    return not_found(" ".join(doubtful(answers, orientation) or reasons))


def _tells(item: Evidence, orientation: Orientation) -> bool:
    """Whether a text says more than the question does: the heading that it names answers nothing."""
    more = set(content_stems(item.content)) - set(content_stems(orientation.question))
    return bool(more) or item.modality != "scene_text" or bool(orientation.quoted)


def _first_calls(orientation: Orientation, senses: Sequence[Modality]) -> list[Call]:
    query = " ".join([*orientation.quoted, orientation.question])
    calls = [Call("cross_modal_search", {"query": query, "modalities": list(senses), "k": RESULTS})]
    if orientation.span:
        calls += on_each(orientation, LISTENER) + on_each(orientation, READER)
    elif ORDINAL.search(orientation.question):
        calls += on_each(orientation, LISTENER)
    return calls


def accepted(orientation: Orientation, found: Sequence[Evidence]) -> list[Evidence]:
    """The evidence that answers, each part of the question on its own; none when nothing answers well enough.

    What is not trusted is asked only where nothing else answers.
    """
    return _answers(orientation, trusted(found)) or _answers(orientation, found)


def _answers(orientation: Orientation, found: Sequence[Evidence]) -> list[Evidence]:
    pieces = rows(found)
    answers = [item for part in orientation.parts for item in _accepted(part, orientation, pieces)]
    whole = [piece for item in answers for piece in to_the_end(item, pieces)]
    return without_repeats(whole) or _ordinal(orientation, found)


def _accepted(part: str, orientation: Orientation, pieces: Sequence[Evidence]) -> list[Evidence]:
    scored = [(_score(part, orientation, item, pieces), item) for item in pieces]
    best = max((points for points, _ in scored), default=0.0)
    if best < ENOUGH:
        return []
    # What search ranked first comes first among equals: sorting is stable.
    kept = sorted((row for row in scored if row[0] >= max(ENOUGH, best * CLOSE)), key=lambda row: -row[0])
    different = list({item.content: item for _, item in reversed(kept)}.values())[::-1]
    equal = sum(points == best for points, _ in kept)
    return different[: RESULTS if equal > MOST_ANSWERS else MOST_ANSWERS]


def to_the_end(item: Evidence, pieces: Sequence[Evidence]) -> list[Evidence]:
    """A line of speech with the lines that end its sentence: subtitles often break off in the middle."""
    sentence = [item]
    while len(sentence) < LONGEST_SENTENCE and not ENDS.search(sentence[-1].content):
        last = sentence[-1]
        following = (
            other
            for other in pieces
            if other.modality == last.modality == "speech"
            and other.video == last.video
            and 0 <= other.span.start - last.span.end <= 1.0
            and other.content[:1].islower()
        )
        after = next(following, None)
        if after is None:
            break
        sentence.append(after)
    return sentence


def _ordinal(orientation: Orientation, found: Sequence[Evidence]) -> list[Evidence]:
    """The first, second ... or last line, where that is what a question asks for."""
    match = ORDINAL.search(orientation.question)
    written = "scene_text" in orientation.modalities and "speech" not in orientation.modalities
    spoken = [item for item in found if item.modality == "speech" and not written]
    number = ORDINALS[(match[1] or match[2]).casefold()] if match else 0
    # A passage that search found begins with a line that was also read.
    lines = list({item.span.start: item for item in sorted(spoken, key=lambda item: -item.span.length)}.values())
    lines.sort(key=lambda item: item.span.start)
    return [lines[number]] if match and lines and number < len(lines) else []


def _best(orientation: Orientation, hits: Sequence[Evidence]) -> list[Evidence]:
    """The most promising places first; what they lack, such as a number, may stand right beside them."""
    wanted = key_terms(orientation.question)
    return sorted(hits, key=lambda item: -coverage(wanted, item.content))


def _score(question: str, orientation: Orientation, item: Evidence, found: Sequence[Evidence]) -> float:
    quoted = any(marked.casefold() in item.content.casefold() for marked in orientation.quoted)
    return 1.0 if quoted else score(question, item, found)
