"""Replies from a file as a subject: what another program, or a person, said to the items of a suite.

    {"id": "q1", "reply": "C"}
    {"id": "q2", "reply": ["to the first turn", "to the second"]}

The file is a table as question sets are (JSON, JSONL, CSV, TSV, Parquet).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from longtake.errors import ConfigError, EngineError
from longtake.evalharness.items import Item, Reply
from longtake.evalharness.judges.checks import abstains
from longtake.evalharness.scoring.choices import read_choice
from longtake.evalharness.subjects.subject import Asked
from longtake.evalharness.suites.benchmark_rows import BadRow, read_rows


class RecordedReplies:
    """Replies with the text recorded for an item; an item without one is an error."""

    at_once = 1

    def __init__(self, name: str, file: Path, items: Sequence[Item]) -> None:
        """Read the file.

        Args:
            name: in the run.
            file: with the columns `id` and `reply`.
            items: of the suite.

        Raises:
            ConfigError: if it can't be read, a row is wrong, or none of its ids is an item's.
        """
        self.name, self._file = name, file
        self._said = _read(file)
        if not any(item.id in self._said for item in items):
            raise ConfigError(f"{file} has no id of this suite's items, such as {items[0].id if items else 'q1'}.")

    def reply(self, asked: Asked) -> Reply:
        """The recorded reply to a turn; see `Subject`."""
        texts = self._said.get(asked.item.id, ())
        if asked.number >= len(texts):
            raise EngineError(f"{self._file} has no reply to turn {asked.number + 1} of {asked.item.id}.")
        text = texts[asked.number]
        choice = read_choice(text, asked.options)
        cannot = choice.status == "abstained" if asked.options else abstains(text).met
        return Reply(text=text, choice=asked.own(choice.option), parse=choice.status, abstained=cannot)


def _read(file: Path) -> Mapping[str, Sequence[str]]:
    def refuse(sentence: str) -> None:
        raise ConfigError(f"{sentence.removesuffix('; the row was left out.')}. Correct the file.")

    said = {}
    try:
        for row in read_rows(file, refuse):
            value = row.value("reply")
            said[row.needed("id")] = list(map(str, value)) if isinstance(value, list) else [row.needed("reply")]
    except BadRow as error:
        refuse(str(error))
    return said
