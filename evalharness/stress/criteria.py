"""The criteria of open questions in stress tests, each with a check that rules decide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from longtake.evalharness.items import Criterion
from longtake.evalharness.judges.noticing import Sign


def says(*phrases: str, unless: Sequence[str] = ()) -> Criterion:
    """A criterion that a reply meets if it says one of the phrases, and none of the others."""
    described = (
        f"The reply says: {', or '.join(phrases)}." if phrases else f"The reply doesn't say: {', '.join(unless)}."
    )
    check = {"kind": "says", "any": list(phrases), "not": list(unless)}
    return Criterion(name="says", description=described, weight=1, check=check)


def tells(things: Sequence[str], unless: Sequence[str]) -> Criterion:
    """A criterion that a reply meets if it names all things in their order, and none of the others."""
    check = {"kind": "order", "things": list(things), "not": list(unless)}
    described = f"The reply names these, in this order: {'; '.join(things)}. It doesn't say: {'; '.join(unless)}."
    return Criterion(name="tells", description=described, weight=1, check=check)


def notices(signs: Iterable[Sign], *, expected: bool = True) -> Criterion:
    """A criterion that a reply meets if it says one of the signs of an altered video or, if none is expected, none."""
    listed = [sign.model_dump(mode="json") for sign in signs]
    named = ", ".join(
        " and ".join([each] if isinstance(each, str) else each) for sign in listed for each in sign["any"]
    )
    said = "says" if expected else "doesn't say"
    return Criterion(
        name="notices",
        description=f"The reply {said} that the footage itself, not what it shows, has such a fault: {named}.",
        weight=1,
        check={"kind": "notices", "signs": listed, "expected": expected},
    )


def abstains() -> Criterion:
    """A criterion that a reply meets if it says that it can't tell."""
    return Criterion(
        name="abstains",
        description="The reply says that the question can't be answered from the video.",
        weight=1,
        check={"kind": "abstains", "expected": True},
    )
