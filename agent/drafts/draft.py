"""The draft of an answer, as every controller hands it over: a call of the tool `answer`, or prose."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from longtake.agent.controllers.call_parsing.arguments import read_json
from longtake.language.text import parse_json, words_of
from longtake.memory.records import Closest, Record

ANSWER = "answer"  # the tool that ends a run
NOT_FOUND = "NOT FOUND:"
NOTHING = "I couldn't find this in the video."
LETTERS = "ABCDEFGHIJ"
Outcome = Literal["answered", "uncertain", "abstained"]
_STATUS: Mapping[str, Outcome] = {
    "answered": "answered",
    **dict.fromkeys(("abstained", "abstain", "not_found", "notfound", "unknown", "unanswerable", "none"), "abstained"),
    **dict.fromkeys(("uncertain", "unsure", "partial", "partially_answered", "maybe", "likely"), "uncertain"),
}
ABSTENTION = re.compile(r"[\s*_#>(\[]*not[ _]found\b[\s:.,;!*_)\]–—-]*", re.IGNORECASE)
# A text that begins with its letter: "b", "B.", "(B)", "**B)** text", "b) text", "B - text"; not "c. 1850" or "D.C.".
_LETTER = re.compile(r"[\s*_#>(\[]*(?:([A-J])\s*(?:[.):\]*_]+(?!\w)|$|[-–—]\s)|([a-j])[*_]*(?:\)|\W*$))")
# A letter that stands alone, which the article, the pronoun and a unit don't.
_ALONE = re.compile(r"(?<![\w'’.°])(?:[B-HJ]|[AI](?!\s+[a-z]))(?!\.?[\w'’])")


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
    cut: str = Field(default="", description="Where the text breaks off: a server or Longtake limited the reply.")
    confidence: float | None = Field(default=None, description="Chance that it is right, from 0 to 1.")


def answer_schema(options: Sequence[str]) -> dict[str, Any]:
    """The tool `answer` in the format of chat models."""
    fields: dict[str, Any] = {
        "status": {"type": "string", "enum": ["answered", "uncertain", "abstained"]},
        "text": {"type": "string", "description": "In full, with ids of moments: [m12]."},
    }
    if options:
        fields["option"] = {"type": "string", "enum": list(LETTERS[: len(options)])}
    claim = {"text": {"type": "string"}, "moments": {"type": "array", "items": {"type": "string"}}}
    fields["claims"] = {
        "type": "array",
        "description": "If the text has no ids or times: its exact sentences.",
        "items": {"type": "object", "properties": claim, "required": list(claim)},
    }
    parameters = {"type": "object", "properties": fields, "required": [*fields][: 3 if options else 2]}
    function = {"name": ANSWER, "description": "Answer the question. Ends the work.", "parameters": parameters}
    return {"type": "function", "function": function}


def draft_of_call(arguments: Mapping[str, Any], options: Sequence[str], *, beside: str = "") -> Draft | None:
    """The draft of a call of `answer`, however a model fills it in; None if it says nothing.

    A model may write its text beside the call.
    """
    given = arguments.get("claims")
    given = read_json(given) or given if isinstance(given, str) else given
    several = [given] if isinstance(given, str) else _listed(given)
    claims = tuple(claim for item in several if (claim := _claim(item)))
    text = str(arguments.get("text") or arguments.get("answer") or ("" if claims else beside)).strip()
    text = "" if says_nothing(text, options) else text
    option = letter_of(str(arguments.get("option") or ""), options)
    said = re.sub(r"[\s-]+", "_", str(arguments.get("status") or "").strip().casefold())
    if not (text or claims or option or _STATUS.get(said) == "abstained"):
        return None
    told = draft_of_prose(text, options)
    status = _STATUS.get(said) or told.status
    text = told.text if status == told.status else text
    return Draft(status=status, text=text, option=option or told.option, claims=claims)


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


def says_nothing(text: str, options: Sequence[str]) -> bool:
    """Whether a text has neither a letter nor a digit, as noise of small models, and is no option."""
    return not any(character.isalnum() for character in text) and letter_of(text, options) is None


def is_data(text: str) -> bool:
    """Whether a reply is nothing but a JSON object, and that is no answer: such as a verdict, or some other call."""
    bare = text.strip().removeprefix("```json").strip("`").strip()
    try:
        read = parse_json(bare) if bare.startswith("{") else None
    except ValueError:
        return False
    return isinstance(read, dict) and not {"text", "answer", "option"} & read.keys()


def abstains(text: str) -> bool:
    """Whether a model's text abstains."""
    return ABSTENTION.match(text) is not None


def letter_of(text: str, options: Sequence[str]) -> str | None:
    """The letter of the option that a text is, or with whose letter it begins."""
    known = LETTERS[: len(options)]
    bare = words_of(text) or text.strip()
    same = [
        letter for letter, option in zip(known, options, strict=False) if (words_of(option) or option.strip()) == bare
    ]
    said = _LETTER.match(text)
    letter = same[0] if same and bare else (said[1] or said[2]).upper() if said else ""
    return letter if letter and letter in known else None


def likely_letter(text: str, options: Sequence[str]) -> str | None:
    """A guess where no judge told it: the only letter that stands alone, or else the only option whose words it has."""
    known, words = LETTERS[: len(options)], f" {words_of(text)} "
    # "Gate B" names no option but itself.
    longest_first = "|".join(map(re.escape, sorted(options, key=len, reverse=True)))
    apart = re.sub(rf"(?<!\w)(?:{longest_first})(?!\w)", " ", text, flags=re.IGNORECASE) if options else text
    alone = {letter for letter in known if letter in _ALONE.findall(apart)}
    named = {letter: words_of(option) for letter, option in zip(known, options, strict=False)}
    named = {letter: option for letter, option in named.items() if f" {option} " in words}
    # "45 dollars and 50 cents" holds "45 dollars" too: the longest is meant.
    longest = {
        one for one, option in named.items() if not any(option in more and option != more for more in named.values())
    }
    found = alone or longest
    return found.pop() if len(found) == 1 else None


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
