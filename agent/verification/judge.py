"""Judges the statements of an answer.

What is exact is checked exactly: whether quotation marks quote, and whether arithmetic comes out. Whether the evidence
supports a statement is judged by a model that reads, all of them in one call.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import permutations
from typing import Any

from pydantic import Field

from longtake.agent.controllers.call_parsing.arguments import read_json
from longtake.agent.drafts.cited import QUOTATION
from longtake.agent.drafts.draft import Outcome
from longtake.agent.drafts.publishing import ID
from longtake.agent.drafts.statements import Statement
from longtake.agent.gathering.moments import line_of
from longtake.agent.prompts.render import render
from longtake.agent.query.query import ANSWERED
from longtake.errors import Cancelled, EngineError, MediaError
from longtake.language.text import words_of
from longtake.memory.records import Claim, Moment, Record, Verdict
from longtake.memory.timespan import CLOCKED
from longtake.tools.compute.calculator import normalise
from longtake.tools.core.frames import is_frame
from longtake.tools.core.result import ToolError


class Judged(Record):
    """A judged draft: the text to publish, its claims with their verdicts, and the status that follows from them."""

    text: str
    status: Outcome
    claims: tuple[Claim, ...] = ()
    option: str | None = Field(default=None, description="The letter of the chosen option.")
    option_supported: bool | None = None
    option_reason: str = Field(default="", description="Why the chosen option isn't supported.")
    citations: int = Field(default=0, description="Citations of the draft.")
    removed: int = Field(default=0, description="Those that point to no moment of the run.")
    cited: int = Field(default=0, description="Claims with a citation that points to a moment.")
    problem: str = Field(default="", description="Why the claims couldn't be checked.")
    sent_back: bool = Field(default=False, description="Whether the controller was asked to mend its draft.")


_SHORTEST_QUOTE = 3  # words; fewer may be a name or a word set apart
_READ_ALIKE = 0.85  # likeness of words from which a quotation differs only as recognisers and spellings do
_DIGITS = r"\d+(?:[.,]\d+)*"
_TERM = rf"\(*[€$£]?\s?{_DIGITS}[²³]?\s?(?:%|[^\W\d_]{{1,12}}\b|[€$£])?\)*"
_EQUATION = re.compile(
    rf"(?<![-−–+*/×^√\w.,:])({_TERM}(?:\s*[-+−–×x*/÷]\s*{_TERM})+)\s*(?:=|≈|equals|makes)"
    rf"\s*([€$£]?\s?{_DIGITS}\s?%?)(?![\d²³]|\s*[-+−–×*/÷]\s*\d)\s?([^\W\d_]{{1,12}}\b)?"
)
_UNIT = re.compile(r"(?<=\d)\s*([^\W\dx²³_]{1,12}|x[^\W\d_]+)\b")
# Behind a result: what makes another one of it, as in "2 remainder 3", "2 o'clock" and "3 (mod 12)".
_QUALIFIED = re.compile(r"\s*(?:\(|['’]|[^\W\d_]*\s*\d[\d.,]*+(?!\s*[-+−–×*x/÷]))")
_DOTTED = re.compile(r"(?<![\d.])(\d{1,3}(?:\.\d{3})+)(?![\d.])")  # 1.200 may be 1200
_MOST_NUMBERS = 40  # that are paired to explain a computed one


def misquoted(statement: str, sources: Sequence[str]) -> str | None:
    """The first quotation of three words or more that no source has; None if all are there.

    Case, punctuation and the gaps of an ellipsis don't count, and neither do slips such as a recogniser makes.
    """
    held = [words_of(source).split() for source in sources]
    for quote in (match[0][1:-1] for match in QUOTATION.finditer(statement)):
        parts = re.split(r"…|\.\.\.|\[[^\]]*\]|\s[·/|]\s", quote)
        long = [
            words_of(part).split() for part in parts if len(words_of(CLOCKED.sub(" ", part)).split()) >= _SHORTEST_QUOTE
        ]
        if any(not any(_in(part, text) for text in held) for part in long):
            return quote
    return None


def wrong_equation(statement: str) -> str | None:
    """The first stated calculation that doesn't come out, with its right result; None if all do.

    A bare result fits any unit, a rounded one is right, and so is a difference without its sign. Where units differ,
    they may convert, and functions, unknowns and remainders aren't worked out: a judge reads those.
    """
    for match in _EQUATION.finditer(statement):
        from longtake.tools.compute.algebra import FUNCTIONS  # SymPy takes a while to load

        working, result, unit = match.groups(default="")
        before = re.search(r"([a-z]+)\s*$", statement[: match.start()], re.IGNORECASE)
        unknowns = sum(len(unit) == 1 for unit in _UNIT.findall(working))
        if (before and before[1].lower() in FUNCTIONS) or _QUALIFIED.match(statement, match.end()):
            continue
        if 0 < unknowns < len(re.findall(_DIGITS, working)):
            continue
        units = {each.casefold().removesuffix("s") for each in _UNIT.findall(working)}
        if len(units | {unit.casefold().removesuffix("s")} - {""}) > 1 and units:
            continue
        whole = _ungrouped(working), _ungrouped(result)
        read_as = [(value, end) for text, end in ((working, result), whole) for value in _values(text)]
        if read_as and not any(
            _rounds_to(each, end) for value, end in read_as for each in (value, -value, 100 * value)
        ):
            return f"{working.strip()} is {read_as[0][0]:g}, not {result.strip()}"
    return None


def _values(working: str) -> list[float]:
    """What a calculation comes to: with its percentages as plain numbers, and as shares."""
    from longtake.tools.compute.algebra import read

    found: list[float] = []
    bare = _UNIT.sub("", working).replace("−", "-").replace("–", "-")
    shares = re.sub(rf"({_DIGITS})\s?%", r"(\1/100)", bare)
    for text in dict.fromkeys((re.sub(r"[€$£%]", "", bare), shares, re.sub(r"[€$£]", "", bare))):
        with suppress(ToolError, ArithmeticError, TypeError, ValueError):
            found.append(float(read(normalise(text))))
    return found


def _ungrouped(text: str) -> str:
    return _DOTTED.sub(lambda match: match[1].replace(".", ""), text)


def derived(statement: str, sources: Sequence[str]) -> list[str]:
    """How numbers of a statement follow from two others that it names, for those that no source states."""
    known = dict.fromkeys(re.findall(_DIGITS, CLOCKED.sub(" ", statement)))
    stated = {_value(number) for source in sources for number in re.findall(_DIGITS, source)}
    lines = []
    for result in known:
        if _value(result) in stated:
            continue
        pairs = permutations([number for number in list(known)[:_MOST_NUMBERS] if number != result], 2)
        found = next((line for one, other in pairs if (line := _explained(one, other, result))), None)
        lines += [found] if found else []
    return lines


def _explained(one: str, other: str, result: str) -> str | None:
    a, b = _value(one), _value(other)
    ways = [(f"{one} + {other}", a + b), (f"{one} - {other}", a - b), (f"{one} * {other}", a * b)]
    if b:
        ways += [(f"{one} / {other}", a / b), (f"({one} - {other}) / {other}, in percent", 100 * (a - b) / b)]
        ways += [(f"{one} of {other}, in percent", 100 * a / b)]
    return next((f"{way} = {result}" for way, value in ways if _rounds_to(value, result)), None)


def _rounds_to(value: float, written: str) -> bool:
    """Whether a value is the written one to its precision."""
    number = re.search(_DIGITS, written)
    if number is None:
        return False
    decimals = len(number[0].partition(".")[2]) if "." in number[0] else 0
    return abs(value - _value(number[0])) <= 0.5 * 10.0**-decimals + 1e-9


def _value(number: str) -> float:
    """A number as written: commas group thousands, or else one comma is a decimal point."""
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", number):
        return float(number.replace(",", ""))
    if number.count(",") == 1 and "." not in number:
        return float(number.replace(",", "."))
    return float(re.sub(r"[.,](?=.*[.,])", "", number).replace(",", "."))


def _in(part: Sequence[str], text: Sequence[str]) -> bool:
    letters = "".join(text)
    if "".join(part) in letters:  # a recogniser may join or split words
        return True
    if any(word.isdecimal() and word not in letters for word in part):
        return False
    matcher = SequenceMatcher(None, part, autojunk=False)
    width = len(part)
    for start in range(max(1, len(text) - width + 1)):
        matcher.set_seq2(text[start : start + width])
        if matcher.quick_ratio() >= _READ_ALIKE and matcher.ratio() >= _READ_ALIKE:
            return True
    return False


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
class JudgeReply:
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
        earlier: questions and answers of the conversation that this one may go on from.
        examined: for each video, its name and what of it was examined.
        unjudged: sentences of the answer that need no verdict.
    """

    question: str
    options: Sequence[str] = ()
    evidence: Mapping[str, Moment] = field(default_factory=dict)
    results: Sequence[str] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    pictures: bool = False
    earlier: Sequence[str] = ()
    examined: Sequence[str] = ()
    unjudged: Sequence[str] = ()


def judge_statements(
    statements: Sequence[Statement], grounds: Grounds, complete: Complete, *, letters: str = ""
) -> JudgeReply:
    """The judgement on all statements of an answer.

    Quotation marks and arithmetic are checked here, exactly, and overrule the model.

    Args:
        statements: those of the answer.
        grounds: what they may rest on.
        complete: asks the model for a reply under a JSON schema.
        letters: of the options, if the judge is to say which one the answer chooses.
    """
    sources = [*(item.text for item in grounds.evidence.values()), *grounds.results]
    asked = [grounds.question, *(each.partition(ANSWERED)[0] for each in grounds.earlier)]  # no answer is evidence
    quotable = [*sources, *asked, *grounds.options]
    lines = sorted(grounds.evidence.items(), key=lambda pair: (pair[1].video, pair[1].span.start))
    prompt = render(
        "judge",
        several=len(grounds.names) > 1,
        question=grounds.question,
        earlier=grounds.earlier,
        examined=grounds.examined,
        options=grounds.options,
        evidence=[line_of(identity, item, grounds.names) for identity, item in lines],
        results=grounds.results,
        pictures=grounds.pictures,
        unjudged=grounds.unjudged,
        letters=letters,
        claims=[
            {
                "text": each.text,
                "ids": dict.fromkeys(cited.id for cited in each.cited if not each.shares),
                "note": wrong_equation(each.text) or "; ".join(derived(each.text, sources)),
            }
            for each in statements
        ],
    )
    try:
        told = _parse_judgement(complete(prompt, _schema(len(statements), letters)), len(statements), letters)
    except (EngineError, MediaError, Cancelled) as error:
        told = JudgeReply(_unchecked(len(statements)), problem=str(error))
    rulings = tuple(
        _exact(each, ruling, quotable, grounds) for each, ruling in zip(statements, told.rulings, strict=True)
    )
    return JudgeReply(rulings, told.abstains, told.option, told.problem)


def _schema(count: int, letters: str) -> dict[str, Any]:
    """The JSON schema of a judgement. It has a property for each statement, because a list may end too early."""
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


def _parse_judgement(reply: str, count: int, letters: str) -> JudgeReply:
    """The judgement in a model's words; nothing is checked if it makes no sense."""
    starts = [match.start() for match in re.finditer(r"[\[{]", reply)][:MOST_STARTS]
    read = (_judgement_from_json(reply[start:], count, letters) for start in starts)
    unread = JudgeReply(_unchecked(count), problem=NO_VERDICTS)
    return next((judgement for judgement in read if judgement.problem != NO_VERDICTS), unread)


def _judgement_from_json(reply: str, count: int, letters: str) -> JudgeReply:
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
        return JudgeReply(_unchecked(count), problem=NO_VERDICTS)
    missing = Ruling("unchecked", "The judge gave no verdict.")
    every = tuple(rulings.get(n, missing) for n in range(1, count + 1))
    said = str(told.get("option") or "").strip(" ().").upper()
    option = said if said and said in letters else "" if said == "NONE" else None
    return JudgeReply(every, abstains, option, "" if len(rulings) == count or abstains else SOME_MISSING)
