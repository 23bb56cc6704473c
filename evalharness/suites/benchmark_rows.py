"""Reads benchmark tables: JSON, JSONL, CSV, TSV or Parquet. Each row knows its place in the file. CSV is written, too.

The rows of a JSON file are a list, or the only list of objects in an object, such as `{"data": [...]}`.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import Any

from longtake.errors import ConfigError, LongtakeError
from longtake.evalharness.runs.run_folder import Notify
from longtake.language.text import parse_json

SUFFIXES = (".json", ".jsonl", ".csv", ".tsv", ".parquet")
_BETWEEN = re.compile(r"[\s,\[\]]*")
_LIST_IN_OBJECT = re.compile(r"\s*\{(?=\s*\")")
_NEXT_OBJECT = re.compile(r"^[ \t]*(?=\{)", re.MULTILINE)


class BadRow(LongtakeError):
    """A row that can't become an item; the message names its file, line and field."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row. Lines count from 1, and so do the rows that start on one line: a JSON file may have only one line."""

    file: Path
    line: int
    fields: Mapping[str, Any]
    on_line: int = 1
    part: int | None = None  # its number in the list of a row, from 1

    @property
    def number(self) -> str:
        """A number that no other row has: its line, from the second row of a line on `line.row`, nested `line/part`."""
        number = str(self.line) if self.on_line == 1 else f"{self.line}.{self.on_line}"
        return number if self.part is None else f"{number}/{self.part}"

    def value(self, name: str) -> Any:
        """A field, None if it is missing; `meta.question` is the field `question` of the field `meta`."""
        if name in self.fields:
            return self.fields[name]
        value: Any = self.fields
        for part in name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else None
        return value

    def each(self, name: str) -> Iterator[Row]:
        """A row for each object in the list of a field, with the row's other fields.

        Raises:
            BadRow: if the field has no such list.
        """
        listed = self.value(name)
        if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
            raise self.bad(name, "it isn't a list of objects")
        shared = {key: value for key, value in self.fields.items() if key != name}
        for number, fields in enumerate(listed, 1):
            yield Row(self.file, self.line, shared | fields, self.on_line, number)

    def text(self, name: str) -> str:
        """A field as text, stripped; empty if it is missing or null."""
        value = self.value(name)
        return "" if value is None else str(value).strip()

    def needed(self, name: str) -> str:
        """A required field, as text.

        Raises:
            BadRow: if it is missing, null or blank.
        """
        text = self.text(name)
        if not text:
            raise self.bad(name, "the field is empty")
        return text

    def place(self, field: str) -> str:
        """The place of a field, for a message."""
        return f"{self.file}, line {self.number}, {field}"

    def bad(self, field: str, fault: str) -> BadRow:
        """The error that skips the row."""
        return BadRow(f"{self.place(field)}: {fault}; the row was left out.")


def read_rows(file: Path, notify: Notify) -> Iterator[Row]:
    """The rows of a file, in order.

    The suffix tells the format; rows that can't be read are reported, by file and line.

    Raises:
        ConfigError: if the file has another format or can't be read.
    """
    if file.suffix.lower() not in SUFFIXES:
        raise ConfigError(f"{file} isn't a table that Longtake reads; use one of {', '.join(SUFFIXES)}.")
    if file.suffix.lower() == ".parquet":
        return _columns(file)
    if not file.suffix.lower().startswith(".json"):
        return _table(file, _lines(file), notify)
    with _readable(file):
        text = file.read_text(encoding="utf-8-sig")
    if file.suffix.lower() == ".json" and (listed := _list_in_object(text)) is not None:
        first = 1 + text.count("\n", 0, text.index("["))
        return (Row(file, first, fields, number) for number, fields in enumerate(listed, 1))
    return _objects(file, text, notify)


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Rows as CSV, the first one of which is the header."""
    text = StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


@contextmanager
def _readable(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ConfigError(f"Couldn't read {file}: {error.strerror}. Check its name.") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file} isn't UTF-8 text. Save it as UTF-8.") from error


def _objects(file: Path, text: str, notify: Notify) -> Iterator[Row]:
    """The objects of a JSON list or of JSON lines; after a broken one, continue at the next line that starts one."""
    decoder = json.JSONDecoder()
    line, on_line, counted, start = 1, 0, 0, _after(text, 0)
    while start < len(text):
        newlines = text.count("\n", counted, start)
        line, on_line, counted = line + newlines, 1 if newlines else on_line + 1, start
        try:
            value, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            following = _NEXT_OBJECT.search(text, start + 1)
            # An unclosed object only shows as an error in a later one, or after the blanks that follow it.
            beyond = following is not None and error.pos > following.start()
            faulty = line if beyond else max(line, 1 + text.count("\n", 0, len(text[: error.pos].rstrip())))
            notify(f"{file}, line {faulty}: no valid JSON ({error.msg}); the row was left out.")
            end = following.end() if following else len(text)
        except (ValueError, RecursionError):
            notify(f"{file}, line {line}: it has a number too long, or is nested too deep; the row was left out.")
            following = _NEXT_OBJECT.search(text, start + 1)
            end = following.end() if following else len(text)
        else:
            if isinstance(value, dict):
                yield Row(file, line, value, on_line)
            else:
                notify(f"{file}, line {line}: {value!r} isn't an object with fields; it was left out.")
        start = _after(text, end)


def _list_in_object(text: str) -> list[dict[str, Any]] | None:
    """The only list of objects in the one object of a file; None if the file isn't one."""
    try:
        whole = parse_json(text) if _LIST_IN_OBJECT.match(text) else None
    except ValueError:
        return None
    if not isinstance(whole, dict):
        return None
    lists = [value for value in whole.values() if isinstance(value, list) and value]
    lists = [value for value in lists if all(isinstance(one, dict) for one in value)]
    return lists[0] if len(lists) == 1 else None


def _columns(file: Path) -> Iterator[Row]:
    """The rows of a Parquet file, numbered from 1."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise ConfigError(f"{file} is Parquet, which needs a package: pip install 'longtake[parquet]'") from None
    try:
        with _readable(file), file.open("rb") as opened:
            batches = parquet.ParquetFile(opened).iter_batches()
            for number, fields in enumerate((row for batch in batches for row in batch.to_pylist()), 1):
                yield Row(file, number, fields)
    except ArrowException as error:
        raise ConfigError(f"{file} isn't a Parquet file that can be read ({error}). Fetch it again.") from error


def _after(text: str, place: int) -> int:
    between = _BETWEEN.match(text, place)
    return between.end() if between else place


def _lines(file: Path) -> Iterator[str]:
    with _readable(file), file.open(encoding="utf-8-sig") as stream:
        yield from stream


def _table(file: Path, lines: Iterator[str], notify: Notify) -> Iterator[Row]:
    """The rows of a table with commas, semicolons or tabs, a line of which is held at a time."""
    head = next(lines, "")
    delimiter = "\t" if file.suffix.lower() == ".tsv" else max(",;\t", key=head.count)
    reader = csv.DictReader(chain([head], lines), delimiter=delimiter)
    try:
        for fields in reader:
            line = reader.line_num - sum(str(value).count("\n") for value in fields.values())
            if None in fields:
                notify(f"{file}, line {line}: the row has more fields than the header; the row was left out.")
            else:
                yield Row(file, line, {name.strip(): value for name, value in fields.items()})
    except csv.Error as error:
        notify(f"{file}, line {reader.line_num}: {error}; the rows from here on were left out.")
