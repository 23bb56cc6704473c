"""Which of the texts in the picture a question means: by place, by size, by pattern, by words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.matching import without_repeats
from longtake.agent.words import content_stems, coverage, stem
from longtake.memory.records import Evidence

# What a question calls a text, and what such a text looks like.
PATTERNS = {
    r"web ?(?:site|address|page)|url|link": r"\b(?:https?://|www\.)?[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}(?:/\S*)?\b",
    r"e-?mail": r"[\w.+-]+@[\w-]+\.[\w.]+",
    r"copyright": r"copyright|©|\(c\)",
    r"time ?code": r"\d{1,2}:\d{2}:\d{2}[:;.]\d{2}",
    r"price|cost|how much": r"[$€£]\s?\d|\d\s?(?:[$€£]|dollars|euros|pounds)",
    r"phone|telephone": r"\+?\d[\d\s()-]{5,}\d",
    r"date": r"\b\d{1,2}[./ -](?:\d{1,2}|[a-z]{3,9})[./ -]\d{2,4}\b|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}",
    r"(?:frame )?number|digits?|code\b": r"\d",
}
PLACES: dict[str, Callable[[float, float], bool]] = {
    "top": lambda x, y: y < 0.4,
    "bottom": lambda x, y: y > 0.6,
    "left": lambda x, y: x < 0.4,
    "right": lambda x, y: x > 0.6,
}
MOST_TEXTS = 12  # more than this is no answer
TITLE = 0.5  # of the tallest text's height: what is lettered about as large belongs to the title
BRIEF = 0.6  # seconds that a text stands at most to be one that flashes up
# Words that name the thing a text stands on, not the text.
CARRIERS = frozenset(
    stem(word)
    for word in "text word words letters written printed shown show shows display displayed appear appears screen picture frame "
    "slide title caption sign logo label banner credit credits read reads top bottom left right corner number".split()
)
_ARITHMETIC = re.compile(r"(?:\d[\d.,]*|\()\s*(?:[-+*/x×÷·^−–]|\*\*)\s*[\d(][\d\s.,+*/x×÷·^()−–-]*")


def arithmetic_in(text: str) -> str | None:
    """The first sum in a text, such as `37 x 12 + 56`; dates, times and ranges are none."""
    for match in _ARITHMETIC.finditer(text):
        found = match[0].strip(" .,-–")
        spaced = re.search(r"\d\s*[x×*÷+^]\s*[\d(]|\d\s+[-/−]\s+[\d(]", found)
        if spaced and found.count("(") == found.count(")") and not re.fullmatch(r"[\d\s./-]+", found.replace(" ", "")) or (
            spaced and "=" in text[match.end() : match.end() + 3]
        ):
            return found
    return None


def pick_texts(orientation: Orientation, texts: Sequence[Evidence]) -> list[Evidence]:
    """The texts a question means, in order of time; none when it cannot be told."""
    question = orientation.question.casefold()
    kept = [item for item in texts if orientation.span is None or item.span.overlaps(orientation.span)]
    kept = _at_place(question, kept)
    if re.search(r"\bflash\w*|\bbrief\w*|for (?:a|one) (?:moment|frame|instant|second)", question):
        kept = [item for item in kept if item.span.length <= BRIEF]
    by_pattern = _by_pattern(question, kept)
    if by_pattern:
        return by_pattern
    wanted = [term for term in content_stems(orientation.question) if term not in CARRIERS]
    by_words = [item for item in kept if coverage(wanted, item.content) >= 0.5]
    if by_words:
        return without_repeats(by_words)
    if re.search(r"\btitles?\b", question):
        return _around_title(question, kept)
    asks_for_all = not wanted or orientation.span is not None or kept != list(texts)
    return without_repeats(kept) if asks_for_all and len(kept) <= MOST_TEXTS else []


def _by_pattern(question: str, texts: Sequence[Evidence]) -> list[Evidence]:
    found: list[Evidence] = []
    for cue, pattern in PATTERNS.items():
        if re.search(rf"\b(?:{cue})", question):
            found += [item for item in texts if re.search(pattern, item.content, re.IGNORECASE)]
    wanted = content_stems(question)
    found.sort(key=lambda item: -coverage(wanted, item.content))
    return list({item.id: item for item in found}.values())


def _at_place(question: str, texts: Sequence[Evidence]) -> list[Evidence]:
    places = [test for name, test in PLACES.items() if re.search(rf"\b{name}\b", question)]
    if not places:
        return list(texts)
    boxes = [(item, item.box) for item in texts]
    return [
        item
        for item, box in boxes
        if box and all(test(box[0] + box[2] / 2, box[1] + box[3] / 2) for test in places)
    ]


def _around_title(question: str, texts: Sequence[Evidence]) -> list[Evidence]:
    """The title is the tallest text with what stands beside it; "before the title" is what was read before it."""
    boxed = [item for item in texts if item.box]
    if not boxed:
        return []
    tallest = max(boxed, key=_height)
    title = [item for item in boxed if item.span.overlaps(tallest.span) and _height(item) >= TITLE * _height(tallest)]
    first, last = min(item.span.start for item in title), max(item.span.end for item in title)
    if re.search(r"\bbefore the title", question):
        return [item for item in boxed if item.span.end <= first]
    if re.search(r"\bafter the title", question):
        return [item for item in boxed if item.span.start >= last]
    return sorted(title, key=lambda item: item.box[1] if item.box else 0.0)


def _height(item: Evidence) -> float:
    return item.box[3] if item.box else 0.0
