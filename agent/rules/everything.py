"""Questions that want everything: top results cannot answer them, so the whole time is read and every piece is judged.

The answer node adds how many of the shots were examined.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from longtake.agent.orientation import EVER, TOTAL, Orientation
from longtake.agent.rows import rows
from longtake.agent.rules.matching import ENOUGH, answer_type, holds, key_terms, score
from longtake.agent.rules.moves import (
    Call,
    Done,
    Move,
    called,
    doubtful,
    evidence_from,
    failures,
    not_found,
    on_each,
    quote,
    trusted,
)
from longtake.agent.words import cue, figures
from longtake.memory.records import Evidence, Modality

READERS: dict[Modality, str] = {"speech": "transcribe_speech", "scene_text": "extract_scene_text"}
MOST_LISTED = 40
_AMOUNT = re.compile(r"\d[\d,]*(?:\.\d+)?")
_SHOWN = cue("shown, displayed")
_LIST = cue("list, every, each, all, shown, given, name, mentioned, appear, appears, there, seen, said")


def find_all(orientation: Orientation, done: Sequence[Done]) -> Move:
    """Quote every piece of the time asked about that the question means; "is there ever" gets a yes or no."""
    if not done:
        return _read_all(orientation)
    found = _meant(orientation, trusted(_read(done)))
    if found:
        more = f" and {len(found) - MOST_LISTED} more" if len(found) > MOST_LISTED else ""
        said = quote(found[:MOST_LISTED], orientation)
        return f"Yes: {said}" if EVER.match(orientation.question) else f"{said}{more}"
    reasons = doubtful(_meant(orientation, _read(done)), orientation) or failures(done)
    return not_found(" ".join(reasons or ["No line of what is said or written is what the question means."]))


def is_total(question: str) -> bool:
    """Whether the words of a question ask what several amounts come to."""
    return bool(TOTAL.search(question.casefold()) and answer_type(question))


def asks_total(orientation: Orientation) -> bool:
    """Whether a question asks what several amounts come to."""
    return is_total(orientation.question)


def add_up(orientation: Orientation, done: Sequence[Done]) -> Move:
    """The sum of the different amounts that are read in the time asked about, worked out by the calculator."""
    if not done:
        return _read_all(orientation)
    kind = answer_type(orientation.question)
    if kind is None or not kind.amount:
        return not_found("Amounts of money and measures can be added up, nothing else.")
    shown = _amounts(orientation, trusted(_read(done)))
    if not called(done, "calculator"):
        if not shown:
            return not_found(" ".join(failures(done) or ["No amount is said or written there."]))
        return [Call("calculator", {"expression": " + ".join(shown)})]
    result = done[-1].result
    if result.failure:
        return not_found(result.failure.message)
    added = quote(dict.fromkeys(shown.values()), orientation)
    total = f"{done[-1].call.arguments['expression']} = {result.output['result']}. " if len(shown) > 1 else ""
    return f"{total}{added}"


def _read_all(orientation: Orientation) -> list[Call]:
    senses = orientation.modalities or (("scene_text",) if _SHOWN.search(orientation.question) else ())
    named = [tool for sense, tool in READERS.items() if sense in senses]
    return [call for tool in named or READERS.values() for call in on_each(orientation, tool)]


def _read(done: Sequence[Done]) -> list[Evidence]:
    return evidence_from(done, *READERS.values())


def _meant(orientation: Orientation, found: Sequence[Evidence]) -> list[Evidence]:
    """The pieces that the question means, in order of time, each text once."""
    kind = answer_type(orientation.question)
    wanted = key_terms(_LIST.sub(" ", orientation.question))
    pieces = rows(found)
    if kind and not wanted:
        meant = [item for item in pieces if holds(kind, item.content)]
    else:
        meant = [item for item in pieces if score(orientation.question, item, pieces) >= ENOUGH]
    first: dict[str, Evidence] = {}
    for item in sorted(meant, key=lambda item: item.span.start):
        first.setdefault(item.content, item)
    return list(first.values())


def _amounts(orientation: Orientation, found: Sequence[Evidence]) -> dict[str, Evidence]:
    """The amount of each piece that shows one of the kind asked for, and the first piece that shows it."""
    kind = answer_type(orientation.question)
    amounts: dict[str, Evidence] = {}
    for item in sorted(found, key=lambda each: each.span.start):
        text = figures(item.content)
        for match in re.finditer(kind.looks if kind else "$^", text, re.IGNORECASE):
            number = _AMOUNT.search(text, match.start())
            if number:
                amounts.setdefault(number[0].replace(",", ""), item)
    return amounts
