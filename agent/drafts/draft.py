"""The draft of an answer, as every controller hands it over: a call of the tool `answer`, or prose."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from longtake.agent.controllers.call_parsing.arguments import read_json
from longtake.memory.records import Closest, Record

ANSWER = "answer"  # the tool that ends a run
NOT_FOUND = "NOT FOUND:"
LETTERS = "ABCDEFGHIJ"
Outcome = Literal["answered", "uncertain", "abstained"]
_STATUS: Mapping[str, Outcome] = {
    "answered": "answered",
    **dict.fromkeys(("abstained", "abstain", "not_found", "notfound", "unknown", "unanswerable", "none"), "abstained"),
    **dict.fromkeys(("uncertain", "unsure", "partial", "partially_answered", "maybe", "likely"), "uncertain"),
}
ABSTENTION = re.compile(r"[\s*_#>(\[]*not[ _]found\b[\s:.,;!*_)\]–—-]*", re.IGNORECASE)
# "B.", "(B)", "**B)** text", "Answer: B", "The correct option is B because".
_LETTER = re.compile(
    r"[\s*_#>]*(?:(?:the\s+)?(?:(?:correct|right|best|final)\s+)?(?:answer|option|choice)\s*(?:is|:)?\s*(?:option\s*)?)?"
    r"[\s*_:]*\(?\[?([A-J])(?:[\s*_]*(?:[.):\]]+|,(?!\s*[A-J]\b))[*_]*(?=\s|$)|\s*$|\s*[*_]+\s*|\s+(?=[-–—\[]|because\b|since\b|as\b))",
    re.IGNORECASE,
)
# The conclusion of a reasoning: "So it's (B).", "→ A", "I'd go with b)".
_LETTER_LAST = re.compile(r"(?:\(([A-Ja-j])\)|\b([a-j])\)|\b([A-J])\b)[\s*_.!)]*(?:\[[^\[\]]*\][\s.]*)*$")
# Not "the answer is A man", but "the answer is B because".
_LETTER_SAID = re.compile(
    r"\b(?i:answer|option|choice|guess)\b(?:\s+is)?[\s*_:(]*([A-J])\b(?![a-z'’])(?!\s+(?!because|since|as|and|is|–|-)[a-z])"
)


class DraftClaim(Record):
    """A statement, and the ids of the moments that it rests on."""

    text: str
    moments: tuple[str, ...] = ()


class Draft(Record):
    """An answer before it is judged."""

    status: Outcome = "answered"
    text: str = Field(default="", description="As the controller wrote it, with ids or times of moments in brackets.")
    option: str | None = Field(default=None, description="The letter of the chosen option.")
    claims: tuple[DraftClaim, ...] = ()
    closest: tuple[Closest, ...] = Field(default=(), description="Lines nearest to the question, best first.")
    confidence: float | None = Field(default=None, description="Chance that it is right, from 0 to 1.")


def answer_schema(options: Sequence[str]) -> dict[str, Any]:
    """The tool `answer` in the format of chat models."""
    text = "The whole answer, with the ids of the moments behind each statement, like [m12]."
    fields: dict[str, Any] = {
        "status": {"type": "string", "enum": ["answered", "uncertain", "abstained"]},
        "text": {"type": "string", "description": text},
    }
    if options:
        fields["option"] = {"type": "string", "enum": list(LETTERS[: len(options)])}
    claim = {"text": {"type": "string"}, "moments": {"type": "array", "items": {"type": "string"}}}
    fields["claims"] = {
        "type": "array",
        "description": "Its statements and their ids; leave it out if the text has the ids.",
        "items": {"type": "object", "properties": claim, "required": list(claim)},
    }
    parameters = {"type": "object", "properties": fields, "required": [*fields][: 3 if options else 2]}
    function = {"name": ANSWER, "description": "Answer the question. Ends the work.", "parameters": parameters}
    return {"type": "function", "function": function}


def draft_of_call(arguments: Mapping[str, Any], options: Sequence[str]) -> Draft | None:
    """The draft of a call of `answer`, however a model fills it in; None if it says nothing."""
    given = arguments.get("claims")
    given = read_json(given) or given if isinstance(given, str) else given
    claims = tuple(claim for item in _listed(given) if (claim := _claim(item)))
    text = str(arguments.get("text") or arguments.get("answer") or "").strip()
    option = letter_of(str(arguments.get("option") or ""), options)
    said = re.sub(r"[\s-]+", "_", str(arguments.get("status") or "").strip().casefold())
    if not (text or claims or option or _STATUS.get(said) == "abstained"):
        return None
    told = draft_of_prose(text, options)
    status = _STATUS.get(said) or told.status
    chosen = {letter for claim in claims if (letter := letter_of(claim.text, options))}
    option = option or told.option or (chosen.pop() if len(chosen) == 1 else None)
    return Draft(status=status, text=told.text if status == told.status else text, option=option, claims=claims)


def draft_of_prose(text: str, options: Sequence[str]) -> Draft:
    """The draft that a model wrote as text. `NOT FOUND: why` abstains."""
    text = text.strip()
    read = read_json(text) if text.startswith(("{", "```")) else None  # an answer as data, without the call
    if isinstance(read, dict) and {"text", "answer"} & read.keys() and (draft := draft_of_call(read, options)):
        return draft
    if match := ABSTENTION.match(text):
        reason = text[match.end() :].strip()
        return Draft(status="abstained", text=reason, option=letter_of(reason, options))
    return Draft(text=text, option=letter_of(text, options))


def abstains(text: str) -> bool:
    """Whether a model's text abstains."""
    return ABSTENTION.match(text) is not None


def letter_of(text: str, options: Sequence[str]) -> str | None:
    """The letter of the option that a text names: by its letter, or else by the words of one option alone."""
    if not options or not text.strip():
        return None
    known = LETTERS[: len(options)]
    words = f" {_plain(text)} "
    for number, option in enumerate(options):
        if words.strip() == _plain(option):
            return known[number]
    # The letter in "Gate B" names no option but itself.
    lettered = [option for option in options if re.search(r"\b[A-J]\b", option)]
    rest = text
    for option in sorted(lettered, key=len, reverse=True):
        rest = re.sub(re.escape(option), " ", rest, flags=re.IGNORECASE)
    said = _LETTER.match(rest) or _LETTER_LAST.search(rest) or next(iter(_LETTER_SAID.finditer(rest)), None)
    letter = said[said.lastindex or 0].upper() if said else ""
    if letter and letter in known:
        return letter
    # "45 dollars and 50 cents" holds "45 dollars" too: the longest is meant.
    named = [option for option in options if f" {_plain(option)} " in words]
    named = [one for one in named if not any(one != other and _plain(one) in _plain(other) for other in named)]
    if len(named) == 1:
        return known[list(options).index(named[0])]
    # In any language: the only letter that stands alone, but for words.
    apart = set(re.findall(r"(?<![A-Za-z0-9'’.])([B-HJ])(?![A-Za-z0-9'’])", rest))
    alone = [letter for letter in known if letter in apart]
    return alone[0] if len(alone) == 1 and not named else None


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _claim(item: Any) -> DraftClaim | None:
    if isinstance(item, str):
        return DraftClaim(text=item.strip()) if item.strip() else None
    if not isinstance(item, Mapping) or not str(item.get("text") or "").strip():
        return None
    ids = [str(each).strip("[] ") for each in _listed(item.get("moments"))]
    return DraftClaim(text=str(item["text"]).strip(), moments=tuple(filter(None, ids)))


def _listed(value: Any) -> list[Any]:
    if isinstance(value, str):
        return [part for part in re.split(r"[,;\s]+(?=\[?m\d)", value.strip()) if part]
    return list(value) if isinstance(value, list | tuple) else [value] if value else []
