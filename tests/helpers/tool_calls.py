"""Calls of tools over a whole video: what they find, and why they refuse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.result import ToolFailure, ToolResult
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.core.toolbox import Toolbox


def counted(context: ToolContext, query: str, timestamp: Any = None) -> ToolResult:
    return called(context, "count_objects", {"object_query": query}, timestamp)


def called(context: ToolContext, name: str, arguments: Mapping[str, Any], timestamp: Any = None) -> ToolResult:
    span = [0, context.video.duration] if timestamp is None else timestamp
    result = Toolbox(ALL_TOOLS).call(name, {"timestamp": span, **arguments}, context)
    assert result.failure is None, result.failure
    return result


def refused(context: ToolContext, name: str, arguments: Mapping[str, Any]) -> ToolFailure:
    failure = Toolbox(ALL_TOOLS).call(name, {"timestamp": [0, 4], **arguments}, context).failure
    assert failure
    return failure
