"""Turns a typed function into a tool: the signature becomes the schema, the docstring the description."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Concatenate, Literal, ParamSpec, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, Strict, WithJsonSchema, create_model

from longtake.tools.core.result import ToolResult
from longtake.tools.core.tool_context import ToolContext

P = ParamSpec("P")
ToolFunction = Callable[Concatenate[ToolContext, P], ToolResult]
Tool = Callable[..., ToolResult]
Group = Literal["core", "extras"]

_Time = Annotated[float, Strict()] | str  # strict: True isn't a time
# Read in every form that `parse_span` takes; a controller is told of one.
Timestamp = Annotated[
    _Time | list[_Time] | dict[str, _Time],
    WithJsonSchema({"type": "string"}),
    Field(description="Where in the video: 00:12:34, or 00:12:30-00:13:00 for a span."),
]
# What a controller's schema says of a parameter; what its name doesn't tell stands in the tool's description.
_TOLD = frozenset({"type", "enum", "items", "minimum", "maximum", "$ref"})


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool's description, and the function behind it."""

    name: str
    description: str
    arguments: type[BaseModel]
    capabilities: tuple[str, ...]
    group: Group
    cached: bool
    quiet: tuple[str, ...]
    function: Tool

    def schema(self, videos: tuple[str, ...] = ()) -> dict[str, Any]:
        """JSON schema of the arguments; with several videos open it gains an optional `video`."""
        schema = self.arguments.model_json_schema()
        schema.pop("title", None)
        schema["properties"] = {name: _plain(field) for name, field in schema["properties"].items()}
        if len(videos) > 1:
            schema["properties"]["video"] = {
                "type": "string",
                "enum": list(videos),
                "description": "Which of the open videos.",
            }
        return schema

    def as_openai(self, videos: tuple[str, ...] = ()) -> dict[str, Any]:
        """The tool as a controller sees it, in the format of chat models and in few tokens.

        The first paragraph of the description explains the arguments, of which only the types are told.
        """
        schema = self.schema(videos)
        fields = {name: field for name, field in schema["properties"].items() if name not in self.quiet}
        parameters = {
            "type": "object",
            "properties": {name: _described_field(field) for name, field in fields.items()},
            "required": [name for name in schema.get("required", ()) if name in fields],
            **({"$defs": schema["$defs"]} if "$defs" in schema else {}),
        }
        description = " ".join(self.description.partition("\n\n")[0].split())
        function = {"name": self.name, "description": description, "parameters": parameters}
        return {"type": "function", "function": function}


SPECS: dict[Tool, ToolSpec] = {}


def tool(
    *, capabilities: tuple[str, ...] = (), group: Group = "core", cached: bool = True, quiet: tuple[str, ...] = ()
) -> Callable[[ToolFunction[P]], ToolFunction[P]]:
    """Register the decorated function as a tool. The function itself is returned unchanged.

    Args:
        capabilities: the engines that the tool needs, by their names in the engine table.
        group: `core` for the sixteen tools of the paper, `extras` for the rest and for those of other packages.
        cached: False if the same call may give another result, because what the tool stores or reads may change.
        quiet: parameters that a controller isn't told of, because it rarely needs them; calls may have them.

    Raises:
        TypeError: at import, if the docstring, a parameter's type or its description is missing.
    """

    def mark(function: ToolFunction[P]) -> ToolFunction[P]:
        SPECS[function] = _describe(function, capabilities, group, cached, quiet)
        return function

    return mark


def _describe(
    function: Tool, capabilities: tuple[str, ...], group: Group, cached: bool, quiet: tuple[str, ...]
) -> ToolSpec:
    name = getattr(function, "__name__", repr(function))
    hints = get_type_hints(function, include_extras=True)
    if not function.__doc__:
        raise TypeError(f"the tool {name!r} needs a docstring")
    fields: dict[str, Any] = {}
    for parameter in list(inspect.signature(function).parameters.values())[1:]:
        if parameter.name not in hints:
            raise TypeError(f"the parameter {parameter.name!r} of the tool {name!r} needs a type")
        default = ... if parameter.default is inspect.Parameter.empty else parameter.default
        fields[parameter.name] = (hints[parameter.name], default)
    arguments: type[BaseModel] = create_model(f"{name}_arguments", __config__=ConfigDict(extra="forbid"), **fields)
    silent = [field for field, info in arguments.model_fields.items() if not info.description]
    if silent:
        raise TypeError(f"the tool {name!r} needs a description of these parameters: {', '.join(silent)}")
    description = inspect.cleandoc(function.__doc__)
    return ToolSpec(name, description, arguments, capabilities, group, cached, quiet, function)


def _plain(field: dict[str, Any]) -> dict[str, Any]:
    """A parameter without titles and defaults that say nothing; of several types the plainest."""
    if "anyOf" in field:
        kinds = [kind for kind in field["anyOf"] if kind.get("type") != "null"]
        field = {**next((kind for kind in kinds if kind.get("type") == "string"), kinds[-1]), **field}
    kept = {key: value for key, value in field.items() if key not in ("title", "anyOf")}
    if "items" in kept:
        kept["items"] = _plain(kept["items"])
    return kept if kept.get("default") else {key: value for key, value in kept.items() if key != "default"}


def _described_field(field: dict[str, Any]) -> dict[str, Any]:
    told = {key: value for key, value in field.items() if key in _TOLD}
    if "items" in told:
        told["items"] = _described_field(told["items"])
    return told
