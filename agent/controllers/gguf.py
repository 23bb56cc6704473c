"""A language model in a GGUF file as the controller: llama.cpp serves it on this machine, and decodes its calls under
a grammar, so that none is broken.

A model on a CPU reads a few hundred tokens a second, and the descriptions of all tools have more than a thousand. So it
is told of the tools that the question calls for first, and of the others on demand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata, add_usage
from langchain_core.outputs import ChatResult
from langchain_core.runnables import Runnable
from openai import BaseModel as OpenAIModel
from pydantic import SecretStr

from longtake.agent.controllers.asking import CONTROLLER
from longtake.agent.controllers.call_parsing.reply_schema import (
    ANSWER,
    read_json_reply,
    reply_schema,
    spoken_json,
)
from longtake.agent.controllers.call_parsing.text_tool_calls import as_text
from longtake.agent.controllers.extractive.model import QUERY
from longtake.agent.controllers.openai_endpoint import EndpointChatModel, thinking_field
from longtake.agent.query.query import Query, Source, Target
from longtake.models.profiles import profile_of
from longtake.preprocess.engines.endpoints.endpoint_client import NO_KEY
from longtake.preprocess.engines.llama_cpp.server import LlamaServer, shared_server
from longtake.preprocess.engines.llama_cpp.transport import dropped_when
from longtake.settings import Settings

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
# Where a reply keeps llama.cpp's times: milliseconds and tokens of the prompt that it read and that it had kept.
TIMINGS = "timings"
_URL = "http://llama.cpp/v1"  # the transport puts the real address in its place


class GgufChatModel(EndpointChatModel):
    """A chat model in this process's llama.cpp. Its server starts with the first question."""

    server: Any
    keeps_prefix: bool = True  # whether a prompt's beginning is read only once; False to measure what that saves

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[LanguageModelInput, AIMessage]:
        """The same model with the tools it may call."""
        return self.bind(described=list(tools))

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        *,
        described: Sequence[dict[str, Any]] = (),
        stopped: Callable[[], bool] = lambda: False,
        **kwargs: Any,
    ) -> ChatResult:
        self.server.ready()
        kwargs["stopped"] = stopped
        with dropped_when(stopped):
            query = query_of(messages)
            shown = offered(described, query, messages) if query else described
            result = self._ask(messages, shown, stop, run_manager, **kwargs)
            asked_for = _asked_for(result)
            if not asked_for:
                return result
            more = self._ask(messages, with_more(described, shown, asked_for), stop, run_manager, **kwargs)
        _message(more).usage_metadata = _sum(result, more)
        return more

    def _ask(
        self,
        messages: list[BaseMessage],
        tools: Sequence[dict[str, Any]],
        stop: list[str] | None,
        run_manager: CallbackManagerForLLMRun | None,
        **kwargs: Any,
    ) -> ChatResult:
        """One reply under a schema of the tools: chat templates with tools don't always lead to a grammar."""
        body: dict[str, Any] = {**(self.extra_body or {}), "cache_prompt": self.keeps_prefix}
        if not tools:
            return super()._generate(as_text(messages, []), stop, run_manager, extra_body=body, **kwargs)
        query = query_of(messages)
        seconds = max(query.videos.values(), default=None) if query else None
        form = {"type": "json_schema", "json_schema": {"name": "reply", "schema": reply_schema(tools, seconds)}}
        spoken = as_text([spoken_json(message) for message in messages], tools, "json_calls")
        asked = {**kwargs, "extra_body": body, "response_format": form, "field": ANSWER}
        result = super()._generate(spoken, stop, run_manager, **asked)
        for generation in result.generations:
            generation.message = read_json_reply(_message(result))
        return result

    def _create_chat_result(
        self, response: dict[str, Any] | OpenAIModel, generation_info: dict[str, Any] | None = None
    ) -> ChatResult:
        body = response if isinstance(response, dict) else response.model_dump(warnings=False)
        result = super()._create_chat_result(body, generation_info)
        _message(result).response_metadata[TIMINGS] = body.get("timings")
        return result


def open_gguf(settings: Settings, model: str) -> GgufChatModel:
    """The controller of a GGUF file. Nothing is loaded yet."""
    server: LlamaServer = shared_server(settings, model)
    controller = settings.controller
    return GgufChatModel(
        base_url=_URL,
        model=server.file.name,
        api_key=SecretStr(NO_KEY),  # the transport puts the real key in its place
        timeout=controller.timeout,
        max_retries=0,
        use_responses_api=False,
        role=CONTROLLER._replace(place="controller.model"),
        http_client=server.client(),
        server=server,
        profile_in_use=profile_of(controller.model_copy(update={"engine": "gguf", "model": model}), settings.gguf),
        extra_body=thinking_field(controller),
    )


def _message(result: ChatResult) -> AIMessage:
    message = result.generations[0].message
    assert isinstance(message, AIMessage)
    return message


def _asked_for(result: ChatResult) -> list[str]:
    """The names of the tools that a reply asks to see."""
    calls = _message(result).tool_calls
    return [str(name) for call in calls if call["name"] == MORE for name in call["args"].get("names", ())]


def _sum(*results: ChatResult) -> UsageMetadata | None:
    total: UsageMetadata | None = None
    for result in results:
        total = add_usage(total, _message(result).usage_metadata)
    return total


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
