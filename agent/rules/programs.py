"""Programs that the picture shows: what one prints when it is run, also with another number in it.

A program is run as it was read, by `execute_code`; what cannot be read without a doubt does not parse, or names what is
not there, and is left open.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import NamedTuple

from longtake.agent.listings import Listing, listings
from longtake.agent.orientation import Orientation
from longtake.agent.rules.facts import find_fact
from longtake.agent.rules.moves import (
    Call,
    Done,
    Move,
    called,
    cite,
    evidence_from,
    failures,
    not_found,
    on_each,
    trusted,
    within,
)
from longtake.agent.rules.sight.seeing import without_tools
from longtake.agent.words import STOPWORDS, figures

READER, SANDBOX = "extract_scene_text", "execute_code"
LONGEST_OUTPUT = 300  # characters
# Modules that give the same whenever and wherever they are asked.
_CERTAIN = frozenset("math itertools functools collections string re statistics fractions decimal operator".split())
_PROGRAM = r"(?:program(?:me)?|code|script|snippet|listing|loop)s?"
_OUTPUT = (
    r"(?:print(?:s|ed|ing|out)?|outputs?|returns?|produces?|comput\w+|calculat\w+|evaluat\w+|yields?|gives?|writes?"
    r"|comes? out|displays?)"
)
_RUN = r"(?:runs?|ran|running|executed?)"
_GAINED = r"(?:results?|happens|get|see|value|number|answer|appears?)"
_ASKS = re.compile(
    rf"\b{_PROGRAM}\b.*\b{_OUTPUT}\b|\b{_OUTPUT}\b.*\b{_PROGRAM}\b|^\W*(?:please )?{_RUN}\b.*\b{_PROGRAM}\b"
    rf"|\b{_GAINED}\b.*\b{_PROGRAM}\b.*\b{_RUN}\b|\b{_PROGRAM}\b.*\b{_RUN}\b.*\b{_GAINED}\b"
    rf"|\b{_RUN}\b.*\b{_PROGRAM}\b.*\b{_GAINED}\b|\b{_GAINED}\b.*\b{_RUN}\b.*\b{_PROGRAM}\b",
    re.IGNORECASE,
)
# Who wrote it, when it is shown, how many there are, what is said of it: the program tells none of it.
_ANOTHER = re.compile(
    r"^\W*(?:who|where|why|when (?:is|was|are|were|do|does|did|will)|(?:at|from) (?:what|which)|how (?:many|often|long)"
    r"|is|are|was|were|does|do|did|has|have)\b|\b(?:says?|said|speakers?|narrator|mention\w*|hear\w*)\b",
    re.IGNORECASE,
)
_NUMBER = r"(?<![\w.:])-?\d+(?:\.\d+)?(?![\w:])"
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
_AS_IT_IS = re.compile(
    rf"\b(?:if|when|once|suppos\w+|after)\b[^,?]*?\b{_RUN}\b(?!\s+(?:over|for|to|up|through|from|only|with|\d))", re.I
)
_SUPPOSES = re.compile(
    r"\b(?:if|suppos\w+|instead|rather than|in place of|replac\w+|substitut\w+|swap\w*|chang\w+|increas\w+|rais\w+"
    r"|lower\w*|reduc\w+|doubl\w+|halv\w+|without|were|had)\b|\b(?:with|about|for)\b[^?]*\d",
    re.IGNORECASE,
)
_RELATIVE = re.compile(
    r"\b(?:by|more|fewer|less|longer|shorter|higher|lower|bigger|smaller|twice|half|doubl\w+)\b", re.I
)
_TIMES = re.compile(r"\d (?:times|rounds|iterations|passes|turns)\b", re.IGNORECASE)


class _Change(NamedTuple):
    """Another number, and the one in whose place it is to stand where that is told."""

    new: str
    old: str | None


def asks_program(orientation: Orientation) -> bool:
    """Whether a question asks what a program prints; one that only supposes another number may follow on such a one."""
    question = orientation.question
    if _asks_output(question):
        return True
    change = _change(question)
    if change is None or _ANOTHER.search(question):
        return False
    before = orientation.earlier[-1].partition("\n")[0].removeprefix("Q: ") if orientation.earlier else ""
    return _asks_output(before) or bool(change.old and re.search(rf"\b{_OUTPUT}\b", question, re.IGNORECASE))


def find_output(orientation: Orientation, done: Sequence[Done]) -> Move:
    """What the one program that is shown prints, as the sandbox runs it."""
    if not called(done, READER):
        return on_each(orientation, READER)
    found = listings(within(trusted(evidence_from(done, READER)), orientation))
    shown = [listing for listing in found if "print" in listing.source]
    if not shown:
        return find_fact(orientation, without_tools(done, READER))
    if len(shown) > 1:
        marks = "".join(cite(listing.lines[0], orientation) for listing in shown)
        return not_found(f"Several programs are shown: ask about one at its time {marks}.")
    source = _as_supposed(shown[0].source, orientation.question)
    if source is None:
        return not_found("It cannot be told what is to be different in the program.")
    if not _is_certain(source):
        return not_found("What the program prints rests on more than its lines.")
    if not called(done, SANDBOX):
        return [Call(SANDBOX, {"code": source, "language": "python"})]
    return _told(shown[0], source, orientation, done)


def _asks_output(question: str) -> bool:
    return bool(_ASKS.search(question)) and not _ANOTHER.search(question)


def _told(listing: Listing, source: str, orientation: Orientation, done: Sequence[Done]) -> str:
    ran = done[-1].result
    problem = " ".join(failures(done)) or str(ran.output.get("stderr", "")).strip().rpartition("\n")[2]
    printed = "; ".join(str(ran.output.get("stdout", "")).split("\n")).strip("; ")
    if problem or not printed or len(printed) > LONGEST_OUTPUT:
        return not_found(problem or "The program prints nothing, or more than can be told.")
    proof = next(line for line in listing.lines if "print" in line.content)
    would = "would print" if source != listing.source else "prints"
    return f"It {would} “{printed}” {cite(proof, orientation)}."


def _change(question: str) -> _Change | None:
    """The other number that a question supposes in the program; None where that is not sure, or there is none."""
    plain = _supposition(question)
    match = next(filter(None, (form.search(plain) for form in _CHANGES)), None)
    if match:
        others = re.search(_NUMBER, plain[: match.start()]) or re.search(_NUMBER, plain[match.end() :])
        return None if others else _Change(match["new"], match["old"])
    numbers = re.findall(_NUMBER, plain)
    alone = len(numbers) == 1 and _SUPPOSES.search(plain) and not _RELATIVE.search(plain)
    return _Change(numbers[0], None) if alone else None


def _supposition(question: str) -> str:
    """A question in digits, without the mere supposition that the program is run."""
    return _AS_IT_IS.sub(" ", figures(question, above=0))


def _as_supposed(source: str, question: str) -> str | None:
    """The program as a question supposes it; None where it is not sure which of its numbers would be another."""
    change = _change(question)
    if change is None:
        return None if _SUPPOSES.search(_supposition(question)) else source
    tree = ast.parse(source)
    named = _named(tree, question)
    old = ast.literal_eval(change.old) if change.old else None
    equal = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and _is_number(node, old)]
    both = [node for node in equal if node in named]
    meant = (both or equal) if change.old else named
    if len(meant) != 1:
        return None
    meant[0].value = ast.literal_eval(change.new)
    return ast.unparse(tree)


def _is_number(node: ast.expr, value: float | None = None) -> bool:
    """Whether a part of a program is a number, or this one."""
    if not isinstance(node, ast.Constant) or type(node.value) not in (int, float):
        return False
    return value is None or node.value == value


def _named(tree: ast.AST, question: str) -> list[ast.Constant]:
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


def _is_certain(source: str) -> bool:
    """Whether a program prints the same whenever it is run: it asks nobody and draws no lots."""
    tree = ast.parse(source)
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    return modules <= _CERTAIN
