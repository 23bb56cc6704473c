"""Questions that the sound track answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import Done, Move, cite, evidence_from, failures, not_found, on_each
from longtake.agent.words import content_stems, cue, stems
from longtake.memory.records import Evidence
from longtake.memory.timespan import clock

# An alarm that is heard; one may also be tested, explained or sold.
_ALARM = (
    r"\balarms?\b[^?]*\b(?:heard|hear|audible|sounds?|sounding|go(?:es)? off|ring(?:s|ing)?)\b(?! of)"
    r"|^\W*(?:when|how long|how often|how many times)\b[^?]*\b(?:hear|sound of) (?:an|the|any) alarm\b"
)
# What people call a sound, and the kind the sound layer tells apart.
KINDS = (
    (cue("music, song, songs, melod*, tune"), "music"),
    (cue("silen*, no sound"), "silence"),
    (cue("voice, voices, speak, speaks, speaking, talk*, speech"), "speech"),
    (cue("bang*, clap, claps, slam*, knock*, shots fired, gunshot*, explosion*, impulse*"), "impulse"),
    (cue("beep*, bleep*, tone, tones, whistle*"), "tone"),
    (cue("loud*"), "loud"),
    (cue("quiet*, faint*"), "quiet"),
    (re.compile(rf"\bsirens?\b|{_ALARM}", re.IGNORECASE), "siren"),
    (cue("applau*, clapping, ovation"), "applause"),
)
NAMEABLE = ("speech", "music", "tone", "siren", "applause")  # kinds that say what is heard, not only how
HOW = ("loud", "quiet")  # kinds that say how it sounds, not what
OTHER = cue("horn*, dog*, bark*, bell*, engine*, laugh*, scream*, rain, wind, bird*, animal*, roar*, footsteps, phone")
IN_GENERAL = cue("what sound, what sounds, what noise, what noises, do you hear, can be heard, is heard, sounds are")
_ABOUT_SOUND = stems(
    "hear heard sound sounds noise noises audible occur occurs happen happens order background foreground begin begins "
    "beginning start starts end ends ending first last main different other kind come comes listen recording audio "
    "track soundtrack quiet loud loudest"
)
_HOW_STRONG = cue("how loud, how quiet, how high, how low, how faint, what volume, what pitch, how many decibels")
_MEANS = cue("mean, means, meant, stand for, stands for, announce*, warns, called, named, title, composed, composer")
TOLD = "speech, music, silence, bangs, tones, siren-like and applause-like sounds"
TOOL = "detect_audio_events"
MOST = 6
MOST_COUNTED = 20
LEAST_APART = 0.4  # seconds between the beginnings of sounds that are surely several
_SPEAKS = re.compile(
    r"^\W*(?:is|are|does|do) (?:some|any)(?:one|body) (?:speak|talk|sing)(?:s|ing)?\b[^?]*\??$", re.IGNORECASE
)
_HOW_MANY = re.compile(
    r"^\W*(?:(?:and|in total|in all|altogether),? |please |tell me |say )*(?:how (?:many|often)\b|count (?!on\b)"
    r"|(?:what is |what was |give |give me )?the (?:total )?(?:number|count) of\b|(?:what )?number of\b)",
    re.IGNORECASE,
)


def asked_kinds(question: str) -> list[str]:
    """The kinds of sound that a question names."""
    about = cue("about, mention*, of what").search(question)  # what is spoken of is not a question of sounds
    return [kind for words, kind in KINDS if words.search(question) and not (about and kind == "speech")]


def kinds_named(question: str) -> list[str]:
    """The kinds of sound that a question names, without how they sound where it says more: of "loud bangs" bangs."""
    kinds = asked_kinds(question)
    return [kind for kind in kinds if kind not in HOW] or kinds


def sounds_named(question: str) -> list[str]:
    """The words by which a question names sounds that are told apart, other than voices: `music`, `sirens`."""
    found = (words.search(question) for words, kind in KINDS if kind not in (*HOW, "speech", "silence"))
    return [match[0].split()[0] for match in found if match]


def without_kinds(question: str) -> str:
    """A question without the words that name kinds of sound."""
    for named, _ in KINDS:
        question = named.sub(" ", question)
    return question


def explains_sound(question: str) -> bool:
    """Whether a question of a sound asks more than when it is heard, such as what it means: words answer it."""
    general = IN_GENERAL.search(question) and not asked_kinds(question) and not OTHER.search(question)
    more = (term for term in content_stems(question) if term[0].isalpha())
    return bool(_MEANS.search(question) or (general and not _ABOUT_SOUND.issuperset(more)))


def counts_sounds(orientation: Orientation) -> bool:
    """Whether a question counts sounds of a kind that is told apart, or asks whether there are voices at all."""
    if _SPEAKS.match(orientation.question):
        return True
    asked = bool(_HOW_MANY.match(orientation.question) and asked_kinds(orientation.question))
    return asked and not {"speech", "scene_text"} & set(orientation.modalities) and not orientation.quoted


def count_sounds(orientation: Orientation, done: Sequence[Done]) -> Move:
    """How many stretches of the sound there are, each with its time; what rattles or is applause is not counted."""
    if not done:
        return on_each(orientation, TOOL)
    found = of_kinds(evidence_from(done, TOOL), kinds_named(orientation.question))
    if not found or OTHER.search(orientation.question) or _SPEAKS.match(orientation.question):
        return pick_sounds(orientation, done)
    names = {item.content.split()[0] for item in found}
    apart = [after.span.start - before.span.start for before, after in pairwise(found)]
    if len(found) > MOST_COUNTED or len(names) > 1 or min(apart, default=LEAST_APART) < LEAST_APART:
        return not_found(f"There are {len(found)} or so, too many or too close together to be counted for sure.")
    marks = "".join(cite(item, orientation, decimals=1) for item in found)
    return f"“{names.pop()}” occurs {'once' if len(found) == 1 else f'{len(found)} times'} {marks}"


def pick_sounds(orientation: Orientation, done: Sequence[Done]) -> Move:
    """Say which of the asked sounds are there and when; abstain on sounds that cannot be told apart."""
    found = evidence_from(done, TOOL)
    kinds = asked_kinds(orientation.question)
    unknown = OTHER.search(orientation.question)
    if unknown and not kinds:
        return not_found(f"The sound engine tells {TOLD} apart, not “{unknown[0]}”.")
    if _HOW_STRONG.search(orientation.question):
        return not_found("How loud or how high a sound is, the sound engine does not tell.")
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
    return f"No {what or 'sound event'} was told apart in the sound, which does not prove that there is none."


def of_kinds(found: Sequence[Evidence], kinds: Sequence[str]) -> list[Evidence]:
    """The sounds of these kinds, in order of time."""
    return sorted((item for item in found if _kind(item) in kinds), key=lambda item: item.span.start)


def _kind(item: Evidence) -> str:
    return item.content.split()[0].removesuffix("-like")


def _heard(item: Evidence, orientation: Orientation) -> str:
    span = item.span
    times = f"from {clock(span.start, decimals=1)} to {clock(span.end, decimals=1)}"
    # Bangs may follow each other faster than whole seconds tell them apart.
    return f"{item.content[:1].upper()}{item.content[1:]} {times} {cite(item, orientation, decimals=1)}."
