"""The folder of a set.

items.jsonl      the items, as LongShOTBench has them: `eval run items.jsonl --suite longshot` asks them
agentic.jsonl    those with gold tool calls, for `--suite agentic`; tools.json next to it defines the tools
card.json        what is in the set; card.md for people
dropped.jsonl    what was left out, at which stage and why
review.jsonl     what people decided
stages/          the replies of the models by stage, and in built.jsonl, dropped.jsonl and building.json what became of
                 them before people looked
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from longtake.errors import ConfigError, LibraryError
from longtake.evalharness.building.built_item import BuiltItem
from longtake.evalharness.building.card import BuildCard, SetCard, card_markdown, card_of, has_calls
from longtake.evalharness.building.checking import SetDecision, checked, valid
from longtake.evalharness.building.stages import Dropped
from longtake.evalharness.runs.decisions import read_decisions
from longtake.evalharness.runs.journal import read_records, set_aside, wrong_field
from longtake.evalharness.runs.run_folder import Notify, RunFolder
from longtake.evalharness.suites.agentic import TOOLS, own_tools
from longtake.memory.layers import write_atomic

ITEMS, AGENTIC, CARD, CARD_PAGE = "items.jsonl", "agentic.jsonl", "card.json", "card.md"
_DROPPED, _BUILT, _BUILDING = "dropped.jsonl", "built.jsonl", "building.json"


class SetFolder:
    """The files of one set."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.stages = path / "stages"
        self.review_file = path / "review.jsonl"
        self.locked = RunFolder(path).locked

    def keep_built(self, items: Sequence[BuiltItem], dropped: Sequence[Dropped], building: BuildCard) -> None:
        """Write what a build made.

        Raises:
            LibraryError: if it can't be written.
        """
        self._write(
            {
                self.stages / _BUILT: _lines(items),
                self.stages / _DROPPED: _lines(dropped),
                self.stages / _BUILDING: building.model_dump_json(indent=1) + "\n",
            }
        )

    def built(self, notify: Notify) -> list[BuiltItem]:
        """The items that the last build made.

        Raises:
            ConfigError: if the folder has none.
        """
        if not (self.stages / _BUILT).is_file():
            raise ConfigError(f"{self.path} has no built items. Make them with `longtake eval build longshot`.")
        return list(read_records(self.stages / _BUILT, BuiltItem, notify))

    def write(self, notify: Notify) -> SetCard:
        """Write the items, the card and what was left out, from what was built and what people decided.

        Raises:
            ConfigError: if nothing was built, or a file of the build is damaged.
            LibraryError: if a file can't be written.
        """
        set_aside(self.review_file, SetDecision, notify)
        items, decisions = self.built(notify), read_decisions(self.review_file, SetDecision, notify)
        if stale := len(decisions) - len(valid(items, decisions)):
            notify(f"{stale} of {len(decisions)} decisions are about items that are no more, or are other ones by now.")
        found = checked(items, decisions)
        dropped = [*read_records(self.stages / _DROPPED, Dropped, notify), *found.dropped]
        card = card_of(self._building(), found, dropped)
        agentic = [item.row(with_calls=True) for item in found.items if has_calls(item)]
        tools = [tool.model_dump() for tool in own_tools()]
        self._write(
            {
                self.path / ITEMS: _json_lines(item.row() for item in found.items),
                self.path / AGENTIC: _json_lines(agentic),
                self.path / TOOLS: json.dumps(tools, ensure_ascii=False, indent=1) + "\n",
                self.path / _DROPPED: _lines(dropped),
                self.path / CARD: card.model_dump_json(indent=1) + "\n",
                self.path / CARD_PAGE: card_markdown(card),
            }
        )
        return card

    def _building(self) -> BuildCard:
        file = self.stages / _BUILDING
        try:
            return BuildCard.model_validate_json(file.read_bytes())
        except OSError as error:
            raise ConfigError(f"{file} can't be read: {error.strerror}. Build the set again.") from error
        except ValidationError as error:
            raise ConfigError(f"{file} is damaged: {wrong_field(error)}. Build the set again.") from error

    def _write(self, texts: dict[Path, str]) -> None:
        try:
            self.stages.mkdir(parents=True, exist_ok=True)
            for file, text in texts.items():
                write_atomic(file, text)
        except OSError as error:
            raise LibraryError(f"{self.path} can't be written to: {error.strerror}; choose another --out.") from error


def _lines(records: Iterable[BaseModel]) -> str:
    return "".join(record.model_dump_json() + "\n" for record in records)


def _json_lines(rows: Iterable[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
