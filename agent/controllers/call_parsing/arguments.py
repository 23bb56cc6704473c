"""Reads the arguments of a call as small models write them: broken JSON, Python literals, values of the wrong type."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import json_repair

# Stands for unreadable arguments: the tool rejects this name, and the controller sees why.
UNREADABLE = "unreadable_json"
MAX_SHOWN = 300  # characters of unreadable text to keep
# A repair may take quadratic time.
MAX_BROKEN_LENGTH = 10_000
# What parsers raise on other formats; deeply nested brackets exceed Python's recursion limit.
NOT_READ = (ValueError, SyntaxError, RecursionError, MemoryError)
_DECODER = json.JSONDecoder(strict=False)
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


def read_arguments(text: str) -> dict[str, Any] | None:
    """Arguments from JSON, broken JSON with only one possible repair, or a Python literal; None for anything else."""
    value = read_json(text)
    return value if isinstance(value, dict) else None


def unreadable(text: str) -> dict[str, Any]:
    """The arguments that represent an unreadable text."""
    return {UNREADABLE: text[:MAX_SHOWN]}


def read_json(text: str) -> dict[str, Any] | list[Any] | None:
    """An object or a list, in the formats of `read_arguments`."""
    text = text.strip().removeprefix("```json").strip("`").strip()
    if not text.startswith(("{", "[", '"')):  # a repair would search for JSON further on
        return None
    try:
        value, _ = _DECODER.raw_decode(text)
    except NOT_READ:
        value = _repaired(text)
    if isinstance(value, str) and value != text:
        return read_json(value)
    return value if isinstance(value, dict | list) else None


def fitted(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The arguments, converted to the types of a tool's JSON schema, and the names of those changed.

    Only unambiguous values are converted: a list or number written as text, a single value instead of a list, a
    number instead of text, null instead of nothing.
    """
    made: dict[str, Any] = {}
    for name, value in arguments.items():
        wanted = _wanted(schema.get("properties", {}).get(name, {}), schema)
        if value is None and wanted and "null" not in wanted and name not in schema.get("required", ()):
            continue
        made[name] = _fitted(value, wanted) if wanted and not _is(value, wanted) else value
    return made, [name for name, value in arguments.items() if name not in made or made[name] is not value]


def _fitted(value: Any, wanted: set[str]) -> Any:
    if isinstance(value, str):
        try:
            read = json.loads(value)
        except NOT_READ:
            read = read_json(value)
        if read is not None and _is(read, wanted):
            return read
    if "array" in wanted and not isinstance(value, dict | list):
        return [value]
    if "string" in wanted and isinstance(value, int | float):
        return str(value)
    if "string" in wanted and isinstance(value, list) and len(value) == 1 and isinstance(value[0], str):
        return value[0]
    return value


def _is(value: Any, wanted: set[str]) -> bool:
    kind = "null" if value is None else _TYPES.get(type(value), "")
    return kind in wanted or (kind == "integer" and "number" in wanted)


def _wanted(field: Mapping[str, Any], schema: Mapping[str, Any]) -> set[str]:
    """The JSON types that a field accepts; empty if it accepts any."""
    if "$ref" in field:
        return _wanted(schema["$defs"][field["$ref"].rpartition("/")[2]], schema)
    if "anyOf" in field:
        return set().union(*(_wanted(one, schema) for one in field["anyOf"]))
    return {field["type"]} if "type" in field else set()


def _repaired(text: str) -> Any:
    """The content of broken JSON; None if it is too long or a repair would invent a value."""
    if len(text) > MAX_BROKEN_LENGTH:
        return None
    try:
        return json_repair.loads(text, skip_json_loads=True, strict=True)
    except NOT_READ:
        return None
