"""The changes of `anomalies`: each in words, the prompt that targets it, and what rules take for noticing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

TEMPORAL = "Identify any temporal irregularities (e.g., reverse motion, shuffled/duplicated frames, or abrupt cuts)."
MIXED = "Do the sequence of events and scenes make logical sense? Note any inconsistency in the scene/activity mixing."
SPATIAL = (
    "Identify any visual artifacts (e.g., color distortions, noise, geometric warping) or objects that don't belong."
)


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
