"""What people decide about items, one after another or on a page: records in a file, of which an item's last counts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from longtake.errors import ConfigError
from longtake.evalharness.runs.journal import Journal, read_records
from longtake.evalharness.runs.run_folder import Notify
from longtake.memory.records import Record


class ItemDecision(Record):
    """What a person decided about an item."""

    item: str


D = TypeVar("D", bound=ItemDecision)


def read_decisions(file: Path, kind: type[D], notify: Notify) -> dict[str, D]:
    """The decisions by item."""
    return {decision.item: decision for decision in read_records(file, kind, notify)}


def write_decision(file: Path, decision: ItemDecision) -> None:
    """Append a decision.

    Raises:
        LibraryError: if the file can't be written to.
    """
    with Journal(file) as journal:
        journal.append(decision)


def take_over(file: Path, kind: type[D], fault: Callable[[D], str], notify: Notify, write: Callable[[D], None]) -> int:
    """Write down the decisions that a page saved in a file, without those that have a fault; how many these are.

    Raises:
        ConfigError: if none can be followed.
        LibraryError: if the file can't be read.
    """
    found = []
    for decision in read_records(file, kind, notify, by_hand=True):
        if wrong := fault(decision):
            notify(f"{file}, {decision.item}: {wrong}; the decision was left out.")
        else:
            found.append(decision)
    if not found:
        raise ConfigError(f"{file} has no decision that can be followed. Save it from the page of this folder.")
    for decision in found:
        write(decision)
    return len(found)
