"""Whether evidence holds a claim, judged by its words.

What is provable: every word of a claim with content of its own stands in its proof, every amount with its unit, and
numbers and names beside the words that they stand beside there (`clauses`); neither denies what the other says.
Excused are words that only say that something is told, and an amount's own ("costs"). What is said in other words is
unverified, however true: `is_paraphrase` tells where it differs in nothing but words.

A quotation proves itself. Around it stand the same words as in any claim, and those of the question, as in "The
extension is “Extension 4417, on weekdays”", unless that asks for a yes or a no: what it supposes need not be so.
Nothing may be denied around a quotation.

A leading yes or no is held against the question: a yes needs all its words in the proof, a no needs them denied there
or turned into their opposite. Other conclusions (one is dearer, comes first, is the longest) follow from no line. The
rules draw them from what they have measured, so that theirs count; those of a language model do not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from longtake.agent.amounts import COINS, Amount, amounts, without_amounts
from longtake.agent.clauses import denied_otherwise, misbound, names
from longtake.agent.orientation import POLAR
from longtake.agent.rows import CELLS
from longtake.agent.stated_amounts import OCCURS, holds_amount, stated_amounts
from longtake.agent.words import NEGATION, TELLING, content_stems, numbers, stem, stems, words
from longtake.memory.records import Evidence, Verdict

HELD = 0.5  # share of a claim's content words that its evidence must hold for the two to be about the same thing
LEAST_QUOTED = 3  # words that make a quotation a sentence of somebody's; fewer may be a name, or so-called
QUOTATION = re.compile(r"“([^”]+)”")
_ANSWER = re.compile(r"^\W*(yes|no)\b[\s,:;.–-]*", re.IGNORECASE)
_EXCUSED = TELLING | stems("tells heard seen visible read reads found occurs picture video answer anybody somebody")
# Words without content of their own that yet say more, or less, than a sentence without them.
_WEIGHTY = stems("only all every each both over under may might could should must would")
_COMPUTED = stems("answer result value equals gives total sum difference together altogether")
_COUNTED = stems("once twice times")
_PRICED = stems("cost costs price priced")
# Words of what the rules have measured: where things lie in time and in the picture, how long, how many at once.
_MEASURED = stems(
    "comes come before after first second third last next until in order beginning end lasts longest shortest all "
    "several stretches most least more than shot moves moving goes way engine cannot upper lower left right middle "
    "top bottom corner"
)
# What the rules say before what they keep, and conclude from the quotations behind it: a feeling, or agreement.
_CONCLUDED = re.compile(
    r"^(?:kept: )?(?:(?:(?:yes|no), )?(?:positive|negative|neutral|they agree|they differ)(?=: .*“))?",
    re.IGNORECASE,
)
_ALTERNATIVES = re.compile(r"[^,;:?]*\bor\b[^,;:?]*", re.IGNORECASE)
_OPPOSITES = tuple(
    pair.split("/")
    for pair in (
        "on/off up/down rose/fell rises/falls rise/fall rising/falling more/less increased/decreased "
        "increases/decreases open/closed opened/closed opens/closes before/after first/last left/right "
        "won/lost accepted/rejected true/false bought/sold cheaper/dearer faster/slower higher/lower "
        "larger/smaller alive/dead always/never into/out over/under with/without"
    ).split()
)


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a claim may rest on beside its proof.

    Attributes:
        computed: what was calculated, such as `2 + 3 = 5`; of the rules also what else a tool made.
        question: what was asked.
        measured: whether the draft is that of the rules, which conclude from what they measured.
    """

    computed: Sequence[str] = ()
    question: str = ""
    measured: bool = False


NOTHING_ELSE = Grounds()


def verdict_of(text: str, proof: Sequence[Evidence], grounds: Grounds = NOTHING_ELSE) -> Verdict:
    """Whether the proof holds a claim; contradicted where it says another amount, or the opposite, of one thing."""
    return _judge(text, proof, grounds, least=1.0)


def is_paraphrase(text: str, proof: Sequence[Evidence], grounds: Grounds) -> bool:
    """Whether a claim that is not supported would be, if half of its words sufficed; its names must stand there all."""
    return _judge(text, proof, grounds, least=HELD) == "supported"


def says(text: str, option: str) -> bool:
    """Whether a text says what an option of a question does: all its words and amounts, denied in both or neither."""
    terms = _content(option) or ([] if amounts(option) else stems(option))
    return (
        set(terms) <= stems(text) | stems(without_amounts(text))
        and all(holds_amount(amount, [text], ()) for amount in amounts(option))
        and not misbound(option, [text])
        and not denied_otherwise(option, [text])
    )


def _judge(text: str, proof: Sequence[Evidence], grounds: Grounds, *, least: float) -> Verdict:
    """The verdict where at least this share of the words of a claim has to stand in its proof."""
    contents = [item.content for item in proof]
    shown = " ".join(contents)
    told = _ANSWER.sub("", text)
    computed = [line for line in grounds.computed if grounds.measured or _tells(told, line)]
    told_there = " ".join([shown, *computed])
    quotable = [*contents, *(computed if grounds.measured else ())]
    quotes = [quote for quote in QUOTATION.findall(told) if any(quote.strip() in each for each in (shown, *quotable))]
    quoting = bool(quotes) and len(quotes) == len(QUOTATION.findall(told))
    rest = QUOTATION.sub(" ", told) if quoting else told
    if not (proof or computed) or _is_misquoted(text, quotable):
        return "unverified"
    held = stems(told_there) | stems(without_amounts(told_there))
    excused = _excused(told, bool(computed), grounds)
    wanted = _content(rest)
    missing = [
        word for word in wanted if word not in held | excused | (_supposed(grounds, quotes) if quoting else set())
    ]
    if len(missing) > len(wanted) * (1 - HELD):
        return "unverified"
    if _is_opposite(rest, shown):
        return "contradicted"
    claimed = stated_amounts(rest, proof, quotes)
    if not all(holds_amount(amount, contents, computed) for amount in claimed):
        known = frozenset[Amount]().union(*map(amounts, contents))
        return "contradicted" if wanted and known - claimed else "unverified"
    if len(missing) > len(wanted) * (1 - least) or not _adds_nothing(rest, held, excused, grounds):
        return "unverified"
    if quoting and grounds.measured:
        return "supported"
    turned = bool(NEGATION.search(rest)) or not _in_order(told, proof) if quoting else denied_otherwise(rest, contents)
    if turned or (misbound(rest, contents) and not grounds.measured):
        return "unverified"
    return _answers(text, shown, grounds)


def _content(text: str) -> list[str]:
    """Stems of the words of a text that carry content, without its amounts."""
    return content_stems(without_amounts(text))


def _excused(told: str, computes: bool, grounds: Grounds) -> frozenset[str]:
    """Stems of the words that a claim may add to what its proof holds."""
    priced = any(amount.unit in COINS.values() for amount in amounts(told))
    counts = bool(OCCURS.search(told))
    concluded = _CONCLUDED.match(told)
    conclusion = stems(concluded[0]) if concluded else frozenset[str]()
    more = (_COMPUTED, computes), (_PRICED, priced), (_COUNTED, counts)
    of_rules = (_MEASURED, conclusion) if grounds.measured else ()
    return _EXCUSED.union(*(some for some, may in more if may), *of_rules)


def _supposed(grounds: Grounds, quotes: Sequence[str]) -> set[str]:
    """Stems of the words of a question that may stand beside a quotation: what it supposes, or was measured for it.

    Of "the kettle or the lamp" it supposes neither.
    """
    sentence = any(len(words(quote)) >= LEAST_QUOTED for quote in quotes)
    supposes = sentence and not re.match(POLAR, grounds.question, re.IGNORECASE)
    known = _ALTERNATIVES.sub(" ", grounds.question)
    return set(content_stems(known)) if supposes or grounds.measured else set()


def _adds_nothing(rest: str, held: frozenset[str], excused: frozenset[str], grounds: Grounds) -> bool:
    """Whether all names of a claim stand in its proof, and it neither widens nor weakens what that says."""
    weighty = frozenset() if grounds.measured else stems(rest) & _WEIGHTY
    return not (names(rest) | weighty) - held - excused


def _tells(told: str, line: str) -> bool:
    """Whether a claim states the result of a calculation of at least two numbers, and says or shows that it is one."""
    working, _, result = line.rpartition("=")
    stated, results = numbers(told), numbers(result)
    operands = numbers(working) - results
    shown = "=" in told or bool(_COMPUTED & stems(told)) or bool(operands & stated)
    return bool(operands) and bool(results) and results <= stated and shown


def _in_order(told: str, proof: Sequence[Evidence]) -> bool:
    """Whether what is quoted as before or after another quotation is so; true where nothing is said of that."""
    rest = QUOTATION.sub(" ", told)
    side = re.search(r"\b(before|after)\b", rest, re.IGNORECASE)
    if side is None or side[1].casefold() in {word for item in proof for word in words(item.content)}:
        return True
    starts = [
        min(item.span.start for item in proof if quote.strip() in item.content) for quote in QUOTATION.findall(told)
    ]
    return len(starts) == 2 and (starts[0] < starts[1] if side[1].casefold() == "before" else starts[0] > starts[1])


def _answers(text: str, shown: str, grounds: Grounds) -> Verdict:
    """The verdict on a claim that is supported but for the yes or no that it may begin with."""
    answer = _ANSWER.match(text)
    if answer is None or grounds.measured:
        return "supported"
    settled = _settled(grounds.question, shown)
    if settled is None:
        return "unverified"
    return "supported" if settled == answer[1].casefold() else "contradicted"


def _settled(question: str, shown: str) -> str | None:
    """The yes or no that a text gives to a question, all of whose words it holds; None where it settles nothing."""
    turned = _is_opposite(question, shown)
    opposites = {stem(word) for pair in _OPPOSITES for word in pair} if turned else set()
    unsaid = set(_content(question)) - stems(shown) - _EXCUSED - opposites
    if not re.match(POLAR, question, re.IGNORECASE) or unsaid - _PRICED or misbound(question, [shown]):
        return None
    asked, known = amounts(question), amounts(shown)
    if not all(holds_amount(amount, [shown], ()) for amount in asked):
        return "no" if {amount.unit for amount in asked} & {amount.unit for amount in known} else None
    return "no" if turned != denied_otherwise(question, [shown]) else "yes"


def _is_misquoted(text: str, contents: Sequence[str]) -> bool:
    """Whether a claim quotes a sentence, three words or more, that no evidence holds; case and signs do not count.

    The cells of a row, and what an ellipsis joins, stand apart in the evidence.
    """
    held = f" {' | '.join(' '.join(words(content)) for content in contents)} "
    parts = (part for term in QUOTATION.findall(text) for part in re.split(rf"{CELLS}|…|\.\.\.", term))
    spelled = (words(part) for part in parts)
    return any(len(part) >= LEAST_QUOTED and f" {' '.join(part)} " not in held for part in spelled)


def _is_opposite(text: str, shown: str) -> bool:
    """Whether a claim uses the opposite of a word of its proof, and not that word itself."""
    claimed, held = set(words(text)), set(words(shown))
    pairs = [*_OPPOSITES, *((other, one) for one, other in _OPPOSITES)]
    return any(one in claimed and one not in held and other in held and other not in claimed for one, other in pairs)
