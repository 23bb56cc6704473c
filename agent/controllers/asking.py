"""Asks a controller for one reply: with a time limit, again if it is busy, and until cancelled.

If a conversation is longer than the controller's context, its older parts are shortened. Every result keeps its place
and says that it was shortened and how to see all of it. Pictures and a whole transcript go last, and that is said, too.
The evidence stays with the run, and the trace lists what was shortened.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from threading import Event, Thread
from typing import Any, NamedTuple

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from longtake.errors import EngineError, MediaError
from longtake.tools.core.frames import SCHEME, Frames
from longtake.tools.core.tool_context import Budget

# The key under which a reply says why it was requested again.
ASKED_AGAIN = "asked_again"
MAX_RETRIES = 2
FIRST_WAIT = 0.5  # seconds before a retry if the endpoint names no time; doubled each time
POLL = 0.1  # seconds between two checks for cancellation
SLACK = 1.0  # extra seconds in which a controller may report its own time-out


class Role(NamedTuple):
    """The role of a model in error messages: its name, and the settings that a person may change."""

    name: str
    place: str  # what says where it is
    timeout: str
    key: str


CONTROLLER = Role(
    "The controller",
    "controller.base_url and controller.model, or run `longtake setup`",
    "controller.timeout",
    "controller.api_key_env",
)

JUDGE = Role(
    "The judge",
    "verification.base_url and verification.model",
    "verification.timeout",
    "verification.api_key_env",
)


class Unanswered(EngineError):
    """No whole reply came, or one that can't be read. A retry may get one, and may take as long again."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class Busy(Unanswered):
    """The endpoint may answer a retry, after `wait` seconds if it names them."""


class ContextFull(EngineError):
    """The conversation is longer than the controller's context."""


def reply(
    controller: BaseChatModel,
    messages: Sequence[BaseMessage],
    schemas: Sequence[dict[str, Any]],
    *,
    timeout: float | None = None,
    budget: Budget | None = None,
    schema: dict[str, Any] | None = None,
    on_text: Callable[[str], None] | None = None,
    patient: bool = False,
) -> AIMessage:
    """One reply to the messages, with the tools bound.

    Args:
        controller: the chat model.
        messages: the conversation.
        schemas: of the tools that may be called.
        timeout: seconds for one try.
        budget: of the question; limits every attempt and wait.
        schema: JSON schema that the reply keeps to, as far as the model's server can make it; its `title` is its name.
        on_text: is given each new piece of what the reply says to a person, as it comes: its text without thoughts, or
            the argument `text` of a call of the tool `answer`. After an empty piece, the text begins anew. Not every
            controller streams, and after a reply that broke off no more is given. What counts is the reply that is
            returned.
        patient: whether a time-out and a reply that can't be read are retried, too: nobody waits for the reply.

    Raises:
        EngineError: if the endpoint doesn't answer or refuses; the message names it.
        ContextFull: if the conversation is too long.
        Cancelled: if the budget is used up.
    """
    # Endpoints reject an empty list of tools.
    model = controller.bind_tools(list(schemas)) if schemas else controller
    form: dict[str, Any] = {}
    if schema is not None:
        named = {"name": schema.get("title", "reply"), "schema": schema, "strict": True}
        form["response_format"] = {"type": "json_schema", "json_schema": named}
    told, role = False, getattr(controller, "role", CONTROLLER)

    def tell(text: str) -> None:
        nonlocal told
        told = True
        assert on_text is not None
        on_text(text)

    troubles: list[str] = []
    while True:
        if on_text and not told:
            form["on_text"] = tell
        try:
            answered = _within(timeout, budget, role, lambda given: model.invoke(list(messages), **form, **given))
        except Unanswered as error:
            if not (patient or isinstance(error, Busy)):
                raise
            form.pop("on_text", None)
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


def with_pictures(messages: Sequence[BaseMessage], frames: Frames) -> list[BaseMessage]:
    """The messages with frames in place of their references, as a request needs them."""
    return [
        message.model_copy(update={"content": [_picture(part, frames) for part in message.content]})
        if isinstance(message.content, list)
        else message
        for message in messages
    ]


def _picture(part: Any, frames: Frames) -> Any:
    url = part["image_url"]["url"] if isinstance(part, dict) and part.get("type") == "image_url" else ""
    if not url.startswith(SCHEME):
        return part
    try:
        return {**part, "image_url": {"url": frames.url(url)}}
    except MediaError as error:
        return {"type": "text", "text": f"(This picture can't be shown: {error})"}


def tokens(message: AIMessage) -> dict[str, int]:
    """The tokens of a reply; empty if the endpoint doesn't report them."""
    usage = message.usage_metadata
    return {"input_tokens": usage["input_tokens"], "output_tokens": usage["output_tokens"]} if usage else {}


def _within(
    timeout: float | None, budget: Budget | None, role: Role, ask: Callable[[dict[str, Any]], BaseMessage]
) -> BaseMessage:
    """Wait for the reply in a separate thread: the client's time-out never fires if an endpoint trickles its reply."""
    if budget is None:
        return ask({} if timeout is None else {"timeout": timeout})
    budget.check()
    seconds = min(budget.left, timeout or budget.left)
    deadline = time.monotonic() + seconds + SLACK
    future: Future[BaseMessage] = Future()
    ended = Event()  # a reply that nobody waits for any more ends, too
    given = {"timeout": seconds, "stopped": lambda: budget.stopped or ended.is_set()}
    # The thread keeps the context of this run, for example that nothing is sent to LangSmith.
    context = copy_context()
    Thread(target=lambda: context.run(_settle, future, lambda: ask(given)), daemon=True).start()
    try:
        while True:
            with suppress(FutureTimeout):
                return future.result(timeout=POLL)
            if future.done():  # a reply may come just as the wait ends
                return future.result()
            budget.check()
            if time.monotonic() > deadline:
                raise Unanswered(
                    f"{role.name} sent no whole reply within {seconds:g} s: raise {role.timeout}, or see whether "
                    "its endpoint is overloaded."
                )
    finally:
        ended.set()


def _settle(future: Future[BaseMessage], ask: Callable[[], BaseMessage]) -> None:
    try:
        future.set_result(ask())
    except BaseException as error:  # noqa: BLE001 - raised again in the waiting thread
        future.set_exception(error)


def _wait(seconds: float, budget: Budget) -> None:
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        budget.check()
        time.sleep(min(left, POLL))


# Characters for each older part, and for each result of the last round; tried in this order.
ROOMS = ((1_500, 6_000), (500, 1_500), (200, 500))
Shorten = Callable[[Sequence[BaseMessage]], tuple[list[BaseMessage], list[str]]]
TRANSCRIPT = "Whole transcript:\n"  # as the first message begins it; a blank line ends it
LEFT_OUT = "The transcript is left out because the conversation was too long: search it, or ask for a span of it."
PICTURES = "The pictures are left out because the conversation was too long: look again at fewer."
TOLD = "shortened because the conversation was too long; repeat the call to see all of it"


def reply_that_fits(
    ask: Callable[[Sequence[BaseMessage]], AIMessage], messages: Sequence[BaseMessage]
) -> tuple[AIMessage, list[BaseMessage], list[str]]:
    """The reply, the conversation that was sent, and a sentence for each shortened part.

    Raises:
        ContextFull: if it is too long even with every part at its shortest.
    """
    shortened: list[str] = []
    asked = list(messages)
    steps: list[Shorten] = [partial(_compacted, older=older, last=last) for older, last in ROOMS]
    for shorten in (*steps, _without_the_largest):
        try:
            return ask(asked), asked, shortened
        except ContextFull:
            asked, changed = shorten(asked)
            shortened += changed
    return ask(asked), asked, shortened


def _compacted(messages: Sequence[BaseMessage], older: int, last: int) -> tuple[list[BaseMessage], list[str]]:
    """The messages with long parts shortened, and a sentence for each of them."""
    newest = max((place for place, message in enumerate(messages) if isinstance(message, AIMessage)), default=0)
    made: list[BaseMessage] = []
    changed: list[str] = []
    for place, message in enumerate(messages):
        short = _shortened(message, older if place < newest else last)
        made.append(message if short is None else message.model_copy(update={"content": short}))
        if short is not None:
            what = f"result of {message.name}" if isinstance(message, ToolMessage) else "reply"
            changed.append(f"{what} shortened from {len(message.text):,} to {len(short):,} letters")
    return made, changed


def _without_the_largest(messages: Sequence[BaseMessage]) -> tuple[list[BaseMessage], list[str]]:
    """The messages without pictures and without the whole transcript, and a sentence for each kind."""
    made: list[BaseMessage] = []
    changed: list[str] = []
    for message in messages:
        content = message.content
        if isinstance(content, list):
            kept = [part for part in content if not (isinstance(part, dict) and part.get("type") == "image_url")]
            changed += ["pictures left out"] * (len(kept) < len(content))
            content = [*kept, {"type": "text", "text": f"({PICTURES})"}] if len(kept) < len(content) else content
        elif TRANSCRIPT in content:
            before, _, after = content.partition(TRANSCRIPT)
            content = f"{before}({LEFT_OUT})\n\n{after.partition(chr(10) * 2)[2]}"
            changed.append("the transcript left out")
        made.append(message if content is message.content else message.model_copy(update={"content": content}))
    return made, list(dict.fromkeys(changed))


def _shortened(message: BaseMessage, room: int) -> str | None:
    """The shortened text of a result or an earlier reply; None if it is short enough."""
    if len(message.text) <= room:
        return None
    if isinstance(message, ToolMessage):
        lines = message.text[:room].splitlines()
        whole = lines[:-1] if 2 * len(lines[-1]) < room else lines  # a long line is cut within it
        short = "\n".join([*(whole or lines), f"({TOLD})"])
    elif isinstance(message, AIMessage):
        short = f"{message.text[:room]}… ({TOLD.partition(';')[0]})"
    else:
        return None
    return short if len(short) < len(message.text) else None
