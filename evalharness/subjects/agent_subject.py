"""Our agent as a subject, with a profile's controller, engines and budget."""

from __future__ import annotations

from pathlib import Path
from threading import Lock

from longtake.agent.graph.agent import Agent
from longtake.agent.graph.state import Turn
from longtake.agent.traces.trace import RecordedTrace
from longtake.console import raise_if_interrupted
from longtake.evalharness.items import Item, ParseStatus, Reply, ToolCall
from longtake.evalharness.scoring.choices import LABELS
from longtake.evalharness.subjects.subject import AskedTurn, no_media, refuse_clip
from longtake.memory.records import Answer, Usage
from longtake.memory.timespan import TimeSpan
from longtake.models.profiles import known_price
from longtake.preprocess.pipeline.progress import Watcher
from longtake.preprocess.pipeline.workspace import Workspace

_ENDPOINTS = ("openai", "qwen_agent")


class AgentSubject:
    """Asks the agent in one library. A video is indexed for its first item and shared by the others.

    Several questions at once are about different videos, because a closer look at a video changes what later questions
    find in it. Videos are indexed one at a time, and before the time of a question begins.
    """

    indexes = at_most = True

    def __init__(self, name: str, workspace: Workspace, at_once: int = 1) -> None:
        """Nothing is asked yet. `at_once` holds if the controller is an endpoint; others share this machine."""
        self.name = name
        self.at_once = at_once if workspace.settings.controller.engine in _ENDPOINTS else 1
        self._workspace = workspace
        self._indexing = Lock()
        self._settings = workspace.settings
        self._traces = workspace.library.trace_root
        controller = workspace.settings.controller
        self._priced = known_price(controller) is not None or controller.engine not in _ENDPOINTS  # here, it's free
        self._agent = Agent(workspace)

    def reply(self, asked: AskedTurn) -> Reply:
        """The agent's answer. Its thread has the conversation so far."""
        media = asked.item.media
        if media is None:
            return no_media()
        refuse_clip(asked.item)
        with self._indexing:
            self._workspace.add(Path(media), Watcher(check_cancelled=raise_if_interrupted))
        earlier = [Turn(question=question, answer=answer) for question, answer in asked.history]
        answer = self._agent.ask([media], asked.turn.question, options=asked.options, earlier=earlier)
        # What stands in for a controller that died isn't its answer.
        failure = answer.error or answer.controller_error
        place = LABELS.index(answer.option.letter) if answer.option else None
        return Reply(
            text=answer.answer,
            status="error" if failure or answer.status == "failed" else "ok",
            error=failure,
            choice=asked.own(place),
            parse=_parse(answer, asked),
            abstained=answer.status == "abstained",
            uncertain=answer.status == "uncertain",
            confidence=answer.confidence,
            calls=self._calls(answer),
            cited=tuple(TimeSpan(start=citation.start, end=citation.end) for citation in answer.citations),
            usage=answer.usage if self._priced else answer.usage.model_copy(update={"cost": None}),
            trace=answer.trace,
        )

    def lane(self, item: Item) -> str:
        """The video of an item."""
        return item.media or item.video

    def expected(self, asked: AskedTurn) -> Usage:
        """The budget of a question. The extractive controller calls no model and needs only part of the time."""
        most = self._settings.budget
        if self._settings.controller.engine == "extractive":
            return Usage()
        return Usage(
            rounds=most.rounds, seconds=most.seconds, input_tokens=most.tokens, cost=most.cost if self._priced else None
        )

    def _calls(self, answer: Answer) -> tuple[ToolCall, ...]:
        """The calls of the run, in order."""
        if answer.trace is None:
            return ()
        events = (event for event in RecordedTrace(self._traces, answer.trace).events() if event["type"] == "tool")
        return tuple(ToolCall(tool=event["data"]["tool"], arguments=event["data"]["arguments"]) for event in events)


def _parse(answer: Answer, asked: AskedTurn) -> ParseStatus:
    if not asked.options:
        return "none"
    if answer.option:
        return "ok"  # a letter is a choice, however sure
    return answer.status if answer.status in ("uncertain", "abstained") else "failed"
