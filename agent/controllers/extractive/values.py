"""Adds, subtracts and compares values that are shown or said together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from longtake.agent.controllers.extractive.candidates import WORDED, Candidate, distinct
from longtake.agent.drafts.draft import Draft, DraftClaim
from longtake.agent.query.query import Query, Target
from longtake.language.amounts import Amount, amounts
from longtake.language.words import content_stems

_MAX_VALUES = 20
_LIKELIEST = 3  # lines of which one has a value that the others are like
_DOUBTED = 0.3  # chance of a result if the question may want other values
_EXTREMES: Mapping[Target, Callable[..., Value]] = {"highest": max, "lowest": min}


class Value(NamedTuple):
    """An amount and its line, which has no other amount."""

    amount: Amount
    line: Candidate

    @property
    def number(self) -> Decimal:
        """Without its unit."""
        return Decimal(self.amount.number)


def worked_out(query: Query, ranked: Sequence[Candidate]) -> Draft | None:
    """The sum, the difference, or the highest or lowest of the values found, with their lines.

    None if the question asks for nothing of the kind, or there are fewer than two values.
    """
    if query.target not in ("sum", "difference", *_EXTREMES) or not (values := _values(query, ranked)):
        return None
    chance = query.reading.targets[query.target]
    if query.target in _EXTREMES:
        values = [_EXTREMES[query.target](values, key=lambda value: value.number)]
        text = f"“{values[0].line.text}”"
    else:
        numbers = [value.number for value in values]
        result = sum(numbers) if query.target == "sum" else max(numbers) - min(numbers)
        text = f"{' and '.join(f'“{value.line.text}”' for value in values)}: the result is {result}"
        chance = _DOUBTED if _others_meant(query, values, ranked) else chance
    proof = tuple(dict.fromkeys(item.id for value in values for item in value.line.line))
    return Draft(claims=(DraftClaim(text=text, moments=proof),), confidence=round(chance, 4))


def _values(query: Query, ranked: Sequence[Candidate]) -> list[Value]:
    """The values to add or compare, in the order of the evidence; none if there are fewer than two.

    They share the unit and modality of the best line that has peers, two of which the question names if there are such
    lines; on-screen values are shown at the same time. Values that the question names take precedence. A difference
    without two named values uses the largest and the smallest.
    """
    lines = distinct(_alone(each) for each in ranked if each.modality in WORDED)
    stated = [each for each in lines if len(amounts(each.text)) == 1 and "?" not in each.text]
    found = [Value(next(iter(amounts(each.text))), each) for each in stated]
    likeliest = {id(each.evidence) for each in ranked[:_LIKELIEST]}
    first = [value for value in found if value.amount.unit and id(value.line.evidence) in likeliest]
    groups = [[value for value in found if _is_peer(value, best)] for best in first]
    several = [group[:_MAX_VALUES] for group in groups if len(group) > 1]
    if not several:
        return []
    named = (_named_in_question(query, group) for group in several)
    wanted = next((values for values in named if len(values) > 1), several[0])
    if query.target == "difference" and len(wanted) != 2:
        wanted = [max(wanted, key=lambda value: value.number), min(wanted, key=lambda value: value.number)]
    return wanted if wanted[0] != wanted[-1] else []


def _alone(candidate: Candidate) -> Candidate:
    """The candidate with its line, or alone if the line has several amounts."""
    several = len(amounts(candidate.text)) != 1
    return candidate.model_copy(update={"line": (candidate.evidence,)}) if several else candidate


def _is_peer(value: Value, best: Value) -> bool:
    line, other = value.line, best.line
    alike = value.amount.unit == best.amount.unit and line.modality == other.modality
    same_video = line.evidence.video == other.evidence.video
    return alike and same_video and (line.modality == "speech" or line.span.overlaps(other.span))


def _named_in_question(query: Query, peers: Sequence[Value]) -> list[Value]:
    """The values whose lines have a distinctive word of the question."""
    own: list[set[str]] = [set(content_stems(value.line.text)) for value in peers]
    distinctive = set(query.words).difference(own[0].intersection(*own[1:]))
    return [value for value, stems in zip(peers, own, strict=True) if stems & distinctive]


def _others_meant(query: Query, values: Sequence[Value], ranked: Sequence[Candidate]) -> bool:
    """Whether the question gives another amount, or a word of it that these lines lack stands in another line."""
    held = {amount.number for value in values for amount in amounts(value.line.text)}
    if {amount.number for amount in amounts(query.question)} - held:
        return True
    left = set(query.words).difference(*(content_stems(value.line.text) for value in values))
    return any(left.intersection(content_stems(line.text)) for line in ranked)
