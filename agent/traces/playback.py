"""The controller and the tools of a recorded run, which give again what they gave then."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from longtake.agent.controllers.asking import ContextFull
from longtake.agent.query.query import Reading
from longtake.agent.traces.recording import Call, Reply, letters
from longtake.errors import LibraryError
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.result import ToolResult
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.core.toolbox import Toolbox


class Replies:
    """The replies that are still to be given, each once; tools may ask for theirs at the same time."""

    def __init__(
        self, planned: Sequence[Reply], calls: Mapping[str, Call], checks: Sequence[tuple[str, AIMessage]] = ()
    ) -> None:
        """Take the replies to rounds, and those to the prompts of calls and of verification."""
        self._planned = deque(planned)
        self._prompted: dict[str, deque[AIMessage]] = {}
        for prompt, message in (*(pair for call in calls.values() for pair in call.prompts), *checks):
            self._prompted.setdefault(prompt, deque()).append(message)

    @property
    def waiting(self) -> bool:
        """Whether a round's reply has not been asked for."""
        return bool(self._planned)

    def next(self, messages: Sequence[BaseMessage]) -> AIMessage | None:
        """The reply to the next round; None when there are no more.

        Raises:
            ContextFull: when so long a conversation was refused.
        """
        if not self._planned:
            return None
        most = self._planned[0].most_letters
        if most is not None and letters(messages) > most:
            raise ContextFull("The conversation is longer than the controller read.")
        return self._planned.popleft().message

    def to(self, prompt: str) -> AIMessage | None:
        """The reply to a tool's prompt; None when there is none left."""
        replies = self._prompted.get(prompt)
        return replies.popleft() if replies else None


class RecordedController(BaseChatModel):
    """Replies as the controller of a run did; `then` is asked where the recording ends."""

    replies: Replies
    then: Callable[[], BaseChatModel]
    tools: tuple[Any, ...] = ()

    @property
    def _llm_type(self) -> str:
        return "longtake-recorded"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The same recording, asked for a round: tools ask for a reply without being told of tools."""
        return self.model_copy(update={"tools": tuple(tools)})

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        reply: BaseMessage | None = self.replies.next(messages) if self.tools else self.replies.to(messages[-1].text)
        if reply is None:
            live = self.then()
            reply = (live.bind_tools(self.tools) if self.tools else live).invoke(messages, **kwargs)
        return ChatResult(generations=[ChatGeneration(message=reply)])


class RecordedReader:
    """Reads a question as it was read then."""

    def __init__(self, reading: Reading) -> None:
        """Take the reading."""
        self._reading = reading

    def read(self, question: str) -> Reading:
        """The recorded reading, whatever the question."""
        return self._reading


class RecordedToolbox(Toolbox):
    """Gives the results of recorded calls; `then` makes all others."""

    def __init__(self, calls: Mapping[str, Call], then: Toolbox | None = None) -> None:
        super().__init__(ALL_TOOLS)
        self._calls = calls
        self._then = then

    def call(self, name: str, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        """The result of the call with this id, when it is the same call; else what comes of it now.

        Raises:
            LibraryError: when it was not recorded, and nothing is to make it.
        """
        made = self._calls.get(context.call)
        if made and (made.name, made.arguments) == (name, arguments):
            for prompt, _ in made.prompts:
                if context.text_model:
                    context.text_model.complete(prompt, seconds=context.budget.left)
            return made.result
        if self._then is None:
            raise LibraryError(f"The recording holds no result of {name} with the arguments that the code gives it.")
        return self._then.call(name, arguments, context)
