"""The number of a program that a question supposes to be another: "if the range were 9 instead of 7"."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import NamedTuple

from longtake.agent.words import STOPWORDS, figures

_NUMBER = r"(?<![\w.:])-?\d+(?:\.\d+)?(?!\w|:\d)"
_PLACED = r"(?:(?:an?|the|of|number|value|figure|range) )*(?:\w+ ?(?:\(|=) ?)?"  # "a 9", "range(9)", "n = 9"
_OLD, _NEW = rf"{_PLACED}(?P<old>{_NUMBER})\)?", rf"{_PLACED}(?P<new>{_NUMBER})\)?"
_IS = r"(?:(?:is|was|were|be|been|gets?|got|had|becomes?|became|turned|changed|set|into|to) )+"
_CHANGES = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"{_NEW},? (?:instead of|in place of|rather than|in lieu of|(?:and )?not) {_OLD}",
        rf"\b(?:instead of|in place of|rather than) {_OLD}\b.*?{_NEW}",
        rf"\bsubstitut\w+ {_NEW} for {_OLD}",
        rf"\b(?:replac|swap|exchang)\w*\b.*?{_OLD},? (?:by|with|for) {_NEW}",
        rf"{_OLD} (?:is|was|were|gets?|got|be|been) (?:replaced|swapped|exchanged|substituted) (?:by|with|for) {_NEW}",
        rf"\b(?:from|chang\w+|turn\w*|set\w*|rais\w+|increas\w+|lower\w*|reduc\w+) {_OLD} (?:in)?to {_NEW}",
        rf"{_OLD}(?: (?:in|of) (?:the )?\w+)? {_IS}{_NEW}",
    )
)
# Numbers that place or name something: times, "line 3", "Python 3", "the 2nd program".
_PLACES = re.compile(
    r"\d+(?:\.\d+)? ?(?:s|secs?|seconds?|mins?|minutes?)\b|\d+(?::\d+)+"
    r"|(?:\b(?:in|on|at) )?\b(?:lines?|python|slide|page|version|example) ?\d+(?:\.\d+)*\b"
    r"|\b\d+(?:st|nd|rd|th)(?= (?:\w+ )?(?:program(?:me)?|code|script|snippet|listing|slide|page)\b)",
    re.IGNORECASE,
)
_SOMEBODY = re.compile(r"\bone\b", re.IGNORECASE)  # "if one ran it": no number
RUN = r"(?:runs?|ran|running|executed?)"
_AS_IT_IS = re.compile(
    rf"\b(?:if|when|once|suppos\w+|after)\b[^,?]*?\b{RUN}\b(?!\s+(?:over|for|to|up|through|from|only|with|\d))", re.I
)
_SUPPOSES = re.compile(
    r"\b(?:if|suppos\w+|instead|rather than|in place of|replac\w+|substitut\w+|swap\w*|chang\w+|increas\w+|rais\w+"
    r"|lower\w*|reduc\w+|doubl\w+|halv\w+|without|were|had|imagin\w+|assum\w+|let|given)\b|\d",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"\b(?:by|more|fewer|less|longer|shorter|higher|lower|bigger|smaller|twice|half|doubl\w+)\b", re.I
)
_TIMES = re.compile(r"\d (?:times|rounds|iterations|passes|turns)\b", re.IGNORECASE)


class Change(NamedTuple):
    """Another number, and the one in whose place it is to stand where that is told."""

    new: str
    old: str | None


def change_in(question: str) -> Change | None:
    """The other number that a question supposes in the program; None where that is not sure, or there is none."""
    plain = _supposition(question)
    match = next(filter(None, (form.search(plain) for form in _CHANGES)), None)
    if match:
        others = re.search(_NUMBER, plain[: match.start()]) or re.search(_NUMBER, plain[match.end() :])
        return None if others else Change(match["new"], match["old"])
    numbers = re.findall(_NUMBER, plain)
    return Change(numbers[0], None) if len(numbers) == 1 and not _RELATIVE.search(plain) else None


def _supposition(question: str) -> str:
    """A question in digits, without the places it names and the mere supposition that the program is run."""
    plain = figures(_SOMEBODY.sub("somebody", question), above=0)
    return " ".join(_AS_IT_IS.sub(" ", _PLACES.sub(" ", plain)).split())


def as_supposed(source: str, question: str) -> str | None:
    """The program as a question supposes it; None where it is not sure which of its numbers would be another."""
    change = change_in(question)
    if change is None:
        return None if _SUPPOSES.search(_supposition(question)) else source
    tree = ast.parse(source)
    named = _constants_named(tree, question)
    old = _value(change.old) if change.old else None
    equal = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and _is_number(node, old)]
    both = [node for node in equal if node in named]
    meant = (both or equal) if change.old else named
    if len(meant) != 1:
        return None
    meant[0].value = _value(change.new)
    return ast.unparse(tree)


def _value(number: str) -> float:
    """The value of a number as people write it: "007", which is none of Python's, is 7."""
    return float(number) if "." in number else int(number)


def _is_number(node: ast.expr, value: float | None = None) -> bool:
    """Whether a part of a program is a number, or this one."""
    if not isinstance(node, ast.Constant) or type(node.value) not in (int, float):
        return False
    return value is None or node.value == value


def _constants_named(tree: ast.AST, question: str) -> list[ast.Constant]:
    """The numbers that a question names by their call or variable, or as how often the loop runs."""
    words = set(re.findall(r"\w+", question)) - STOPWORDS - {"print"}
    found: list[ast.Constant] = []
    for node in ast.walk(tree):
        values: Sequence[ast.expr] = ()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            repeats = node.func.id == "range" and _TIMES.search(figures(question, above=0))
            values = node.args if node.func.id in words or repeats else ()
        elif isinstance(node, ast.Assign):
            names = {target.id for target in node.targets if isinstance(target, ast.Name)}
            values = [node.value] if names & words else ()
        if all(map(_is_number, values)):
            found += [value for value in values if isinstance(value, ast.Constant)]
    return found
