"""Read the arguments of a call as small models write them: broken JSON, Python literals, values of the wrong type."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

from langchain_core.utils.json import parse_partial_json

# Stands for arguments that nothing could read: the tool refuses it by this name, and the controller sees why.
UNREADABLE = "unreadable_json"
MAX_SHOWN = 300  # letters of what could not be read
# Reading what breaks off takes the square of its length.
MAX_BROKEN_LENGTH = 10_000
# What readers raise on a text that is not theirs; brackets in brackets are deeper than Python goes.
NOT_READ = (ValueError, SyntaxError, RecursionError, MemoryError)
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


def read_arguments(text: str) -> dict[str, Any] | None:
    """Arguments from JSON, JSON that breaks off or has a comma too many, or a Python literal; None when it is none."""
    value = read_json(text)
    return value if isinstance(value, dict) else None


def unreadable(text: str) -> dict[str, Any]:
    """The arguments that stand for a text which nothing could read."""
    return {UNREADABLE: text[:MAX_SHOWN]}


def read_json(text: str) -> dict[str, Any] | list[Any] | None:
    """An object or a list, written as for `read_arguments`."""
    text = text.strip().removeprefix("```json").strip("`").strip()
    whole = len(text) <= MAX_BROKEN_LENGTH
    for read in (json.loads, *((ast.literal_eval, _without_spare_commas, _python_with_end, _broken_off) * whole)):
        try:
            value = read(text)
        except NOT_READ:
            continue
        if isinstance(value, str) and value != text:
            return read_json(value)
        if isinstance(value, dict | list):
            return value
    return None


def fitted(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The arguments with values of the types that a tool's JSON schema asks for, and the names of those changed.

    Only what can be meant in one way is changed: a list or number written as text, one thing where a list of such is
    asked for, a number where text is, null where nothing should have been given.
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
    """The JSON types that a field takes; empty when any does."""
    if "$ref" in field:
        return _wanted(schema["$defs"][field["$ref"].rpartition("/")[2]], schema)
    if "anyOf" in field:
        return set().union(*(_wanted(one, schema) for one in field["anyOf"]))
    return {field["type"]} if "type" in field else set()


def _without_spare_commas(text: str) -> Any:
    return json.loads(re.sub(r",\s*([}\]])", r"\1", text))


def _python_with_end(text: str) -> Any:
    return ast.literal_eval(text + "}")


def _broken_off(text: str) -> Any:
    # It cuts letters off the end until the rest can be read: nothing but an empty object is not what was meant.
    return parse_partial_json(text) or None
