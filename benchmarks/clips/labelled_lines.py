"""Reads JSONL files that people wrote; errors name the file and line."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from longtake.errors import ConfigError, MediaError

T = TypeVar("T", bound=BaseModel)


def read_lines(file: Path, remedy: str) -> list[tuple[str, str]]:
    """The non-blank lines, each as a pair of its place and its text.

    Raises:
        MediaError: if the file can't be read; the message ends with the remedy.
    """
    try:
        # Not splitlines, which also splits at characters that a JSON string may contain.
        lines = file.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise MediaError(f"{file} cannot be read: {error.strerror}; {remedy}.") from error
    except UnicodeDecodeError as error:
        raise MediaError(f"{file} cannot be read: it isn't UTF-8 text; {remedy}.") from error
    return [(f"{file}, line {number}", line) for number, line in enumerate(lines, 1) if line.strip()]


def parse_line(kind: type[T], what: str, where: str, line: str) -> T:
    """Parse the record in a line.

    Raises:
        ConfigError: if it isn't one.
    """
    try:
        return kind.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"])) or "the line"
        raise ConfigError(f"{where} isn't {what}: {key}: {first['msg']}.") from error
