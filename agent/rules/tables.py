"""Cells of a table: what stands in the row of somebody or something named, below the head that is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from longtake.agent.orientation import Orientation
from longtake.agent.rows import row_of, rows
from longtake.agent.rules.facts import find_fact
from longtake.agent.rules.matching import must_hold, names_in
from longtake.agent.rules.moves import READER, Done, Move, called, cite, evidence_from, on_each, quote, trusted
from longtake.agent.rules.steps import Steps
from longtake.agent.words import NEGATION, content_stems, cue, stems
from longtake.memory.records import Evidence

_HOW_MUCH = re.compile(r"^\W*how (?:much|many)\b(?! times).*?\b(?:did|does|do|has|have|had)\s+[A-Z][\w'-]+")


class Column(NamedTuple):
    """A column that questions ask for in other words than its head says: how they do, and what stands in the head."""

    asked: re.Pattern[str]
    head: re.Pattern[str]


_REACHED = r"(?:call|phone|ring|dial|reach|contact)(?:ed)?"
COLUMNS = (
    Column(
        re.compile(
            r"\b(?:jobs?|profession|occupation|role|position|trade|function|for a living)\b|\bas what\b"
            r"|\b(?:works?|working|employed) as\b|\b(?:what|kind of|the|\w's) work\b"
            r"|^\W*(?:and )?what (?:do|does) [^?]+ do\W*$",
            re.IGNORECASE,
        ),
        re.compile(
            r"^\W*(?:work|job|role|position|profession|occupation|function|post|trade|title)\W*$", re.IGNORECASE
        ),
    ),
    Column(
        re.compile(
            r"\b(?:(?:tele)?phone|tel|mobile|call) (?:number|no)\b|\bextension\b|\bnumber (?:\w+ ){0,2}(?:of|for)\b"
            rf"|\w's (?:(?:tele)?phone|number)\b|\bnumber\b.*\b{_REACHED}\b|^\W*how\b.*\b{_REACHED}\b",
            re.IGNORECASE,
        ),
        re.compile(r"^\W*(?:(?:tele)?phone|tel|mobile|number|call|extension)(?:\W+(?:no|number))?\W*$", re.IGNORECASE),
    ),
)
_WANTS_CELL = re.compile(
    r"^\W*(?:(?:and|please)\b\W*)*(?:(?:under|on|at|as|in) )?(?:what|which|tell|give|how (?:can|could|do|does|is))\b",
    re.IGNORECASE,
)
_OF_CELL = cue(
    "work*, job, jobs, profession, occupation, employed, living, role, position, trade, function, phone, telephone, "
    "tel, mobile, call*, ring*, dial*, reach*, contact*, extension, number, no, given, listed, shown, written, named, "
    "slide, table, holds, hold, one"
)
_ANOTHER_CASE = re.compile(
    rf"{NEGATION.pattern}|\b(?:before|after|when|while|where|why|until|than|how (?:many|much|long|often))\b", re.I
)
_DUTY = r"(?:work|job|role|position|post|profession|occupation|function|duty|duties|trade|title)"
_HAS = rf"(?:is|was|(?:works?|acts|serves) (?:as|in)|(?:has|holds|fills|does) (?:\w+ )?{_DUTY})"
_WHO = re.compile(
    rf"^\W*(?:and )?(?:who (?:of (?:\w+ ){{1,2}})?{_HAS}\b|"
    rf"which (?:person|one|of (?:them|these|those|the)\b.*?) {_HAS}\b|"
    rf"whose {_DUTY}\b|name the\b|what is the name of\b|what is the (?:\w+ ){{1,2}}called\b)|\bis who\W*$",
    re.IGNORECASE,
)
# Somebody else than who has the work: "who works with the cook", "who is the cook afraid of".
_SOMEBODY_ELSE = re.compile(
    rf"{NEGATION.pattern}|\b(?:before|after|with|beside|near|than|like)\b"
    r"|\b(?:about|at|by|for|from|in|of|on|over|to|under)\W*$",
    re.IGNORECASE,
)
_HOLDS = cue(
    "who, whose, which, person, people, them, these, name, work, works, working, job, role, position, post, "
    "employed, employee, listed, named, given, shown, has, does, serves, acts, fill, fills, holds, holding, "
    "profession, occupation, duty, slide, called"
)
_HEAD_OF_NAMES = re.compile(r"^\W*(?:name|names|person|who|staff|contact)\W*$", re.IGNORECASE)


def asks_amount(orientation: Orientation) -> bool:
    """Whether a question asks how much or how many somebody named has or does, which is told, not counted by eye."""
    text = orientation.question[:1].lower() + orientation.question[1:]
    return bool(_HOW_MUCH.match(text)) and not {"speech", "audio"} & set(orientation.modalities)


def find_amount(orientation: Orientation, done: Sequence[Done]) -> Move:
    """The cell of a table that is asked for, else what is said or written of it."""
    if not called(done, READER):
        return on_each(orientation, READER)
    found = _cell(orientation.question, trusted(evidence_from(done, READER)))
    if found:
        return _told_cell(*found, orientation)
    return find_fact(orientation, done)


def asks_cell(orientation: Orientation) -> bool:
    """Whether a question asks for the work or the number of somebody named, which a table may hold."""
    asked, told_else = orientation.question, {"speech", "audio"} & set(orientation.modalities)
    names = names_in(asked)
    narrower = set(content_stems(_OF_CELL.sub(" ", asked))) - names
    wants = _WANTS_CELL.match(asked) and any(column.asked.search(asked) for column in COLUMNS)
    return bool(wants and names) and not (narrower or told_else or orientation.quoted or _ANOTHER_CASE.search(asked))


def find_cell(orientation: Orientation) -> Steps[str]:
    """The cell below the head that is asked for, in the row of the name; empty where no one table holds it."""
    done = yield on_each(orientation, READER)
    texts = trusted(evidence_from(done, READER))
    for column in COLUMNS:
        found = _below(column, orientation.question, texts) if column.asked.search(orientation.question) else None
        if found:
            return _told_cell(*found, orientation)
    return ""


def asks_holder(orientation: Orientation) -> bool:
    """Whether a question asks who has a work that it names."""
    question, told_else = orientation.question, {"speech", "audio"} & set(orientation.modalities)
    return bool(_WHO.match(question)) and not (told_else or _SOMEBODY_ELSE.search(question))


def find_holder(orientation: Orientation) -> Steps[str]:
    """The one row in which a cell says that work and no more, below the head of a column of names; empty without it."""
    done = yield on_each(orientation, READER)
    boxed = [item for item in trusted(evidence_from(done, READER)) if item.box]
    wanted = set(content_stems(_HOLDS.sub(" ", orientation.question)))
    heads = [item for item in boxed if _HEAD_OF_NAMES.match(item.content)]
    found = {
        row[0].content: row
        for cell in boxed
        if wanted and set(content_stems(cell.content)) == wanted
        if len(row := row_of(cell, boxed)) > 1 and any(_is_head(head, row[0]) for head in heads)
    }
    return quote(rows(next(iter(found.values()))), orientation) if len(found) == 1 else ""


def _is_head(head: Evidence, cell: Evidence) -> bool:
    return head.video == cell.video and head.span.overlaps(cell.span) and _stands_below(cell, head)


def _told_cell(header: Evidence, row: Sequence[Evidence], orientation: Orientation) -> str:
    return f"“{header.content}”: {', '.join(f'“{cell.content}”' for cell in row)} {cite(row[0], orientation)}"


def _below(
    column: Column, question: str, texts: Sequence[Evidence]
) -> tuple[Evidence, tuple[Evidence, Evidence]] | None:
    """The head of a column, and of the one row with the name that a question holds, that name and the cell below it."""
    names, boxed = names_in(question), [item for item in texts if item.box]
    found = [
        (head, (first, cell))
        for first in boxed
        if names <= stems(first.content)
        for head in boxed
        if column.head.search(head.content)
        for cell in row_of(first, boxed)
        if cell is not first and _is_head(head, cell)
    ]
    return found[0] if len({cell.content for _, (_, cell) in found}) == 1 else None


def _stands_below(cell: Evidence, head: Evidence) -> bool:
    """Whether a text begins below another, and some of it in the same column."""
    if cell.box is None or head.box is None:
        return False
    (left, top, width, _), (start, above, reach, _) = cell.box, head.box
    return above < top and left < start + reach and start < left + width


def _cell(question: str, texts: Sequence[Evidence]) -> tuple[Evidence, tuple[Evidence, Evidence]] | None:
    """The head of a column, and the first cell and the one below that head in the row named; None where not sure."""
    names, asked = must_hold(question), set(content_stems(question))
    boxed = [item for item in texts if item.box]
    # the texts of the row that each stands in, left to right
    tables = [row_of(item, boxed) for item in boxed]
    found = []
    for first, row in zip(boxed, tables, strict=True):
        if row[0] is not first or not names or not names <= stems(first.content):
            continue
        for head, heads in zip(boxed, tables, strict=True):
            place = next(number for number, each in enumerate(heads) if each is head)
            is_head = len(heads) == len(row) > 1 and head.span.overlaps(first.span) and head.video == first.video
            if is_head and place and asked & stems(head.content) and row[place].content[:1].isdigit():
                found.append((head, (first, row[place])))
    return found[0] if len(found) == 1 else None
