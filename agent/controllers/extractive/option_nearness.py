"""Tells which of several options one line says about what is asked.

"Library $410,000 · Parks $275,000" says both amounts; the one for parks stands next to the word. So each option counts
the words of the question around it, each by its distance, and how similar its clause is to the question.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from longtake.agent.controllers.extractive.candidates import Embed
from longtake.language.words import NEGATION, TELLING, content_stems, stem, words

_CLAUSE = re.compile(r"\s·\s|[.,;!?]+(?=\s|$)|\n+")  # a colon binds, and options may hold an "and"
_GAP = 4  # words that the edge of a clause counts for
_AFTER = 0.5  # words that a value in front of its key counts as farther away: most stand behind it
_ALIKE = 0.3  # weight of similarity, relative to a word next to the option
_AHEAD = 0.1  # lead over the next option from which it is sure


class _Word(NamedTuple):
    stem: str
    place: int
    clause: int


_Run = Sequence[_Word]  # the words of an option, one after the other


def nearest(question: str, line: str, options: Sequence[str], embed: Embed) -> tuple[int, bool] | None:
    """The number of the option said nearest to what is asked, and whether that settles it.

    It does if the option is clearly nearer than the others and alone in a clause that denies nothing: in "from $5 to
    $7" and "the Blues beat the Reds", nearness says little. None unless the line says two options or more, word for
    word.
    """
    clauses = _CLAUSE.split(line)
    said = _words(clauses)
    runs = _outermost({number: _runs(said, option) for number, option in enumerate(options)})
    if len(runs) < 2:
        return None
    asked = [word for word in content_stems(question) if word not in TELLING]
    around = [_around(clauses, found[0][0].clause, options[number]) for number, found in runs.items()]
    vectors = embed([question, *around])
    scores = [
        max(_nearness(asked, said, run) for run in found) + _ALIKE * float(vectors[0] @ vector)
        for found, vector in zip(runs.values(), vectors[1:], strict=True)
    ]
    *_, second, first = sorted(scores)
    number = list(runs)[scores.index(first)]
    own = {word.clause for run in runs[number] for word in run}
    others = {word.clause for other, found in runs.items() if other != number for run in found for word in run}
    alone = own.isdisjoint(others) and not any(NEGATION.search(clauses[clause]) for clause in own)
    return number, alone and first - second >= _AHEAD


def _words(clauses: Sequence[str]) -> list[_Word]:
    found, place = list[_Word](), 0
    for number, clause in enumerate(clauses):
        for word in words(clause):
            found.append(_Word(stem(word), place, number))
            place += 1
        place += _GAP
    return found


def _runs(said: Sequence[_Word], option: str) -> list[_Run]:
    """Where the words of an option stand one after the other."""
    wanted = [stem(word) for word in words(option)]
    starts = range(len(said) - len(wanted) + 1) if wanted else ()
    runs = (said[start : start + len(wanted)] for start in starts)
    return [run for run in runs if [word.stem for word in run] == wanted]


def _outermost(runs: Mapping[int, Sequence[_Run]]) -> dict[int, list[_Run]]:
    """The runs that lie in no longer one, such as "John" in "John Smith"; options without any are left out."""
    spans = [(run[0].place, run[-1].place) for found in runs.values() for run in found]

    def inside(run: _Run) -> bool:
        first, last = run[0].place, run[-1].place
        return any(start <= first and last <= end and end - start > last - first for start, end in spans)

    kept = {number: [run for run in found if not inside(run)] for number, found in runs.items()}
    return {number: found for number, found in kept.items() if found}


def _nearness(asked: Sequence[str], said: Sequence[_Word], run: _Run) -> float:
    """The words of the question outside a run, each by how near it stands."""
    first, last = run[0].place, run[-1].place
    total = 0.0
    for wanted in asked:
        before = (first - word.place for word in said if word.stem == wanted and word.place < first)
        after = (word.place - last + _AFTER for word in said if word.stem == wanted and word.place > last)
        distances = [*before, *after]
        total += 1 / min(distances) if distances else 0.0
    return total


def _around(clauses: Sequence[str], number: int, option: str) -> str:
    """The clause of an option, with the one before it if it has nothing else."""
    alone = set(content_stems(clauses[number])) <= set(content_stems(option))
    first = max(0, number - alone)
    return " ".join(clauses[first : max(number + 1, first + 1 + alone)])
