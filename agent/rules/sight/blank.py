"""Questions for an empty picture: all black, all white, or blank."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import POLAR, Orientation
from longtake.agent.rules.moves import Done, Move, not_found, within
from longtake.agent.rules.sight.seeing import asks_eyes, told
from longtake.agent.rules.time.places import empty_of
from longtake.preprocess.engines.objects_colours import COLOURS

_ALL = r"(?:(?:all|fully|completely|entirely|totally) )?"
_COLOUR = rf"(?:blank|empty|{'|'.join(COLOURS)})"
_PICTURE = r"(?:screen|picture|frame|image)"
_EMPTY = re.compile(
    rf"{POLAR} (?:there (?:ever |any )*(?:an? |any )?{_ALL}(?P<colour>{_COLOUR}) {_PICTURE}s?\b"
    rf"|the {_PICTURE} (?:ever )?(?:go |turn |get )?{_ALL}(?P<turned>{_COLOUR})\W*$)",
    re.IGNORECASE,
)
_LOOKED_FOR = ("blank", "empty", "black", "white")


def asks_blank(orientation: Orientation) -> bool:
    """Whether a question asks if the picture is ever empty or of one colour."""
    return bool(_EMPTY.match(orientation.question)) and asks_eyes(orientation)


def find_blank(orientation: Orientation, done: Sequence[Done]) -> Move:
    """Where the picture is empty; of a colour that no layer looks for, an abstention."""
    match = _EMPTY.match(orientation.question)
    assert match is not None, "asked only where an empty picture is asked for"
    colour = (match["colour"] or match["turned"]).casefold()
    meant = empty_of(colour, within(orientation.blank, orientation))
    if meant:
        return f"Yes: {told(meant, orientation)}"
    if colour in _LOOKED_FOR:
        return not_found("No such picture was found.")
    return not_found(f"Whether the whole picture is {colour} is not measured here.")
