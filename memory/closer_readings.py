"""Readings: what closer looks at spans of a video found, kept in the library's SQLite file beside the notes.

The index is cheap and knows all of a video a little; a question has a few seconds of it looked at again, larger,
denser or by a stronger model. What that found is kept with all that determined it, so that the same look is not taken
twice and search finds it (`preprocess.pipeline.index_sync`). It is a cache: a reading that is damaged is passed over,
and the next look at its span takes its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field, ValidationError

from longtake.memory.database import check_database, open_database, read_database
from longtake.memory.layers import LayerRecipe, canonical_json, content_key
from longtake.memory.records import Evidence, Record
from longtake.memory.timespan import TimeSpan

# Of the closer looks, by capability. Raised when a look finds something else or writes it down otherwise; what an
# earlier version kept is neither used nor found any more.
VERSIONS: Mapping[str, int] = {"scene_text": 1, "closer_speech": 1, "visual_question": 1}
MAX_TEXTS = 1000  # of one video, a look that found none counting as one; beyond, what was kept longest ago is forgotten
_TABLE = "closer_looks"
_READINGS = "readings"
# Numbers only grow, so that the last number of a video says whether anything was kept of it since.
_TABLES = """
CREATE TABLE IF NOT EXISTS closer_looks (
    number INTEGER PRIMARY KEY AUTOINCREMENT, video TEXT NOT NULL, capability TEXT NOT NULL, recipe TEXT NOT NULL,
    asked TEXT NOT NULL, first REAL NOT NULL, last REAL NOT NULL, texts INTEGER NOT NULL, reading TEXT NOT NULL,
    UNIQUE (video, recipe, asked, first, last)
);
"""
_KEEP = """
INSERT OR REPLACE INTO closer_looks (video, capability, recipe, asked, first, last, texts, reading)
VALUES (:video, :capability, :recipe, :asked, :first, :last, :texts, :reading);
"""
_FORGET_REPLACED = "DELETE FROM closer_looks WHERE video = :video AND capability = :capability AND recipe != :recipe"
_FORGET_OLDEST = """
WITH held AS (
    SELECT number, sum(texts) OVER (ORDER BY number DESC) - texts AS newer FROM closer_looks WHERE video = :video
)
DELETE FROM closer_looks WHERE number IN (SELECT number FROM held WHERE newer >= :most)
"""
_FIND = """
SELECT CAST(reading AS BLOB) FROM closer_looks WHERE video = :video AND recipe = :recipe AND asked = :asked
AND first <= :start AND last >= :end AND (last - first) * :least <= :end - :start ORDER BY last - first, first
"""


class Reading(Record):
    """One closer look.

    The recipe says who looked how: the capability, the version of the code, the engine, the settings, and the layers
    that it started from, with an empty key for one that was not there. The video's id stands for the content of its
    file.
    """

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    video: str = Field(description="Library id.")
    recipe: LayerRecipe
    asked: str = Field(default="", description="What was asked of the span, where the recipe leaves that open.")
    span: TimeSpan
    found: tuple[Evidence, ...] = Field(description="In the order in which it was found; empty where nothing was.")
    facts: Mapping[str, Any] = Field(default_factory=dict, description="What else a tool says of the look.")
    space: str = Field(default="", description="Id of the embedding of the texts; empty without one.")
    vectors: bytes = Field(default=b"", repr=False, description="A row of float32 for each of the texts, row by row.")

    @property
    def texts(self) -> tuple[str, ...]:
        """The different texts of what was found, by first sight."""
        return tuple(dict.fromkeys(item.content for item in self.found))

    def holds_beside(self, layers: Mapping[str, str]) -> bool:
        """Whether today's code would take this look, and start it from these layers (key by name)."""
        of_today = VERSIONS.get(self.recipe.name) == self.recipe.version
        return of_today and all(layers.get(name, "") == key for name, key in self.recipe.inputs.items())


class Refined:
    """The readings of one library; safe to use from several threads and processes at once."""

    def __init__(self, file: Path) -> None:
        """Open the readings in an SQLite file, which is made when the first is kept."""
        self._file = file

    def keep(self, reading: Reading) -> None:
        """Keep a reading; those of the video by the same capability in any other way (an older model) are forgotten.

        Raises:
            LibraryError: here and below, when the file is damaged or cannot be read or written.
        """
        row = {
            "video": reading.video,
            "capability": reading.recipe.name,
            "recipe": reading.recipe.key,
            "asked": reading.asked,
            "first": reading.span.start,
            "last": reading.span.end,
            "texts": max(1, len(reading.texts)),
            "reading": reading.model_dump_json(),
            "most": MAX_TEXTS,
        }
        with open_database(self._file, _TABLES, _READINGS) as connection:
            for statement in (_FORGET_REPLACED, _KEEP, _FORGET_OLDEST):
                connection.execute(statement, row)

    def find(
        self, video: str, recipe: LayerRecipe, span: TimeSpan, *, asked: str = "", least: float = 1.0
    ) -> Reading | None:
        """The shortest reading by this recipe of the span or of one around it, if there is one.

        Args:
            video: library id.
            recipe: of the look that is wanted.
            span: what is to be looked at.
            asked: of the span, where the recipe leaves that open.
            least: share of the reading's span that the wanted one has to be; 1: only just this span will do.
        """
        wanted = {"video": video, "recipe": recipe.key, "asked": asked, "start": span.start, "end": span.end}
        return next(_undamaged(self._read(_FIND, wanted | {"least": least})), None)

    def readings(self, video: str, layers: Mapping[str, str]) -> list[Reading]:
        """The readings of a video that hold beside these layers (key by name), in order of time."""
        rows = self._read(
            "SELECT CAST(reading AS BLOB) FROM closer_looks WHERE video = :video ORDER BY first, last, number",
            {"video": video},
        )
        return [reading for reading in _undamaged(rows) if reading.holds_beside(layers)]

    def key(self, video: str, layers: Mapping[str, str]) -> str:
        """A key that changes whenever `readings` gives others; empty where nothing is kept of the video."""
        [[last]] = self._read("SELECT max(number) FROM closer_looks WHERE video = :video", {"video": video}) or [[None]]
        return content_key(str(last), canonical_json(dict(layers)), canonical_json(dict(VERSIONS))) if last else ""

    def forget(self, video: str) -> None:
        """Delete all readings of a video."""
        if self._file.exists():
            with open_database(self._file, _TABLES, _READINGS) as connection:
                connection.execute("DELETE FROM closer_looks WHERE video = ?", (video,))

    def check(self) -> None:
        """See that the readings can be read. Nothing is written."""
        check_database(self._file, _TABLE, _READINGS)

    def _read(self, query: str, values: Mapping[str, Any]) -> list[Any]:
        """The rows of a query, none where nothing was ever kept. Nothing is written: a library may be read-only."""
        with read_database(self._file, _TABLE, _READINGS) as connection:
            return connection.execute(query, values).fetchall() if connection else []


def _undamaged(rows: Iterable[tuple[bytes]]) -> Iterator[Reading]:
    for (text,) in rows:
        with suppress(ValidationError):
            yield Reading.model_validate_json(text)
