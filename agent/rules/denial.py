"""What a question denies, and what a text denies: "who did not come" is answered by no line of those who came."""

from __future__ import annotations

import re

from longtake.agent.orientation import QUOTATION
from longtake.agent.words import NEGATION, content_stems

_SENTENCE = re.compile(r"[.!;]\s+")
_LEAVES_OUT = r"except|excluding|other than|apart from|aside from|besides|(?:all|everything|everybody|everyone|any) but"
_DENIAL = re.compile(rf"{NEGATION.pattern}|\b(?:hardly|barely|scarcely|{_LEAVES_OUT})\b", re.IGNORECASE)
# "Where do people meet if the tone does not stop?" denies nothing itself; "when is it not open" does.
_CONDITION = re.compile(r"(?<=\S)\s+(?:if|when|while|because|unless|until)\b.*", re.IGNORECASE | re.DOTALL)
# "Isn't it open?" and "It is open, isn't it?" ask what "Is it open?" asks; "no sound" is the name of silence, and what
# does not move stands.
_AUXILIARY = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)n['’]t"
_ASSUMES = re.compile(
    rf"^\W*{_AUXILIARY}\b|,\s*{_AUXILIARY} (?:it|that|he|she|they|there|we|you|i)\W*$|\bno sound\b"
    r"|\b(?:do(?:es)?(?:n['’]t| not)|never) moves?\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?<=[.!?;,])\s+|\s+(?=but\b)")
_ALIKE = {"n't": "not", "cannot": "not", "none": "no"}


def denies(question: str) -> bool:
    """Whether a question asks for what is not so, or leaves something out: "which is not mentioned", "all but one"."""
    return bool(_DENIAL.search(_asked(question)))


def as_asked(question: str, text: str) -> str:
    """What a text says is not so, in each of the ways in which a question denies, "not" or "without".

    What it says is so where the question denies nothing, and all of it where only a condition of the question does.
    """
    if not denies(question):
        return text if NEGATION.search(question) else affirmed(text)
    told = " ".join(clause for clause, is_denied in _clauses(text) if is_denied or _DENIAL.search(clause))
    return told if _ways(_asked(question)) <= _ways(told) else ""


def affirmed(text: str) -> str:
    """What a text says is so: without the clauses that say what is not, and what such a clause takes back.

    "Many think she built it, but she did not" leaves nothing; "on Thursday, not on Friday" leaves "on Thursday".
    """
    return " ".join(clause for clause, is_denied in _clauses(text) if not is_denied)


def _clauses(text: str) -> list[tuple[str, bool]]:
    """The clauses of a text, each with whether it is denied: by itself, or by one that says no more than that."""
    found: list[tuple[str, bool]] = []
    for clause in _CLAUSE.split(text):
        is_denied = bool(NEGATION.search(clause))
        if is_denied and found and not content_stems(NEGATION.sub(" ", clause)):
            found[-1] = (found[-1][0], True)
        found.append((clause, is_denied))
    return found


def _asked(question: str) -> str:
    """What the last sentence of a question asks, without its quotations and conditions."""
    plain = QUOTATION.sub(" ", _SENTENCE.split(question.strip())[-1])
    return _ASSUMES.sub(" ", _CONDITION.sub(" ", plain))


def _ways(text: str) -> set[str]:
    """The words by which a text denies, those of one meaning as one."""
    found: list[str] = _DENIAL.findall(text.casefold().replace("’", "'"))
    return {_ALIKE.get(word, word) for word in found}
