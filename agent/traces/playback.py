"""The controller and tools of a recorded run, which return their recorded replies and results."""

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
from longtake.agent.gathering.moments import VideoMoments, key_of
from longtake.agent.query.query import Reading
from longtake.agent.traces.whole_run import RecordedCall, RecordedReply, characters
from longtake.errors import EngineError, LibraryError
from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.frames import Frames
from longtake.tools.core.result import ToolResult
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.core.toolbox import Toolbox


class Replies:
    """The replies that remain to be given, each once; tools may request theirs concurrently."""

    def __init__(
        self,
        planned: Sequence[RecordedReply],
        calls: Mapping[str, RecordedCall],
        checks: Sequence[tuple[str, AIMessage]] = (),
        problems: Sequence[str] = (),
    ) -> None:
        """Replies by round, replies to the prompts of calls and of the judge, and the reasons why some had none."""
        self._planned = deque(planned)
        self._problems = deque(problems)
        self._prompted: dict[str, deque[AIMessage]] = {}
        for prompt, message in (*(pair for call in calls.values() for pair in call.prompts), *checks):
            self._prompted.setdefault(prompt, deque()).append(message)

    @property
    def waiting(self) -> int:
        """How many replies in rounds haven't been requested yet."""
        return len(self._planned)

    def next(self, messages: Sequence[BaseMessage]) -> AIMessage | None:
        """The reply in the next round; None if there are no more.

        Raises:
            ContextFull: when the controller refused a conversation this long.
        """
        if not self._planned:
            return None
        max_characters = self._planned[0].max_characters
        if max_characters is not None and characters(messages) > max_characters:
            raise ContextFull("The conversation is longer than the controller accepted.")
        return self._planned.popleft().message

    def to(self, prompt: str) -> AIMessage | None:
        """The reply to a single prompt; None if there is none left.

        Raises:
            EngineError: when the judge couldn't be asked.
        """
        replies = self._prompted.get(prompt)
        if not replies and self._problems:
            raise EngineError(self._problems.popleft())
        return replies.popleft() if replies else None


class RecordedController(BaseChatModel):
    """Replies as a run's controller did; after the recording ends, `then` provides the model."""

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
        """The same recording for a round; prompts of tools come without bound tools."""
        return self.model_copy(update={"tools": tuple(tools)})

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        # A single message is the prompt of a tool or of the judge; a conversation has more.
        single = len(messages) == 1
        reply: BaseMessage | None = self.replies.to(messages[-1].text) if single else self.replies.next(messages)
        if reply is None:
            live = self.then()
            reply = (live.bind_tools(self.tools) if self.tools else live).invoke(messages, **kwargs)
        return ChatResult(generations=[ChatGeneration(message=reply)])


class RecordedMoments(VideoMoments):
    """The moments of a recorded run: its results hold whole moments, and the judge's step what lies beside them."""

    def __init__(self, beside: Mapping[str, Sequence[Moment]]) -> None:
        """Take what lies beside moments, by the ids of their evidence, and in spans."""
        super().__init__(())
        self._beside = beside

    def around(self, item: Moment) -> Moment:
        """The moment itself."""
        return item

    def at(self, span: TimeSpan) -> list[Moment]:
        """As recorded."""
        return list(self._beside.get(key_of(span), ()))

    def beside(self, moment: Moment) -> list[Moment]:
        """As recorded."""
        return list(self._beside.get(moment.id, ()))


class RecordedFrames(Frames):
    """References stand for frames, because the video may be gone."""

    def url(self, reference: str) -> str:
        """The reference itself."""
        return reference


class RecordedReader:
    """Returns the recorded reading of a question."""

    def __init__(self, reading: Reading) -> None:
        """Take the reading."""
        self._reading = reading

    def read(self, question: str) -> Reading:
        """The recorded reading, whatever the question."""
        return self._reading


class RecordedToolbox(Toolbox):
    """Returns the results of recorded calls; `then` makes all others."""

    def __init__(self, calls: Mapping[str, RecordedCall], then: Toolbox | None = None) -> None:
        super().__init__(ALL_TOOLS)
        self._calls = calls
        self._then = then

    def call(self, name: str, arguments: Mapping[str, Any], context: ToolContext) -> ToolResult:
        """The recorded result of the call with this id, if it is the same call; otherwise that of a new call.

        Raises:
            LibraryError: when it wasn't recorded and there is no `then`.
        """
        made = self._calls.get(context.call)
        if made and (made.name, made.arguments) == (name, arguments):
            for prompt, _ in made.prompts:
                if context.text_model:
                    context.text_model.complete(prompt, seconds=context.budget.left)
            return made.result
        if self._then is None:
            raise LibraryError(f"The recording has no result of {name} with these arguments.")
        return self._then.call(name, arguments, context)
