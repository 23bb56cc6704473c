"""Chooses the option of a multiple-choice question that is closest to the found lines."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longtake.agent.controllers.extractive.candidates import Candidate, Embed, distinct
from longtake.agent.verification.verdicts import says
from longtake.language.words import content_stems, coverage
from longtake.memory.records import Option

_LINES = 24  # ranked candidates that are compared with the options
_HELD = 0.5  # weight of shared words, relative to embedding similarity
_CHANCE = 0.5  # weight of a line's chance


def choose(
    options: Sequence[str], ranked: Sequence[tuple[Candidate, float]], embed: Embed
) -> tuple[Option, Candidate, bool] | None:
    """The likeliest option, its line, and whether the line says that option and no other; None without lines."""
    lines = distinct(candidate for candidate, _ in ranked)[:_LINES]
    if not lines or not options:
        return None
    chances = {id(candidate): chance for candidate, chance in ranked}
    vectors = embed([*options, *(each.text for each in lines)])
    likeness = vectors[: len(options)] @ vectors[len(options) :].T
    own = [content_stems(option) for option in options]
    shared = set(own[0]).intersection(*own[1:])
    shared_words = np.array([[coverage(set(each) - shared, line.text) for line in lines] for each in own])
    chance = np.array([chances[id(line)] for line in lines])
    scores = likeness + _HELD * shared_words + _CHANCE * chance
    number, place = divmod(int(np.argmax(scores)), scores.shape[1])
    stated = [option for option in options if says(lines[place].text, option)]
    chosen = Option(letter="ABCDEFGHIJ"[number], text=options[number])
    return chosen, lines[place], stated == [options[number]]
