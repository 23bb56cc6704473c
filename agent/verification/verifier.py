"""Whether evidence supports a claim. The meaning is the same for every controller."""

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
        """Whether the proof, or what else the claim may rest on, holds it."""
        ...


class LexicalVerifier:
    """By words: every word, amount and name of a claim stands in its proof (`verdicts`)."""

    def verify(self, text: str, proof: Sequence[Evidence], grounds: Grounds) -> Verdict:
        """Supported, contradicted or unverified."""
        return verdict_of(text, proof, grounds)


BY_WORDS = LexicalVerifier()


class EntailmentVerifier:
    """By words, and what they leave open by asking a language model whether the lines entail the claim.

    The model is asked only about claims that differ from their proof in nothing but words: it may let a paraphrase
    pass, never a number or a name that the proof does not hold.
    """

    def __init__(self, complete: Complete) -> None:
        """Take the model as a function from a prompt to its reply."""
        self._complete = complete

    def verify(self, text: str, proof: Sequence[Evidence], grounds: Grounds) -> Verdict:
        """As by words, where they settle it; else as the model says."""
        verdict = BY_WORDS.verify(text, proof, grounds)
        if verdict != "unverified" or not proof or not is_paraphrase(text, proof, grounds):
            return verdict
        asked = render("entails", claim=text, lines=[item.content for item in proof])
        return "supported" if _YES.match(self._complete(asked)) else "unverified"


def billions(model: str) -> float | None:
    """Billions of parameters that a model's name tells, such as 4.0 of `Qwen/Qwen3-4B`; None where it tells none."""
    found = _BILLIONS.search(model)
    if found is None:
        return None
    return float(found[1]) / (1000 if found[2] in "mM" else 1)
