"""Multiple choice: the option whose words stand in the evidence, beside the words of the question."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.claims import NOT_FOUND
from longtake.agent.orientation import Orientation
from longtake.agent.rules.denial import affirmed, denies
from longtake.agent.rules.matching import ENOUGH, key_terms, must_hold
from longtake.agent.rules.moves import Call, Done, Move, called, evidence_from, not_found, quote, trusted, within
from longtake.agent.words import NEGATION, content_stems, coverage, holds_phrase, numbers, stems
from longtake.memory.records import Evidence

RESULTS = 10
_LITTLE = stems("the a an it is are was were of")
LETTERS = "ABCDEFGHIJ"
MARGIN = 0.15  # by which the best option must lead


def choose_option(orientation: Orientation, done: Sequence[Done]) -> Move:
    """Search for the question and for each option; choose where the evidence is clear, else abstain."""
    if denies(orientation.question):
        return not_found("Which option is not so, no search proves.")
    if not called(done, "cross_modal_search"):
        queries = [orientation.question, *(f"{orientation.question} {option}" for option in orientation.options)]
        return [_search(query) for query in queries]
    found = within(trusted(evidence_from(done, "cross_modal_search")), orientation)
    found += orientation.facts if orientation.kind == "metadata" else ()
    scored = (
        (_support(orientation.question, option, item), place, item)
        for place, option in enumerate(orientation.options)
        for item in found
        if not _is_named(option, orientation)
    )
    ranked = sorted(scored, key=lambda row: -row[0])
    if not ranked or ranked[0][0] < ENOUGH:
        return not_found("No option is backed by what is said or written.")
    best, place, proof = ranked[0]
    rivals = [score for score, other, _ in ranked if other != place]
    if rivals and best - rivals[0] < MARGIN:
        return not_found("What is said or written does not tell the options apart.")
    return f"{LETTERS[place]}. {orientation.options[place]}: {quote([proof], orientation)}"


def _is_named(option: str, orientation: Orientation) -> bool:
    """Whether a question quotes an option itself: "What is the next step after “Load the lamp”?"."""
    return any(option.casefold().strip() == each.casefold().strip() for each in orientation.quoted)


def option_of(answer: str, options: Sequence[str]) -> str | None:
    """An answer to the open question with the one option whose words it says; None where it says no one or several.

    What it says itself counts before what it quotes.
    """
    if answer.startswith(NOT_FOUND):
        return None
    lead = re.sub(r"“[^”]*”|\[[^\]]*\]", " ", answer)
    meant = _said_by(lead, options) or _said_by(answer, options)
    if len(meant) != 1:
        return None
    return f"{LETTERS[options.index(meant[0])]}. {meant[0]}: {answer}"


def _said_by(text: str, options: Sequence[str]) -> list[str]:
    """The options whose words a text says; of "the bag" and "the red bag" the one that says more.

    Of several of the same words, "from left to right" and "from right to left", those that it says word for word.
    """
    said = stems(text)
    held = [option for option in options if (own := stems(option) - _LITTLE) and own <= said]
    meant = [option for option in held if not any(stems(option) < stems(other) for other in held)]
    return meant if len(meant) < 2 else [option for option in meant if holds_phrase(option, text)]


def _search(query: str) -> Call:
    return Call("cross_modal_search", {"query": query, "modalities": ["speech", "scene_text", "audio"], "k": RESULTS})


def _support(question: str, option: str, item: Evidence) -> float:
    """How well one piece of evidence backs an option, 0 to 1: all its numbers, its words, and the question's."""
    text = item.content if NEGATION.search(f"{question} {option}") else affirmed(item.content)
    if not numbers(option) <= numbers(text) or not must_hold(question) <= stems(text):
        return 0.0
    terms = content_stems(option) or sorted(stems(option))
    return coverage(terms, text) * (0.4 + 0.6 * coverage(key_terms(question), text))
