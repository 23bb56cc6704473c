"""Ask a controller for one reply: within the time, again where it says that it is busy, and stopped when told to."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextvars import copy_context
from threading import Thread
from typing import Any, NamedTuple

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage

from longtake.errors import EngineError
from longtake.tools.core.tool_context import Budget

# Where a reply says why it had to be asked for again.
ASKED_AGAIN = "asked_again"
MAX_RETRIES = 2
FIRST_WAIT = 0.5  # seconds before asking again where the endpoint names no time; doubled each time
POLL = 0.1  # seconds after which a stop from outside is noticed
SLACK = 1.0  # seconds after its time in which a controller may say itself that it was too slow


class Role(NamedTuple):
    """What a model is asked as, for the sentences on what went wrong: its name, and what a person may change."""

    name: str
    place: str  # what says where it is
    timeout: str
    key: str


CONTROLLER = Role(
    "The controller", "controller.base_url and controller.model", "controller.timeout", "controller.api_key_env"
)


class Busy(EngineError):
    """The endpoint may answer when it is asked again, after `wait` seconds where it names them."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class ContextFull(EngineError):
    """The conversation is longer than what the controller reads."""


def reply(
    controller: BaseChatModel,
    messages: Sequence[BaseMessage],
    schemas: Sequence[dict[str, Any]],
    *,
    timeout: float | None = None,
    budget: Budget | None = None,
    role: Role = CONTROLLER,
) -> AIMessage:
    """One reply to the messages, with the tools bound.

    Args:
        controller: the chat model.
        messages: the conversation.
        schemas: of the tools that may be called.
        timeout: seconds for one try.
        budget: of the question: no try and no wait outlasts it.
        role: what the model is asked as.

    Raises:
        EngineError: when the endpoint does not answer or refuses; it names the endpoint.
        ContextFull: when the conversation is too long for it.
        Cancelled: when the budget is over.
    """
    # Endpoints refuse an empty list of tools.
    model = controller.bind_tools(list(schemas)) if schemas else controller
    troubles: list[str] = []
    while True:
        try:
            answered = _within(timeout, budget, role, lambda limit: model.invoke(list(messages), **limit))
        except Busy as error:
            wait = FIRST_WAIT * 2 ** len(troubles) if error.wait is None else error.wait
            if budget is None or len(troubles) >= MAX_RETRIES or wait >= budget.left:
                raise
            troubles.append(str(error))
            _wait(wait, budget)
            continue
        message = answered if isinstance(answered, AIMessage) else AIMessage(content=answered.content)
        if troubles:
            message.response_metadata[ASKED_AGAIN] = troubles
        return message


def tokens(message: AIMessage) -> dict[str, int]:
    """What a reply cost in tokens; empty when the endpoint does not say."""
    usage = message.usage_metadata
    return {"input_tokens": usage["input_tokens"], "output_tokens": usage["output_tokens"]} if usage else {}


def _within(
    timeout: float | None, budget: Budget | None, role: Role, ask: Callable[[dict[str, Any]], BaseMessage]
) -> BaseMessage:
    """The reply, in a thread of its own: an endpoint that sends a letter a minute is never late to its client."""
    if budget is None:
        return ask({} if timeout is None else {"timeout": timeout})
    budget.check()
    seconds = min(budget.left, timeout or budget.left)
    deadline = time.monotonic() + seconds + SLACK
    future: Future[BaseMessage] = Future()
    given = {"timeout": seconds, "stopped": lambda: budget.stopped}
    # The thread keeps what is set for this run, such as that nothing is sent to LangSmith.
    context = copy_context()
    Thread(target=lambda: context.run(_settle, future, lambda: ask(given)), daemon=True).start()
    while True:
        try:
            return future.result(timeout=POLL)
        except FutureTimeout:
            if future.done():
                raise
        budget.check()
        if time.monotonic() > deadline:
            raise EngineError(
                f"{role.name} sent no whole reply within {seconds:g} s: raise {role.timeout}, or see whether "
                "its endpoint is overloaded."
            )


def _settle(future: Future[BaseMessage], ask: Callable[[], BaseMessage]) -> None:
    try:
        future.set_result(ask())
    except BaseException as error:  # noqa: BLE001 - raised again where the reply is waited for
        future.set_exception(error)


def _wait(seconds: float, budget: Budget) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        budget.check()
        time.sleep(min(left, POLL))
