"""Recognises that a reply, or an option of a question, can't tell, and that a reply refuses to answer.

A refusal speaks of what the writer may do ("I can't assist with that"), an abstention of what can be known ("I can't
tell from the video"). English has few ways to say the first, and they open a reply, behind an apology at most. What
comes later in a reply may be what somebody in a video says.
"""

from __future__ import annotations

import re

_MAY_NOT = r"(?:can(?:not|'t| not)|(?:am|'m) (?:unable|not able) to|(?:will not|won't)(?: be able to)?)"
_THIS = r"(?:this|that|such|your)\b"
_SERVE = (
    r"(?:in good conscience )?(?:(?:assist|help)(?= with| you| in th(?:is|at)\b| further|\W*$|[.,;!])|comply\b|fulfil"
    rf"|engage\b|participate\b|discuss\b|(?:do|complete|process|proceed with|continue with|respond to|support) {_THIS}"
    r"|answer (?:this|that|such|your)(?! question)|provide (?:any )?(?:assistance|help|support)\b"
    r"|identify (?:real )?(?:people|individuals|persons)\b)"
)
_OPENING = (
    r"(?:i(?:'m| am) (?:very |so |really |truly |deeply )?sorry|sorry|i (?:do )?apologi[sz]e|(?:my )?apologies"
    r"|i(?:'m| am) afraid(?: that)?|i regret that|unfortunately|no\b|i understand[^.!?\n]{0,60}"
    r"|please understand that|thank you[^.!?\n]{0,60}|but|however)"
)
_REFUSAL = re.compile(
    rf"[\s*_#>-]*(?:{_OPENING}[\s,.;:!-]*)*(?:"
    r"(?:as|i(?:'m| am)) (?:just |only )?an? (?:ai|artificial intelligence|(?:large )?language model)\b"
    rf"[^.!?\n]{{0,40}}?(?:\bi|\band) ?(?:{_MAY_NOT}|do(?: not|n't) have)\b"
    rf"|i ?{_MAY_NOT} {_SERVE}"
    r"|i (?:must |(?:will )?have to |need to |will )?(?:respectfully |politely )?(?:decline|refuse)\b"
    r"|i (?:will not|won't) (?:answer|identify|describe|provide)\b"
    r"|i(?: am|'m) not (?:comfortable|allowed|permitted|authori[sz]ed)\b|i do(?: not|n't) feel comfortable\b"
    r"|it (?:would be|is) inappropriate for me\b|(?:this|that|it)(?: is|'s) not something (?:that )?i can (?:help|do)\b"
    rf"|{_THIS} (?:request|question) (?:violates|is against|goes against)\b"
    # In these words an endpoint's own field for refusals becomes a text.
    r"|(?:not found:? )?the model refused:|(?:it|this|that)(?: is|'s) against (?:my|our) (?:guidelines|polic))",
    re.IGNORECASE,
)
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


def refuses(text: str) -> re.Match[str] | None:
    """The refusal that a text begins with; None if it begins otherwise."""
    return _REFUSAL.match(text.replace("’", "'"))
