"""Qwen-Agent's function calling around any OpenAI-compatible endpoint: its own prompt template and its own parser.

For servers that don't parse the calls of a Qwen model. Calls that the package's parser would lose (cut off or quoted)
stay in the text for `text_tool_calls`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatResult
from langchain_core.runnables import Runnable
from qwen_agent.llm.fncall_prompts.nous_fncall_prompt import (  # pyright: ignore[reportMissingImports] - an extra
    NousFnCallPrompt,
)
from qwen_agent.llm.schema import (  # pyright: ignore[reportMissingImports] - an extra
    ASSISTANT,
    FUNCTION,
    SYSTEM,
    USER,
    ContentItem,
    FunctionCall,
    Message,
)

from longtake.agent.controllers.call_parsing.text_tool_calls import harmless
from longtake.agent.controllers.openai_endpoint import EndpointChatModel
from longtake.language.text import parse_json
from longtake.prompts import without_thinking

# What the template and Qwen's tokenizer treat as structure.
MARKS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<|im_start|>", "<|im_end|>")
_ROLES = {"system": SYSTEM, "human": USER, "ai": ASSISTANT, "tool": FUNCTION}


class QwenAgentChatModel(EndpointChatModel):
    """A chat model behind a URL, with tools and calls in Qwen-Agent's format."""

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
        **kwargs: Any,
    ) -> ChatResult:
        result = super()._generate(_in_words(messages, described), stop, run_manager, **kwargs)
        for generation in result.generations:
            generation.message = _parsed(generation.message)
        return result


def _in_words(messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]]) -> list[BaseMessage]:
    """The conversation in words, in the package's format."""
    spoken: list[Any] = [part for message in messages for part in _spoken(message)]
    functions = [tool["function"] for tool in tools]
    if functions or any(message.role == FUNCTION for message in spoken):
        spoken = NousFnCallPrompt().preprocess_fncall_messages(spoken, functions, lang="en")
    kinds = {SYSTEM: SystemMessage, USER: HumanMessage, ASSISTANT: AIMessage}
    return [kinds[message.role]("".join(part.text for part in message.content)) for message in spoken]


def _spoken(message: BaseMessage) -> list[Message]:
    """A message in the package's format, where each call is a separate message."""
    text = harmless(message.text, MARKS)
    role = _ROLES[message.type]
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    name = message.name if isinstance(message, ToolMessage) else None
    spoken = [Message(role, [ContentItem(text=text)], name=name)] if text or not calls else []
    return spoken + [
        Message(role, [], function_call=FunctionCall(call["name"], json.dumps(call["args"]))) for call in calls
    ]


def _parsed(message: BaseMessage) -> BaseMessage:
    """The reply with the calls that the package's parser finds; unchanged if it doesn't find all of them."""
    text = without_thinking(message.text)
    if not text.endswith("</tool_call>"):
        return message
    parts: list[Any] = NousFnCallPrompt().postprocess_fncall_messages([Message(ASSISTANT, [ContentItem(text=text)])])
    calls = [part.function_call for part in parts if part.function_call]
    if len(calls) != text.count("<tool_call>") or not all(_is_object(call.arguments) for call in calls):
        return message
    answer_text = "".join(item.text for part in parts if not part.function_call for item in part.content)
    made = [
        {"name": call.name, "args": parse_json(call.arguments), "id": f"qwen-{place}", "type": "tool_call"}
        for place, call in enumerate(calls)
    ]
    return message.model_copy(update={"content": answer_text.strip(), "tool_calls": made})


def _is_object(text: str) -> bool:
    try:
        return isinstance(parse_json(text), dict)
    except ValueError:
        return False
