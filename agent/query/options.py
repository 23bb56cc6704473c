"""Splits a multiple-choice question that was typed as one text into the question and its options.

Only what is surely a list of options is taken for one: letters from A or numbers from 1, at least two, in their order.
On lines of their own they follow any question; within a line they follow a question mark or a colon.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.drafts.draft import LETTERS

_MARK = re.compile(
    r"(?:(?P<line>^[ \t>*-]*)|(?<=\s))\(?(?P<mark>[A-Ja-j]|\d{1,2})(?P<end>[.)])[ \t]+(?=\S)", re.MULTILINE
)
_ASKS = ("?", "？", ":", "：")


def split_options(text: str) -> tuple[str, tuple[str, ...]]:
    """The question and its options; the text as it is and none, if it lists no options.

    Args:
        text: a question as it was typed.
    """
    plain = "\n".join(line.rstrip() for line in text.splitlines())
    marks = list(_MARK.finditer(plain))
    for usable, of_lines in (([mark for mark in marks if mark["line"] is not None], True), (marks, False)):
        for place in range(len(usable)):
            found = _split(plain, usable[place:], of_lines=of_lines)
            if found and _plausible(*found):
                return found
    return text, ()


def _split(text: str, marks: Sequence[re.Match[str]], *, of_lines: bool) -> tuple[str, tuple[str, ...]] | None:
    """The question and the options that begin at the first of these marks."""
    own = list[re.Match[str]]()
    for mark in marks:
        if (mark["end"], _known(mark["mark"])) == (marks[0]["end"], _known(marks[0]["mark"])):
            own += [mark] if _known(mark["mark"])[len(own) :][:1] == [mark["mark"]] else []
    asked = text[: marks[0].start()].strip()
    asks = asked.rstrip("\"”')]*_ ").endswith(_ASKS)
    # Numbered lines may as well be several tasks.
    if len(own) < 2 or own[0] is not marks[0] or not (asks or (of_lines and not own[0]["mark"].isdecimal())):
        return None
    ends = [*(mark.start() for mark in own[1:]), len(text)]
    parts = [text[mark.end() : end].strip() for mark, end in zip(own, ends, strict=True)]
    if of_lines:  # what follows the options after a blank line belongs to the question
        parts[-1], _, after = parts[-1].partition("\n\n")
        return "\n".join(filter(None, (asked, after.strip()))), tuple(" ".join(part.split()) for part in parts)
    if own[0]["end"] == "." and any(part.casefold().endswith((" or", " and")) for part in parts):
        return None  # "Who is it? A. Smith or B. Jones"
    return asked, tuple(part.removesuffix(" or").removesuffix(" and").rstrip(" ,;") for part in parts)


def _known(mark: str) -> list[str]:
    """The marks in the style of one, in order."""
    if mark.isdecimal():
        return [str(number) for number in range(1, len(LETTERS) + 1)]
    return list(LETTERS if mark.isupper() else LETTERS.lower())


def _plausible(question: str, options: tuple[str, ...]) -> bool:
    several = 2 <= len(options) <= len(LETTERS) and len(set(options)) == len(options)
    return several and bool(question) and all(options) and not any(option.endswith(("?", "？")) for option in options)
