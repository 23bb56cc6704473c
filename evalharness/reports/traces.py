"""The events of an agent's traces, as far as a page has room."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from longtake.agent.traces.trace import RecordedTrace
from longtake.errors import LibraryError
from longtake.evalharness.runs.run_folder import Notify

MAX_EVENTS = 40  # of a trace
MAX_CHARACTERS = 400  # of a part of an event
PAGE_CHARACTERS = 4_000_000
_TRACE_CHARACTERS = 3 * MAX_EVENTS * MAX_CHARACTERS  # that a trace takes at most


class Event(NamedTuple):
    """An event: its type, its seconds, and its parts by name, those that are long cut off."""

    kind: str
    seconds: float
    parts: list[tuple[str, str]]


class Excerpt(NamedTuple):
    """The first events of a trace, and how many there are in all."""

    events: list[Event]
    in_all: int


class Traces:
    """The traces of one page, up to its limit."""

    def __init__(self, root: Path, notify: Notify, most_characters: int = PAGE_CHARACTERS) -> None:
        """Begin a page.

        Args:
            root: folder of the traces of a library.
            notify: called for each trace that is damaged.
            most_characters: of all traces together.
        """
        self._root, self._notify, self._left = root, notify, most_characters

    @property
    def full(self) -> bool:
        """Whether there is no room for another trace."""
        return self._left < _TRACE_CHARACTERS

    def of(self, run: str) -> Excerpt | None:
        """The trace of a run; None if the library has none, it is damaged, or the page is full."""
        if self.full or not (self._root / f"{run}.jsonl").is_file():
            return None
        try:
            recorded = RecordedTrace(self._root, run)
            events = list(recorded.events())
            shown = [Event(one["type"], one["seconds"], list(_parts(recorded, one))) for one in events[:MAX_EVENTS]]
        except LibraryError as error:
            self._notify(str(error))
            return None
        self._left -= sum(len(text) for event in shown for _, text in event.parts)
        return Excerpt(shown, len(events))


def _parts(recorded: RecordedTrace, event: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The facts of an event and what it was given and gave, those that there are."""
    if event["data"]:
        yield "facts", _cut(event["data"])
    for name in ("input", "output"):
        if digest := event[name]:
            yield name, _cut(recorded.blob(digest))


def _cut(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= MAX_CHARACTERS else text[: MAX_CHARACTERS - 1] + "…"
