"""Checks whether evidence supports a claim, in the same way for every controller."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from longtake.agent.prompts.render import render
from longtake.agent.verification.verdicts import Grounds, is_paraphrase, verdict_of
from longtake.memory.records import Evidence, Verdict

_YES = re.compile(r"\W*yes\b", re.IGNORECASE)
_BILLIONS = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)\s*([bm])(?![a-z])", re.IGNORECASE)
Complete = Callable[[str], str]


class Verifier(Protocol):
    """Judges claims."""

    def verify(self, text: str, proof: Sequence[Evidence], grounds: Grounds) -> Verdict:
        """Whether the evidence, or the other grounds, support a claim."""
        ...


class LexicalVerifier:
    """Judges by words: every word, amount and name of a claim must be in its evidence (`verdicts`)."""

    def verify(self, text: str, proof: Sequence[Evidence], grounds: Grounds) -> Verdict:
        """Return supported, contradicted or unverified."""
        return verdict_of(text, proof, grounds)


BY_WORDS = LexicalVerifier()


class EntailmentVerifier:
    """Judges by words. If they leave a claim open, it asks a language model whether the lines entail the claim.

    The model is only asked about claims that differ from their evidence in wording: it may accept a paraphrase, but
    never a number or a name that is missing from the evidence.
    """

    def __init__(self, complete: Complete) -> None:
        """Take the model: a function from a prompt to its reply."""
        self._complete = complete

    def verify(self, text: str, proof: Sequence[Evidence], grounds: Grounds) -> Verdict:
        """The verdict by words if they settle it, else the model's."""
        verdict = BY_WORDS.verify(text, proof, grounds)
        if verdict != "unverified" or not proof or not is_paraphrase(text, proof, grounds):
            return verdict
        asked = render("entails", claim=text, lines=[item.content for item in proof])
        return "supported" if _YES.match(self._complete(asked)) else "unverified"


def billions(model: str) -> float | None:
    """Billions of parameters in a model's name, such as 4.0 in `Qwen/Qwen3-4B`; None if the name has no number."""
    found = _BILLIONS.search(model)
    if found is None:
        return None
    return float(found[1]) / (1000 if found[2] in "mM" else 1)
