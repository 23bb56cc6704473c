"""Turns a typed function into a tool: the signature becomes the schema, the docstring the description."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Concatenate, Literal, ParamSpec, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, Strict, create_model

from longtake.tools.core.result import ToolResult
from longtake.tools.core.tool_context import ToolContext

P = ParamSpec("P")
ToolFunction = Callable[Concatenate[ToolContext, P], ToolResult]
Tool = Callable[..., ToolResult]
Group = Literal["core", "extras"]

_Time = Annotated[float, Strict()] | str  # strict: True isn't a time
Timestamp = Annotated[
    _Time | list[_Time] | dict[str, _Time],
    Field(
        description="Where in the video: seconds (754.2), a clock time ('00:12:34'), a span ('00:12:30-00:13:00'), "
        "[750, 780] or {start, end}."
    ),
]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool's description for the controller, and the function behind it."""

    name: str
    description: str
    arguments: type[BaseModel]
    capabilities: tuple[str, ...]
    group: Group
    cached: bool
    function: Tool

    def schema(self, videos: tuple[str, ...] = ()) -> dict[str, Any]:
        """JSON schema of the arguments; with several videos open it gains an optional `video`."""
        schema = self.arguments.model_json_schema()
        schema.pop("title", None)
        for prop in schema["properties"].values():
            prop.pop("title", None)
        if len(videos) > 1:
            schema["properties"]["video"] = {
                "type": "string",
                "enum": list(videos),
                "description": "Which of the open videos.",
            }
        return schema

    def as_openai(self, videos: tuple[str, ...] = ()) -> dict[str, Any]:
        """The tool in the format of chat models."""
        function = {"name": self.name, "description": self.description, "parameters": self.schema(videos)}
        return {"type": "function", "function": function}


SPECS: dict[Tool, ToolSpec] = {}


def tool(
    *, capabilities: tuple[str, ...] = (), group: Group = "core", cached: bool = True
) -> Callable[[ToolFunction[P]], ToolFunction[P]]:
    """Register the decorated function as a tool. The function itself is returned unchanged.

    Args:
        capabilities: the engines that the tool needs, by their names in the engine table.
        group: `core` for the sixteen tools of the paper, `extras` for the rest and for those of other packages.
        cached: False if the same call may give another result, because what the tool stores or reads may change.

    Raises:
        TypeError: at import, if the docstring, a parameter's type or its description is missing.
    """

    def mark(function: ToolFunction[P]) -> ToolFunction[P]:
        SPECS[function] = _describe(function, capabilities, group, cached)
        return function

    return mark


def _describe(function: Tool, capabilities: tuple[str, ...], group: Group, cached: bool) -> ToolSpec:
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
    return ToolSpec(name, description, arguments, capabilities, group, cached, function)
