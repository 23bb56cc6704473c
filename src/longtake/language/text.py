"""Texts: one spelling, so that two can be compared, and sentences that end once."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any


def parse_json(text: str | bytes) -> Any:
    """The value that a JSON text holds.

    Raises:
        ValueError: if it isn't JSON, or is nested deeper than Python can read.
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


_SIGNS = str.maketrans(dict.fromkeys("’‘‛", "'") | dict.fromkeys("“”„", '"') | dict.fromkeys("−–—‒‐‑", "-"))
_CLOSING = "”’\"'») \u00a0\u202f"  # quotation marks and brackets, and the spaces before French ones
_ENDS = (".", "!", "?", "…", "。", "！", "？")
_LONGEST_WORD = 20  # characters; some scripts have no spaces
_BEFORE_ELLIPSIS = " …,;:·|/"
_TITLES = ("Mr.", "Mrs.", "Ms.", "Dr.", "Prof.")
_BULLETS = "•·‣▪▫■□●○◦"
_BETWEEN = re.compile(r"\s+·\s+|(?<=[.!?;])\s+|(?<=[。！？])|\n+")  # sentences
# Those of Latin, Greek and Cyrillic letters. In other scripts what is combined makes another letter, as が is not か.
_ACCENTS = re.compile("[\u0300-\u036f]+")


def fold(text: str) -> str:
    """Compatible letters as one (Unicode's NFKC), lower case, no accents, straight quotes and hyphens."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text).translate(_SIGNS).casefold()
    return unicodedata.normalize("NFC", _ACCENTS.sub("", decomposed))


def words_of(text: str) -> str:
    """The words of a text, folded, with one space between them and no punctuation."""
    return " ".join(re.findall(r"\w+", fold(text)))


def without_bullet(line: str) -> str:
    """A line without the signs that make it one of a list, if anything follows them."""
    return line.lstrip(_BULLETS + " ") or line if line.startswith(tuple(_BULLETS)) else line


def ends_sentence(text: str) -> bool:
    """Whether a text ends with the mark of a sentence, perhaps in quotation marks; "Mrs." ends none."""
    end = text.rstrip(_CLOSING)
    return end.endswith(_ENDS) and not end.endswith(_TITLES)


def as_sentence(text: str) -> str:
    """The text with a full stop, unless it ends a sentence already."""
    return text if ends_sentence(text) else f"{text}."


def as_question(text: str) -> str:
    """The text with a question mark, unless it ends a sentence already."""
    return text if not text.strip() or ends_sentence(text) else f"{text.rstrip()}?"


def shortened(text: str, most: int) -> str:
    """The text or, if it has more than `most` characters, its beginning up to a word's end and an ellipsis."""
    if len(text) <= most:
        return text
    kept, space, cut = text[:most].rpartition(" ")
    if not space or len(cut) > _LONGEST_WORD:
        kept = text[: most - 1]
    return f"{kept.rstrip().rstrip(_BEFORE_ELLIPSIS)}…"


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text, with what ends them; a semicolon ends one too, and so does a middle dot."""
    return [part for part in _BETWEEN.split(text) if part.strip()]


def clauses(text: str) -> list[str]:
    """The sentences of a text, cut at commas and colons as well."""
    return [part for sentence in sentences(text) for part in re.split(r"(?<=[,:])\s+", sentence) if part.strip()]


def same(one: str, other: str) -> bool:
    """Whether two texts have the same words in the same order."""
    return comparable(one) == comparable(other)


def within(part: str, whole: str) -> bool:
    """Whether a text holds another one, with no word of it cut in two."""
    return not part or bool(re.search(rf"(?<!\w){re.escape(part)}(?!\w)", whole))


def comparable(text: str) -> str:
    """A text folded, with one space between its words."""
    return " ".join(fold(text).split())
