"""Checks exactly what is exact: whether quotation marks quote, and whether arithmetic comes out.

Everything else about a statement is judged by a model that reads (`judge`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from difflib import SequenceMatcher
from itertools import permutations

from longtake.agent.drafts.marks import CLOCKED, QUOTATION
from longtake.language.text import fold
from longtake.tools.compute.calculator import normalise
from longtake.tools.core.result import ToolError

_SHORTEST_QUOTE = 3  # words; fewer may be a name or a word set apart
_READ_ALIKE = 0.85  # likeness of words from which a quotation differs only as recognisers and spellings do
_DIGITS = r"\d+(?:[.,]\d+)*"
_TERM = rf"\(*[€$£]?\s?{_DIGITS}[²³]?\s?(?:%|[^\W\d_]{{1,12}}\b|[€$£])?\)*"
_EQUATION = re.compile(
    rf"(?<![-−–+*/×^√\w.,:])({_TERM}(?:\s*[-+−–×x*/÷]\s*{_TERM})+)\s*(?:=|≈|equals|makes)"
    rf"\s*([€$£]?\s?{_DIGITS}\s?%?)(?![\d²³]|\s*[-+−–×*/÷]\s*\d)\s?([^\W\d_]{{1,12}}\b)?"
)
_UNIT = re.compile(r"(?<=\d)\s*([^\W\dx²³_]{1,12}|x[^\W\d_]+)\b")
# Behind a result: what makes another one of it, as in "2 remainder 3", "2 o'clock" and "3 (mod 12)".
_QUALIFIED = re.compile(r"\s*(?:\(|['’]|[^\W\d_]*\s*\d[\d.,]*+(?!\s*[-+−–×*x/÷]))")
_DOTTED = re.compile(r"(?<![\d.])(\d{1,3}(?:\.\d{3})+)(?![\d.])")  # 1.200 may be 1200
_MOST_NUMBERS = 40  # that are paired to explain a computed one


def misquoted(statement: str, sources: Sequence[str]) -> str | None:
    """The first quotation of three words or more that no source has; None if all are there.

    Case, punctuation and the gaps of an ellipsis don't count, and neither do slips such as a recogniser makes.
    """
    held = [_words(source) for source in sources]
    for quote in (match[0][1:-1] for match in QUOTATION.finditer(statement)):
        parts = re.split(r"…|\.\.\.|\[[^\]]*\]|\s[·/|]\s", quote)
        long = [_words(part) for part in parts if len(_words(CLOCKED.sub(" ", part))) >= _SHORTEST_QUOTE]
        if any(not any(_in(part, text) for text in held) for part in long):
            return quote
    return None


def wrong_equation(statement: str) -> str | None:
    """The first stated calculation that doesn't come out, with its right result; None if all do.

    A bare result fits any unit, a rounded one is right, and so is a difference without its sign. Where units differ,
    they may convert, and functions, unknowns and remainders aren't worked out: a judge reads those.
    """
    for match in _EQUATION.finditer(statement):
        from longtake.tools.compute.algebra import FUNCTIONS  # SymPy takes a while to load

        working, result, unit = match.groups(default="")
        before = re.search(r"([a-z]+)\s*$", statement[: match.start()], re.IGNORECASE)
        unknowns = sum(len(unit) == 1 for unit in _UNIT.findall(working))
        if (before and before[1].lower() in FUNCTIONS) or _QUALIFIED.match(statement, match.end()):
            continue
        if 0 < unknowns < len(re.findall(_DIGITS, working)):
            continue
        units = {each.casefold().removesuffix("s") for each in _UNIT.findall(working)}
        if len(units | {unit.casefold().removesuffix("s")} - {""}) > 1 and units:
            continue
        whole = _ungrouped(working), _ungrouped(result)
        read_as = [(value, end) for text, end in ((working, result), whole) for value in _values(text)]
        if read_as and not any(
            _rounds_to(each, end) for value, end in read_as for each in (value, -value, 100 * value)
        ):
            return f"{working.strip()} is {read_as[0][0]:g}, not {result.strip()}"
    return None


def _values(working: str) -> list[float]:
    """What a calculation comes to: with its percentages as plain numbers, and as shares."""
    from longtake.tools.compute.algebra import read

    found: list[float] = []
    bare = _UNIT.sub("", working).replace("−", "-").replace("–", "-")
    shares = re.sub(rf"({_DIGITS})\s?%", r"(\1/100)", bare)
    for text in dict.fromkeys((re.sub(r"[€$£%]", "", bare), shares, re.sub(r"[€$£]", "", bare))):
        with suppress(ToolError, ArithmeticError, TypeError, ValueError):
            found.append(float(read(normalise(text))))
    return found


def _ungrouped(text: str) -> str:
    return _DOTTED.sub(lambda match: match[1].replace(".", ""), text)


def derived(statement: str, sources: Sequence[str]) -> list[str]:
    """How numbers of a statement follow from two others that it names, for those that no source states."""
    known = dict.fromkeys(re.findall(_DIGITS, CLOCKED.sub(" ", statement)))
    stated = {_value(number) for source in sources for number in re.findall(_DIGITS, source)}
    lines = []
    for result in known:
        if _value(result) in stated:
            continue
        pairs = permutations([number for number in list(known)[:_MOST_NUMBERS] if number != result], 2)
        found = next((line for one, other in pairs if (line := _explained(one, other, result))), None)
        lines += [found] if found else []
    return lines


def _explained(one: str, other: str, result: str) -> str | None:
    a, b = _value(one), _value(other)
    ways = [(f"{one} + {other}", a + b), (f"{one} - {other}", a - b), (f"{one} * {other}", a * b)]
    if b:
        ways += [(f"{one} / {other}", a / b), (f"({one} - {other}) / {other}, in percent", 100 * (a - b) / b)]
        ways += [(f"{one} of {other}, in percent", 100 * a / b)]
    return next((f"{way} = {result}" for way, value in ways if _rounds_to(value, result)), None)


def _rounds_to(value: float, written: str) -> bool:
    """Whether a value is the written one to its precision."""
    number = re.search(_DIGITS, written)
    if number is None:
        return False
    decimals = len(number[0].partition(".")[2]) if "." in number[0] else 0
    return abs(value - _value(number[0])) <= 0.5 * 10.0**-decimals + 1e-9


def _value(number: str) -> float:
    """A number as written: commas group thousands, or else one comma is a decimal point."""
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", number):
        return float(number.replace(",", ""))
    if number.count(",") == 1 and "." not in number:
        return float(number.replace(",", "."))
    return float(re.sub(r"[.,](?=.*[.,])", "", number).replace(",", "."))


def _in(part: Sequence[str], text: Sequence[str]) -> bool:
    letters = "".join(text)
    if "".join(part) in letters:  # a recogniser may join or split words
        return True
    if any(word.isdecimal() and word not in letters for word in part):
        return False
    matcher = SequenceMatcher(None, part, autojunk=False)
    width = len(part)
    for start in range(max(1, len(text) - width + 1)):
        matcher.set_seq2(text[start : start + width])
        if matcher.quick_ratio() >= _READ_ALIKE and matcher.ratio() >= _READ_ALIKE:
            return True
    return False


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", fold(text))
