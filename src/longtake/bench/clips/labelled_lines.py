"""Lines of a JSONL file that a person wrote: what is wrong with one is told with the file and its number."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from longtake.errors import ConfigError, MediaError

T = TypeVar("T", bound=BaseModel)


def read_lines(file: Path, remedy: str) -> list[tuple[str, str]]:
    """The lines that are not blank, each after where it stands.

    Raises:
        MediaError: when the file cannot be read; it ends with the remedy.
    """
    try:
        # Not splitlines, which also splits at signs that JSON may hold inside a text.
        lines = file.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise MediaError(f"{file} cannot be read: {error.strerror}; {remedy}.") from error
    except UnicodeDecodeError as error:
        raise MediaError(f"{file} cannot be read: it is no text in UTF-8; {remedy}.") from error
    return [(f"{file}, line {number}", line) for number, line in enumerate(lines, 1) if line.strip()]


def parse_line(kind: type[T], what: str, where: str, line: str) -> T:
    """The record that a line holds.

    Raises:
        ConfigError: when it holds none.
    """
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"])) or "the line"
        raise ConfigError(f"{where} is not {what}: {key}: {first['msg']}.") from error
