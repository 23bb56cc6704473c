"""Questions that the sound track answers."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import Done, Move, cite, evidence_from, failures, not_found
from longtake.agent.words import cue
from longtake.memory.records import Evidence
from longtake.memory.timespan import clock

# What people call a sound, and the kind the sound layer tells apart.
KINDS = (
    (cue("music, song, songs, melod*, tune"), "music"),
    (cue("silen*, no sound"), "silence"),
    (cue("voice, voices, speak, speaks, speaking, talk*, speech"), "speech"),
    (cue("bang*, clap, claps, slam*, knock*, shots fired, explosion, impulse"), "impulse"),
    (cue("beep*, tone, tones, whistle"), "tone"),
    (cue("loud*"), "loud"),
    (cue("quiet*, faint*"), "quiet"),
    (cue("siren*, alarm*"), "siren"),
    (cue("applau*, clapping, ovation"), "applause"),
)
NAMEABLE = ("speech", "music", "tone", "siren", "applause")  # kinds that say what is heard, not only how
HOW = ("loud", "quiet")  # kinds that say how it sounds, not what
OTHER = cue("horn*, dog*, bark*, bell*, engine*, laugh*, scream*, rain, wind, bird*, animal*, roar*, footsteps, phone")
IN_GENERAL = cue("what sound, what sounds, what noise, what noises, do you hear, can be heard, is heard, sounds are")
TOLD = "speech, music, silence, bangs, tones, siren-like and applause-like sounds"
MOST = 6


def asked_kinds(question: str) -> list[str]:
    """The kinds of sound that a question names."""
    about = cue("about, mention*, of what").search(question)  # what is spoken of is not a question of sounds
    return [kind for words, kind in KINDS if words.search(question) and not (about and kind == "speech")]


def pick_sounds(orientation: Orientation, done: Sequence[Done]) -> Move:
    """Say which of the asked sounds are there and when; abstain on sounds that cannot be told apart."""
    found = evidence_from(done, "detect_audio_events")
    kinds = asked_kinds(orientation.question)
    unknown = OTHER.search(orientation.question)
    if unknown and not kinds:
        return not_found(f"The sound engine tells {TOLD} apart, not “{unknown[0]}”.")
    if not kinds and not IN_GENERAL.search(orientation.question):
        return not_found(f"The sound engine tells {TOLD} apart, nothing finer.")
    kept = of_kinds(found, kinds) if kinds else found
    if kept and not kinds and not of_kinds(kept, NAMEABLE):
        return not_found(f"What makes the sound cannot be told: {'; '.join(item.content for item in kept[:MOST])}.")
    if cue("first, start, starts, begin, begins").search(orientation.question):
        kept = kept[:1]
    if not kept:
        return not_found(" ".join(failures(done)) or _unheard(kinds))
    return " ".join(_heard(item, orientation) for item in kept[:MOST])


def _unheard(kinds: Sequence[str]) -> str:
    how = [kind for kind in kinds if kind in HOW]
    what = " or ".join(kind for kind in kinds if kind not in HOW)
    if how and not what:
        return f"Nothing {' or '.join(how)} was heard."
    return f"No {what or 'sound event'} was heard."


def of_kinds(found: Sequence[Evidence], kinds: Sequence[str]) -> list[Evidence]:
    """The sounds of these kinds, in order of time."""
    return sorted((item for item in found if _kind(item) in kinds), key=lambda item: item.span.start)


def _kind(item: Evidence) -> str:
    return item.content.split()[0].removesuffix("-like")


def _heard(item: Evidence, orientation: Orientation) -> str:
    span = item.span
    times = f"from {clock(span.start, decimals=1)} to {clock(span.end, decimals=1)}"
    return f"{item.content[:1].upper()}{item.content[1:]} {times} {cite(item, orientation)}."
