"""Which option of a multiple-choice question the found lines come closest to; one is always named."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longtake.agent.controllers.extractive.candidates import Candidate, Embed, distinct
from longtake.agent.verification.verdicts import says
from longtake.language.words import content_stems, coverage
from longtake.memory.records import Option

_LINES = 24  # of the ranked candidates, against which the options are held
_HELD = 0.5  # weight of an option's words in a line, beside its likeness to it
_CHANCE = 0.5  # weight of a line's own chance


def choose(
    options: Sequence[str], ranked: Sequence[tuple[Candidate, float]], embed: Embed
) -> tuple[Option, Candidate, bool] | None:
    """The likeliest option, the line that speaks for it, and whether it says that option alone; None without lines."""
    lines = distinct(candidate for candidate, _ in ranked)[:_LINES]
    if not lines or not options:
        return None
    chances = {id(candidate): chance for candidate, chance in ranked}
    vectors = embed([*options, *(each.text for each in lines)])
    likeness = vectors[: len(options)] @ vectors[len(options) :].T
    own = [content_stems(option) for option in options]
    shared = set(own[0]).intersection(*own[1:])
    held = np.array([[coverage(set(each) - shared, line.text) for line in lines] for each in own])
    chance = np.array([chances[id(line)] for line in lines])
    scores = likeness + _HELD * held + _CHANCE * chance
    number, place = divmod(int(np.argmax(scores)), scores.shape[1])
    said = [option for option in options if says(lines[place].text, option)]
    chosen = Option(letter="ABCDEFGHIJ"[number], text=options[number])
    return chosen, lines[place], said == [options[number]]
