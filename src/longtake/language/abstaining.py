"""Recognises that a reply, or an option of a question, can't tell."""

from __future__ import annotations

import re

_VERBS = (
    r"(?:answer|tell|told|determin|said|say|know|identif|find|found|verif|see|seen|hear|make out|infer|confirm|decide"
    r"|judge|work out)"
)
_GIVEN = (
    r"(?:shown|said|stated|mentioned|given|provided|specified|visible|audible|clear|known|found|answered|revealed"
    r"|able|possible|depicted|described)"
)
_CANNOT = re.compile(
    rf"\b(?:can(?:not|'t| not)|could(?: not|n't)|unable to|impossible to|not possible to|not able to) (?:be )?{_VERBS}"
    r"|\b(?:do(?:es)?|did)(?: not|n't) (?:know|say|show|mention|state|tell|reveal|specify|indicate|contain|provide|give"
    r"|include)"
    rf"|\b(?:is|are|was|were|am|'m)(?:n't| not| never) {_GIVEN}"
    r"|\b(?:not enough|not sufficient|insufficient|no) (?:information|evidence|data|indication)\b(?! of)|\bunknown\b"
    r"|\bnot found\b|\bno idea\b|\bno way (?:to|of) (?:know|tell|say)|\bunable to\b|\bunclear\b"
    r"|\bnothing (?:is |was )?(?:said|written|shown)\b",
    re.IGNORECASE,
)
_NONE = re.compile(r"\bnone of (?:the|these|those)\b", re.IGNORECASE)


def cannot_tell(text: str) -> re.Match[str] | None:
    """Where a text says that something can't be told; None if it says no such thing."""
    return _CANNOT.search(text)


def declines(text: str) -> re.Match[str] | None:
    """Where a text can't tell or says that none of the options is right."""
    return cannot_tell(text) or _NONE.search(text)
