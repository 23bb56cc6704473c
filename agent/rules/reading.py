"""Which of the texts in the picture a question means: by place, by size, by pattern, by words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from longtake.agent.orientation import ORDINALS, Orientation
from longtake.agent.rows import rows
from longtake.agent.rules.answer_types import NAME, answer_type, holds
from longtake.agent.rules.matching import names_in, without_repeats
from longtake.agent.rules.moves import within
from longtake.agent.words import content_stems, coverage, cue, stem, stems
from longtake.memory.records import Evidence

PLACES: dict[str, Callable[[float, float], bool]] = {
    "top": lambda x, y: y < 0.4,
    "bottom": lambda x, y: y > 0.6,
    "left": lambda x, y: x < 0.4,
    "right": lambda x, y: x > 0.6,
}
HALF = 0.5  # of a question's content words
MOST_TEXTS = 12  # more than this is no answer
MOST_OF_A_KIND = 4  # likewise, for lines that only hold the kind of thing asked for
TITLE = 0.5  # of the tallest text's height: what is lettered about as large belongs to the title
TALL = 0.8  # likewise, where the lines below a title, of who speaks and when, are none of it
BRIEF = 0.6  # seconds that a text stands at most to be one that flashes up
# Words that name the thing a text stands on, not the text.
CARRIERS = frozenset(
    stem(word)
    for word in (
        "text word words letters written printed shown show shows display displayed appear appears screen picture "
        "frame slide title caption sign logo label banner credit credits read reads top bottom left right corner "
        "number"
    ).split()
)
_SLIDE = re.compile(rf"\b({'|'.join(ORDINALS)})\s+(?:slide|page|screen|caption)\b", re.IGNORECASE)
NTH = re.compile(rf"\b({'|'.join(ORDINALS)}) (?:thing|line|text|words?)\b", re.IGNORECASE)
_NTH_SHOWN = re.compile(
    rf"\b({'|'.join(ORDINALS)}) (?:thing|text|words?)(?: (?:that|which) (?:is|was|gets))?(?: ever)? "
    r"(?:written|shown|displayed|printed|to be read|on (?:the )?screen)\b",
    re.IGNORECASE,
)
_BEGINS = cue("comes, come, came, follows, followed, appears, appear, appeared")
_HOW_MANY = cue("how many, how often")
BRIEFLY = "briefly, for an instant, for a moment, for a split second, for a frame, for one frame, for a single frame"
_OF_WHOLE = cue(
    "title of the talk, title of the lecture, title of the presentation, title of the speech, title of this talk"
)
_FLASHES = cue(f"{BRIEFLY}, flash*, brief*, for a second")
_OPERATION = re.compile(r"\d\s*[x×*÷+^·]\s*[\d(]|\d\s+[-/−]\s+[\d(]|\)\s*[-+*/x×÷]")
_EQUATION = re.compile(r"\b(?:solve|solutions? of) ((?=[^?]*\d)[\w(][\w\s.+*/^()−-]*=[\w\s.+*/^()−-]+)", re.IGNORECASE)
_SHARE = re.compile(r"\d[\d.,]*\s*(?:%|per ?cent) of \d[\d,]*(?:\.\d+)?", re.IGNORECASE)
_ARITHMETIC = re.compile(r"(?:\d[\d.,]*|\()\s*(?:[-+*/x×÷·^−–]|\*\*)\s*[\d(][\d\s.,+*/x×÷·^()−–-]*")


def arithmetic_in(text: str) -> str | None:
    """The equation to solve, a share (`15 percent of 240`), or the first sum (`37 x 12 + 56`).

    Dates, phone numbers and ranges are none.
    """
    equation = _EQUATION.search(text)
    if equation:
        return equation[1].strip()
    share = _SHARE.search(text)
    if share:
        return share[0]
    for match in _ARITHMETIC.finditer(text):
        found = match[0].strip(" .,-–")
        if _OPERATION.search(found) and found.count("(") == found.count(")"):
            return found
    return None


def pick_texts(orientation: Orientation, texts: Sequence[Evidence]) -> list[Evidence]:
    """The texts a question means, in order of time; none when it cannot be told."""
    question = orientation.question
    places = [test for name, test in PLACES.items() if cue(name).search(question)]
    brief = bool(_FLASHES.search(question))
    texts = _of_slide(question, texts)
    kept = [
        item
        for item in within(texts, orientation)
        if (not places or _stands(item, places)) and (not brief or item.span.length <= BRIEF)
    ]
    if orientation.relation and orientation.span and _BEGINS.search(question):
        kept = [item for item in kept if item.span.start >= orientation.span.start]
    # Numbers of a question are mostly its times; a text that is looked for by its number stands in quotation marks.
    wanted = [term for term in content_stems(question) if term not in CARRIERS and not term[0].isdigit()]
    nth = NTH.search(question) if orientation.relation and orientation.span else _NTH_SHOWN.search(question)
    if nth:
        return _nth(ORDINALS[nth[1].casefold()], kept, orientation.span.start if orientation.span else 0.0)
    meant = _lines_meant(question, wanted, rows(kept))
    if meant:
        return without_repeats(meant)
    if _OF_WHOLE.search(question):
        return _title_of_whole(kept)
    who = re.match(r"\W*(?:and )?who", question, re.IGNORECASE)  # a title tells no giver
    if cue("title, titles").search(question) and not who:
        return _around_title(question, kept)
    if _HOW_MANY.search(question):
        return []
    if orientation.relation in ("after", "as soon as") and len(kept) > MOST_TEXTS:
        first = min(item.span.start for item in kept)
        kept = rows([item for item in kept if item.span.start <= first + BRIEF])
    narrowed = bool(places) or brief or orientation.span is not None or not wanted
    return without_repeats(kept) if narrowed and len(kept) <= MOST_TEXTS else []


def _of_slide(question: str, texts: Sequence[Evidence]) -> list[Evidence]:
    """The texts of the first, second, last ... slide, where one is named; a slide begins where new text does."""
    match = _SLIDE.search(question)
    starts = sorted({item.span.start for item in texts})
    slides = [start for place, start in enumerate(starts) if place == 0 or start - starts[place - 1] > BRIEF]
    number = ORDINALS[match[1].casefold()] if match else 0
    if not match or number >= len(slides):
        return list(texts)
    begun = slides[number]
    return [item for item in texts if item.span.start <= begun + BRIEF < item.span.end]


def _nth(number: int, texts: Sequence[Evidence], start: float) -> list[Evidence]:
    """One of the texts that begin after this time, counted as they appear, of those that do so at once as one reads."""
    begun = sorted(
        (item for item in texts if item.span.start >= start),
        key=lambda item: (item.span.start, *(item.box[1::-1] if item.box else (0.0, 0.0))),
    )
    return begun[number:][:1]  # none where there are fewer


def _lines_meant(question: str, wanted: Sequence[str], lines: Sequence[Evidence]) -> list[Evidence]:
    """Lines that hold the question's words, or the kind of thing it asks for; best both."""
    kind = answer_type(question)
    ranked = re.search(rf"\b({'|'.join(ORDINALS)}) (?:{kind.cue})\b", question, re.IGNORECASE) if kind else None
    if kind and ranked:
        return _nth(ORDINALS[ranked[1].casefold()], [line for line in lines if holds(kind, line.content)], 0.0)
    by_words = [line for line in lines if coverage(wanted, line.content) >= HALF]
    if kind is None:
        return by_words
    both = [line for line in by_words if holds(kind, line.content)]
    known = names_in(question) <= stems(" ".join(line.content for line in lines))
    by_kind = [line for line in lines if holds(kind, line.content)] if known and kind.looks != NAME else []
    return both or by_words + (by_kind if len(by_kind) <= MOST_OF_A_KIND else [])


def _stands(item: Evidence, places: Sequence[Callable[[float, float], bool]]) -> bool:
    """Whether the middle of a text lies in all of these parts of the picture."""
    if not item.box:
        return False
    left, top, width, height = item.box
    return all(test(left + width / 2, top + height / 2) for test in places)


def _around_title(question: str, texts: Sequence[Evidence]) -> list[Evidence]:
    """The title is the tallest text with what stands beside it; "before the title" is what was read before it."""
    boxed = [item for item in texts if item.box]
    if not boxed:
        return []
    tallest = max(boxed, key=_height)
    title = [item for item in boxed if item.span.overlaps(tallest.span) and _height(item) >= TITLE * _height(tallest)]
    first, last = min(item.span.start for item in title), max(item.span.end for item in title)
    if cue("before the title").search(question):
        return [item for item in boxed if item.span.end <= first]
    if cue("after the title").search(question):
        return [item for item in boxed if item.span.start >= last]
    return sorted(title, key=lambda item: item.box[1] if item.box else 0.0)


def _title_of_whole(texts: Sequence[Evidence]) -> list[Evidence]:
    """The title of a talk is the tallest lettering of the first picture that holds text."""
    start = min((item.span.start for item in texts), default=0.0)
    first = [item for item in texts if item.box and item.span.start - start <= BRIEF]
    tallest = max(map(_height, first), default=0.0)
    title = [item for item in first if _height(item) >= TALL * tallest]
    return sorted(title, key=lambda item: item.box[1] if item.box else 0.0)


def _height(item: Evidence) -> float:
    return item.box[3] if item.box else 0.0
