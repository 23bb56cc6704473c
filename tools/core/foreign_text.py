"""Makes text from unknown authors safe to show. It is data, whatever it says."""

from __future__ import annotations

import re

# Terminals obey these: colours, cursor movements, titles, hyperlinks (ECMA-48).
_ESCAPES = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[PX^_][^\x1b]*(?:\x1b\\)?|[ -/]*[0-~])"
)
# Control characters except tab and line feed, marks of text direction, and invisible characters.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff]"
)


def printable(text: str) -> str:
    """The text without escape sequences and invisible characters, and with one kind of line end."""
    return _HIDDEN.sub("", _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str, most: int) -> str:
    """The text as one line of at most `most` characters; an ellipsis marks a cut."""
    line = " ".join(printable(text).split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
