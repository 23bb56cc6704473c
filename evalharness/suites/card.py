"""The card of a question set of one's own: a YAML file that says what its columns mean.

`docs/own-question-sets.md` shows one, and a table that it fits.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from longtake.config import parse_yaml
from longtake.errors import ConfigError
from longtake.evalharness.runs.journal import wrong_field
from longtake.evalharness.suites.answer_options import AnswerAs
from longtake.memory.records import Record


class CardFields(Record):
    """Which column holds what; `meta.question` is the field `question` of the objects in the column `meta`."""

    question: str = Field(description="Without `options`, choices may stand in it: (a) ... (b) ..., or A. ... B. ...")
    answer: str
    video: str = Field(description="Path or name of the file, with or without its suffix.")
    id: str | None = Field(default=None, description="Else the line of the row is its id.")
    options: str | tuple[str, ...] | None = Field(
        default=None, description="A column for each, or one that holds a list, or an option a line."
    )
    task: str | None = None
    evidence: str | tuple[str, str] | None = Field(
        default=None, description="Seconds that show the answer: a column with [start, end] pairs, or one for each."
    )
    clip: str | tuple[str, str] | None = Field(
        default=None, description="Seconds of the part that a question is about: [start, end], or a column for each."
    )
    tags: tuple[str, ...] = Field(default=(), description="Columns that scores are broken down by.")

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns that are named."""
        options = (self.options,) if isinstance(self.options, str) else self.options or ()
        named = (self.question, self.answer, self.video, self.id, self.task)
        spans = [(each,) if isinstance(each, str) else each or () for each in (self.evidence, self.clip)]
        return (*filter(None, named), *options, *spans[0], *spans[1], *self.tags)


class Card(Record):
    """What a question set is."""

    name: str = Field(pattern=r"^[\w.-]+$")
    file: Path
    videos: Path | None = None
    each: str | None = Field(default=None, description="Column with a list of questions, if a row is a video.")
    fields: CardFields
    format: Literal["choice", "open", "mixed"] = "mixed"
    answer: AnswerAs = "letter"
    rotate: bool = Field(default=False, description="Whether the right option is put at every place once.")
    replace: str | None = Field(
        default=None, min_length=1, description="Text for an option that says that none of the others is right."
    )


def read_card(path: Path, media: Path | None = None) -> Card:
    """Read a card. Its paths are relative to its folder.

    Args:
        path: of the card.
        media: folder of the videos, where that is another one.

    Raises:
        ConfigError: if it cannot be read, or a field of it is missing or wrong.
    """
    try:
        tree = parse_yaml(path.read_text(encoding="utf-8"))
        card = Card.model_validate(tree)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}; check its name.") from error
    except ValidationError as error:
        raise ConfigError(f"{path}, {wrong_field(error)}: correct this field.") from error
    except ValueError as error:
        raise ConfigError(f"{path} is not valid YAML: {error}. Correct it.") from error
    videos = media or (path.parent / card.videos if card.videos else None)
    return card.model_copy(update={"file": path.parent / card.file, "videos": videos})
