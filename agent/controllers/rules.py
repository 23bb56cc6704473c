"""The embedded controller as a LangChain chat model: no weights, no endpoint, the same reply to the same messages.

It reads the orientation and the tool results as data (message artifacts), never by parsing prose, and plans with
`longtake.agent.rules`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from longtake.agent.claims import without
from longtake.agent.controllers.calls import PLANNED
from longtake.agent.orientation import Orientation
from longtake.agent.rules.moves import Call, Done, not_found
from longtake.agent.rules.planner import next_move
from longtake.errors import EngineError
from longtake.tools.result import ToolResult

UNSUPPORTED = "What was found does not support an answer."


class RulesChatModel(BaseChatModel):
    """Plans by rules over the orientation and what the tools returned."""

    tool_names: frozenset[str] = frozenset()

    @property
    def _llm_type(self) -> str:
        return "longtake-rules"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The same model, told which tools it may call."""
        names = frozenset(tool["function"]["name"] for tool in tools if isinstance(tool, dict))
        return self.model_copy(update={"tool_names": names})

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        told = {key: value for message in messages for key, value in message.additional_kwargs.items()}
        if "orientation" not in told:
            raise EngineError("The rules controller only runs inside the agent's graph: it was told no orientation.")
        done = _read_results(messages)
        move = next_move(Orientation.model_validate(told["orientation"]), done)
        if isinstance(move, str):
            # A draft that was sent back is the same again, less what nothing supports.
            reply = AIMessage(content=without(move, told.get("unsupported", ())) or not_found(UNSUPPORTED))
        elif calls := [call for call in move if call.name in self.tool_names]:
            reply = _ask(calls, len(done))
        else:
            reply = AIMessage(content=not_found("the tools for this are switched off."))
        return ChatResult(generations=[ChatGeneration(message=reply)])


def _read_results(messages: Sequence[BaseMessage]) -> list[Done]:
    asked: dict[str, Call] = {}
    done: list[Done] = []
    for message in messages:
        if isinstance(message, AIMessage):
            planned = message.additional_kwargs.get(PLANNED, {})
            asked |= {
                call["id"] or "": Call(call["name"], planned.get(call["id"], call["args"]))
                for call in message.tool_calls
            }
        elif isinstance(message, ToolMessage) and message.tool_call_id in asked:
            done.append(Done(asked[message.tool_call_id], ToolResult.model_validate(message.artifact)))
    return done


def _ask(calls: Sequence[Call], before: int) -> AIMessage:
    numbered = [
        {"name": call.name, "args": call.arguments, "id": f"rules-{before + place}", "type": "tool_call"}
        for place, call in enumerate(calls)
    ]
    return AIMessage(content="", tool_calls=numbered)
