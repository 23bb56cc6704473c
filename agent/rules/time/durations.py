"""How long something lasts or how much time passes: worked out by the calculator from where the layers place it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from longtake.agent.named_spans import SHOT
from longtake.agent.orientation import Orientation
from longtake.agent.rules.matching import key_terms
from longtake.agent.rules.moves import READER, Call, cite, evidence_from, not_found, on_each, trusted, within
from longtake.agent.rules.slides import names_slide, slide_named
from longtake.agent.rules.sounds import asked_kinds, of_kinds
from longtake.agent.rules.steps import Steps, together
from longtake.agent.rules.time.places import find_places, place_both, veiled
from longtake.agent.words import coverage
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan, clock, joined

MOST_ADDED = 60  # spans whose lengths one expression adds
NOT_WORKED_OUT = "The calculator did not work the time out."
GAP = 0.2  # seconds: what begins so soon after the end of the same thing goes on
_ASKS = r"(?:for )?(?:how long|how much time|how many seconds|how many minutes)"
_PASSES = (
    r"(?:(?:is there|is it|are there|was there|are|is|lies?|pass|passes|passed|elapsed?|elapses|goes by|does it take)"
    r"\s+)?"
)
_ELAPSED = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"^\W*{_ASKS}\s+{_PASSES}between\s+(?P<one>.+?),?\s+and\s+(?P<other>.+)$",
        rf"^\W*{_ASKS}\s+{_PASSES}from\s+(?P<one>.+?),?\s+(?:to|until|till)\s+(?P<other>.+)$",
        rf"^\W*{_ASKS}\s+after\s+(?P<one>.+?)\s+(?:is|are|does|do|did|comes?)\s+(?P<other>.+?)"
        r"(?:\s+(?:heard|shown|said|come|start|begin|appear|sound|play))?$",
    )
)
_LASTING = re.compile(
    rf"^\W*{_ASKS}\s+(?:is|are|was|were|does|do|did|can)\s+(?P<thing>.+?)\s+"
    r"(?:being\s+|to be\s+|stay\s+|remain\s+)?"
    r"(?P<verb>shown|visible|displayed|on (?:the )?screen|in (?:the )?picture|seen|heard|audible|last|play|playing|"
    r"sound)"
    r"(?:\s+(?:for|in total|altogether|in all))?$",
    re.IGNORECASE,
)
_HEARD = re.compile(rf"^\W*{_ASKS}\s+(?:is|was|are|were)\s+(?P<thing>(?:the )?[\w-]+)(?P<verb>)$", re.IGNORECASE)
_EMPTY = re.compile(
    rf"^\W*{_ASKS}\s+(?:is|was|does|did)\s+(?:it|the (?:video|clip|film|picture|screen|image))\s+"
    r"(?:stay\s+|remain\s+)?(?:black|blank|dark|empty|white)\b",
    re.IGNORECASE,
)
_SHOT = re.compile(rf"^\W*how long (?:is|was|does) (?:the )?{SHOT}", re.IGNORECASE)
SEEN = ("shown", "visible", "displayed", "screen", "picture", "seen")
DECIMALS = {"scene_text": 0, "metadata": 2, "visual": 2}  # of a second, to which a sense tells times; else one


class Elapsed(NamedTuple):
    """The two things between which time passes."""

    one: str
    other: str


def elapsed(question: str) -> Elapsed | None:
    """The two things between which a question measures the time; None when it measures none."""
    text = question.strip().rstrip("? ")
    for form in _ELAPSED:
        match = form.match(veiled(text))
        if match:
            return Elapsed(text[slice(*match.span("one"))], text[slice(*match.span("other"))])
    return None


def find_elapsed(things: Elapsed, orientation: Orientation) -> Steps[str]:
    """The seconds from the beginning of the one to the beginning of the other."""
    found = yield from together([find_places(thing, orientation) for thing in things])
    one, other = (trusted(places) for places in found)
    pair = place_both(one, other)
    if pair is None:
        missing = [thing for thing, places in zip(things, (one, other), strict=True) if not places]
        return not_found(f"It cannot be told when this is: {', '.join(missing or things)}.")
    first, second = pair
    least = min(DECIMALS.get(place.modality, 1) for place in pair)
    seconds = yield from _difference(TimeSpan(start=first.span.start, end=second.span.start), least)
    if seconds is None:
        return not_found(NOT_WORKED_OUT)
    times = f"from {clock(first.span.start, decimals=least)} to {clock(second.span.start, decimals=least)}"
    return (
        f"{seconds} from the beginning of “{first.content.strip()}” to that of “{second.content.strip()}”, {times} "
        f"{cite(first, orientation)}{cite(second, orientation)}"
    )


def lasting(orientation: Orientation) -> bool:
    """Whether a question asks how long something is shown or heard, or a shot lasts."""
    text = orientation.question.strip().rstrip("? ")
    match = _LASTING.match(text)
    if not match:
        return bool(_HEARD.match(text) and asked_kinds(text)) or bool(
            _EMPTY.match(text) or (_SHOT.match(text) and orientation.span)
        )
    seen = match["verb"].casefold().endswith(SEEN)
    if seen and names_slide(match["thing"]):
        return True
    return bool(key_terms(match["thing"]) if seen else asked_kinds(text))


def find_length(orientation: Orientation) -> Steps[str]:
    """How long it lasts; of several stretches the longest, and the sum of all."""
    found, what = yield from _pieces(orientation)
    if not found:
        return not_found("It cannot be told when this begins and ends.")
    first = found[0]
    stretches = joined((piece.span for piece in found if piece.video == first.video), gap=GAP)
    longest = max(stretches, key=lambda span: span.length)
    decimals = DECIMALS.get(first.modality, 1)
    seconds = yield from _difference(longest, decimals)
    if seconds is None:
        return not_found(NOT_WORKED_OUT)
    ends = [next(piece for piece in found if piece.span.overlaps(longest)), _last_of(found, longest)]
    marks = "".join(dict.fromkeys(cite(piece, orientation) for piece in ends))
    times = f"from {_time_told(longest.start, first)} to {_time_told(longest.end, first)}"
    if len(stretches) == 1:
        return f"{what} {seconds}, {times} {marks}"
    total = ""
    if len(stretches) <= MOST_ADDED:
        added = yield from _worked_out(" + ".join(f"{span.length:.{decimals}f} s" for span in stretches), decimals)
        total = f" and {added} in all" if added else ""
    return f"{what} {seconds} at the longest, {times},{total} over several stretches {marks}"


def _pieces(orientation: Orientation) -> Steps[tuple[list[Evidence], str]]:
    """What lasts, piece by piece in order of time, and how it is called."""
    text = orientation.question.strip().rstrip("? ")
    match = _LASTING.match(text) or _HEARD.match(text)
    if _EMPTY.match(text):
        return _in_order(orientation.blank, orientation), "The picture is empty for"
    if match is None:
        shots = [fact for fact in orientation.facts if re.search(r"\bshots?\b", fact.content)]
        span = orientation.span
        return [shot.model_copy(update={"span": span}) for shot in shots[:1] if span], "The shot:"
    kinds = asked_kinds(text)
    seen = bool(match["verb"]) and match["verb"].casefold().endswith(SEEN)
    if kinds and not seen:
        done = yield on_each(orientation, "detect_audio_events")
        heard = of_kinds(trusted(evidence_from(done, "detect_audio_events")), kinds)
        if orientation.relation in ("before", "after"):
            heard = heard[-1:] if orientation.relation == "before" else heard[:1]  # the one right beside its place
        return heard, f"“{heard[0].content}” is heard for" if heard else ""
    done = yield on_each(orientation, READER)
    texts = trusted(evidence_from(done, READER))
    if names_slide(match["thing"]):
        slide = slide_named(match["thing"], texts)
        return slide, f"“{slide[0].content.strip()}” is shown for about" if slide else ""
    wanted = key_terms(match["thing"])
    shown = _in_order([item for item in texts if coverage(wanted, item.content) == 1.0], orientation)
    return shown, f"“{shown[0].content.strip()}” is shown for about" if shown else ""


def _time_told(seconds: float, piece: Evidence) -> str:
    """A time as exactly as the sense tells it; of a recording's own facts in seconds, as they tell it."""
    decimals = DECIMALS.get(piece.modality, 1)
    return f"{seconds:.{decimals}f} s" if piece.modality == "metadata" else clock(seconds, decimals=decimals)


def _in_order(found: Sequence[Evidence], orientation: Orientation) -> list[Evidence]:
    asked = (item for item in within(found, orientation) if item.video in orientation.videos)
    return sorted(asked, key=lambda item: item.span.start)


def _last_of(found: Sequence[Evidence], stretch: TimeSpan) -> Evidence:
    """The piece with which a stretch ends."""
    return max((piece for piece in found if piece.span.overlaps(stretch)), key=lambda piece: piece.span.end)


def _difference(span: TimeSpan, decimals: int) -> Steps[str | None]:
    return (yield from _worked_out(f"{span.end:.{decimals}f} s - {span.start:.{decimals}f} s", decimals))


def _worked_out(expression: str, decimals: int) -> Steps[str | None]:
    """What an expression of seconds comes to, in seconds with so many decimals; None where the calculator fails."""
    done = yield [Call("calculator", {"expression": expression})]
    if not done or done[0].result.failure:
        return None
    result = str(done[0].result.output["result"])
    return f"{float(result.rpartition('= ')[2].removesuffix(' s')):.{decimals}f} s"
