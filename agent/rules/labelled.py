"""Amounts that a slide labels: "Visitors: 3314", or a row of the label and the number."""

from __future__ import annotations

import re

from longtake.agent.orientation import Orientation
from longtake.agent.rows import CELLS
from longtake.agent.rules.matching import MOST_LABEL
from longtake.agent.rules.moves import LISTENER, READER, evidence_from, on_each, quote, trusted
from longtake.agent.rules.outline import Slide, outline, words_of
from longtake.agent.rules.steps import Steps
from longtake.agent.words import content_stems, cue, stems
from longtake.memory.records import Evidence

_ASKS = re.compile(
    r"\bhow many (?!times\b|more\b|fewer\b|less\b|of\b)|\b(?:number|count|figure|total) (?:of|for|given)\b|\bcount\W*$"
    r"|\b(?:what|which) (?:number|figure|count)\b",
    re.IGNORECASE,
)
_PART = cue(
    "half, third, thirds, quarter, quarters, fraction, percent, percentage, per, each, every, average, twice, double, "
    "more than, less than, fewer than, at least, at most"
)
_LABELLED = re.compile(rf"^\W*(?P<label>[^\W\d][^:\d]*?)\s*(?::|{CELLS})\s*(?P<amount>\d[\d.,’' ]*)\W*$")
# What a question may say of an amount beside what it is the amount of.
_ASIDE = stems(
    "number numbers count counted figure figures total amount high large big great come came coming report reports "
    "reported give gives given list lists listed record recorded slide show shows shown written say says state states "
    "stated altogether titled entitled called headed there video mention mentions mentioned tell told according screen "
    "name names indicate indicates"
)


def asks_labelled(orientation: Orientation) -> bool:
    """Whether a question asks for a number that a slide may label, not for what is heard or said."""
    told_else = {"speech", "audio"} & set(orientation.modalities)
    told = orientation.kind in ("fact", "read", "look") and not told_else and orientation.span is None
    return told and bool(_ASKS.search(orientation.question)) and not _PART.search(orientation.question)


def find_labelled(orientation: Orientation) -> Steps[str]:
    """The one line whose label the question names, on a slide that holds its other words; empty where none is sure."""
    # What is said is read as well: it may tell another number.
    done = yield on_each(orientation, READER) + on_each(orientation, LISTENER)
    slides = outline(trusted(evidence_from(done, READER)))
    asked = set(content_stems(orientation.question))
    found = [line for slide in slides for line in slide.lines if _is_meant(line, slide, asked)]
    return quote(found, orientation) if len(found) == 1 else ""


def _is_meant(line: Evidence, slide: Slide, asked: set[str]) -> bool:
    match = _LABELLED.match(line.content)
    label = set(content_stems(match["label"])) if match else set()
    return 0 < len(label) <= MOST_LABEL and label <= asked and asked - label <= _ASIDE | stems(words_of(slide))
