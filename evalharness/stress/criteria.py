"""The criteria of open questions in stress tests: what a model judge asks of a reply, in words, and what rules check.

The name of a criterion says what is asked; see `stress_cases`. The changes of `anomalies` are here, each in words, with
the prompt that targets it, and what rules take for noticing it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final, Literal, NamedTuple

from longtake.evalharness.edits.edit import EditTruth
from longtake.evalharness.items import Criterion

TEMPORAL = "Identify any temporal irregularities (e.g., reverse motion, shuffled/duplicated frames, or abrupt cuts)."
MIXED = "Do the sequence of events and scenes make logical sense? Note any inconsistency in the scene/activity mixing."
SPATIAL = (
    "Identify any visual artifacts (e.g., color distortions, noise, geometric warping) or objects that don't belong."
)
# What rules take for saying that nothing is shown.
_BLANK = ("black", "blank", "empty", "dark", "nothing", "no visual content")
USUAL: Final = "usual"  # the criterion that an answer is the one that language suggests; it is no part of the score


class Change(NamedTuple):
    """A change: the targeted prompt about it, what was done in words, and what a reply says that notices it."""

    prompt: str
    words: str  # with the facts of the edit
    signs: tuple[str, ...]


CHANGES: Mapping[str, Change] = {
    "reversal": Change(
        TEMPORAL,
        "The whole video is played backwards.",
        ("reversed", "in reverse", "reverse motion", "backwards", "rewound"),
    ),
    "frame-shuffle": Change(
        TEMPORAL,
        "The frames of one part are shown in a random order.",
        ("shuffled", "out of order", "wrong order", "jumbled", "scrambled"),
    ),
    "cut": Change(
        TEMPORAL,
        "A part was cut out, so that the video jumps.",
        ("jump cut", "abrupt cut", "abruptly", "discontinuity", "skips ahead", "missing"),
    ),
    "mixing": Change(
        MIXED,
        "Segments of an unrelated video were put in between.",
        ("other footage", "another video", "different video", "two videos", "interleaved", "spliced", "unrelated"),
    ),
    "tint": Change(
        SPATIAL,
        "A {colour} tint lies over the whole picture for a while.",
        ("tint", "tinted", "colour cast", "color cast", "discoloured"),
    ),
    "insertion": Change(
        SPATIAL,
        "A drawn {thing}, which is no part of the scene, was put into the picture for a while.",
        ("inserted", "superimposed", "overlaid", "pasted", "out of place", "doesn't belong"),
    ),
    "noise": Change(
        SPATIAL,
        "The picture has strong noise ({noise}) for a while.",
        ("noisy", "visual noise", "grainy", "film grain", "speckled"),
    ),
}


def reads(word: str) -> Criterion:
    """A criterion that a reply meets if it has a word; a program can decide it."""
    return Criterion(name="reads", description=f"The reply says: {word}.", weight=1, check=_says([word]))


def altered(change: Change, truth: EditTruth) -> Criterion:
    """A criterion that the replies about an altered video meet if one of them notices the change."""
    spans = ", ".join(f"{span.start:.0f} to {span.end:.0f} s" for span in truth.altered)
    words = f"{change.words.format(**truth.facts)} Altered: {spans}, of {truth.seconds:.0f} s."
    return Criterion(name="altered", description=words, weight=1, check=_notices(change.signs))


def untouched(changes: Iterable[Change]) -> Criterion:
    """A criterion that the replies about an untouched video meet if none of them says that it was altered."""
    signs = chain.from_iterable(change.signs for change in changes)
    words = "Nothing was done to the video."
    return Criterion(name="untouched", description=words, weight=1, check=_notices(signs, expected=False))


def blank() -> Criterion:
    """A criterion that a reply meets if it recognises that nothing is shown, and doesn't answer all the same."""
    words = "It shows nothing but black from beginning to end."
    return Criterion(name="blank", description=words, weight=1, check=_notices(_BLANK))


def gap(removed: str, rest: Sequence[str]) -> Criterion:
    """A criterion that a summary meets if it tells something of the rest and not what was removed."""
    words = f"This was cut out of the middle: {removed}."
    return Criterion(name="gap", description=words, weight=1, check=_says(rest, [removed]))


def claim(*, true: bool) -> Criterion:
    """A criterion that a reply to a claim meets if it comes to the right verdict; for replies that name no option."""
    yes, no = ["true", "yes", "right", "correct"], ["false", "no", "not true", "wrong", "incorrect"]
    words = f"The claim is {'true' if true else 'false'}."
    return Criterion(name="claim", description=words, weight=1, check=_says(*((yes, no) if true else (no, yes))))


def answers(
    name: Literal["shown", "usual"], question: Literal["first", "last", "order"], texts: Sequence[str]
) -> Criterion:
    """A criterion that a reply meets if its answer about actions is the one that follows from their order."""
    first, last, order = texts[0], texts[-1], "; ".join(texts)
    words = {"first": f"{first} comes first.", "last": f"{last} comes last.", "order": f"The order is: {order}."}
    said = first if question == "first" else last
    others = [text for text in dict.fromkeys(texts) if text != said]
    check = {"kind": "order", "things": list(texts)} if question == "order" else _says([said], others)
    return Criterion(name=name, description=words[question], weight=1, check=check)


def _says(phrases: Sequence[str], unless: Sequence[str] = ()) -> dict[str, object]:
    return {"kind": "says", "any": list(phrases), "not": list(unless)}


def _notices(signs: Iterable[str], *, expected: bool = True) -> dict[str, object]:
    return {"kind": "notices", "any": list(signs), "expected": expected}
