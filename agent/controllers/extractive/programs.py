"""Finds Python programs on screen: lines that parse together, indented according to their boxes."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from longtake.agent.gathering.picture_rows import by_row
from longtake.memory.records import Evidence

SETTLED = 0.6  # seconds after which all lines of a screen have been read
SAME_DEPTH = 0.7  # of a character's width: the largest distance between left edges of one indentation level
_SIGNS = str.maketrans("“”„‘’（），：；−–—", '"""\'\'(),:;---')  # characters that OCR reads in place of ASCII ones
_OF_PROGRAM = re.compile(r"[=(\[{]|:\s*$")


class Listing(NamedTuple):
    """A program that can run, and the on-screen texts of its lines."""

    source: str
    lines: tuple[Evidence, ...]


def listings(texts: Sequence[Evidence]) -> list[Listing]:
    """The programs that are shown, each once and as complete as it gets.

    Args:
        texts: on-screen texts with their boxes.
    """
    boxed = [item for item in texts if item.box and item.content.strip()]
    moments = sorted({(item.video, item.span.start) for item in boxed})
    found = dict[str, Listing]()
    for video, start in moments:
        settled = start + SETTLED
        there = [item for item in boxed if item.video == video and item.span.start <= settled < item.span.end]
        listing = _listing(there)
        if listing:
            found.setdefault(listing.source, listing)
    return [one for one in found.values() if not any(_grows_into(one, other) for other in found.values())]


def _grows_into(one: Listing, other: Listing) -> bool:
    return one is not other and set(one.lines) < set(other.lines)


def _listing(texts: Sequence[Evidence]) -> Listing | None:
    """The longest run of rows that is a program with a call; None without one.

    Also None if another line looks like code, because it may be a misread line of the program.
    """
    lines = by_row(sorted(texts, key=lambda item: item.box[1] if item.box else 0.0))
    for length in range(len(lines), 0, -1):
        for first in range(len(lines) - length + 1):
            run, others = lines[first : first + length], lines[:first] + lines[first + length :]
            tree = _parsed(_indented(run))
            if tree and any(isinstance(node, ast.Call) for node in ast.walk(tree)):
                misread = any(_OF_PROGRAM.search(cell.content) for row in others for cell in row)
                return None if misread else _without_headings(run, tree)
    return None


def _without_headings(lines: Sequence[Sequence[Evidence]], tree: ast.Module) -> Listing:
    """A program without surrounding lines that merely parse, such as the heading "Loops"."""
    body = [statement for statement in tree.body if not _is_idle(statement)]
    first, last = body[0].lineno - 1, body[-1].end_lineno or len(lines)
    kept = lines[first:last]
    return Listing(_indented(kept), tuple(cell for row in kept for cell in row))


def _is_idle(statement: ast.stmt) -> bool:
    """Whether a statement has no effect: a bare value, or a label such as "Output: 42"."""
    if isinstance(statement, ast.AnnAssign):
        return statement.value is None
    return isinstance(statement, ast.Expr) and not any(isinstance(node, ast.Call) for node in ast.walk(statement))


def _indented(lines: Sequence[Sequence[Evidence]]) -> str:
    """The source of these rows, with each line indented according to its left edge."""
    width = median(cell.box[2] / len(cell.content) for row in lines for cell in row if cell.box)
    lefts = [row[0].box[0] for row in lines if row[0].box]
    edges = sorted(lefts)
    steps = [edge for before, edge in pairwise(edges) if edge - before > SAME_DEPTH * width]
    depths = [sum(step <= left for step in steps) for left in lefts]
    written = (" ".join(cell.content.strip() for cell in row).translate(_SIGNS) for row in lines)
    return "\n".join(f"{'    ' * depth}{line}" for depth, line in zip(depths, written, strict=True))


def _parsed(source: str) -> ast.Module | None:
    with suppress(SyntaxError, ValueError):  # a null byte is a ValueError before Python 3.12
        return ast.parse(source)
    return None
