"""How far two audits of one benchmark agree: with other models on its shortcuts, with other voters on its categories.

The paper reports one overlap of two sets and gives no formula, so a set is held against the other both ways, beside
their Jaccard index.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import Field

from longtake.console import counted
from longtake.errors import ConfigError
from longtake.evalharness.audit.audit_state import AuditState
from longtake.evalharness.audit.cells import percent_of
from longtake.evalharness.audit.consensus import Overlap, overlap
from longtake.memory.records import Record


class AuditAgreement(Record):
    """Two audits, over the items of both."""

    items: int
    shortcuts: Overlap
    tests: Mapping[str, Overlap] = Field(description="Of the shortcuts of each test that both have.")
    remaining: Overlap
    labelled: int = Field(description="Items with a category in both.")
    same_category: int


def agreement(first: AuditState, second: AuditState) -> AuditAgreement:
    """Hold two audits against each other.

    Raises:
        ConfigError: if they have no item in common.
    """
    shared = first.replies.items.keys() & second.replies.items.keys()
    if not shared:
        raise ConfigError("The two audits have no item in common. Compare audits of one benchmark.")
    one, two = (state.scores.shortcuts for state in (first, second))
    labelled = [name for name in shared if name in first.categories and name in second.categories]
    return AuditAgreement(
        items=len(shared),
        shortcuts=overlap(shared & one.flagged.keys(), shared & two.flagged.keys()),
        tests={
            test: overlap(shared & one.flagged_by(test), shared & two.flagged_by(test))
            for test in one.tests
            if test in two.tests
        },
        remaining=overlap(shared.intersection(first.remaining), shared.intersection(second.remaining)),
        labelled=len(labelled),
        same_category=sum(first.categories[name] == second.categories[name] for name in labelled),
    )


def show_agreement(found: AuditAgreement) -> Iterator[str]:
    """The agreement as lines of text."""
    yield f"{counted(found.items, 'item')} of both"
    for name, both in {"shortcuts": found.shortcuts, **found.tests, "remaining": found.remaining}.items():
        first, second, jaccard = map(percent_of, (both.of_first, both.of_second, both.jaccard))
        yield (
            f"  {name:<16} {both.both} of both: {first} % of {both.first} of the first, {second} % of {both.second} of "
            f"the second; Jaccard index {jaccard} %"
        )
    if found.labelled:
        share = found.same_category / found.labelled
        yield f"  categories       the same for {found.same_category} of {found.labelled} ({share:.1%})"
