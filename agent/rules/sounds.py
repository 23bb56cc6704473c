"""Questions that the sound track answers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import Done, Move, cite, evidence_from, failures, not_found
from longtake.memory.records import Evidence
from longtake.memory.timespan import clock

# What people call a sound, and the kind the sound layer tells apart.
KINDS = {
    r"music|song|melod\w+|tune": "music",
    r"silen\w+|quiet|no sound": "silence",
    r"voices?|anyone (?:start to )?speak\w*|speak\w*|talk\w*|speech": "speech",
    r"bangs?|claps?|slams?|knocks?|shots? fired|explosion|impulse": "impulse",
    r"beeps?|tones?|pure tone|whistle": "tone",
    r"loud\w*": "loud",
}
OTHER = r"siren|horn|dog|bark|bell|engine|applause|laugh\w*|scream\w*|rain|wind|bird\w*|animal|roar|footsteps|alarm|phone"
MOST = 6


def asked_kinds(question: str) -> list[str]:
    """The kinds of sound that a question names."""
    return [kind for cue, kind in KINDS.items() if re.search(rf"\b(?:{cue})\b", question.casefold())]


def pick_sounds(orientation: Orientation, done: Sequence[Done]) -> Move:
    """Say which of the asked sounds are there and when; abstain on sounds that cannot be told apart."""
    found = evidence_from(done, "detect_audio_events")
    kinds = asked_kinds(orientation.question)
    unknown = re.search(rf"\b(?:{OTHER})\b", orientation.question.casefold())
    if unknown and not kinds:
        return not_found(f"The sound engine tells speech, music, silence, bangs and tones apart, not “{unknown[0]}”.")
    if not kinds and not _asks_in_general(orientation.question):
        return not_found("The sound engine tells speech, music, silence, bangs and tones apart, nothing finer.")
    kept = of_kinds(found, kinds) if kinds else found
    if re.search(r"\b(?:first|starts?|begins?)\b", orientation.question.casefold()):
        kept = kept[:1]
    if not kept:
        return not_found(" ".join(failures(done)) or f"No {' or '.join(kinds) or 'sound event'} was heard.")
    return " ".join(_heard(item) for item in kept[:MOST])


def of_kinds(found: Sequence[Evidence], kinds: Sequence[str]) -> list[Evidence]:
    """The sounds of these kinds, in order of time."""
    return sorted((item for item in found if item.content.split()[0] in kinds), key=lambda item: item.span.start)


def _asks_in_general(question: str) -> bool:
    return bool(re.search(r"\bwhat (?:sounds?|noises?|do you hear|can be heard|is heard)|\b(?:sounds?|noises?) (?:are|is|can)", question.casefold()))


def _heard(item: Evidence) -> str:
    span = item.span
    times = f"from {clock(span.start, decimals=1)} to {clock(span.end, decimals=1)}"
    return f"{item.content[:1].upper()}{item.content[1:]} {times} {cite(item)}."
