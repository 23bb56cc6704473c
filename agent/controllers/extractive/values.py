"""Finds values in the evidence, for their sum, difference, maximum and minimum."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

from longtake.agent.controllers.extractive.candidates import Candidate, distinct
from longtake.agent.query.query import Query, Target
from longtake.language.amounts import Amount, amounts
from longtake.language.words import content_stems

MAX_VALUES = 20
_LIKELIEST = 3  # candidates of which one has a value that the others are like
EXTREMES: Mapping[Target, Callable[..., Value]] = {"highest": max, "lowest": min}


class Value(NamedTuple):
    """An amount and its line, which has no other amount."""

    amount: Amount
    line: Candidate

    @property
    def number(self) -> Decimal:
        """Without its unit."""
        return Decimal(self.amount.number)


def values_for(query: Query, ranked: Sequence[Candidate]) -> list[Value]:
    """The values to add or compare, in the order of the evidence; empty if there are fewer than two.

    They share the unit and modality of the best line that has peers, two of which the question names if there are such
    lines; on-screen values are shown at the same time. Values that the question names take precedence. A difference
    without two named values uses the largest and the smallest.
    """
    lines = [_alone(each) for each in ranked if each.modality in ("scene_text", "speech")]
    found = [Value(next(iter(amounts(each.text))), each) for each in distinct(lines) if len(amounts(each.text)) == 1]
    likeliest = {id(each.evidence) for each in ranked[:_LIKELIEST]}
    first = [value for value in found if value.amount.unit and id(value.line.evidence) in likeliest]
    groups = [[value for value in found if _goes_with(value, best)] for best in first]
    several = [group[:MAX_VALUES] for group in groups if len(group) > 1]
    if not several:
        return []
    named = (_named(query, group) for group in several)
    wanted = next((values for values in named if len(values) > 1), several[0])
    if query.target == "difference" and len(wanted) != 2:
        wanted = [max(wanted, key=lambda value: value.number), min(wanted, key=lambda value: value.number)]
    return wanted if len(wanted) > 1 and wanted[0] != wanted[-1] else []


def extreme(query: Query, ranked: Sequence[Candidate]) -> Value | None:
    """The highest or lowest value, as the question asks; None if there are fewer than two."""
    if query.target not in EXTREMES:
        return None
    values = values_for(query, ranked)
    return EXTREMES[query.target](values, key=lambda value: value.number) if values else None


def _alone(candidate: Candidate) -> Candidate:
    """The candidate with its line, or alone if the line has several amounts."""
    return candidate if len(amounts(candidate.text)) == 1 else replace(candidate, line=(candidate.evidence,))


def expression_of(query: Query, values: Sequence[Value]) -> str:
    """The expression for the calculator."""
    if query.target == "difference":
        larger, smaller = sorted((value.number for value in values), reverse=True)
        return f"{larger} - {smaller}"
    return " + ".join(str(value.number) for value in values)


def _goes_with(value: Value, best: Value) -> bool:
    line, other = value.line, best.line
    alike = value.amount.unit == best.amount.unit and line.modality == other.modality
    same_video = line.evidence.video == other.evidence.video
    return alike and same_video and (line.modality == "speech" or line.span.overlaps(other.span))


def _named(query: Query, peers: Sequence[Value]) -> list[Value]:
    """The values whose lines have a distinctive word of the question."""
    own: list[set[str]] = [set(content_stems(value.line.text)) for value in peers]
    distinctive = set(query.words).difference(own[0].intersection(*own[1:]))
    return [value for value, stems in zip(peers, own, strict=True) if stems & distinctive]
