"""Questions about the camera and the recording itself: pans and zooms; frozen, reversed or noisy pictures; colour."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import Done, Move, called, evidence_from, not_found, on_each, trusted
from longtake.agent.rules.sight.seeing import asks_eyes, is_polar, nothing_seen, told
from longtake.agent.words import cue, words
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan

TOOL = "inspect_motion"
_LINK = r"(?:\s+(?:is|was|are|were|ever|stays?|begins?|starts?|being|been|gets?|to|in|at|shown|plays?|played|runs?))*"
_RECORDING = r"\b(?:video|clip|film|footage|movie|recording|picture|image|shot|frames?|screen)"
_MOVE = r"(?:pan(?:s|ned|ning)?|zoom(?:s|ed|ing)?|tilt(?:s|ed|ing)?)\b"
_CAMERA_MOVES = re.compile(
    rf"\bcamera{_LINK}\s+(?:mov\w*|motion\w*|pan|pans|panning|panned|tilt\w*|zoom\w*|shak\w*|handheld|static|fixed"
    rf"|still(?!\s+\w+ing)|at rest)\b"
    r"|\bcamera (?:movements?|moves?|motions?|techniques?)\b|\bdone (?:with|by) the camera\b"
    r"|\b(?:movements?|moves?|motions?) (?:is made )?(?:of|by) the camera\b"
    r"|\b(?:does|is|did|was) the camera (?:do(?:ing)?|mak(?:e|ing)|perform\w*)\b"
    r"|\b(?:which|what) (?:way|direction) (?:does|is|did|was) the camera\b"
    rf"|\b{_MOVE} or (?:(?:with|by) )?(?:an? )?{_MOVE}(?! lens)"
    rf"|{_RECORDING}{_LINK}\s+(?:pan|pans|panning|tilts|tilting|zoom\w*|shak(?:es|ing|y))\b",
    re.IGNORECASE,
)
_AT_REST = cue("static, fixed, still, at rest")
_FAULTS = (
    r"blank|black(?![ -]and)|reversed|backwards?|reverse|shuffled|out of order|frozen|freez\w+|noisy|grainy|tinted"
)
_FAULTY = re.compile(
    rf"{_RECORDING}s?{_LINK}\s+(?:{_FAULTS})\b|\bthere (?:an?|any) (?:freeze frame|frozen picture|tint)\b",
    re.IGNORECASE,
)
_SPEED = re.compile(
    rf"{_RECORDING}{_LINK}\s+(?:(?:sped|speeded) up|slowed down|slow[ -]mo\w*|fast[ -]forward\w*|time[ -]?lapse)\b"
    r"|\bthere (?:an?|any) (?:slow motion|time[ -]?lapse)\b",
    re.IGNORECASE,
)
_IN_COLOUR = re.compile(
    rf"{_RECORDING}{_LINK}\s+(?:(?:colou?r|black[ -]and[ -]white|monochrome)\b\s*(?:or\b[^?]*)?\??\s*$)", re.IGNORECASE
)
_COLOURLESS = re.compile(r"\b(?:black[ -]and[ -]white|monochrome)\b", re.IGNORECASE)
# What a question names, and how findings of it begin.
_KINDS = (
    (cue("pan, pans, panning, panned"), "camera pans"),
    (cue("tilt*"), "camera tilts"),
    (cue("zoom*"), "camera zooms"),
    (cue("shak*, handheld"), "camera shakes"),
    (cue("camera"), "camera"),
    (cue("reversed, reverse, backward, backwards"), "reversed"),
    (cue("shuffled, out of order"), "shuffled"),
    (cue("frozen, freez*"), "frozen: "),  # where a slide merely stands, "frozen picture" is found
    (cue("noisy, grainy"), "noisy"),
    (cue("black"), "blank picture, black"),
    (cue("blank"), "blank picture"),
    (cue("tint, tinted"), "tinted"),
)
_CAMERA = "camera"
_EDITED = ("cut to", "dissolve to", "fade to")  # begin what is told of where a shot begins
_MEANWHILE = ("while", "when", "during")
_WAYS = frozenset({"left", "right", "up", "down", "in", "out"})


def asks_camera(orientation: Orientation) -> bool:
    """Whether a question is about the camera's moves, or about faults, speed or colour of the recording."""
    question = orientation.question
    faulty = _FAULTY.search(question) if is_polar(question) or orientation.kind == "when" else None
    asked = faulty or any(pattern.search(question) for pattern in (_CAMERA_MOVES, _SPEED, _IN_COLOUR))
    return bool(asked) and asks_eyes(orientation)


def inspect(orientation: Orientation, done: Sequence[Done]) -> Move:
    """What was measured of it and when; what was not found, or cannot be told, is an abstention that says so."""
    question = orientation.question
    if _SPEED.search(question):
        return not_found("How fast time runs in the picture is not measured here.")
    meanwhile = orientation.span if orientation.relation in _MEANWHILE else None
    if not called(done, TOOL):
        return on_each(orientation.model_copy(update={"span": None}) if meanwhile else orientation, TOOL)
    if _IN_COLOUR.search(question):
        return _in_colour(orientation, done)
    kind = _kind_of(question)
    found = _of_shot(_measured(done, kind), meanwhile, done)
    ways = _WAYS & set(words(question))
    meant = [item for item in found if ways <= set(words(item.content))]
    if not found:
        untold = [text for step in done for text in step.result.output.get("cannot_tell", ()) if text.startswith(kind)]
        missing = "such move of the camera" if kind.startswith("camera") else f"{kind.rstrip(': ')} span"
        return nothing_seen(done, TOOL, f"No {missing} was measured.", *(f"Not told: {text}." for text in untold))
    if not is_polar(question) or not meant or " or " in question:
        return told(meant or found, orientation)
    return f"{'No' if _AT_REST.search(question) else 'Yes'}: {told(meant, orientation)}"


def _kind_of(question: str) -> str:
    """How findings of what a question names begin; of any move where it names several, as in "pan or zoom"."""
    named = [begins for words_of_kind, begins in _KINDS if words_of_kind.search(question)]
    moves = [begins for begins in named if begins.startswith(_CAMERA) and begins != _CAMERA]
    return _CAMERA if len(moves) > 1 else named[0]


def _of_shot(moves: Sequence[Evidence], place: TimeSpan | None, done: Sequence[Done]) -> list[Evidence]:
    """The moves in the shots that a place lies in: who names a view by what is said of it means all of the shot."""
    if place is None:
        return list(moves)
    cuts = [item.span.start for item in evidence_from(done, TOOL) if item.content.startswith(_EDITED)]
    start = max((cut for cut in cuts if cut <= place.start), default=0.0)
    end = min((cut for cut in cuts if cut >= place.end), default=float("inf"))
    return [item for item in moves if start <= (item.span.start + item.span.end) / 2 <= end]


def _in_colour(orientation: Orientation, done: Sequence[Done]) -> Move:
    coloured, colourless = _measured(done, "in colour"), _measured(done, "black and white")
    mixed = _measured(done, "some in colour")
    found = told([*coloured, *mixed, *colourless], orientation)
    if not found:
        return nothing_seen(done, TOOL, "Its colour cannot be told.")
    neither = bool(mixed) or bool(coloured) == bool(colourless)  # one video is in colour and another is not
    if neither or " or " in orientation.question or not is_polar(orientation.question):
        return found
    return f"{'Yes' if bool(colourless) == bool(_COLOURLESS.search(orientation.question)) else 'No'}: {found}"


def _measured(done: Sequence[Done], kind: str) -> list[Evidence]:
    return [item for item in trusted(evidence_from(done, TOOL)) if item.content.startswith(kind)]
