"""Judges by words whether evidence supports a claim.

A claim is supported if the evidence has every content word of it and every amount with its unit, if numbers and names
belong to the same words there (`clauses`), and if neither denies what the other says. Words that only report ("the
speaker says") and words that come with an amount ("costs") don't count. A paraphrase is unverified, however true it
is; `is_paraphrase` tells whether a claim differs only in wording.

A quotation proves itself. The words around it may also come from the question, as in "The extension is “Extension
4417, on weekdays”", but not from a yes-or-no question, whose presuppositions may be false. A denial around a quotation
is never supported.

A leading yes or no is checked against the question: a yes needs all its words in the evidence, a no needs them denied
there or replaced by their opposite. Other conclusions (one is dearer, comes first, is the longest) follow from no
line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from longtake.agent.language.passages import passages
from longtake.agent.language.picture_rows import CELLS
from longtake.agent.language.stated_amounts import OCCURS, holds_amount, stated_amounts
from longtake.agent.verification.clauses import denied_otherwise, names, swaps_attributes
from longtake.language.amounts import COINS, Amount, amounts, without_amounts
from longtake.language.words import NEGATION, TELLING, content_stems, holds_phrase, numbers, stem, stems, words
from longtake.memory.records import Evidence, Verdict

HELD = 0.5  # share of a claim's content words that evidence about the same thing must contain
LEAST_QUOTED = 3  # words from which a quotation counts as a sentence; shorter ones may be names
QUOTATION = re.compile(r"“([^”]+)”")
_ANSWER = re.compile(r"^[^\w“]*(yes|no)\b[\s,:;.–-]*", re.IGNORECASE)
_EXCUSED = TELLING | stems("tells heard seen visible read reads found occurs picture video answer anybody somebody")
# Words without content that still widen or weaken a sentence.
_WEIGHTY = stems("only all every each both over under may might could should must would")
_COMPUTED = stems("answer result value equals gives total sum difference together altogether")
_COUNTED = stems("once twice times")
_PRICED = stems("cost costs price priced")
POLAR = r"^\W*(?:is|are|was|were|do|does|did|can|could|has|have)\b"  # the start of a yes-or-no question
ASKED = re.compile(r"[^.!?]*\?")  # a question in the evidence
_ALTERNATIVES = re.compile(r"[^,;:?]*\bor\b[^,;:?]*", re.IGNORECASE)
_BETWEEN = 2  # words at most between two opposites of one phrase
_OPPOSITES = tuple(
    pair.split("/")
    for pair in (
        "on/off up/down rose/fell rises/falls rise/fall rising/falling more/less increased/decreased "
        "increases/decreases open/closed opened/closed opens/closes before/after first/last left/right "
        "won/lost accepted/rejected true/false bought/sold cheaper/dearer faster/slower higher/lower "
        "larger/smaller alive/dead always/never into/out over/under with/without upwards/downwards top/bottom "
        "yes/no correct/incorrect"
    ).split()
)


@dataclass(frozen=True, slots=True)
class Grounds:
    """Other support for a claim besides its evidence.

    Attributes:
        computed: calculations, such as `2 + 3 = 5`.
        made: what tools made from the video or the person's words: translations, output of programs, notes.
        question: what was asked.
    """

    computed: Sequence[str] = ()
    made: Sequence[str] = ()
    question: str = ""


NOTHING_ELSE = Grounds()


def verdict_of(text: str, proof: Sequence[Evidence], grounds: Grounds = NOTHING_ELSE) -> Verdict:
    """Whether the evidence supports a claim; contradicted if it says another amount or the opposite."""
    return _judge(text, proof, grounds, least=1.0)


def is_paraphrase(text: str, proof: Sequence[Evidence], grounds: Grounds) -> bool:
    """Whether an unsupported claim would be supported if half of its words were enough; all its names must be there."""
    return _judge(text, proof, grounds, least=HELD) == "supported"


def says(text: str, option: str) -> bool:
    """Whether a text says the same as an option: all its words and amounts, denied in both or in neither."""
    terms = _content(option) or ([] if amounts(option) else stems(option))
    return (
        set(terms) <= stems(text) | stems(without_amounts(text))
        and all(holds_amount(amount, [text], ()) for amount in amounts(option))
        and not swaps_attributes(option, [text])
        and not denied_otherwise(option, [text])
    )


def _judge(text: str, proof: Sequence[Evidence], grounds: Grounds, *, least: float) -> Verdict:
    """The verdict if at least this share of a claim's words must be in its evidence."""
    contents = [" ".join(item.content.split()) for item in proof]
    shown = " ".join(contents)
    statement = _ANSWER.sub("", text)
    computed = [line for line in grounds.computed if _states(statement, line)]
    quotable = [*passages(proof), *grounds.made]
    proof_words = " ".join([shown, *computed, *grounds.made])
    quotes = [quote for quote in QUOTATION.findall(statement) if _stands(quote, quotable)]
    quoting = bool(quotes) and len(quotes) == len(QUOTATION.findall(statement))
    rest = QUOTATION.sub(" ", statement) if quoting else statement
    if not (proof or computed or grounds.made) or _is_misquoted(text, quotable):
        return "unverified"
    held = stems(proof_words) | stems(without_amounts(proof_words))
    excused = _excused(statement, bool(computed))
    wanted = _content(rest)
    missing = [
        word for word in wanted if word not in held | excused | (_supposed(grounds, quotes) if quoting else set())
    ]
    if len(missing) > len(wanted) * (1 - HELD):
        return "unverified"
    if _is_opposite(rest, shown):
        return "contradicted"
    claimed = stated_amounts(rest, proof, quotes)
    if not all(holds_amount(amount, [*contents, *grounds.made], computed) for amount in claimed):
        known = frozenset[Amount]().union(*map(amounts, contents))
        return "contradicted" if wanted and known - claimed else "unverified"
    if len(missing) > len(wanted) * (1 - least) or not _adds_nothing(rest, held, excused):
        return "unverified"
    turned = (
        bool(NEGATION.search(rest)) or not _in_order(statement, proof) if quoting else denied_otherwise(rest, contents)
    )
    if turned or swaps_attributes(rest, contents):
        return "unverified"
    return _answers(text, contents, grounds)


def _stands(quote: str, texts: Sequence[str]) -> bool:
    """Whether one of the texts contains a quotation word for word; the cells of a row may be in several."""
    return all(any(part.strip() in each for each in texts) for part in quote.split(CELLS))


def _content(text: str) -> list[str]:
    """Stems of the content words of a text, without amounts."""
    return content_stems(without_amounts(text))


def _excused(statement: str, computes: bool) -> frozenset[str]:
    """Stems of the words that a claim may add to its evidence."""
    priced = any(amount.unit in COINS.values() for amount in amounts(statement))
    counts = bool(OCCURS.search(statement))
    more = (_COMPUTED, computes), (_PRICED, priced), (_COUNTED, counts)
    return _EXCUSED.union(*(some for some, may in more if may))


def _supposed(grounds: Grounds, quotes: Sequence[str]) -> set[str]:
    """Stems of the words of a question that may accompany a quotation: what the question presupposes.

    In "the kettle or the lamp" it presupposes neither.
    """
    sentence = any(len(words(quote)) >= LEAST_QUOTED for quote in quotes)
    supposes = sentence and not re.match(POLAR, grounds.question, re.IGNORECASE)
    known = _ALTERNATIVES.sub(" ", grounds.question)
    return set(content_stems(known)) if supposes else set()


def _adds_nothing(rest: str, held: frozenset[str], excused: frozenset[str]) -> bool:
    """Whether the evidence has all names of a claim, and the claim neither widens nor weakens it."""
    weighty = stems(rest) & _WEIGHTY
    return not (names(rest) | weighty) - held - excused


def _states(statement: str, line: str) -> bool:
    """Whether a claim states the result of a calculation with at least two numbers, and says or shows so."""
    working, _, result = line.rpartition("=")
    stated, results = numbers(statement), numbers(result)
    operands = numbers(working) - results
    shown = "=" in statement or bool(_COMPUTED & stems(statement)) or bool(operands & stated)
    return bool(operands) and bool(results) and results <= stated and shown


def _in_order(statement: str, proof: Sequence[Evidence]) -> bool:
    """Whether a quotation that is said to come before or after another does; true if nothing is said about that."""
    rest = QUOTATION.sub(" ", statement)
    side = re.search(r"\b(before|after)\b", rest, re.IGNORECASE)
    if side is None or side[1].casefold() in {word for item in proof for word in words(item.content)}:
        return True
    places = [
        [item.span.start for item in proof if quote.strip() in item.content] for quote in QUOTATION.findall(statement)
    ]
    if len(places) != 2 or not all(places):
        return False
    first, second = map(min, places)
    return first < second if side[1].casefold() == "before" else first > second


def _answers(text: str, contents: Sequence[str], grounds: Grounds) -> Verdict:
    """The verdict on a claim that is supported, apart from a leading yes or no."""
    answer = _ANSWER.match(text)
    if answer is None:
        return "supported"
    said = settled(grounds.question, contents)
    if said is None:
        return "unverified"
    return "supported" if said == answer[1].casefold() else "contradicted"


def settled(question: str, contents: Sequence[str]) -> str | None:
    """The yes or no that texts with all words of a question give to it; None if they settle nothing.

    Questions in the texts settle nothing.
    """
    shown = " ".join(ASKED.sub(" ", content) for content in contents)
    turned = _is_opposite(question, shown)
    opposites = {stem(word) for pair in _OPPOSITES for word in pair} if turned else set()
    unsaid = set(_content(question)) - stems(shown) - _EXCUSED - opposites
    if not re.match(POLAR, question, re.IGNORECASE) or unsaid - _PRICED or swaps_attributes(question, [shown]):
        return None
    asked, known = amounts(question), amounts(shown)
    if not all(holds_amount(amount, [shown], ()) for amount in asked):
        return "no" if {amount.unit for amount in asked} & {amount.unit for amount in known} else None
    return "no" if turned != denied_otherwise(question, [shown]) else "yes"


def _is_misquoted(text: str, contents: Sequence[str]) -> bool:
    """Whether a claim quotes three words or more that are in no evidence; case and punctuation don't count.

    The cells of a row, and parts joined by an ellipsis, are separate in the evidence.
    """
    held = f" {' | '.join(' '.join(words(content)) for content in contents)} "
    parts = (part for term in QUOTATION.findall(text) for part in re.split(rf"{CELLS}|…|\.\.\.", term))
    spelled = (words(part) for part in parts)
    return any(len(part) >= LEAST_QUOTED and f" {' '.join(part)} " not in held for part in spelled)


def _is_opposite(text: str, shown: str) -> bool:
    """Whether a claim has the opposite of a word of its evidence and not that word itself, or both turned round."""
    said = words(text)
    claimed, held = set(said), set(words(shown))
    pairs = [*_OPPOSITES, *((other, one) for one, other in _OPPOSITES)]
    return any(
        (one in claimed and one not in held and other in held and other not in claimed)
        or ({one, other} <= claimed & held and _is_turned(said, one, other, shown))
        for one, other in pairs
    )


def _is_turned(said: Sequence[str], one: str, other: str, shown: str) -> bool:
    """Whether "one to other" is claimed where the evidence says only "other to one"."""
    first, last = said.index(one), said.index(other)
    if not 1 < last - first <= _BETWEEN + 1:
        return False
    between = " ".join(said[first + 1 : last])
    return holds_phrase(f"{other} {between} {one}", shown) and not holds_phrase(f"{one} {between} {other}", shown)
