"""Questions about a slide that is named by its title: which it is, what it shows, and what stands beside it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import ORDINALS, Orientation
from longtake.agent.rows import rows
from longtake.agent.rules.answer_types import answer_type, holds, prices
from longtake.agent.rules.matching import CHEAPEST, DEAREST, key_terms
from longtake.agent.rules.moves import (
    READER,
    Done,
    Move,
    called,
    evidence_from,
    failures,
    not_found,
    on_each,
    quote,
    trusted,
)
from longtake.agent.rules.reading import BRIEF, MOST_TEXTS
from longtake.agent.words import content_stems, coverage, cue
from longtake.memory.records import Evidence

_POINTING = f"{'|'.join(ORDINALS)}|next|previous|same|other|this|that|each|every|whole|final|current|blank|empty|new"
_JOINTS = "slide|the|a|an|of|on|in|at|from|before|after|and|or|is|are|was"
_NAMED = re.compile(
    rf"\bthe\s+(?P<name>(?!(?:{_POINTING})\b)[\w'-]+(?:\s+(?!(?:{_JOINTS})\b)[\w'-]+){{0,3}})\s+slide\b", re.IGNORECASE
)
_BESIDE = re.compile(r"\b(?P<relation>before|after)\s+the\b[^?]*\bslide\b", re.IGNORECASE)
_ON = re.compile(r"\b(?:on|in|of|from)\s+the\b[^?]*\bslide\W*$", re.IGNORECASE)
_HIGHEST = cue(f"{DEAREST}, highest, largest, biggest")
_LOWEST = cue(f"{CHEAPEST}, lowest, smallest")
_COUNTED = cue("how many, how often")


def slide_named(text: str, texts: Sequence[Evidence]) -> list[Evidence]:
    """The texts of the slide that a text names by words of its title; none where it names none, or none is sure.

    Args:
        text: such as "the prices slide"; "the title slide" is the first that holds text.
        texts: all that is read in the picture; those that appear together are one slide.
    """
    match = _NAMED.search(text)
    slides = slides_of(texts) if match else []
    if match is None or not slides:
        return []
    if match["name"].casefold() in ("title", "opening"):
        return slides[0]
    wanted = content_stems(match["name"])
    titled = [slide for slide in slides if coverage(wanted, title_of(slide).content) == 1.0]
    meant = titled or [slide for slide in slides if any(coverage(wanted, item.content) == 1.0 for item in slide)]
    return meant[0] if len(meant) == 1 else []


def names_slide(text: str) -> bool:
    """Whether a text names a slide by its title."""
    return bool(_NAMED.search(text))


def asks_slide(orientation: Orientation) -> bool:
    """Whether a question asks what stands on, before or after a slide that it names."""
    question = orientation.question
    if {"speech", "audio"} & set(orientation.modalities) or orientation.quoted or not names_slide(question):
        return False
    return bool(_BESIDE.search(question) or _ON.search(question))


def read_slide(orientation: Orientation, done: Sequence[Done]) -> Move:
    """The lines of the slide that the question means, or of the slide beside it; an abstention where none is sure."""
    if not called(done, READER):
        return on_each(orientation, READER)
    texts = trusted(evidence_from(done, READER))
    slide = slide_named(orientation.question, texts)
    if not slide:
        return not_found(" ".join(failures(done)) or "It cannot be told which slide is meant.")
    relation = _BESIDE.search(orientation.question)
    if relation:
        beside = _neighbour(slide, texts, relation["relation"].casefold())
        return (
            quote(in_rows(beside), orientation)
            if beside
            else not_found(f"No text stands right {relation['relation']} it.")
        )
    lines = _lines(orientation.question, slide)
    if not lines or len(lines) > MOST_TEXTS:
        return not_found("Nothing on that slide is sure to be what the question means.")
    return quote(lines, orientation)


def slides_of(texts: Sequence[Evidence]) -> list[list[Evidence]]:
    """The texts that begin together, of one video, slide by slide in order of time."""
    slides: list[list[Evidence]] = []
    for item in sorted(texts, key=lambda each: (each.video, each.span.start, each.box[1] if each.box else 0.0)):
        first = slides[-1][0] if slides else None
        if first and first.video == item.video and item.span.start - first.span.start <= BRIEF:
            slides[-1].append(item)
        else:
            slides.append([item])
    return slides


def in_rows(slide: Sequence[Evidence]) -> list[Evidence]:
    """The lines of a slide from top to bottom, the cells of a table's row in one."""
    return sorted(rows(slide), key=lambda item: item.box[1] if item.box else 0.0)


def title_of(slide: Sequence[Evidence]) -> Evidence:
    """The uppermost line."""
    return min(slide, key=lambda item: item.box[1] if item.box else 0.0)


def _neighbour(slide: Sequence[Evidence], texts: Sequence[Evidence], relation: str) -> list[Evidence]:
    """The slide that ends where this one begins, or begins where it ends."""
    first, last = min(item.span.start for item in slide), max(item.span.end for item in slide)
    others = [other for other in slides_of(texts) if other[0].video == slide[0].video and other[0] not in slide]
    if relation == "after":
        return next((other for other in others if abs(other[0].span.start - last) <= BRIEF), [])
    return next((other for other in others if abs(max(item.span.end for item in other) - first) <= BRIEF), [])


def _lines(question: str, slide: Sequence[Evidence]) -> list[Evidence]:
    """The lines of a slide with the amount, the kind of thing or the words that a question asks for."""
    asked = _NAMED.sub(" ", question)
    slide = in_rows(slide)
    most = next((pick for words, pick in ((_HIGHEST, max), (_LOWEST, min)) if words.search(asked)), None)
    if most:
        valued = {number: item for item in slide if (number := _amount(item)) is not None}
        return [valued[most(valued)]] if len(valued) > 1 else []
    if _COUNTED.search(asked):
        return []
    kind = answer_type(asked)
    wanted = key_terms(asked)
    kept = [item for item in slide if holds(kind, item.content)] if kind else list(slide)
    by_words = [item for item in kept if coverage(wanted, item.content) == 1.0]
    return by_words if wanted else kept


def _amount(item: Evidence) -> float | None:
    """The one amount of money of a line; None where it holds none or several."""
    found = prices(item.content)
    return float(found[0][1]) if len(found) == 1 else None
