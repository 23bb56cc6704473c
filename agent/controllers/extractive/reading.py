"""Reads the question together with the likeliest lines, as a cross-encoder does (Nogueira and Cho, 2019).

Search compares a question with lines by their words and vectors; a line can share every word and answer nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice

from longtake.agent.controllers.extractive.candidates import WORDED, Candidate
from longtake.agent.gathering.gathered import joined_text
from longtake.errors import EngineError
from longtake.preprocess.engines.text.reranker import Reranker

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
        id(each): {each.text, each.evidence.content}
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
    try:
        scores = reranker.score(question, [joined_text(part) for part in parts])
    except EngineError:
        return line
    best = max(zip(scores, parts, strict=True), key=lambda pair: pair[0])[1]
    return line.model_copy(update={"line": best})
