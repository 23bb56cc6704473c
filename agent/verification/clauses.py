"""Finds what a clause binds together, so that a claim can't swap what its evidence keeps apart.

"Kettle 45, pan 54" has every word and number of "the kettle costs 54", and "Alice killed the mayor. Bob smiled." has
every word of "Bob killed the mayor". So a text is split into clauses. A number or name of a claim may go with other
words only if they share a clause of the evidence, or if no clause binds them to another number or name. Two names keep
the order of the evidence, unless they are only listed, and so do the two sides of "before", "after" and "than". What
one denies, the other must deny. Nothing else is known about who does what to whom: without names ("the dog bites the
man"), a swap goes unnoticed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import combinations

from longtake.language.amounts import Amount, amounts, without_amounts
from longtake.language.numbers import NUMBER_WORDS
from longtake.language.text import fold
from longtake.language.words import NEGATION, STOPWORDS, content_stems, stem, stems, words

_EDGE = re.compile(r"[.!?](?=\s|$)|[,;](?=\s)|\n+|\b(?:and|but|while|whereas)\b", re.IGNORECASE)
_SENTENCE_EDGE = re.compile(r"(?<=[.!?])\s+|\n+|[“”\"]")
_SIDES = re.compile(r"\b(?:before|after|than)\b", re.IGNORECASE)
_NAME = re.compile(r"[A-Z][\w'’-]*")
_LISTED = re.compile(r"(?:\s|,|&|\b(?:and|or)\b)*", re.IGNORECASE)
_ALSO_NAMES = (
    "will",
    "may",
    "mark",
    "art",
    "can",
)  # words without content that are also names


def swaps_attributes(text: str, proof: Sequence[str]) -> bool:
    """Whether a claim binds a number or a name to other words than its evidence does, or swaps two names."""
    clauses = [clause for content in proof for clause in _clauses(content)]
    known = frozenset().union(*(stems(content) for content in proof))
    return (
        any(_swapped(clause, clauses, amounts) for clause in _clauses(text))
        or any(_swapped(clause, clauses, lambda part: names(part) & known) for clause in _clauses(text))
        or any(_changes_sides(text, content) for content in proof)
        or any(_turned(one, other, text, proof) for one, other in combinations(_NAME.findall(text), 2))
    )


def denied_otherwise(text: str, proof: Sequence[str]) -> bool:
    """Whether a clause of a claim denies what the nearest clause of the evidence affirms, or the reverse."""
    clauses = [clause for content in proof for clause in _clauses(content)]
    for clause in _clauses(text):
        shared = [len(_plain(clause) & _plain(other)) for other in clauses]
        nearest = [other for other, count in zip(clauses, shared, strict=True) if count == max(shared)]
        if nearest and _plain(clause) and not any(_denies(clause) == _denies(other) for other in nearest):
            return True
    return False


@lru_cache(maxsize=16_384)
def names(text: str) -> frozenset[str]:
    """Stems of the capitalised words of a text. At the start of a sentence, only words with content count."""
    found = set[str]()
    for sentence in filter(None, _SENTENCE_EDGE.split(text)):
        first = re.match(r"\W*", sentence)
        start = first.end() if first else 0
        for match in _NAME.finditer(sentence):
            word = fold(match[0]).removesuffix("'s")
            begins = match.start() == start
            bare = word in STOPWORDS and (word == "i" or (begins and word not in _ALSO_NAMES))
            if not bare:
                found |= {stem(part) for part in words(match[0]) if part not in NUMBER_WORDS}
    return frozenset(found)


@lru_cache(maxsize=4_096)
def _clauses(text: str) -> tuple[str, ...]:
    """The clauses of a text. A clause with only a number or only names joins the next one."""
    found: list[str] = []
    carried = ""
    start = 0
    for edge, following in [*(match.span() for match in _EDGE.finditer(text)), (len(text), len(text))]:
        carried, start = f"{carried}{text[start:edge]}", following
        if _plain(carried) - names(carried) or (names(carried) and amounts(carried)):
            found.append(carried)
            carried = ""
        else:
            carried += text[edge:following]
    return (*found[:-1], found[-1] + carried) if found else (text,)


@lru_cache(maxsize=16_384)
def _plain(text: str) -> frozenset[str]:
    return frozenset(content_stems(without_amounts(text)))


@lru_cache(maxsize=16_384)
def _terms(text: str) -> frozenset[str]:
    return _plain(text) | names(text) | {amount.number for amount in amounts(text)}


def _denies(clause: str) -> bool:
    return bool(NEGATION.search(clause))


def _swapped(clause: str, clauses: Sequence[str], bound: Callable[[str], Iterable[str | Amount]]) -> bool:
    """Whether the evidence has the words of a clause only with other amounts (or names)."""
    for thing in bound(clause):
        # A number may identify a name ("Tom won 3 games and Bob 5"), but not another number.
        beside = _plain(clause) if isinstance(thing, Amount) else _terms(clause) - {thing}
        with_it = [other for other in clauses if _has(bound(other), thing)]
        without = [other for other in clauses if other not in with_it and list(bound(other))]
        kept = any(beside & _terms(other) - _shared(with_it, without) for other in with_it)
        if with_it and not kept and any(beside & _terms(other) - _shared(with_it, without) for other in without):
            return True
    return False


def _shared(some: Iterable[str], others: Iterable[str]) -> frozenset[str]:
    """Words in clauses of both kinds, which can't tell them apart."""
    return frozenset().union(*map(_terms, some)) & frozenset().union(*map(_terms, others))


def _has(things: Iterable[str | Amount], thing: str | Amount) -> bool:
    if isinstance(thing, Amount):
        return any(isinstance(other, Amount) and other.number == thing.number for other in things)
    return thing in things


def _turned(one: str, other: str, text: str, proof: Sequence[str]) -> bool:
    """Whether two names have an order in a claim that no evidence with both names has."""
    between = text[text.index(one) + len(one) : text.rindex(other)]
    if one == other or _LISTED.fullmatch(between) or not names(one) or not names(other):
        return False
    both = [content for content in proof if _at(one, content) >= 0 and _at(other, content) >= 0]
    return bool(both) and all(_at(one, content) > _at(other, content) for content in both)


def _changes_sides(text: str, content: str) -> bool:
    """Whether the two sides of a word such as "than" are swapped between a claim and a text."""
    claimed, proven = _SIDES.search(text), _SIDES.search(content)
    if claimed is None or proven is None or claimed[0].casefold() != proven[0].casefold():
        return False
    first, second = _plain(content[: proven.start()]), _plain(content[proven.end() :])
    own, other = _plain(text[: claimed.start()]), _plain(text[claimed.end() :])
    return bool(own & (second - first)) and bool(other & (first - second))


def _at(name: str, text: str) -> int:
    found = re.search(rf"\b{re.escape(name)}\b", text)
    return found.start() if found else -1
