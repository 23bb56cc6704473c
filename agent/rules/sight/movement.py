"""Questions about what moves: which way it goes, and what happens where neither words nor a model tell."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import Done, Move, called, cite, evidence_from, on_each, trusted, unexamined
from longtake.agent.rules.sight.seeing import asks_eyes, nothing_seen, told, words_first
from longtake.preprocess.engines.objects_colours import COLOURS

COUNTER = "count_objects"
CAMERA = "inspect_motion"
ACTIVITIES = "detect_activities"
SHORT = 120.0  # seconds of which it can be told at once what happens
MOST_CITED = 3
BESIDE = 0.5  # seconds
_DIRECTION = re.compile(
    r"\b(?:(?:which|what) (?:direction|way)|how) (?:do|does|did|is|are|was|were) (?P<thing>[\w -]+?) "
    r"(?:mov|go\b|goes\b|going|driv|walk|run|fly|flies|roll|pass|travel|head|swim|slid)",
    re.IGNORECASE,
)
_WAY = re.compile(r"(?<=, )(?:from (?:left|right) to (?:left|right)|upwards|downwards)(?=;|$)")
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
    return asks_eyes(orientation) and bool(_DIRECTION.search(orientation.question))


def find_direction(orientation: Orientation, done: Sequence[Done]) -> Move:
    """Where all that moves, or all of the colour asked for, goes the same way, that way; else an abstention.

    What a moving thing is, the tool cannot tell: only where all agree does it not matter.
    """
    if not called(done, COUNTER):
        asked = words_first(orientation, done)
        query = " ".join(filter(None, ("different moving", _colour(orientation), "things")))
        calls = on_each(orientation, CAMERA) + on_each(orientation, COUNTER, object_query=query)
        return calls if asked is None else asked
    found = trusted(evidence_from(done, COUNTER))
    doubts = unexamined(done, COUNTER, orientation) + unexamined(done, CAMERA, orientation) + _camera_moves(done)
    if not found or doubts:
        return nothing_seen(done, COUNTER, *doubts)
    ways = {match[0] if (match := _WAY.search(item.content)) else "" for item in found}
    if len(ways) != 1 or "" in ways:
        disagree = f"{len(found)} things move, not all the same way, and what each is cannot be told."
        return nothing_seen(done, COUNTER, disagree)
    marks = "".join(cite(item, orientation) for item in found[:MOST_CITED])
    colour = _colour(orientation)
    moving = f"All that is {colour} and moves" if colour else "All that moves"
    return f"{moving} goes {ways.pop()}: “{found[0].content}” {marks}"


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
