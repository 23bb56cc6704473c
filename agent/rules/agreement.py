"""Whether what is written and what is said agree: how questions name the two, and ask it."""

from __future__ import annotations

import re

from longtake.agent.orientation import POLAR
from longtake.agent.words import cue

WRITTEN = cue(
    "slide, slides, written, write, writes, screen, shown, shows, show, sign, notice, poster, text, read, reads, "
    "printed, displayed, picture, writing"
)
SAID = cue(
    "speaker, speakers, said, says, say, spoken, speech, told, tells, announced, announces, mentioned, mentions, "
    "heard, hear, hears, aloud, voice, narrator, presenter, orally, speaking, words"
)
_SLIDE_SAYS = re.compile(
    r"\b(?P<what>slides?|sign|notice|poster|screen|text)\s+(?:says?|tells?|announces?|mentions?)\b", re.IGNORECASE
)
AGREE = cue(
    "agree, agrees, match, matches, same, coincide, coincides, identical, consistent, correspond, corresponds, tally, "
    "tallies, fit, fits, equal, confirm, confirms, confirmed, the one, as"
)
DIFFER = cue(
    "differ, differs, different, difference, contradict, contradicts, conflict, conflicts, disagree, disagrees, "
    "deviate, deviates"
)
_WHETHER = re.compile(
    rf"(?!\W*(?:can|could) you\b){POLAR}|[,:;]\s*(?:is|are|do|does)\b|^\W*(?:whether|compare)\b", re.IGNORECASE
)


def asks_agreement(question: str) -> bool:
    """Whether a question asks if what is written and what is said are the same."""
    both = of_writing(question) and of_speech(question)
    return bool(both and _WHETHER.search(question) and (AGREE.search(question) or DIFFER.search(question)))


def of_writing(question: str) -> bool:
    """Whether a question speaks of what is written."""
    return bool(WRITTEN.search(question))


def of_speech(question: str) -> bool:
    """Whether a question speaks of what is said; what a slide says is written."""
    return bool(SAID.search(_SLIDE_SAYS.sub(lambda match: match["what"], question)))
