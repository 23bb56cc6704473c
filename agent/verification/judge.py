"""Asks a model that reads whether the evidence supports the statements of an answer: all of them in one call."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from longtake.agent.controllers.call_parsing.arguments import read_json
from longtake.agent.drafts.publishing import ID
from longtake.agent.drafts.statements import Statement
from longtake.agent.gathering.moments import line_of
from longtake.agent.prompts.render import render
from longtake.agent.verification.exact import derived, misquoted, wrong_equation
from longtake.errors import Cancelled, EngineError, MediaError
from longtake.memory.records import Evidence, Verdict
from longtake.tools.core.frames import is_frame

MOST_STARTS = 50  # places where the JSON of a reply may begin
SOME_MISSING = "the judge gave no verdict on the others"
NO_VERDICTS = "the judge's reply gives no verdicts"
_RANGE = re.compile(r"\b[mc]\d+\s*(?:-|–|—|to|through)\s*[mc]\d+\b", re.IGNORECASE)  # names a part, no proof
SLIP = 0.5  # share of statements that a judge must give a verdict for its reply to count
_VERDICTS: Mapping[str, Verdict | None] = {
    **dict.fromkeys(("supported", "true", "yes", "entailed", "correct", "shown"), "supported"),
    **dict.fromkeys(("contradicted", "false", "contradiction", "refuted", "incorrect", "wrong"), "contradicted"),
    **dict.fromkeys(
        ("not_shown", "unsupported", "not_supported", "unverified", "unknown", "neutral", "no", "not_enough_evidence"),
        "not_shown",
    ),
    **dict.fromkeys(("partially_supported", "partly_supported", "partial"), "not_shown"),
    **dict.fromkeys(("no_statement", "none", "not_a_statement", "no_claim"), None),
}
Complete = Callable[[str, dict[str, Any]], str]


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the judge says of one statement. `verdict` is None if it states nothing."""

    verdict: Verdict | None
    reason: str = ""
    answers: bool = False
    named: tuple[str, ...] = ()  # ids that the reason names


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the judge says of an answer.

    Attributes:
        rulings: on its statements, in order.
        abstains: whether it says that the video doesn't tell.
        option: the letter of the option that it chooses, empty if it chooses none; None if that wasn't told.
        problem: why the judge couldn't be asked or understood.
    """

    rulings: tuple[Ruling, ...]
    abstains: bool = False
    option: str | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a judge is shown beside the statements.

    Attributes:
        question: as asked.
        options: of a multiple-choice question.
        evidence: the cited moments and what is beside them, by id.
        results: one line for each result of a tool that is no moment of a video, and for what was examined.
        names: file names of the open videos, by library id.
        pictures: whether pictures of cited moments follow the prompt.
    """

    question: str
    options: Sequence[str] = ()
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    results: Sequence[str] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    pictures: bool = False


def judge_statements(
    statements: Sequence[Statement], grounds: Grounds, complete: Complete, *, letters: str = ""
) -> Judgement:
    """The judgement on all statements of an answer.

    Quotation marks and arithmetic are checked here, exactly, and overrule the model.

    Args:
        statements: those of the answer.
        grounds: what they may rest on.
        complete: asks the model for a reply under a JSON schema.
        letters: of the options, if the judge is to say which one the answer chooses.
    """
    sources = [*(item.content for item in grounds.evidence.values()), *grounds.results]
    quotable = [*sources, grounds.question, *grounds.options]
    lines = sorted(grounds.evidence.items(), key=lambda pair: (pair[1].video, pair[1].span.start))
    prompt = render(
        "judge",
        several=len(grounds.names) > 1,
        question=grounds.question,
        options=grounds.options,
        evidence=[line_of(identity, item, grounds.names) for identity, item in lines],
        results=grounds.results,
        pictures=grounds.pictures,
        letters=letters,
        claims=[
            {
                "text": each.text,
                "ids": dict.fromkeys(cited.id for cited in each.cited),
                "note": wrong_equation(each.text) or "; ".join(derived(each.text, sources)),
            }
            for each in statements
        ],
    )
    try:
        told = _read(complete(prompt, _schema(len(statements), letters)), len(statements), letters)
    except (EngineError, MediaError, Cancelled) as error:
        told = Judgement(_unchecked(len(statements)), problem=str(error))
    rulings = tuple(
        _exact(each, ruling, quotable, grounds) for each, ruling in zip(statements, told.rulings, strict=True)
    )
    return Judgement(rulings, told.abstains, told.option, told.problem)


def _schema(count: int, letters: str) -> dict[str, Any]:
    """Of a judgement. Each statement has a property of its own: a list may end before the last statement."""
    verdict = {"type": "string", "enum": ["supported", "contradicted", "not_shown", "no_statement"]}
    ruling = _object({"reason": {"type": "string"}, "verdict": verdict, "answers": {"type": "boolean"}})
    fields: dict[str, Any] = {"claims": _object({str(n): ruling for n in range(1, count + 1)})}
    if letters:
        fields["option"] = {"type": "string", "enum": [*letters, "none"]}
    return {"title": "judgement", **_object({**fields, "abstains": {"type": "boolean"}})}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def _exact(statement: Statement, ruling: Ruling, quotable: Sequence[str], grounds: Grounds) -> Ruling:
    if wrong := wrong_equation(statement.text):
        return Ruling("contradicted", f"{wrong}.", ruling.answers)
    pictured = any(is_frame(grounds.evidence[each.id]) for each in statement.cited if each.id in grounds.evidence)
    if ruling.verdict == "supported" and not pictured and (quote := misquoted(statement.text, quotable)):
        return Ruling("not_shown", f"These words are not in the evidence: “{quote}”.", ruling.answers)
    return ruling


def _unchecked(count: int) -> tuple[Ruling, ...]:
    return tuple(Ruling("unchecked") for _ in range(count))


def _read(reply: str, count: int, letters: str) -> Judgement:
    """The judgement in a model's words; nothing is checked if it makes no sense."""
    starts = [match.start() for match in re.finditer(r"[\[{]", reply)][:MOST_STARTS]
    read = (_told(reply[start:], count, letters) for start in starts)
    unread = Judgement(_unchecked(count), problem=NO_VERDICTS)
    return next((judgement for judgement in read if judgement.problem != NO_VERDICTS), unread)


def _told(reply: str, count: int, letters: str) -> Judgement:
    read = read_json(reply)
    told = read if isinstance(read, dict) else {"claims": read}
    by_number = {key: value for key, value in told.items() if str(key).strip().isdecimal()}
    listed = told.get("claims") or told.get("statements") or told.get("verdicts") or by_number
    if isinstance(listed, dict):
        listed = [
            {"n": key, **(value if isinstance(value, dict) else {"verdict": value})} for key, value in listed.items()
        ]
    rulings = dict[int, Ruling]()
    numbers = [str(item.get("n")) for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    first = 1 - ("0" in numbers)  # some count from 0
    for place, item in enumerate(listed if isinstance(listed, list) else [], 1):
        item = item if isinstance(item, dict) else {"verdict": item}
        said = re.sub(r"[\s-]+", "_", str(item.get("verdict", "")).strip().casefold())
        number = re.search(r"\d+", str(item.get("n", place)))
        if said in _VERDICTS and number and first <= int(number[0]) < count + first:
            reason = " ".join(str(item.get("reason") or "").split())
            ids = tuple(dict.fromkeys(map(str.lower, ID.findall(_RANGE.sub(" ", reason)))))
            rulings[int(number[0]) + 1 - first] = Ruling(_VERDICTS[said], reason, item.get("answers") is True, ids)
    abstains = told.get("abstains") is True
    if len(rulings) < SLIP * count and not abstains:
        return Judgement(_unchecked(count), problem=NO_VERDICTS)
    missing = Ruling("unchecked", "The judge gave no verdict.")
    every = tuple(rulings.get(n, missing) for n in range(1, count + 1))
    said = str(told.get("option") or "").strip(" ().").upper()
    option = said if said and said in letters else "" if said == "NONE" else None
    return Judgement(every, abstains, option, "" if len(rulings) == count or abstains else SOME_MISSING)
