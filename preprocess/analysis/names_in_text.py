"""Finds the names in what is said and written, by their capital letters."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from longtake.language.dates import date_names
from longtake.language.languages import language_in

_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_CONTRACTED = re.compile(r"['’][^\W\d_]{1,2}$")  # I'm, Anna's
_ENDS = re.compile(r"[.!?…:;\"“”«»(\[—–]\s*$")
_LETTERS = 3  # that a name of one word has at least
_EVERYWHERE = 0.2  # share of the words within sentences from which capitals don't mark names, as in German
_ENOUGH = 100  # words within sentences by which that can be told
_SHOUTED = 0.5  # share from which capitals mark nothing at all
_LONGEST = 4  # words of a name
_OFTEN = 2  # times that a name of one word is said


class _Word(NamedTuple):
    text: str
    line: int
    first: bool  # of a sentence
    joined: bool  # with the word before it by nothing but a space


def names_in(lines: Sequence[str]) -> dict[str, list[int]]:
    """The names in lines, and the numbers of the lines that have them, most frequent first.

    A name is a row of words that begin with capitals, other than days and months. One word counts if it is never
    written small and stands within a sentence at least once, and if the language doesn't write other words so. Scripts
    without capitals have none, nor have lines in capitals only.
    """
    words = [word for number, line in enumerate(lines) if not line.isupper() for word in _words(line, number)]
    within = [word.text for word in words if not word.first]
    share = sum(text[0].isupper() for text in within) / max(1, len(within))
    if share >= _SHOUTED:
        return {}
    small = {word.text.casefold() for word in words if word.text[0].islower()}
    rows = list(_rows(words))
    # Not what follows the first word of a sentence: both may be one name.
    capital = {word.text for row in rows for word in row[2 if row[0].first else 0 :]}
    marks = share < _EVERYWHERE or len(within) < _ENOUGH
    found: defaultdict[str, list[int]] = defaultdict(list)
    for row in rows:
        begins = row[0].first and row[0].text not in capital and (len(row) < 2 or row[1].text in capital)
        kept = row[1:] if begins or (row[0].first and row[0].text.casefold() in small) else row
        text = " ".join(word.text for word in kept)
        alone = marks and text in capital and len(text) >= _LETTERS and text.casefold() not in small
        if 1 < len(kept) <= _LONGEST or alone:
            found[text].append(kept[0].line)
    dates = date_names(language_in(" ".join(lines)))
    often = {
        name: places
        for name, places in found.items()
        if (len(places) >= _OFTEN or " " in name) and not dates.issuperset(name.casefold().split())
    }
    return dict(sorted(often.items(), key=lambda each: -len(each[1])))


def _words(line: str, number: int) -> Iterator[_Word]:
    end = 0
    for match in _WORD.finditer(line):
        between = line[end : match.start()]
        first = not end or bool(_ENDS.search(between))
        yield _Word(_CONTRACTED.sub("", match[0]), number, first, between == " ")
        end = match.end()


def _rows(words: Sequence[_Word]) -> Iterator[list[_Word]]:
    """The rows of words that begin with capitals, each within one sentence."""
    row: list[_Word] = []
    for word in words:
        if row and not (word.joined and not word.first and word.text[0].isupper()):
            yield row
            row = []
        if word.text[0].isupper() and len(word.text) > 1:
            row.append(word)
        elif row:
            yield row
            row = []
    if row:
        yield row
