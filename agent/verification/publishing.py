"""Turns a judged draft into the text of an answer: as it was written, with times for marks, and doubts marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from longtake.agent.verification.claims import Read, Statement, citations_of
from longtake.memory.records import Citation, Claim, Evidence, Verdict
from longtake.memory.timespan import clock

MAX_MARKS = 4  # behind one statement
FLAGS: Mapping[Verdict, str] = {"not_shown": "[not shown]", "contradicted": "[contradicted]"}


def published(
    read: Read,
    claims: Sequence[Claim],
    moments: Mapping[str, Evidence],
    names: Mapping[str, str],
    *,
    strict: bool = False,
) -> str:
    """The text of an answer.

    Args:
        read: the draft, its statements and marks.
        claims: the statements, judged, in their order.
        moments: those of the run, by id.
        names: file names of the open videos, if there are several.
        strict: leave out what isn't supported, instead of marking it.
    """
    text = read.text
    edits = [
        (mark.start, mark.end, _set_in(text, mark.start, marks(citations_of(mark.cited, moments), names)))
        for mark in read.marks
    ]
    for statement, claim in zip(read.statements, claims, strict=True):
        if statement.start < 0:
            continue
        flag = FLAGS.get(claim.verdict)
        if flag and strict:
            edits = [edit for edit in edits if not statement.holds(edit[1])]
            edits.append((*_cut(text, statement.start, statement.end), ""))
            continue
        own = any(statement.holds(mark.end) for mark in read.marks)
        added = ["" if own else marks(claim.citations, names), f" {flag}" if flag else ""]
        edits.append((statement.end, statement.end, "".join(added)))
    out, at, last = "", 0, ""
    for start, end, replacement in sorted(edits):
        again = replacement.strip() == last and not text[at:start].strip()
        out, at = out + text[at:start] + ("" if again and last else replacement), end
        last = replacement.strip()
    out += text[at:]
    if not any(mark.cited for mark in read.marks) and all(each.start < 0 or not each.cited for each in read.statements):
        out += _elsewhere(read.statements, claims, names)
    return out.strip()


def _set_in(text: str, start: int, shown: str) -> str:
    """Marks with a space before them only where there was one, or where a word would touch them."""
    touches = start > 0 and text[start - 1] not in "\n]】"
    return shown if touches or text[start].isspace() else shown.lstrip()


def _cut(text: str, start: int, end: int) -> tuple[int, int]:
    """What is left out with a statement: the space before it, or the end of a line that it has for itself."""
    if start > 0 and text[start - 1] == " ":
        return start - 1, end
    alone = text[end : end + 1] == "\n" and (start == 0 or text[start - 1] == "\n")
    return start, end + 1 if alone else end


def marks(citations: Sequence[Citation], names: Mapping[str, str]) -> str:
    """The times of citations in brackets, with a space before them; facts about a whole recording have none."""
    placed = [each for each in citations if each.modality != "metadata"]
    shown = dict.fromkeys(f"[{names.get(each.video, '')} {clock(each.start)}]".replace("[ ", "[") for each in placed)
    return f" {''.join([*shown][:MAX_MARKS])}" if shown else ""


def _elsewhere(statements: Sequence[Statement], claims: Sequence[Claim], names: Mapping[str, str]) -> str:
    """The times of claims that the text doesn't say, for a text without any of its own."""
    cited = [
        citation
        for statement, claim in zip(statements, claims, strict=True)
        if claim.verdict in ("supported", "unchecked")
        for citation in claim.citations
    ]
    return marks(tuple(dict.fromkeys(cited)), names)
