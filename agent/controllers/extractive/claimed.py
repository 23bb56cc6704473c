"""Decides a claim that a question puts up as true or false, by the lines that were found."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.agent.controllers.extractive.candidates import Candidate
from longtake.agent.controllers.extractive.option_choice import option_at
from longtake.agent.controllers.extractive.settling import affirmed, stated_in
from longtake.language.abstaining import cannot_tell
from longtake.language.words import words
from longtake.memory.records import Option

_TRUTHS = (("true", "false"), ("yes", "no"), ("correct", "incorrect"), ("right", "wrong"))


def by_claim(
    question: str, options: Sequence[str], ranked: Sequence[tuple[Candidate, float]]
) -> tuple[Option, Candidate] | None:
    """The option that says whether the claim is true, and the likeliest line that decides it.

    None if the options aren't a yes and a no, nothing is claimed, or the lines decide nothing or contradict each other.
    """
    sides = _sides(options)
    claim = stated_in(question)
    if sides is None or not claim:
        return None
    decided = [(said, line) for line, _ in ranked if (said := affirmed(claim, line.text)) is not None]
    if len({said for said, _ in decided}) != 1:
        return None
    said, line = decided[0]
    return option_at(options, sides[not said]), line


def _sides(options: Sequence[str]) -> tuple[int, int] | None:
    """The numbers of the options that affirm and deny, if there are no others but one that can't tell."""
    said = {" ".join(words(text)): number for number, text in enumerate(options) if not cannot_tell(text)}
    return next(((said[yes], said[no]) for yes, no in _TRUTHS if said.keys() == {yes, no}), None)
