"""Readings: the results of closer looks at spans of a video, in the library's SQLite file alongside the notes.

The index covers all of a video cheaply. A question may look again at a few seconds, at a larger size, a higher frame
rate or with a stronger model. Each result is stored with everything that determined it, so the same look isn't taken
twice and search finds it (`preprocess.pipeline.index_sync`). This is a cache: a damaged reading is skipped, and the
next look at its span replaces it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field, ValidationError

from longtake.memory.database import check_database, open_database, read_database
from longtake.memory.layers import LayerRecipe, canonical_json, content_key
from longtake.memory.postgres import Postgres
from longtake.memory.records import Moment, Record
from longtake.memory.timespan import TimeSpan

# Versions of the closer looks, by capability. Raise one when a look's results or their format change; readings of
# earlier versions are then neither used nor found.
VERSIONS: Mapping[str, int] = {"scene_text": 1, "closer_speech": 1, "visual_question": 2}
ANSWERS = frozenset({"visual_question"})  # what a model said to a question; without the question it is no fact
MAX_TEXTS = 1000  # per video, an empty look counting as one; beyond this, the oldest are deleted
_TABLE = "closer_looks"
_READINGS = "readings"
# Numbers only grow, so a video's last number shows whether anything was added since.
_TABLES = """
CREATE TABLE IF NOT EXISTS closer_looks (
    number INTEGER PRIMARY KEY AUTOINCREMENT, video TEXT NOT NULL, capability TEXT NOT NULL, recipe TEXT NOT NULL,
    asked TEXT NOT NULL, first REAL NOT NULL, last REAL NOT NULL, texts INTEGER NOT NULL, reading TEXT NOT NULL,
    UNIQUE (video, recipe, asked, first, last)
);
"""
_FORGET_SAME = """
DELETE FROM closer_looks
WHERE video = :video AND recipe = :recipe AND asked = :asked AND first = :first AND last = :last
"""
_KEEP = """
INSERT INTO closer_looks (video, capability, recipe, asked, first, last, texts, reading)
VALUES (:video, :capability, :recipe, :asked, :first, :last, :texts, :reading);
"""
_FORGET_REPLACED = "DELETE FROM closer_looks WHERE video = :video AND capability = :capability AND recipe != :recipe"
_FORGET_OLDEST = """
WITH kept AS (
    SELECT number, sum(texts) OVER (ORDER BY number DESC) - texts AS newer FROM closer_looks WHERE video = :video
)
DELETE FROM closer_looks WHERE number IN (SELECT number FROM kept WHERE newer >= :max_texts)
"""
_FIND = """
SELECT CAST(reading AS BLOB) FROM closer_looks WHERE video = :video AND recipe = :recipe AND asked = :asked
AND first <= :start AND last >= :end AND (last - first) * :min_share <= :end - :start ORDER BY last - first, first
"""


class CloserReading(Record):
    """The result of one closer look.

    The recipe describes the look: capability, code version, engine, settings, and input layers, with an empty key for
    a missing layer. The video's id stands for the content of its file.
    """

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    video: str = Field(description="Library id.")
    recipe: LayerRecipe
    asked: str = Field(default="", description="The question about the span, if the recipe leaves that open.")
    span: TimeSpan
    found: tuple[Moment, ...] = Field(description="In the order found; empty if nothing was.")
    facts: Mapping[str, Any] = Field(default_factory=dict, description="What else a tool reports about the look.")
    space: str = Field(default="", description="Id of the texts' embedding; empty without one.")
    vectors: bytes = Field(default=b"", repr=False, description="One row of float32 per text.")

    @property
    def texts(self) -> tuple[str, ...]:
        """The distinct texts found, in order of first appearance."""
        return tuple(dict.fromkeys(item.text for item in self.found))

    def is_current(self, layers: Mapping[str, str]) -> bool:
        """Whether today's code would take this look, and start it from these layers (key by name)."""
        same_version = VERSIONS.get(self.recipe.name) == self.recipe.version
        return same_version and all(layers.get(name, "") == key for name, key in self.recipe.inputs.items())


class CloserReadings:
    """The readings of one library; safe to use from several threads and processes at once."""

    def __init__(self, file: Path | Postgres) -> None:
        """Open the readings in an SQLite file, which is created when the first is kept, or in a server."""
        self._file = file

    def keep(self, reading: CloserReading) -> None:
        """Store a reading, and delete the video's readings from other recipes (an older model) of the same capability.

        Raises:
            LibraryError: if the file is damaged or can't be read or written. This holds for every method here.
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
            "max_texts": MAX_TEXTS,
        }
        with open_database(self._file, _TABLES, _READINGS) as connection:
            for statement in (_FORGET_REPLACED, _FORGET_SAME, _KEEP, _FORGET_OLDEST):
                connection.execute(statement, row)

    def find(
        self, video: str, recipe: LayerRecipe, span: TimeSpan, *, asked: str = "", min_share: float = 1.0
    ) -> CloserReading | None:
        """The shortest reading by this recipe that covers the span, or None.

        Args:
            video: library id.
            recipe: of the look.
            span: the span to look at.
            asked: the question about the span, if the recipe leaves that open.
            min_share: smallest share of the reading's span that `span` may be; 1 accepts only a reading of `span`
                itself.
        """
        values = {"video": video, "recipe": recipe.key, "asked": asked, "start": span.start, "end": span.end}
        return next(_undamaged(self._read(_FIND, values | {"min_share": min_share})), None)

    def current(self, video: str, layers: Mapping[str, str]) -> list[CloserReading]:
        """The readings of a video that are current for these layers (key by name), in time order."""
        rows = self._read(
            "SELECT CAST(reading AS BLOB) FROM closer_looks WHERE video = :video ORDER BY first, last, number",
            {"video": video},
        )
        return [reading for reading in _undamaged(rows) if reading.is_current(layers)]

    def key(self, video: str, layers: Mapping[str, str]) -> str:
        """A key that changes whenever the result of `current` does; empty if the video has none."""
        [[last]] = self._read("SELECT max(number) FROM closer_looks WHERE video = :video", {"video": video}) or [[None]]
        return content_key(str(last), canonical_json(dict(layers)), canonical_json(dict(VERSIONS))) if last else ""

    def forget(self, video: str) -> None:
        """Delete all readings of a video."""
        if self._file.exists():
            with open_database(self._file, _TABLES, _READINGS) as connection:
                connection.execute("DELETE FROM closer_looks WHERE video = ?", (video,))

    def check(self) -> None:
        """Check that the readings can be read. Nothing is written."""
        check_database(self._file, _TABLE, _READINGS)

    def _read(self, query: str, values: Mapping[str, Any]) -> list[Any]:
        """The rows of a query; none if nothing was ever kept. Writes nothing, because a library may be read-only."""
        with read_database(self._file, _TABLE, _READINGS) as connection:
            return connection.execute(query, values).fetchall() if connection else []


def _undamaged(rows: Iterable[tuple[bytes]]) -> Iterator[CloserReading]:
    for (text,) in rows:
        with suppress(ValidationError):
            yield CloserReading.model_validate_json(text)
