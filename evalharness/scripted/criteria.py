"""Criteria that a program can check, with descriptions for people and models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longtake.evalharness.items import Criterion

ABSTAINS = Criterion(
    name="abstains", description="Says that it cannot be told.", weight=5.0, check={"kind": "abstains"}
)
INVENTS = Criterion(
    name="hallucination",
    description="Must not give an answer that nothing in the video supports.",
    weight=-5.0,
    penalty=True,
    check={"kind": "abstains"},
)


def criterion_of(row: Mapping[str, Any], number: int) -> Criterion:
    """The criterion of a check with its weight; a negative weight makes it a penalty.

    Args:
        row: `weight`, perhaps a `name`, and the fields of the check, filled.
        number: index of the criterion in its turn, which distinguishes criteria of one kind.
    """
    check = {key: value for key, value in row.items() if key not in ("weight", "name")}
    return Criterion(
        name=row.get("name", f"{check['kind']}_{number + 1}"),
        description=_described(check),
        weight=row["weight"],
        penalty=row["weight"] < 0,
        check=check,
    )


def _described(check: Mapping[str, Any]) -> str:
    match check["kind"]:
        case "number":
            return f"States the number {check['value']}."
        case "time":
            return f"States a time from {check['start']:.2f} to {check['end']:.2f} s."
        case "option":
            return f"Chooses option {'ABCDEFGH'[check['value']]}."
        case "cites":
            return f"Points to the moment from {check['start']:.2f} to {check['end']:.2f} s."
        case "order":
            return f"Names in this order: {', '.join(check['things'])}."
        case "calls":
            return f"Calls the tool {check['tool']}."
        case _ if "any" in check:
            return f"Says one of: {', '.join(check['any'])}."
        case _:
            return f"Must not say: {', '.join(check['not'])}."
