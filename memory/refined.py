"""Readings: what closer looks at spans of a video found, kept in the library's SQLite file beside the notes.

The index is cheap and knows all of a video a little; a question has a few seconds of it looked at again, larger,
denser or by a stronger model. What that found is kept with all that determined it, so that the same look is not taken
twice and search finds it (`preprocess.findable`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from pydantic import ConfigDict, Field, ValidationError

from longtake.memory.database import check_database, open_database, unusable
from longtake.memory.layers import LayerRecipe
from longtake.memory.records import Evidence, Record
from longtake.memory.timespan import TimeSpan

VERSION = 1  # raised when a reading is written down otherwise; what earlier versions kept is not used any more
MOST_READINGS = 500  # of one video; beyond, those that were kept longest ago are forgotten
_READINGS = "readings"
_TABLES = """
CREATE TABLE IF NOT EXISTS readings (
    video TEXT NOT NULL, recipe TEXT NOT NULL, version INTEGER NOT NULL, first REAL NOT NULL, last REAL NOT NULL,
    reading TEXT NOT NULL, kept REAL NOT NULL, PRIMARY KEY (video, recipe, version, first, last)
);
"""


class Reading(Record):
    """One closer look.

    The recipe says who looked how: the capability, the version of the code, the engine, the settings, and the layers
    that it started from. The video's id stands for the content of its file.
    """

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    video: str = Field(description="Library id.")
    recipe: LayerRecipe
    span: TimeSpan
    found: tuple[Evidence, ...] = Field(description="In the order in which it was found; empty where nothing was.")
    facts: Mapping[str, Any] = Field(default_factory=dict, description="What else a tool says of the look.")
    space: str = Field(default="", description="Id of the embedding of what was found; empty without one.")
    vectors: bytes = Field(default=b"", repr=False, description="A row of float32 for each thing found, row by row.")


class Refined:
    """The readings of one library; safe to use from several threads and processes at once."""

    def __init__(self, file: Path) -> None:
        """Open the readings in an SQLite file, which is made when the first is kept."""
        self._file = file

    def keep(self, reading: Reading) -> None:
        """Keep a reading, unless one of the same span by the same recipe is there.

        Raises:
            LibraryError: here and below, when the file is damaged or cannot be written.
        """
        span = reading.span
        row = (reading.video, reading.recipe.key, VERSION, span.start, span.end, reading.model_dump_json(), time.time())
        with self._open() as connection:
            connection.execute("INSERT OR IGNORE INTO readings VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            connection.execute(
                "DELETE FROM readings WHERE video = :video AND kept <= "
                "(SELECT kept FROM readings WHERE video = :video ORDER BY kept DESC LIMIT 1 OFFSET :most)",
                {"video": reading.video, "most": MOST_READINGS},
            )

    def find(self, video: str, recipe: LayerRecipe, span: TimeSpan, *, least: float = 1.0) -> Reading | None:
        """The shortest reading by this recipe of the span or of one around it, if there is one.

        Args:
            video: library id.
            recipe: of the look that is wanted.
            span: what is to be looked at.
            least: share of the reading's span that the wanted one has to be; 1: only just this span will do.
        """
        if not self._file.exists():
            return None
        with self._open() as connection:
            row = connection.execute(
                "SELECT reading FROM readings WHERE video = :video AND recipe = :recipe AND version = :version "
                "AND first <= :start AND last >= :end AND (last - first) * :least <= :end - :start "
                "ORDER BY last - first, first LIMIT 1",
                {
                    "video": video,
                    "recipe": recipe.key,
                    "version": VERSION,
                    "start": span.start,
                    "end": span.end,
                    "least": least,
                },
            ).fetchone()
            return Reading.model_validate_json(row[0]) if row else None

    def readings(self, video: str, layers: Mapping[str, str]) -> list[Reading]:
        """The readings of a video that started from these layers (key by name), in order of time."""
        if not self._file.exists():
            return []
        with self._open() as connection:
            rows = connection.execute(
                "SELECT reading FROM readings WHERE video = ? AND version = ? ORDER BY first, last, recipe",
                (video, VERSION),
            )
            held = [Reading.model_validate_json(text) for (text,) in rows]
        return [each for each in held if each.recipe.inputs.items() <= layers.items()]

    def forget(self, video: str) -> None:
        """Delete all readings of a video."""
        if self._file.exists():
            with self._open() as connection:
                connection.execute("DELETE FROM readings WHERE video = ?", (video,))

    def check(self) -> None:
        """See that the readings can be read. Nothing is written."""
        check_database(self._file, "readings", _READINGS)

    @contextmanager
    def _open(self) -> Iterator[Connection]:
        try:
            with open_database(self._file, _TABLES, _READINGS) as connection:
                yield connection
        except ValidationError as error:
            raise unusable(self._file, _READINGS, ValueError("one of them is damaged")) from error
