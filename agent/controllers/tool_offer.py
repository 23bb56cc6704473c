"""Chooses the tools that a small model is told of: those that the question calls for first, the others on demand.

A model on a CPU reads a few hundred tokens a second, and the descriptions of all tools have more than a thousand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from longtake.agent.controllers.extractive.model import QUERY
from longtake.agent.query.query import Query, Source, Target

MORE = "more_tools"
_ALWAYS = ("cross_modal_search",)
_BY_SOURCE: Mapping[Source, tuple[str, ...]] = {
    "speech": ("transcribe_speech",),
    "text": ("extract_scene_text",),
    "sound": ("detect_audio_events",),
    "picture": ("watch_segment", "object_detection"),
    "motion": ("inspect_motion", "detect_activities"),
    "shots": ("find_moments",),
    "outside": ("web_search",),
}
_BY_TARGET: Mapping[Target, tuple[str, ...]] = {
    "count": ("count_objects",),
    "sum": ("calculator",),
    "difference": ("calculator",),
    "calculation": ("extract_math_exp", "calculator"),
    "summary": ("summarize_segment",),
    "translation": ("translate_speech", "translate_text"),
    "code": ("extract_scene_text", "execute_code"),
    "keep": ("memory_tool",),
    "recall": ("memory_tool",),
    "lookup": ("web_search",),
}

Schema = dict[str, Any]


def query_of(messages: Sequence[BaseMessage]) -> Query | None:
    """The question of a conversation as data; None for a prompt that is none."""
    found = (message.additional_kwargs[QUERY] for message in messages if QUERY in message.additional_kwargs)
    return next(map(Query.model_validate, found), None)


def offered(tools: Sequence[Schema], query: Query, messages: Sequence[BaseMessage]) -> list[Schema]:
    """The tools for a question and those that its conversation called, and `more_tools`, which names the others."""
    called = {call["name"] for message in messages if isinstance(message, AIMessage) for call in message.tool_calls}
    wanted = called.union(_ALWAYS, _called_for(query))
    chosen = [tool for tool in tools if _name(tool) in wanted]
    others = [_name(tool) for tool in tools if _name(tool) not in wanted]
    return [*chosen, _more(others)] if others else chosen


def with_more(tools: Sequence[Schema], shown: Sequence[Schema], names: Sequence[str]) -> list[Schema]:
    """The tools that were shown and those that `more_tools` was called for; nothing else can be asked for then."""
    known = {_name(tool) for tool in shown} | set(names)
    return [tool for tool in tools if _name(tool) in known]


def _called_for(query: Query) -> set[str]:
    by_source = {name for source in query.sources for name in _BY_SOURCE.get(source, ())}
    return by_source.union(_BY_TARGET.get(query.target, ()))


def _more(names: Sequence[str]) -> Schema:
    parameters = {
        "type": "object",
        "properties": {"names": {"type": "array", "minItems": 1, "items": {"type": "string", "enum": list(names)}}},
        "required": ["names"],
        "additionalProperties": False,
    }
    description = f"Ask for the description of other tools: {', '.join(names)}."
    return {"type": "function", "function": {"name": MORE, "description": description, "parameters": parameters}}


def _name(tool: Schema) -> str:
    return str(tool["function"]["name"])
