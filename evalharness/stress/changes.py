"""The changes of `anomalies`: each in words, the prompt that targets it, and what rules take for noticing it.

Of these signs, only what describes footage counts anywhere; a word that may also describe what is shown must be said of
the footage.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from longtake.evalharness.judges.noticing import Sign

TEMPORAL = "Identify any temporal irregularities (e.g., reverse motion, shuffled/duplicated frames, or abrupt cuts)."
MIXED = "Do the sequence of events and scenes make logical sense? Note any inconsistency in the scene/activity mixing."
SPATIAL = (
    "Identify any visual artifacts (e.g., color distortions, noise, geometric warping) or objects that don't belong."
)
# What can be played, shown or put together wrongly, and what of it has brightness and colour.
_PICTURE = ("footage", "frames", "picture", "pictures", "image", "images", "pixels")
_FOOTAGE = (
    *_PICTURE, "video", "videos", "clip", "clips", "film", "recording", "playback", "frame", "sequence", "segment",
    "segments", "scene", "scenes", "shot", "shots",
)  # fmt: skip


def _with(word: str, *others: str) -> tuple[tuple[str, str], ...]:
    """A word as a sign in a sentence that has one of the others."""
    return tuple((word, other) for other in others)


class Change(NamedTuple):
    """A change: the targeted prompt about it, what was done in words, and what a reply says that notices it."""

    prompt: str
    words: str  # with the facts of the edit
    signs: tuple[Sign, ...]


CHANGES: Mapping[str, Change] = {
    "reversal": Change(
        TEMPORAL,
        "The whole video is played backwards.",
        (
            Sign(any=("plays in reverse", "played in reverse", "playing in reverse", "reverse motion")),
            Sign(any=("plays backwards", "played backwards", "playing backwards", *_with("reversed", "sound"))),
            Sign(any=("reversed", "reverse", "in reverse", "backwards", "backward", "rewound"), of=_FOOTAGE),
        ),
    ),
    "frame-shuffle": Change(
        TEMPORAL,
        "The frames of one part are shown in a random order.",
        (
            Sign(
                any=("shuffled", "out of order", "wrong order", "jumbled", "scrambled", "not in order"),
                of=(*_FOOTAGE, "pieces", "parts", "actions", "events", "steps"),
            ),
        ),
    ),
    "cut": Change(
        TEMPORAL,
        "A part was cut out, so that the video jumps.",
        (
            Sign(any=("jump cut", "jump cuts", "abrupt cut", "abrupt cuts", "discontinuity", "discontinuities")),
            Sign(any=("jumps", "skips", "missing", "removed", "cut out"), of=_FOOTAGE),
        ),
    ),
    "mixing": Change(
        MIXED,
        "Segments of an unrelated video were put in between.",
        (
            Sign(any=("another video", "different video", "different videos", "two videos", "other footage")),
            Sign(any=("mixed", "interleaved", "spliced", "unrelated"), of=_FOOTAGE),
        ),
    ),
    "tint": Change(
        SPATIAL,
        "A {colour} tint lies over the whole picture for a while.",
        (
            Sign(any=("colour cast", "color cast", "colour distortion", "color distortion")),
            Sign(any=("color distortions", *_with("tint", *_FOOTAGE), *_with("tinted", *_PICTURE))),
            Sign(any=("tinted", "discoloured", "discolored"), of=_FOOTAGE),
        ),
    ),
    "insertion": Change(
        SPATIAL,
        "A drawn {thing}, which is no part of the scene, was put into the picture for a while.",
        (
            Sign(any=("superimposed", "doesn't belong", "don't belong", "does not belong", "object that was put in")),
            Sign(any=_with("inserted", *_PICTURE, "frame", "video") + _with("out of place", "scene", "video", "frame")),
            Sign(any=_with("pasted", *_PICTURE, "frame", "video") + _with("overlaid", *_PICTURE, "frame", "video")),
        ),
    ),
    "noise": Change(
        SPATIAL,
        "The picture has strong noise ({noise}) for a while.",
        (
            Sign(any=("visual noise", "digital noise", "film grain", *_with("noise", *_PICTURE, "levels"))),
            Sign(any=("noisy", "noise", "grainy", "grain", "speckled"), of=(*_PICTURE, "frame", "video", "clip")),
        ),
    ),
}
