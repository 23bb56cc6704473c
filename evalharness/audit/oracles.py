"""The two oracles of Video-Oasis: what would be right if a model were shown where to look, or which of two to trust.

Grounding: the same model with only the spans that show the answer. Either: right if one of two models is; the paper
takes the instruction-following and the thinking mode of one model. Two guesses are right more often than one, so the
share of guessing stands beside it.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations

from pydantic import Field

from longtake.evalharness.audit.audit_replies import AuditReplies, short_name
from longtake.evalharness.audit.consensus import at_least
from longtake.evalharness.views.frame_views import Grounded, Standard
from longtake.memory.records import Record


class Grounding(Record):
    """One model on the items that say which part shows the answer; shares from 0 to 1."""

    items: int
    whole: float = Field(description="Right with the whole video.")
    spans: float = Field(description="Right with only these spans.")


class Either(Record):
    """Two models on all items; shares from 0 to 1."""

    value: float = Field(description="Right by one of them.")
    floor: float = Field(description="Expected of independent guesses.")


def grounding(replies: AuditReplies) -> dict[str, Grounding]:
    """By model, if it was asked with spans only."""
    asked = [model for model in replies.asked_in(Grounded.name) if replies.choices(Grounded.name, model)]
    known = with_spans(replies)
    return {
        model: Grounding(
            items=len(known),
            whole=len(replies.right(Standard.name, model) & known) / len(known),
            spans=len(replies.right(Grounded.name, model)) / len(known),
        )
        for model in asked
    }


def either(replies: AuditReplies) -> dict[str, Either]:
    """By the names of two models."""
    pairs = combinations(replies.asked_in(Standard.name), 2) if replies.items else ()
    return {
        pair_name(one, other): Either(
            value=len(right_by_either(replies, one, other)) / len(replies.items), floor=guessed(replies.items, replies)
        )
        for one, other in pairs
    }


def pair_name(one: str, other: str) -> str:
    """How two models are called together."""
    return f"{short_name(one)} or {short_name(other)}"


def right_by_either(replies: AuditReplies, one: str, other: str) -> set[str]:
    """The items that one of two models got right with the whole video."""
    return replies.right(Standard.name, one) | replies.right(Standard.name, other)


def guessed(items: Collection[str], replies: AuditReplies) -> float:
    """The share of some items that one of two independent guesses gets right."""
    chances = [at_least(1, 2, 1 / len(replies.items[name].turns[0].options)) for name in items]
    return sum(chances) / max(1, len(chances))


def with_spans(replies: AuditReplies) -> set[str]:
    """The items that say which part of the video shows the answer."""
    return {name for name, item in replies.items.items() if item.turns[0].evidence}
