"""Programs that the picture shows: what one prints when it is run, also with another number in it.

A program is run as it was read, by `execute_code`; what cannot be read without a doubt does not parse, or names what is
not there, and is left open.
"""

from __future__ import annotations

import ast
import builtins
import re

from longtake.agent.listings import Listing, listings
from longtake.agent.orientation import ORDINALS, Orientation
from longtake.agent.rules.changed_number import RUN, as_supposed, change_in
from longtake.agent.rules.denial import denies
from longtake.agent.rules.moves import (
    READER,
    Call,
    Done,
    cite,
    evidence_from,
    failures,
    not_found,
    on_each,
    trusted,
    within,
)
from longtake.agent.rules.steps import Steps
from longtake.agent.words import cue, figures

SANDBOX = "execute_code"
LONGEST_OUTPUT = 300  # characters
# Modules that give the same whenever and wherever they are asked.
_CERTAIN = frozenset("math itertools functools collections string re statistics fractions decimal operator".split())
# Built-in names that give the same everywhere; `hash` and the order of a set, say, do not.
_SAME_EVERYWHERE = frozenset(
    "abs all any bool chr dict divmod enumerate filter float format int isinstance len list map max min ord pow print "
    "range repr reversed round sorted str sum tuple zip".split()
)
_PROGRAM = r"(?:program(?:me)?|code|script|snippet|listing|loop)s?"
_OUTPUT = (
    r"(?:print(?:s|ed|ing|out)?|outputs?|returns?|produces?|comput\w+|calculat\w+|evaluat\w+|yields?|gives?|writes?"
    r"|comes? out|display(?:s|ed)?)"
)
_GAINED = r"(?:results?|happens|get|see|value|number|answer|appears?)"
_ASKS = re.compile(
    rf"\b{_PROGRAM}\b.*\b{_OUTPUT}\b|\b{_OUTPUT}\b.*\b{_PROGRAM}\b|^\W*(?:please )?{RUN}\b.*\b{_PROGRAM}\b"
    rf"|\b{_GAINED}\b.*\b{_PROGRAM}\b.*\b{RUN}\b|\b{_PROGRAM}\b.*\b{RUN}\b.*\b{_GAINED}\b"
    rf"|\b{RUN}\b.*\b{_PROGRAM}\b.*\b{_GAINED}\b|\b{_GAINED}\b.*\b{RUN}\b.*\b{_PROGRAM}\b"
    rf"|\bresults? of (?:the |this |that )(?:\w+ )?{_PROGRAM}\b",
    re.IGNORECASE,
)
# Who wrote it, when it is shown, how many there are, what is said of it: the program tells none of it.
_ANOTHER = re.compile(
    r"^\W*(?:who|where|why|when (?:is|was|are|were|do|does|did|will)|(?:at|from) (?:what|which)|how (?:many|often|long)"
    r"|is|are|was|does|do|did|has|have)\b|\b(?:says?|said|speakers?|narrator|mention\w*|hear\w*)\b",
    re.IGNORECASE,
)

# One line of a program, or of what it prints, is less than all that it prints.
_ONE_LINE = re.compile(r"\blines? \d", re.IGNORECASE)
# Of these it takes a word of computing to speak of a program: "what happens when the programme is run".
_LOOSE = cue("programme*, give, gives, write, writes, happens, get")
_COMPUTING = cue("print*, output*, run, runs, ran, running, execut*, loop*, range")
_COUNTED = re.compile(rf"\b(?:{'|'.join(ORDINALS)}|last) (?:\w+ )?{_PROGRAM}\b", re.IGNORECASE)
_SHOWN_ON = r"(?:the |this |that )?(?:\w+ )?(?:screen|slide|picture|board|page|video|image|frame)"
_NO_PROGRAM = re.compile(
    rf"\b(?:access|area|bar|country|door|dress|postal|promo|qr|zip)[ -]?codes?\b"
    rf"|\b(?:code|listing|script)s? (?:of|on) (?!{_SHOWN_ON}\b)|\b(?:tv|television)\b",
    re.IGNORECASE,
)


def asks_program(orientation: Orientation) -> bool:
    """Whether a question asks what a program prints; one that only supposes another number may follow on such a one."""
    question = orientation.question
    change = change_in(question)
    if change is None and denies(question):
        return False
    if _asks_output(question):
        return True
    if change is None or _ANOTHER.search(question):
        return False
    before = orientation.earlier[-1].partition("\n")[0].removeprefix("Q: ") if orientation.earlier else ""
    told = change.old or re.search(r"\b(?:range|loop)\b", question, re.IGNORECASE)
    return _asks_output(before) or bool(told and re.search(rf"\b{_OUTPUT}\b", question, re.IGNORECASE))


def find_output(orientation: Orientation) -> Steps[str]:
    """What the one program that is shown prints, as the sandbox runs it; empty where none is shown."""
    read = yield on_each(orientation, READER)
    found = listings(within(trusted(evidence_from(read, READER)), orientation))
    shown = [listing for listing in found if "print" in listing.source]
    if not shown:
        return ""
    if len(shown) > 1 or _COUNTED.search(orientation.question):
        marks = "".join(cite(listing.lines[0], orientation) for listing in shown)
        several = "Several programs are" if len(shown) > 1 else "One program is"
        return not_found(f"{several} shown: ask about one at its time {marks}.")
    source = as_supposed(shown[0].source, orientation.question)
    if source is None:
        return not_found("It cannot be told what is to be different in the program.")
    if source == shown[0].source and _ONE_LINE.search(figures(orientation.question, above=0)):
        return not_found("What one line alone prints cannot be told.")
    if not _is_certain(source):
        return not_found("What the program prints rests on more than its lines.")
    (ran,) = yield [Call(SANDBOX, {"code": source, "language": "python"})]
    return _told_output(shown[0], source, orientation, ran)


def _asks_output(question: str) -> bool:
    loose = _LOOSE.search(question) and not _COMPUTING.search(question)
    return bool(_ASKS.search(question)) and not (loose or _ANOTHER.search(question) or _NO_PROGRAM.search(question))


def _told_output(listing: Listing, source: str, orientation: Orientation, step: Done) -> str:
    ran = step.result
    problem = " ".join(failures([step])) or str(ran.output.get("stderr", "")).strip().rpartition("\n")[2]
    lines = str(ran.output.get("stdout", "")).strip().splitlines()
    printed = ", ".join(f"“{line.strip()}”" for line in lines if line.strip())
    if problem or not printed or len(printed) > LONGEST_OUTPUT:
        return not_found(problem or "The program prints nothing, or more than can be told.")
    proof = next(line for line in listing.lines if "print" in line.content)
    would = "would print" if source != listing.source else "prints"
    return f"It {would} {printed} {cite(proof, orientation)}."


def _is_certain(source: str) -> bool:
    """Whether a program prints the same whenever it is run: it asks nobody and draws no lots."""
    nodes = list(ast.walk(ast.parse(source)))
    modules = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    modules |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    built_in = {node.id for node in nodes if isinstance(node, ast.Name)} & set(dir(builtins))
    ordered = not any(isinstance(node, ast.Set | ast.SetComp) for node in nodes)
    return modules <= _CERTAIN and built_in <= _SAME_EVERYWHERE and ordered
