"""Library functions by which a recorded run is repeated, step by step: from its trace alone, without the video, the
library or the engines of its tools.

A controller is asked again what it was asked (`replay_step`), and what it or a tool gave then is read back.
"""

from __future__ import annotations

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, messages_from_dict

from longtake.agent.controllers.endpoint import reply
from longtake.agent.trace import RecordedTrace
from longtake.tools.result import ToolResult


def replay_step(trace: RecordedTrace, step: int, controller: BaseChatModel) -> AIMessage:
    """Ask a controller again what it was asked at a step; one that is deterministic replies as recorded.

    Raises:
        LibraryError: when the step is not one of the controller's.
    """
    asked = trace.blob(trace.event(step, "model")["input"])
    return reply(controller, messages_from_dict(asked["messages"]), asked["tools"])


def recorded_reply(trace: RecordedTrace, step: int) -> AIMessage:
    """What the controller replied at a step, as it sent it.

    Raises:
        LibraryError: when the step is not one of the controller's.
    """
    (message,) = messages_from_dict([trace.blob(trace.event(step, "model")["output"])])
    return AIMessage.model_validate(message.model_dump())


def recorded_result(trace: RecordedTrace, step: int) -> ToolResult:
    """What a tool returned at a step.

    Raises:
        LibraryError: when the step is not a tool's.
    """
    return ToolResult.model_validate(trace.blob(trace.event(step, "tool")["output"]))
