"""Counts the types of errors that people name in their labels of wrong replies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pydantic import Field

from longtake.evalharness.items import Item
from longtake.evalharness.judges.judge_check import Label
from longtake.memory.records import Record


class ErrorTypes(Record):
    """Of which types the wrong replies of a subject are, as in Figure 8 of Video-TT."""

    annotator: str
    subject: str
    task: str = Field(description="Of the items; empty: of all tasks together.")
    counts: Mapping[str, int] = Field(description="The most frequent first.")

    def __str__(self) -> str:
        n = sum(self.counts.values())
        shares = ", ".join(f"{error} {count} ({100 * count / n:.0f} %)" for error, count in self.counts.items())
        return f"{', '.join(filter(None, (self.subject, self.task, self.annotator)))}: of {n} wrong {shares}"


def error_types(labels: Sequence[Label], items: Mapping[str, Item]) -> list[ErrorTypes]:
    """How often each annotator found each type of error, by subject: in all tasks, and in each where there are several.

    Args:
        labels: of people.
        items: of the run, by their ids.
    """
    found: dict[tuple[str, str, str], Counter[str]] = {}
    several = len({items[label.item].task for label in labels if label.error}) > 1
    for label in labels:
        for task in (("", items[label.item].task) if several else ("",)) if label.error else ():
            found.setdefault((label.annotator, label.subject, task), Counter())[label.error] += 1
    return [
        ErrorTypes(annotator=annotator, subject=subject, task=task, counts=dict(counts.most_common()))
        for (annotator, subject, task), counts in sorted(found.items())
    ]
