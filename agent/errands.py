"""Requests that are none about a video, by their wording: to keep notes, to search the web, to run code."""

from __future__ import annotations

import re

_PLEASE = r"^\W*(?:please )?"
_CAN_YOU = r"^\W*(?:please |can you |could you )?"
_NO_QUESTION = r"(?!.*\?\s*$)"  # "Remember the Titans is mentioned when?" is one
_OF_NO_VIDEO = r"(?!.*\b(?:video|clip|film|recording|talk|lecture)\b)"  # what is asked of one stays here
_WEB = r"(?:the )?(?:web|internet)"

KEEP_NOTE = re.compile(
    rf"{_PLEASE}{_NO_QUESTION}(?:remember(?: that)?|note(?: down)?(?: that)?|(?:make|take) a note(?: that| of)?"
    r"|write down(?: that)?)[:,]?\s+(?P<text>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_KEPT = r"(?:result|number|value|answer|figure|sum|total|amount|price|one|note|output|name)"
_KEEP = r"(?:remember|keep|save|store|memori[sz]e|bear|retain|record|note|hold on to|write down|make a note of)"
_IN_MIND = (
    r"(?:in (?:your |the )?(?:mind|memory|notes?)|to (?:your )?(?:mind|memory)|for (?:later(?: on)?|me|now)|down)"
)
KEEP_ANSWER = re.compile(
    rf"^\W*(?:(?:and|now|please|can you|could you|would you) )*{_KEEP} (?:down )?"
    rf"(?:(?:this|that|the|your|its) (?:last |final )?{_KEPT}|that|this|it)(?:,? (?:{_IN_MIND}|please))*\W*$",
    re.IGNORECASE,
)
_HELD = r"(?:remember|keep|kept|sav|stor|memori[sz]|not|record|retain|bear|hold|held|writ|memory|mind)\w*"
TELL_KEPT = re.compile(
    r"^\W*(?:(?:and|so|now|please) )*(?:what|which|tell me|give me|repeat|recall|remind me)\b"
    rf"(?=.*\b(?:you|your|i|we|me)\b).*\b{_HELD}(?: {_IN_MIND}| earlier| before)*\W*$",
    re.IGNORECASE,
)
FIND_NOTES = re.compile(
    rf"{_PLEASE}(?:what (?:did|have) (?:i|we) (?:note|noted|(?:ask(?:ed)? you to )?remember|write down|written down)"
    r"|what (?:are|is|was|were) (?:my|your) notes?|(?:show|list|read)(?: me)?(?: all)? (?:my|your) notes?"
    r"|do you (?:still )?remember what (?:i|we) (?:said|told you|noted))\b(?:\s+(?:about|on|of|down))*"
    r"(?P<text>.*?)\W*$",
    re.IGNORECASE | re.DOTALL,
)
FORGET_NOTE = re.compile(
    rf"{_PLEASE}{_NO_QUESTION}(?:forget|delete|remove)\s+"
    r"(?:(?:the|my|your) notes?(?: (?:about|on|of|that|number))?|note(?: number)?"
    r"|that|what i (?:said|noted|told you)(?: about)?)\s+(?P<text>.+?)\W*$",
    re.IGNORECASE | re.DOTALL,
)
SEARCH_WEB = re.compile(
    rf"{_CAN_YOU}{_OF_NO_VIDEO}"
    rf"(?:(?:search|browse|look on|check) {_WEB} (?:for|about)|what does {_WEB} say (?:about|on|of))\s+"
    r"(?P<query>.+?)\W*$"
    rf"|{_CAN_YOU}{_OF_NO_VIDEO}(?:search|look)(?: up)?(?: for)? (?P<other>.+?) (?:up )?on(?:line| {_WEB})\W*$",
    re.IGNORECASE | re.DOTALL,
)
_PROGRAM = r"(?:code|script|snippet|program)"
RUN_CODE = re.compile(
    rf"{_CAN_YOU}(?:(?:run|execute)(?: (?:this|the following|the))?(?: \w+)?(?: {_PROGRAM})?"
    rf"|what does (?:this|the following)(?: \w+)? {_PROGRAM} (?:print|output|return|give))\s*[:?]?\s*"
    r"(?:```(?P<language>\w+)?\s*\n(?P<block>.+?)```|`(?P<code>[^`]+)`)",
    re.IGNORECASE | re.DOTALL,
)


def is_errand(request: str) -> bool:
    """Whether a request, in the person's own words, is none about a video: its times are none of a video either."""
    return any(form.match(request) for form in (KEEP_NOTE, FIND_NOTES, FORGET_NOTE, SEARCH_WEB, RUN_CODE))
