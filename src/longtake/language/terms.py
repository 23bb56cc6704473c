"""Terms of a text for word search: words of any script; numbers, times, codes and addresses whole as well as in parts.

Words count by their English stem; in other languages that now and then makes two words one. Neighbouring words also
make a pair (`red_car`), so that a phrase ranks above its scattered words.
"""

from __future__ import annotations

from itertools import pairwise

import regex

from longtake.language.languages import stop_words
from longtake.language.numbers import without_separators
from longtake.language.text import fold
from longtake.language.words import FUNCTION_WORDS, english_stem

VERSION = 3  # raised when a text gets other terms
# Scripts written without spaces between words: every sign is a part of its own, and pairs make the words.
_UNSPACED = r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]\p{M}*"
_PART = regex.compile(rf"{_UNSPACED}|(?:(?!{_UNSPACED})[\p{{L}}\p{{N}}\p{{M}}])+")
_EDGE = regex.compile(r"^[^\p{L}\p{N}\p{Sc}#@]+|[^\p{L}\p{N}\p{M}\p{Sc}%+#]+$")
_SHORT = 2  # characters


def document_terms(text: str) -> list[str]:
    """Every term a document can be found by."""
    terms: list[str] = []
    parts: list[str] = []
    for chunk, inner in _chunks(text):
        parts.extend(inner)
        if _is_compound(chunk, inner):
            terms.append(_term(chunk))
    parts = [english_stem(part) for part in parts]
    return terms + parts + [f"{left}_{right}" for left, right in pairwise(parts)]


def query_terms(text: str) -> list[str]:
    """The terms to look for, each once.

    Function words count only if there is nothing else. Short parts of a code or of unspaced script count only in pairs:
    otherwise, a search for `01:00:32:03` would find every text with a `00` in it.
    """
    return list(dict.fromkeys(_term(spelling) for spelling in _spellings(text)))


def matched_terms(query: str, text: str) -> list[str]:
    """What a document of this text is found by, as the query spells it; the words of a pair are joined by `_`."""
    held = frozenset(document_terms(text))
    return [spelling for spelling in _spellings(query) if _term(spelling) in held]


def content_words(text: str) -> frozenset[str]:
    """The words of a text, without function words if there are others."""
    words = frozenset(part for _, inner in _chunks(text) for part in inner)
    return words - stop_words(text, FUNCTION_WORDS) or words


def _spellings(text: str) -> list[str]:
    """The terms of a query before they are cut to stems."""
    wholes: list[str] = []
    parts: list[str] = []
    findable: set[str] = set()
    for chunk, inner in _chunks(text):
        if _is_compound(chunk, inner):
            wholes.append(chunk)
        parts.extend(inner)
        findable.update(part for part in inner if len(inner) == 1 or len(part) > _SHORT)
    content = content_words(text)
    alone = [part for part in parts if part in content and part in findable]
    pairs = [f"{left}_{right}" for left, right in pairwise(parts) if left in content or right in content]
    return list(dict.fromkeys(wholes + alone + pairs))


def _term(spelling: str) -> str:
    return "_".join(english_stem(word) for word in spelling.split("_"))


def _chunks(text: str) -> list[tuple[str, list[str]]]:
    chunks = (_EDGE.sub("", chunk) for chunk in without_separators(fold(text)).split())
    return [(chunk, _PART.findall(chunk)) for chunk in chunks if chunk]


def _is_compound(chunk: str, parts: list[str]) -> bool:
    """Whether a chunk is more than its parts: `$249`, `3.5`, `a@b.org`; not a sentence in an unspaced script."""
    return bool(parts) and chunk != "".join(parts)
