"""Values that the evidence holds, for their sum, their difference, the highest and the lowest."""

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
EXTREMES: Mapping[Target, Callable[..., Value]] = {"highest": max, "lowest": min}


class Value(NamedTuple):
    """An amount, and the line that holds it alone."""

    amount: Amount
    line: Candidate

    @property
    def number(self) -> Decimal:
        """Without its unit."""
        return Decimal(self.amount.number)


def values_for(query: Query, ranked: Sequence[Candidate]) -> list[Value]:
    """The values that are added or compared, in the order of the evidence; empty where there are not two.

    They are of one kind: of the unit of the best line that has others of its kind, and shown together with it where it
    is shown. Those that the question names come before all others; of a difference between values that it does not
    name, the largest and the smallest.
    """
    told = [_alone(each) for each in ranked if each.modality in ("scene_text", "speech")]
    held = [Value(next(iter(amounts(each.text))), each) for each in distinct(told) if len(amounts(each.text)) == 1]
    groups = ([value for value in held if _goes_with(value, best)] for best in held if best.amount.unit)
    peers = next((group[:MAX_VALUES] for group in groups if len(group) > 1), [])
    if not peers:
        return []
    wanted = _named(query, peers)
    if query.target == "difference" and len(wanted) != 2:
        wanted = [max(peers, key=lambda value: value.number), min(peers, key=lambda value: value.number)]
    return wanted if len(wanted) > 1 and wanted[0] != wanted[-1] else []


def extreme(query: Query, ranked: Sequence[Candidate]) -> Value | None:
    """The highest or the lowest of the values, as the question asks; None where there are not two to compare."""
    if query.target not in EXTREMES:
        return None
    values = values_for(query, ranked)
    return EXTREMES[query.target](values, key=lambda value: value.number) if values else None


def _alone(candidate: Candidate) -> Candidate:
    """The candidate in its line, or by itself where the line holds several amounts."""
    return candidate if len(amounts(candidate.text)) == 1 else replace(candidate, line=(candidate.evidence,))


def expression_of(query: Query, values: Sequence[Value]) -> str:
    """What the calculator is given."""
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
    """Those with a word of the question that not all of them have; all where fewer than two have one."""
    own: list[set[str]] = [set(content_stems(value.line.text)) for value in peers]
    told = set(query.words).difference(own[0].intersection(*own[1:]))
    named = [value for value, stems in zip(peers, own, strict=True) if stems & told]
    return named if len(named) > 1 else list(peers)
