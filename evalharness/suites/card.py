"""The card of a question set of one's own: a YAML file that says what its columns mean.

    name: workshop
    file: questions.csv          # JSON, JSONL, CSV or TSV, beside the card
    videos: clips                # a folder beside the card; may be left out, or said otherwise with --media
    fields:
      id: number                 # may be left out: then the line of the row
      question: question
      options: [a, b, c, d]      # columns; or one that holds a list, or an option a line
      answer: right
      video: clip                # path or name of the file, with or without its suffix
      task: kind                 # may be left out
      tags: [speaker, room]      # columns that scores are broken down by; may be left out
    format: choice               # choice, open, or mixed: choice where the row has options
    answer: letter               # letter, index (from 0), number (from 1) or text
    rotate: true                 # whether the right option is put at every place once

Without `options`, choices stand in the question itself, as (a) ... (b) ... or, each on its line, A. ... B. ...
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import yaml
from pydantic import Field, ValidationError

from longtake.errors import ConfigError
from longtake.evalharness.journal import wrong_field
from longtake.evalharness.suites.options import AnswerAs
from longtake.memory.records import Record


class CardFields(Record):
    """Which column holds what."""

    question: str
    answer: str
    video: str
    id: str | None = None
    options: str | tuple[str, ...] | None = None
    task: str | None = None
    tags: tuple[str, ...] = ()


class Card(Record):
    """What a question set is."""

    name: str = Field(pattern=r"^[\w.-]+$")
    file: Path
    videos: Path | None = None
    fields: CardFields
    format: Literal["choice", "open", "mixed"] = "mixed"
    answer: AnswerAs = "letter"
    rotate: bool = False


def read_card(path: Path, media: Path | None = None) -> Card:
    """Read a card; its paths are made relative to the folder that it lies in.

    Args:
        path: of the card.
        media: folder of the videos, where that is another one.

    Raises:
        ConfigError: when it cannot be read, or a field of it is missing or wrong.
    """
    try:
        tree = yaml.safe_load(path.read_text(encoding="utf-8"))
        card = Card.model_validate(tree)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}; check its name.") from error
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from error
    except ValidationError as error:
        raise ConfigError(f"{path}, {wrong_field(error)}; see the example of a card in the documentation.") from error
    videos = media or (path.parent / card.videos if card.videos else None)
    return card.model_copy(update={"file": path.parent / card.file, "videos": videos})
