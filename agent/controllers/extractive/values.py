"""Values that the evidence holds, for their sum or their difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import NamedTuple

from longtake.agent.controllers.extractive.candidates import Candidate, distinct
from longtake.agent.language.amounts import Amount, amounts
from longtake.agent.language.words import content_stems
from longtake.agent.query.query import Query

MAX_VALUES = 20


class Value(NamedTuple):
    """An amount, and the line that holds it alone."""

    amount: Amount
    line: Candidate

    @property
    def number(self) -> Decimal:
        """Without its unit."""
        return Decimal(self.amount.number)


def values_for(query: Query, ranked: Sequence[Candidate]) -> list[Value]:
    """The values that a sum or a difference takes, in the order of the evidence; empty where there are not two.

    They are of one kind: of the best line's unit, and shown together with it where it is shown. Those that the question
    names come before all others; of a difference between values that it does not name, the largest and the smallest.
    """
    told = [_alone(each) for each in ranked if each.modality in ("scene_text", "speech")]
    held = [Value(next(iter(amounts(each.text))), each) for each in distinct(told) if len(amounts(each.text)) == 1]
    best = next((value for value in held if value.amount.unit), None)
    if best is None:
        return []
    peers = [value for value in held if _goes_with(value, best)][:MAX_VALUES]
    wanted = _named(query, peers)
    if query.target == "difference" and len(wanted) != 2:
        wanted = [max(peers, key=lambda value: value.number), min(peers, key=lambda value: value.number)]
    return wanted if len(wanted) > 1 and wanted[0] != wanted[-1] else []


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
