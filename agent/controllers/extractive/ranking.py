"""Estimates how likely each candidate is the answer: a few features, weighted once for ranking and once for confidence.

The likeliest lines are also read together with the question, as a cross-encoder does (Nogueira and Cho, 2019): search
compares a question with lines by their words and vectors, and a line can share every word and answer nothing.

Signs are what a question asks for, such as a number, in the words that a line adds to the question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import chain, islice

import numpy as np

from longtake.agent.controllers.extractive.candidates import WORDED, Candidate
from longtake.agent.controllers.extractive.settling import UNITS_OF_TIME
from longtake.agent.fitted import Weights
from longtake.agent.gathering.gathered import joined_text
from longtake.agent.query.query import LAYERS_OF, MODALITY_OF, Query
from longtake.agent.query.reader import Matrix
from longtake.errors import EngineError
from longtake.language.languages import date_names, language_in
from longtake.language.numbers import in_digits
from longtake.language.words import coverage, holds_phrase, stems, unsaid
from longtake.memory.records import Moment
from longtake.preprocess.engines.text.text_engines import Reranker

MOST = 16  # lines that are read, the likeliest by search: about 7 ms each


def read(question: str, likeliest: Sequence[Candidate], reranker: Reranker | None) -> list[Candidate]:
    """The candidates; the likeliest lines of words have a score, unless nothing can read them.

    A line is also read without what stands around it: a passage or a slide says many things at once.

    Args:
        question: as asked.
        likeliest: the candidates, best first.
        reranker: reads pairs.
    """
    lines = dict.fromkeys(each.text for each in likeliest if each.modality in WORDED)
    chosen = set(islice(lines, MOST))
    texts_of = {
        id(each): {each.text, each.evidence.text}
        for each in likeliest
        if each.modality in WORDED and each.text in chosen
    }
    texts = list(dict.fromkeys(chain.from_iterable(texts_of.values())))
    if reranker is None or not texts:
        return list(likeliest)
    try:
        score_of = dict(zip(texts, reranker.score(question, texts), strict=True))
    except EngineError:
        return list(likeliest)
    return [
        each.model_copy(update={"score": max(map(score_of.__getitem__, texts_of[id(each)]))})
        if id(each) in texts_of
        else each
        for each in likeliest
    ]


def most_telling(question: str, line: Candidate, reranker: Reranker | None) -> Candidate:
    """The part of a line of speech that answers best and has the cue that search found; other lines as they are.

    A part that ends with a question lacks the reply.

    Args:
        question: as asked.
        line: the best one.
        reranker: reads pairs.
    """
    cues = line.line
    if reranker is None or line.modality != "speech" or len(cues) < 2:
        return line
    place = [cue.id for cue in cues].index(line.evidence.id)
    parts = [cues[first:last] for first in range(place + 1) for last in range(place + 1, len(cues) + 1)]
    parts = [part for part in parts if not part[-1].text.rstrip().endswith("?")] or parts
    try:
        scores = reranker.score(question, [joined_text(part) for part in parts])
    except EngineError:
        return line
    best = max(zip(scores, parts, strict=True), key=lambda pair: pair[0])[1]
    return line.model_copy(update={"line": best})


_WORD = re.compile(r"[^\W\d_]{2,}")
_COLOURS = stems("red green blue yellow black white grey gray brown orange purple pink violet golden silver")
_OFTEN = stems("once twice dozen")
_SIGNS: Mapping[str, Callable[[str], bool]] = {
    "number": lambda text: any(map(str.isdigit, text)),
    "count": lambda text: any(map(str.isdigit, text)) or bool(_OFTEN & stems(text)),
    "duration": lambda text: bool(UNITS_OF_TIME & stems(text)),
    "name": lambda text: has_name(text),
    "calculation": lambda text: any(map(str.isdigit, text)),
    "colour": lambda text: bool(_COLOURS & stems(text)),
}


def signs(query: Query, text: str) -> tuple[float, float]:
    """Shares of the likely targets whose sign, such as a number, a text lacks and adds to the question."""
    new = unsaid(in_digits(text), query.question)
    wanted = {target: share for target, share in query.reading.targets.items() if target in _SIGNS}
    shown = sum(share for target, share in wanted.items() if _SIGNS[target](new))
    return sum(wanted.values()) - shown, shown


def has_name(text: str) -> bool:
    """Whether a word other than a day or month begins with a capital, within a sentence or before another such word."""
    dates = date_names(language_in(text))
    for word in _WORD.finditer(text):
        before, after = text[: word.start()][-2:], text[word.end() :][:2]
        within = before[1:] == " " and (before[:1].islower() or before[:1] in ",;:")
        followed = after[:1] == " " and after[1:].isupper()
        if (within or followed) and word[0].istitle() and word[0].casefold() not in dates:
            return True
    return False


SCORES = 2  # numbers of `as_read` that come first and need a reranker's scores
_FAR = 5.0  # limit of the scores behind the best one
_SCORES = 10.0  # about the range of scores, on either side of 0
_TELLING = 3  # content words of a question from which a match isn't chance


Ranked = Sequence[tuple[Candidate, float]]


def read_and_ranked(
    query: Query, candidates: Sequence[Candidate], weights: Weights, reranker: Reranker | None
) -> list[tuple[Candidate, float]]:
    """The candidates with their chances, best first, of which the likeliest lines were read with the question.

    What a line says doesn't matter if the answer is when it is said or shown, or all that is in the named seconds.
    """
    found = ranked(query, candidates, weights)
    if query.scope.named:
        return found
    return ranked(query, read(query.said or query.question, [each for each, _ in found], reranker), weights)


def ranked(query: Query, candidates: Sequence[Candidate], weights: Weights) -> list[tuple[Candidate, float]]:
    """The candidates with their chances, best first."""
    if not candidates:
        return []
    chances = logistic(features(query, candidates), weights.ranks)
    order = np.argsort(-chances, kind="stable")
    return [(candidates[number], round(float(chances[number]), 4)) for number in order]


def confidence(query: Query, best: Ranked, weights: Weights) -> float:
    """Estimated probability that the best candidate answers the question."""
    first = best[0][0]
    if first.score is not None:
        row, fitted = as_read(query, best), weights.as_read
    elif is_searched(query, first):
        row, fitted = as_read(query, best)[SCORES:], weights.as_searched
    else:
        row, fitted = standing(query, best), weights.on_clips
    return round(float(logistic(np.array([row], np.float32), fitted)[0]), 4)


def sure_from(query: Query, best: Candidate, weights: Weights) -> float:
    """The confidence from which the best candidate counts as the answer."""
    if best.score is not None:
        return weights.sure_as_read
    return weights.sure_as_searched if is_searched(query, best) else weights.sure


def is_searched(query: Query, best: Candidate) -> bool:
    """Whether a line of words was found by search alone, anywhere in the video."""
    return best.modality in WORDED and best.fact is None and not best.tool and not query.scope.named


def as_read(query: Query, best: Ranked) -> tuple[float, ...]:
    """The features of a best line that was read, also compared with lines that share no words with it."""
    first = best[0][0]
    score = first.score or 0.0
    apart = [each for each, _ in best if each.evidence.video == first.evidence.video and not _share_words(each, first)]
    others = [each.score for each in apart if each.score is not None]
    cosine = max((each.cosine for each in apart), default=0.0)
    return (
        score / _SCORES,
        (score - max(others, default=-_SCORES)) / _SCORES,
        first.cosine,
        first.cosine - cosine,
        float(max([first.cosine, *(each.cosine for each, _ in best if _share_words(each, first))]) >= cosine),
        *signs(query, first.text),
        coverage(query.words, first.text),
    )


def _share_words(one: Candidate, other: Candidate) -> bool:
    """Whether two lines share words."""
    return not {item.id for item in one.line}.isdisjoint(item.id for item in other.line)


def standing(query: Query, best: Ranked) -> tuple[float, ...]:
    """The features of the best candidate, also compared with the others."""
    first, chance = best[0]
    others = [
        other  # with several videos, each may answer
        for candidate, other in best[1:]
        if candidate.text != first.text and candidate.evidence.video == first.evidence.video
    ]
    return (
        chance,
        chance - max(others, default=0.0),
        1 / (1 + len(others)),
        _share(query, best),
        coverage(query.words, first.text) * min(1.0, len(query.words) / _TELLING),
        float(first.modality == "audio"),
        float(first.modality == "visual"),
        signs(query, first.text)[0],
    )


def _share(query: Query, best: Ranked) -> float:
    """The chance of the best candidate's source, after excluding sources that were examined and are empty."""
    there = {candidate.modality for candidate, _ in best}
    empty = sum(
        query.chance(MODALITY_OF[source])
        for source in LAYERS_OF
        if MODALITY_OF[source] not in there and query.examined(source)
    )
    return min(1.0, best[0][0].chance(query) / max(1 - empty, 1e-6))


def logistic(rows: Matrix, weights: Sequence[float]) -> Matrix:
    """Probabilities for rows of features; the last weight is the bias."""
    scores = rows @ np.array(weights[:-1], np.float32) + weights[-1]
    chances: Matrix = (1 / (1 + np.exp(-scores))).astype(np.float32)
    return chances


def features(query: Query, candidates: Sequence[Candidate]) -> Matrix:
    """The features of each candidate, (candidates, features)."""
    words = max(each.words for each in candidates) or 1.0
    asked = MODALITY_OF.get(query.source)
    starts = sorted({each.evidence.span.start for each in candidates if each.modality == asked})
    most = max(each.chance(query) for each in candidates) or 1.0
    rows = [
        (
            each.cosine,
            coverage(query.words, each.text),
            each.words / words,
            each.chance(query) / most,
            float(each.anchored),
            _in_order(query, each, starts),
            _in_frame(query, each.evidence),
            _quoted(query, each),
            float(each.tool not in ("", "orient") and query.scope.named),
            behind,
        )
        for each, behind in zip(candidates, _behind(candidates), strict=True)
    ]
    return np.array(rows, np.float32)


def _behind(candidates: Sequence[Candidate]) -> list[float]:
    """How far each line's score is behind the best one; 0 for what isn't words, which are not read."""
    scores = [each.score for each in candidates if each.score is not None]
    if not scores:
        return [0.0] * len(candidates)
    best, worst = max(scores), min(scores)
    return [
        max(-_FAR, (worst if each.score is None else each.score) - best) if each.modality in WORDED else 0.0
        for each in candidates
    ]


def _in_order(query: Query, candidate: Candidate, starts: Sequence[float]) -> float:
    """1 for the position that the question names by an ordinal, less with the distance to it."""
    ordinal, span = query.scope.ordinal, query.scope.span
    if ordinal is None or not starts:
        return 0.0
    if span is not None and query.scope.named and not span.overlaps(candidate.span):
        return 0.0
    wanted = ordinal if ordinal >= 0 else len(starts) + ordinal
    place = next((number for number, start in enumerate(starts) if start >= candidate.evidence.span.start), len(starts))
    return 1 / (1 + abs(place - wanted))


def _in_frame(query: Query, evidence: Moment) -> float:
    """1 inside the part of the frame that the question names, -1 outside, 0 if unknown."""
    region, box = query.scope.region, evidence.box
    if region is None or box is None:
        return 0.0
    across, down = box[0] + box[2] / 2, box[1] + box[3] / 2
    inside = region[0] <= across <= region[0] + region[2] and region[1] <= down <= region[1] + region[3]
    return 1.0 if inside else -1.0


def _quoted(query: Query, candidate: Candidate) -> float:
    """Share of the question's quotations that are in the line."""
    if not query.quoted:
        return 0.0
    return sum(holds_phrase(phrase, candidate.text) for phrase in query.quoted) / len(query.quoted)
