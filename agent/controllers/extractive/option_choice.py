"""Chooses the option of a multiple-choice question: each is read, with the question, against the likeliest lines.

"Library $410,000 · Parks $275,000" says both amounts, so the likeliest line is also read part by part. Options about
order are chosen by when they are shown or said: the first, the last, or the sequence that runs in order.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from longtake.agent.controllers.extractive.candidates import Candidate, Embed, distinct
from longtake.agent.controllers.extractive.settling import affirmed, stated_in
from longtake.agent.drafts.draft import LETTERS
from longtake.agent.fitted import load_scores
from longtake.agent.query.query import Query
from longtake.agent.query.reader import Matrix
from longtake.errors import EngineError
from longtake.language.abstaining import cannot_tell
from longtake.language.text import clauses, comparable, sentences
from longtake.language.words import NEGATION, content_stems, coverage, stems, words
from longtake.preprocess.engines.text.text_engines import Reranker

_PARTS = re.compile(r"\s*(?:;|→|->|>|,\s*then\b|\bthen\b|,)\s*")
_MISREAD = 0.85  # similarity, 0 to 1, from which a line is a reading of an option


def by_order(query: Query, candidates: Sequence[Candidate]) -> tuple[str, tuple[Candidate, ...]] | None:
    """The letter of the option that the order of events decides, with the lines that show it; None if that is open.

    Every option must be found. A sequence with a part that isn't found is wrong.
    """
    options = {number: text for number, text in enumerate(query.options) if not cannot_tell(text)}
    sequences = {number: _PARTS.split(text.strip()) for number, text in options.items()}
    if len(options) < 2 or len(query.videos) > 1:  # nothing orders moments of several videos
        return None
    named = Counter(part for parts in sequences.values() for part in set(parts))
    if min(map(len, sequences.values())) > 1 and min(named.values()) > 1:  # the same things in different orders
        return _sequence(query, sequences, {part: _first(part, candidates) for part in named})
    first = {number: line for number, text in options.items() if (line := _first(text, candidates))}
    if query.scope.ordinal not in (0, -1) or len(first) < len(options):
        return None
    starts = sorted((line.evidence.span.start, number) for number, line in first.items())
    chosen = starts[query.scope.ordinal][1]
    if sum(start == first[chosen].evidence.span.start for start, _ in starts) > 1:
        return None
    return LETTERS[chosen], (first[chosen],)


def _sequence(
    query: Query, sequences: dict[int, list[str]], found: dict[str, Candidate | None]
) -> tuple[str, tuple[Candidate, ...]] | None:
    """The longest option whose parts are all found and begin one after the other."""
    fitting = {}
    for number, parts in sequences.items():
        lines = [line for part in parts if (line := found[part])]
        if len(lines) == len(parts) and all(a.evidence.span.start < b.evidence.span.start for a, b in pairwise(lines)):
            fitting[number] = tuple(lines)
    most = max(map(len, fitting.values()), default=0)
    longest = [number for number, lines in fitting.items() if len(lines) == most]
    return (LETTERS[longest[0]], fitting[longest[0]]) if len(longest) == 1 else None


def _first(text: str, candidates: Iterable[Candidate]) -> Candidate | None:
    """The earliest line that says a text."""
    saying = (each for each in candidates if each.modality in ("speech", "scene_text", "visual") and _says(each, text))
    return min(saying, key=lambda each: each.evidence.span.start, default=None)


def _says(candidate: Candidate, text: str) -> bool:
    content, wanted = candidate.evidence.text, content_stems(text)
    if wanted and coverage(wanted, content) == 1:
        return True
    return SequenceMatcher(None, comparable(content), comparable(text)).ratio() >= _MISREAD


# Asked so, no line says the answer. A line does say the answer to "Which day is it not open?".
_EXCEPTS = re.compile(
    r"^(?i:which of (?:these|those|the following)\b.*(?:\bnot\b|n['’]t\b|\bnever\b))"
    r"|^(?i:which)\b.*\bNOT\b"
    r"|(?i:\bexcept)\W*$"
)
_TRUTHS = (("true", "false"), ("yes", "no"), ("correct", "incorrect"), ("right", "wrong"))
_READ = 6  # lines that every option is read with; more change nothing
_COMPARED = 24  # the same if nothing reads


class OptionChoice(NamedTuple):
    """The letter of an option, the line that decides for it, and whether that settles it."""

    letter: str
    line: Candidate
    sure: bool


def declining(options: Sequence[str]) -> str | None:
    """The letter of the option that the question can't be answered, if there is one."""
    return next((letter for letter, text in zip(LETTERS, options, strict=False) if cannot_tell(text)), None)


def choose(
    question: str, options: Sequence[str], ranked: Sequence[Candidate], reranker: Reranker | None, embed: Embed
) -> OptionChoice | None:
    """The likeliest option. None without lines.

    It is settled if it is clearly ahead, or if the line says it and no other option, unless the question denies
    something. Asked for the exception, "Which of these is not mentioned?", it is the option of which lines say least.
    No line says that a question can't be answered, so such an option is never chosen.

    Args:
        question: as asked.
        options: as given.
        ranked: candidates, best first.
        reranker: reads pairs; without it, likeness and the words that they share count.
        embed: makes the vectors.
    """
    numbers = [number for number, text in enumerate(options) if not cannot_tell(text)]
    lines = distinct(ranked)[: _READ if reranker else _COMPARED]
    if not lines or not numbers:
        return None
    answers = [options[number] for number in numbers]
    if _EXCEPTS.search(question):
        told = _support(question, answers, distinct(ranked)[:_COMPARED], reranker, embed)
        return OptionChoice(LETTERS[numbers[int(np.argmin(told))]], lines[0], sure=False)
    whole, read = _option_scores(question, answers, [line.text for line in lines], reranker, embed)
    line = lines[int(np.argmax(whole.max(axis=0)))]
    parts, both = _option_scores(question, answers, _parts(line.text), reranker, embed)
    told = whole.max(axis=1) + (parts.max(axis=1) if both == read else 0)  # scores and likeness don't add up
    order = np.argsort(-told, kind="stable")
    ahead = len(order) == 1 or told[order[0]] - told[order[1]] >= load_scores().clearly
    settled = _says_only(line.text, answers, int(order[0])) or (read and bool(ahead))
    return OptionChoice(LETTERS[numbers[int(order[0])]], line, settled and not NEGATION.search(question))


def by_claim(question: str, options: Sequence[str], ranked: Sequence[Candidate]) -> OptionChoice | None:
    """The option that says whether what a question claims is true, and the likeliest line that decides it.

    None if the options aren't a yes and a no, nothing is claimed, or the lines decide nothing or contradict each other.
    """
    said = {" ".join(words(text)): number for number, text in enumerate(options) if not cannot_tell(text)}
    sides = next(((said[yes], said[no]) for yes, no in _TRUTHS if said.keys() == {yes, no}), None)
    claim = stated_in(question)
    if sides is None or not claim:
        return None
    decided = [(true, line) for line in ranked if (true := affirmed(claim, line.text)) is not None]
    if len({true for true, _ in decided}) != 1:
        return None
    true, line = decided[0]
    return OptionChoice(LETTERS[sides[not true]], line, sure=True)


def _option_scores(
    question: str, answers: Sequence[str], passages: Sequence[str], reranker: Reranker | None, embed: Embed
) -> tuple[Matrix, bool]:
    """How well each passage tells each answer, (answers, passages), and whether it was read.

    Each is read as an answer to the question, and as a statement by itself.
    """
    asked = [f"{question} {answer}" for answer in answers]
    if reranker is not None:
        try:
            pairs = [reranker.score(text, passages) for text in (question, *asked, *answers)]
            alone, together, themselves = np.split(np.array(pairs, np.float32), [1, 1 + len(answers)])
            return load_scores().asked * alone + together + themselves, True
        except EngineError:
            pass
    vectors = embed([*asked, *passages])
    own = _telling_stems(answers)
    held = [[coverage(each, passage) for passage in passages] for each in own]
    return vectors[: len(asked)] @ vectors[len(asked) :].T + np.array(held, np.float32), False


def _support(
    question: str, answers: Sequence[str], lines: Sequence[Candidate], reranker: Reranker | None, embed: Embed
) -> Matrix:
    """How well the best of the lines most like each answer tells it, (answers,)."""
    texts = [line.text for line in lines]
    vectors = embed([*answers, *texts])
    alike = vectors[: len(answers)] @ vectors[len(answers) :].T
    near = [[texts[place] for place in np.argsort(-row, kind="stable")[:_READ]] for row in alike]
    if reranker is not None:
        with suppress(EngineError):
            return np.array([max(reranker.score(one, some)) for one, some in zip(answers, near, strict=True)])
    held = [max(coverage(own, text) for text in texts) for own in _telling_stems(answers)]
    return np.array(alike.max(axis=1) + held, np.float32)


def _parts(line: str) -> list[str]:
    """The sentences and clauses of a line; a part without a letter or digit says nothing."""
    found = dict.fromkeys(part.strip().rstrip(".,;:!?") for part in (*sentences(line), *clauses(line)))
    return [part for part in found if words(part)] or [line]


def _says_only(line: str, answers: Sequence[str], number: int) -> bool:
    """Whether a line has all words that tell one answer from the others, and all of no other."""
    own = _telling_stems(answers)
    return [place for place, each in enumerate(own) if each <= stems(line)] == [number]


def _telling_stems(options: Sequence[str]) -> list[frozenset[str]]:
    """The stems that tell each option from the others: those of content, and all of them where two have the same.

    "Tilt up" and "tilt down" have the same content; only a word of grammar tells them apart.
    """
    content = [frozenset(content_stems(option)) for option in options]
    own = [one if content.count(one) == 1 else stems(option) for option, one in zip(options, content, strict=True)]
    shared = own[0].intersection(*own[1:]) if len(own) > 1 else frozenset[str]()
    return [each - shared for each in own]
