"""Causes that a slide labels: "Cause: broken cable" below what went wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import quote
from longtake.agent.rules.outline import Slide, read_outline, words_of
from longtake.agent.rules.steps import Steps
from longtake.agent.rules.time.places import veiled
from longtake.agent.words import NEGATION, content_stems, coverage, cue
from longtake.memory.records import Evidence

ABOUT = 2 / 3  # share of a question's words that stand on the slide of which it asks
FEW_WORDS = 2  # of which all must stand there
_CAUSE = r"(?:causes?|reasons?)"
_ASKS = re.compile(
    rf"\b(?:why|how come|caused?|{_CAUSE}|responsible for|to blame|explains?|(?:led|lead|leads) to|"
    r"brought (?:\w+ )?about|triggered|provoked|(?:due|owing) to what|because of what)\b"
    r"|\bwhat (?:\w+ ){0,2}(?:behind|made)\b|^\W*where\b[^?]*\bcome from\b",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(
    r"^\W*(?:how (?!come\b)|when\b|does\b|is\b|was\b)|\b(?:who|whom|whose|(?:what|which) (?:[\w-]+ )?"
    r"(?:person|people|man|men|woman|women|team|company|one))\b"
    r"|\b(?:remed\w+|solution|solved?|fix\w*|repair\w*|done about|prevent\w*|cure)\b",
    re.IGNORECASE,
)
_WORDS = cue(
    "cause, causes, caused, reason, reasons, happen, happened, happens, happening, lead, led, brought, bring, about, "
    "blame, behind, root, lay, lies, triggered, trigger, provoked, made, main, real, according, slide, slides, come, "
    "given, gives, problem, due, owing, because, responsible, explain, explains, following, screen, written, event, "
    "occur, occurred, occurs"
)
_LABEL = re.compile(rf"^\W*(?:\w+ )?{_CAUSE}\s*:\s*\S|^\W*(?:because of|due to)\b", re.IGNORECASE)


def asks_cause(orientation: Orientation) -> bool:
    """Whether a question asks why something is so, and not what is said of that."""
    hidden = veiled(orientation.question)
    told_else = {"speech", "audio"} & set(orientation.modalities)
    return bool(_ASKS.search(hidden)) and not _OTHERWISE.search(hidden) and not told_else


def find_cause(orientation: Orientation) -> Steps[str]:
    """The labelled cause on the one slide that the question is about; empty where no slide is sure to be meant."""
    slides = [slide for slide in (yield from read_outline(orientation)) if _causes(slide)]
    wanted = content_stems(_WORDS.sub(" ", orientation.question))
    denied = [each.casefold() for each in NEGATION.findall(orientation.question)]
    meant = [slide for slide in slides if _holds(wanted, words_of(slide)) and _denies(denied, slide)]
    found = _below(wanted, meant[0]) if len(meant) == 1 else []
    return quote(found, orientation)


def _holds(wanted: Sequence[str], text: str) -> bool:
    """Whether a text holds most of the wanted stems; of a few, all; never where nothing is wanted."""
    return bool(wanted) and coverage(wanted, text) >= (1.0 if len(wanted) <= FEW_WORDS else ABOUT)


def _denies(denied: Sequence[str], slide: Slide) -> bool:
    """Whether a slide denies something in each of the ways of a question, "no light" or "did not start"."""
    return set(denied) <= {each.casefold() for each in NEGATION.findall(words_of(slide))}


def _causes(slide: Slide) -> list[Evidence]:
    return [line for line in slide.lines if _LABEL.match(line.content)]


def _below(wanted: Sequence[str], slide: Slide) -> list[Evidence]:
    """The only cause on a slide, else the first below the line that holds the question's words."""
    causes = _causes(slide)
    if len(causes) == 1:
        return causes
    heads = [number for number, line in enumerate(slide.lines) if _holds(wanted, line.content)]
    return [line for line in slide.lines[heads[0] :] if line in causes][:1] if len(heads) == 1 else []
