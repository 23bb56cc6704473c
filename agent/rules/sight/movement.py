"""Questions about what moves: which way it goes, and what happens where neither words nor a model tell."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import Call, Done, Move, called, cite, evidence_from, on_each, trusted, unexamined
from longtake.agent.rules.sight.seeing import asks_eyes, nothing_seen, told, words_first
from longtake.agent.rules.sight.shapes import COUNTER, shape_named
from longtake.preprocess.engines.objects_colours import COLOURS

CAMERA = "inspect_motion"
ACTIVITIES = "detect_activities"
SHORT = 120.0  # seconds of which it can be told at once what happens
MOST_CITED = 3
BESIDE = 0.5  # seconds
_DO = r"(?:do|does|did|is|are|was|were)"
_GO = r"(?:mov|go\b|goes\b|going|driv|walk|run|fly|flies|roll|pass|travel|head|swim|slid|cross|drift|glid)"
_DIRECTION = re.compile(
    rf"\b(?:(?:which|what) (?:direction|way)|how) {_DO} (?P<thing>[\w -]+?) {_GO}",
    re.IGNORECASE,
)
# Other wordings, which might ask where people go: taken only of shapes.
_OF_SHAPES = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\bwhere(?: to)? {_DO} (?P<thing>[\w -]+?) {_GO}",
        rf"\b(?:from|to|towards) (?:which|what) (?:side|edge|direction|end)\b[^?]*? {_DO} (?P<thing>[\w -]+?) {_GO}",
        rf"^\W*{_DO} (?P<thing>[\w -]+?) {_GO}\w* (?:from|to|towards|left|right|up|down)\b[^?]*\bor\b",
        r"\b(?:direction|way) (?:do|does|did) (?P<thing>[\w -]+?) (?:take|have|follow)",
        r"\bdirection (?:of|for)(?: (?:movement|motion|travel) of)? (?P<thing>[\w -]+?)\W*$",
        rf"^\W*(?P<thing>[\w -]+?) (?:are |is )?{_GO}\w*\b[^?]* (?:which|what) (?:direction|way)\W*$",
    )
)
_WAY = re.compile(r"(?<=, )from (?:left|right|top|bottom) to (?:left|right|top|bottom)(?=;|$)")
_TOWARDS = {
    "from left to right": "to the right",
    "from right to left": "to the left",
    "from bottom to top": "up",
    "from top to bottom": "down",
}
_HAPPENS = re.compile(r"^\W*what(?: is|'s| was)? (?:happen(?:s|ed|ing)|going on|goes on)\b(?! to\b)", re.IGNORECASE)
_MOVES = re.compile(
    r"^\W*(?:what(?: is|'s| was)? mov(?:es|ing)|(?:does|is|do|are) (?:anything|something|there anything) mov\w+)\b",
    re.IGNORECASE,
)
_STILL = ("blank", "frozen picture")  # begin what is told of a picture in which nothing happens
_EDITED = ("cut to", "dissolve to", "fade")
_VAGUE = "movement"  # begins what is told of movement that has no direction: too little to say what happens


def asks_direction(orientation: Orientation) -> bool:
    """Whether a question asks which way something moves."""
    question = orientation.question
    return asks_eyes(orientation) and bool(_DIRECTION.search(question) or _shape(question))


def find_direction(orientation: Orientation, done: Sequence[Done]) -> Move:
    """Where all that moves, or all of the shape or colour asked for, goes the same way, that way; else an abstention.

    What a moving thing is but a shape, the tool cannot tell: only where all agree does it not matter.
    """
    shape = _shape(orientation.question)
    if not called(done, COUNTER):
        asked = words_first(orientation, done)
        return _direction_calls(orientation, shape) if asked is None else asked
    found = trusted(evidence_from(done, COUNTER))
    doubts = unexamined(done, COUNTER, orientation)
    if shape is None:
        doubts += unexamined(done, CAMERA, orientation) + _camera_moves(done)
    if not found or doubts:
        return nothing_seen(done, COUNTER, *doubts)
    ways = {match[0] if (match := _WAY.search(item.content)) else "" for item in found}
    if len(ways) != 1 or "" in ways:
        disagree = f"{len(found)} things move, not all the same way, and what each is cannot be told."
        return nothing_seen(done, COUNTER, disagree)
    marks = "".join(cite(item, orientation) for item in found[:MOST_CITED])
    way = ways.pop()
    colour = _colour(orientation)
    moving = f"All that is {colour} and moves" if colour else "All that moves"
    return (
        f"{f'Every {shape} that moves' if shape else moving} goes {_TOWARDS[way]}, {way}: “{found[0].content}” {marks}"
    )


def _direction_calls(orientation: Orientation, shape: str | None) -> list[Call]:
    """The calls that follow what moves: by its shape, or else by its colour, where the camera rests."""
    name = shape or " ".join(filter(None, (_colour(orientation), "things")))
    calls = on_each(orientation, COUNTER, object_query=f"different moving {name}")
    return calls if shape else on_each(orientation, CAMERA) + calls


def _shape(question: str) -> str | None:
    """The shape, with its colour, whose way is asked for, as in "red circle"; None where it is another thing."""
    match = next(filter(None, (form.search(question) for form in (_DIRECTION, *_OF_SHAPES))), None)
    return shape_named(match["thing"]) if match else None


def _camera_moves(done: Sequence[Done]) -> list[str]:
    """That the camera moves: some of what seems to move may then stand still."""
    moves = [item for item in evidence_from(done, CAMERA) if item.content.startswith("camera")]
    return [f"The camera moves in {', '.join(str(item.span) for item in moves[:MOST_CITED])}."] if moves else []


def _colour(orientation: Orientation) -> str:
    """The colour of the thing that is asked for; empty where none is named."""
    match = _DIRECTION.search(orientation.question)
    return next((name for name in COLOURS if match and name in match["thing"].casefold().split()), "")


def asks_happenings(orientation: Orientation) -> bool:
    """Whether a question asks what happens at a time it names, or what moves, and that time is short."""
    question = orientation.question
    lengths = [orientation.span.length] if orientation.span else orientation.videos.values()
    asked = _MOVES.match(question) or (orientation.span and _HAPPENS.match(question))
    return asks_eyes(orientation) and bool(asked) and max(lengths) <= SHORT


def tell_happenings(orientation: Orientation, done: Sequence[Done]) -> Move:
    """Cuts, moves of the camera and what moves where; what a picture is empty of does not happen."""
    if not called(done, ACTIVITIES):
        return on_each(orientation, ACTIVITIES)
    less = [*_STILL, *([] if _MOVES.match(orientation.question) else [_VAGUE])]
    if orientation.relation:
        less += _EDITED  # "what happens before they fill the basin" asks for no change of the shot
    found = [item for item in trusted(evidence_from(done, ACTIVITIES)) if not item.content.startswith(tuple(less))]
    if orientation.span:
        # The tool looks around a single moment.
        moment = orientation.span.widened(BESIDE, BESIDE, max(orientation.videos.values()))
        found = [item for item in found if item.span.overlaps(moment)]
    return told(found, orientation) if found else nothing_seen(done, ACTIVITIES)
