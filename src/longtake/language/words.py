"""Words of questions and evidence, folded so that they can be compared."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable
from functools import lru_cache

import regex
import snowballstemmer

from longtake.language.languages import stop_words
from longtake.language.numbers import NUMBER_WORDS
from longtake.language.text import fold

_WORD = regex.compile(r"\d+(?:[.,:]\d+)+|[\w$€£¥%]+(?:'\w+)?")

# Words of grammar: articles, auxiliaries, pronouns, prepositions, conjunctions. Search ignores them.
FUNCTION_WORDS = frozenset(
    (
        "a an the this that these those there here it its is are was were be been being am do does did doing have has "
        "had having will would shall should can could may might must i you he she we they me him her us them my your "
        "his our their of in on at to for from by with about into over under between after before during while as and "
        "or but not no nor so if then than too very just also only any some all each every both either what which who "
        "whom whose when where why how up down out off again once s t d ll re ve don didn doesn isn aren wasn weren "
        "hasn haven hadn couldn shouldn wouldn mustn won"
    ).split()
)
# The same and the words that questions are made of: what they ask about says more.
STOPWORDS = FUNCTION_WORDS | frozenset(
    (
        "done much many long often far old kind sort type name named called call tell give show say says said state "
        "according video clip recording film file second seconds minute minutes time times moment point exactly "
        "please get gets got go goes ever thing something anything someone somebody anyone people person take takes "
        "took taken make makes made put puts happen happens happened happening going describe"
    ).split()
)
_CONTRACTED = re.compile(r"'(?:t|re|ve|ll|d|m)$")
_STEMMER, _ALONE = snowballstemmer.stemmer("english"), threading.Lock()
NEGATION = re.compile(r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot)\b|n['’]t\b", re.IGNORECASE)


def words(text: str) -> list[str]:
    """The words of a text, folded, in order; times and decimals stay whole."""
    return [word.removesuffix("'s") for word in _WORD.findall(fold(text))]


@lru_cache(maxsize=100_000)
def english_stem(word: str) -> str:
    """What the forms of an English word share (Snowball, after Porter, 1980): `prices` meets `price`."""
    with _ALONE:  # the stemmer keeps the word that it works on
        found: str = _STEMMER.stemWord(word)
    return found


def stem(word: str) -> str:
    """The stem of a word, or the digits of a number in words; codes and amounts stay whole."""
    word = NUMBER_WORDS.get(word, word)
    return english_stem(word) if word.isalpha() else word


def content_stems(text: str) -> list[str]:
    """Stems of the words that carry content, without repeats, in order; "we're" and "weren't" carry none."""
    empty = stop_words(text, STOPWORDS)
    return list(dict.fromkeys(stem(word) for word in words(text) if _CONTRACTED.sub("", word) not in empty))


def holds_phrase(phrase: str, text: str) -> bool:
    """Whether the words of a phrase stand in a text in this order, with nothing between them; endings do not count."""
    wanted, held = (" ".join(stem(word) for word in words(each)) for each in (phrase, text))
    return f" {wanted} " in f" {held} "


@lru_cache(maxsize=16_384)  # every claim of a draft is held against the same evidence
def stems(text: str) -> frozenset[str]:
    """Stems of all the words."""
    return frozenset(stem(word) for word in words(text))


def unsaid(text: str, question: str) -> str:
    """The words of a text that a question does not hold; endings do not count."""
    known = stems(question)
    return " ".join(word for word in text.split() if not stems(word) <= known)


def coverage(wanted: Iterable[str], text: str) -> float:
    """Share of the wanted stems that a text holds, 0 to 1; 0 when nothing is wanted."""
    wanted = list(wanted)
    held = stems(text)
    return sum(term in held for term in wanted) / len(wanted) if wanted else 0.0


# Stems of words that only say that something is said or shown, by whom and where.
TELLING = stems(
    "said says say spoken speaks speaker speakers mentioned mention told according narrator presenter line "
    "sentence words word written shown show shows screen slide text sign title caption printed subtitle subtitles "
    "writing visible legible audible heard hear talk talks talking discuss discussed appear appears speech utterance "
    "transcript transcription transcribe verbatim"
)
