"""Whether evidence holds a claim, judged by its words, numbers, names and what either side denies."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.rows import CELLS
from longtake.agent.words import NEGATION, content_stems, coverage, fold, numbers, stem, stems, words
from longtake.memory.records import Evidence, Verdict
from longtake.memory.timespan import parse_time

HELD = 0.5  # share of a claim's content words that its evidence must hold
COMPUTED_WORDS = "answer result value equals"  # what a claim may call what was computed
_MOMENT = re.compile(
    r"(\d+(?:\.\d+)?)(?=(?:\s*(?:[-–]|to|and)\s*\d+(?:\.\d+)?)?\s*s(?:ec(?:onds?)?)?\b)|((?:\d+:)?\d{1,3}:\d{2}(?:\.\d+)?)"
)
LEAST_QUOTED = 3  # words that make a quotation a sentence of somebody's; fewer may be a name, or so-called
_QUOTATION = re.compile(r"“([^”]+)”")
_POLAR = re.compile(r"^\W*(?:yes|no)\b", re.IGNORECASE)
# Words about where and when something stands, which no evidence holds.
_TELLING = stems(
    "said say says spoken shown show shows written heard seen visible read found occur occurs times once twice time "
    "comes come before after between first second third last next from to until during in order beginning end lasts "
    "about longest shortest all several stretches at most least more than slide screen picture speaker video"
)
_OPPOSITES = tuple(
    pair.split("/")
    for pair in (
        "on/off up/down rose/fell rises/falls rise/fall rising/falling more/less increased/decreased "
        "increases/decreases open/closed opened/closed opens/closes before/after first/last left/right "
        "won/lost accepted/rejected true/false bought/sold cheaper/dearer faster/slower higher/lower "
        "larger/smaller alive/dead always/never"
    ).split()
)


def verdict_of(text: str, proof: Sequence[Evidence], computed: Sequence[str]) -> Verdict:
    """Whether the proof holds a claim, judged by its words.

    Supported: half the words, every number and every name are held, neither side negates what the other says, and what
    is quoted stands there. Contradicted: the words are held, but with another number or the opposite word.
    """
    quoted = " ".join(item.content for item in proof)
    held = " ".join([quoted, *computed, *([COMPUTED_WORDS] if computed else [])])
    said = [stem for stem in content_stems(text) if not any(letter.isdigit() for letter in stem)]
    # When something happened may be written in many ways; "one" is mostly a word for a thing, not a count.
    counted = _MOMENT.sub(lambda match: "" if _is_time_of(match, proof) else match[0], text)
    stated = numbers(re.sub(r"\bone\b", "", counted, flags=re.IGNORECASE))
    quotes = _quotes(text, quoted)
    if _is_misquoted(text, proof):
        return "unverified"
    words_held = not said or quotes or coverage(said, held) >= HELD
    if not (proof or (computed and stated)) or not words_held:
        return "unverified"
    if not quotes:
        if _is_opposite(text, quoted):
            return "contradicted"
        if _names(text) - stems(held) or bool(NEGATION.search(text)) != bool(NEGATION.search(quoted)):
            return "unverified"
    if stated <= numbers(held) | _counts(text, proof):
        return "supported"
    return "contradicted" if said and numbers(quoted) - stated else "unverified"


def _quotes(text: str, quoted: str) -> bool:
    """Whether a claim is its quotations, which stand in the evidence, and says around them only how, when and where.

    What it says besides may be as many words as are quoted, none of them a name, and denies nothing of what the
    evidence speaks of: a yes or a no at its beginning is the answer.
    """
    terms = _QUOTATION.findall(text)
    if not terms or not all(term.strip() in quoted for term in terms):
        return False
    rest = _QUOTATION.sub(" ", _POLAR.sub("", text))
    loose = set(content_stems(rest)) - stems(quoted) - _TELLING
    own = {word for term in terms for word in words(term)}
    denied = not NEGATION.search(quoted) and any(
        NEGATION.search(clause) and set(content_stems(clause)) & stems(quoted) for clause in re.split(r"[,;:()]", rest)
    )
    return (
        len({word for word in loose if word.isalpha()}) <= len(own) and not denied and not _names(rest) - stems(quoted)
    )


def _is_misquoted(text: str, proof: Sequence[Evidence]) -> bool:
    """Whether a claim quotes a sentence, three words or more, that no evidence holds; case and signs do not count.

    The cells of a row, and what an ellipsis joins, stand apart in the evidence.
    """
    held = f" {' | '.join(' '.join(words(item.content)) for item in proof)} "
    parts = (part for term in _QUOTATION.findall(text) for part in re.split(rf"{CELLS}|…|\.\.\.", term))
    spelled = (words(part) for part in parts)
    return any(len(part) >= LEAST_QUOTED and f" {' '.join(part)} " not in held for part in spelled)


def _is_opposite(text: str, quoted: str) -> bool:
    """Whether a claim uses the opposite of a word of its proof, and not that word itself."""
    claimed, held = set(words(text)), set(words(quoted))
    pairs = [*_OPPOSITES, *((other, one) for one, other in _OPPOSITES)]
    return any(one in claimed and one not in held and other in held and other not in claimed for one, other in pairs)


def _names(text: str) -> set[str]:
    """Stems of the capitalised words of a claim, but for the first of a sentence, which every sentence has."""
    return {stem(fold(name)) for name in re.findall(r"(?<=[\w,;:] )([A-Z][a-z]+)", text)}


def _is_time_of(written: re.Match[str], proof: Sequence[Evidence]) -> bool:
    """Whether a time says when the evidence begins or ends, or how long it lasts, as exactly as it is written."""
    text = written[1] or written[2]
    decimals = len(text.partition(".")[2])
    times = [time for item in proof for time in (item.span.start, item.span.end, item.span.length)]
    return any(abs(parse_time(text) - time) <= 10**-decimals + 1e-6 for time in times)


def _counts(text: str, proof: Sequence[Evidence]) -> set[str]:
    """How often each quoted term of a claim occurs in its proof."""
    terms = [
        re.compile(rf"(?<!\w){re.escape(term)}(?!\w)", re.IGNORECASE)
        for term in re.findall(r"[“\"]([^”\"]+)[”\"]", text)
    ]
    return {str(sum(len(term.findall(item.content)) for item in proof)) for term in terms}
