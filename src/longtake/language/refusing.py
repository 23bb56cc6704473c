"""Recognises that a reply refuses to answer, by how it begins.

A refusal speaks of what the writer may do ("I can't assist with that"), an abstention of what can be known ("I can't
tell from the video"). English has few ways to say the first, and they open a reply, behind an apology at most. What
comes later in a reply may be what somebody in a video says.
"""

from __future__ import annotations

import re

_CANNOT = r"(?:can(?:not|'t| not)|(?:am|'m) (?:unable|not able) to|(?:will not|won't)(?: be able to)?)"
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
    rf"[^.!?\n]{{0,40}}?(?:\bi|\band) ?(?:{_CANNOT}|do(?: not|n't) have)\b"
    rf"|i ?{_CANNOT} {_SERVE}"
    r"|i (?:must |(?:will )?have to |need to |will )?(?:respectfully |politely )?(?:decline|refuse)\b"
    r"|i (?:will not|won't) (?:answer|identify|describe|provide)\b"
    r"|i(?: am|'m) not (?:comfortable|allowed|permitted|authori[sz]ed)\b|i do(?: not|n't) feel comfortable\b"
    r"|it (?:would be|is) inappropriate for me\b|(?:this|that|it)(?: is|'s) not something (?:that )?i can (?:help|do)\b"
    rf"|{_THIS} (?:request|question) (?:violates|is against|goes against)\b"
    # In these words an endpoint's own field for refusals becomes a text.
    r"|(?:not found:? )?the model refused:|(?:it|this|that)(?: is|'s) against (?:my|our) (?:guidelines|polic))",
    re.IGNORECASE,
)


def refuses(text: str) -> re.Match[str] | None:
    """The refusal that a text begins with; None if it begins otherwise."""
    return _REFUSAL.match(text.replace("’", "'"))
