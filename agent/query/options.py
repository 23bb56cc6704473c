"""Splits a multiple-choice question that was typed as one text into the question and its options.

Only what is surely a list of options is taken for one: letters from A or numbers from 1, at least two, in their order.
On lines of their own they follow any question; within a line they follow a question mark or a colon.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from longtake.agent.drafts.draft import LETTERS

_MARKER = r"\(?(?P<mark>[A-Ja-j]|\d{1,2})(?P<end>[.)])[ \t]+(?=\S)"
_AT_LINE = re.compile(rf"[ \t>*-]*{_MARKER}")
_IN_LINE = re.compile(rf"(?:^|(?<=\s)){_MARKER}")
_LEADS = re.compile(r"[?？:：][\"”')\]*_]*\s*\Z")
_JOINED = re.compile(r"(?:,\s*|;\s*|\s+)(?:or|and)?\s*\Z|[,;]\s*\Z", re.IGNORECASE)


def split_options(text: str) -> tuple[str, tuple[str, ...]]:
    """The question and its options; the text as it is and none, if it lists no options.

    Args:
        text: a question as it was typed.
    """
    for split in (_by_lines, _in_one_line):
        found = split(text)
        if found and _plausible(*found):
            return found
    return text, ()


def _plausible(question: str, options: tuple[str, ...]) -> bool:
    several = 2 <= len(options) <= len(LETTERS) and len(set(options)) == len(options)
    return (
        several
        and bool(question)
        and all(options)
        and not any(option.rstrip().endswith(("?", "？")) for option in options)
    )


def _by_lines(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Options on lines of their own. What follows them after a blank line belongs to the question."""
    question, options, after = list[str](), list[str](), list[str]()
    style = ""
    for line in text.splitlines():
        found = _AT_LINE.match(line)
        if found and not after and _is(found["mark"], len(options), style):
            style = style or _style(found["mark"])
            options.append(line[found.end() :].strip())
        elif not options:
            question.append(line)
        elif after or not line.strip():
            after.append(line)
        else:
            options[-1] += f" {line.strip()}"
    asked = "\n".join(question).strip()
    # Numbered lines may as well be several tasks.
    if style == "1" and not _LEADS.search(asked):
        return None
    return "\n".join(filter(None, (asked, "\n".join(after).strip()))), tuple(options)


def _in_one_line(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Options within a line, behind a question mark or a colon."""
    for first in _IN_LINE.finditer(text):
        if not _is(first["mark"], 0, "") or not _LEADS.search(text[: first.start()]):
            continue
        places = [first, *_following(text, first)]
        ends = [place.start() for place in places[1:]]
        parts = [text[place.end() : end] for place, end in zip(places, [*ends, len(text)], strict=True)]
        if first["end"] == "." and any(part.casefold().split()[-1:] in (["or"], ["and"]) for part in parts):
            return None  # "Who is it? A. Smith or B. Jones"
        return text[: first.start()].strip(), tuple(_JOINED.sub("", part).strip() for part in parts)
    return None


def _following(text: str, first: re.Match[str]) -> Iterator[re.Match[str]]:
    """The markers after the first one, as long as they go on in its order and style."""
    number = 1
    for found in _IN_LINE.finditer(text, first.end()):
        if found["end"] == first["end"] and _is(found["mark"], number, _style(first["mark"])):
            number += 1
            yield found


def _style(mark: str) -> str:
    return "1" if mark.isdecimal() else "a" if mark.islower() else "A"


def _is(mark: str, number: int, style: str) -> bool:
    """Whether a marker is the one with this number, from 0, in a style; in any style if that is empty."""
    if style and _style(mark) != style:
        return False
    return mark == str(number + 1) if mark.isdecimal() else LETTERS.find(mark.upper()) == number
