"""Amounts of somebody or something named: the cell of a table that stands in its row, below what is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rows import row_of
from longtake.agent.rules.facts import find_fact
from longtake.agent.rules.matching import must_hold
from longtake.agent.rules.moves import Done, Move, called, cite, evidence_from, on_each, trusted
from longtake.agent.words import content_stems, stems
from longtake.memory.records import Evidence

READER = "extract_scene_text"
_HOW_MUCH = re.compile(r"^\W*how (?:much|many)\b(?! times).*?\b(?:did|does|do|has|have|had)\s+[A-Z][\w'-]+")


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
        header, row = found
        return f"“{header.content}”: {', '.join(f'“{cell.content}”' for cell in row)} {cite(row[0], orientation)}"
    return find_fact(orientation, done)


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
