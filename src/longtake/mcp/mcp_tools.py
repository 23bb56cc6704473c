"""The MCP tools as plain calls: the sixteen tools as the registry describes them, and `ask`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from mcp.types import CallToolResult, TextContent, Tool
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from longtake.agent.drafts.publishing import marks
from longtake.agent.graph.agent import (
    MAX_OPTION_LENGTH,
    MAX_OPTIONS,
    MAX_QUESTION_LENGTH,
    MAX_THREAD_LENGTH,
    MAX_VIDEOS,
    Agent,
)
from longtake.agent.traces.trace import Watch
from longtake.errors import LongtakeError, did_you_mean
from longtake.memory.library import VideoRecord
from longtake.memory.notes import Notes
from longtake.memory.records import Answer
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.registry import SPECS
from longtake.tools.core.result import ToolError
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.core.toolbox import Toolbox, problems

ASK = "ask"
CORE = tuple(function for function in ALL_TOOLS if SPECS[function].group == "core")
Option = Annotated[str, Field(min_length=1, max_length=MAX_OPTION_LENGTH)]


class AskArguments(BaseModel):
    """Ask about videos in the library. The answer cites the seconds that prove it, says it is not sure, or abstains."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(max_length=MAX_QUESTION_LENGTH, description="The question, in plain words.")
    videos: list[str] = Field(
        default=[],
        max_length=MAX_VIDEOS,
        description=f"Names or ids of videos in the library. By default all of it; of more than {MAX_VIDEOS} videos, "
        f"the {MAX_VIDEOS} with the closest lines.",
    )
    options: list[Option] = Field(
        default=[], max_length=MAX_OPTIONS, description="The options of a multiple-choice question."
    )
    thread: str | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_THREAD_LENGTH,
        description="Name of a conversation; reuse it to continue.",
    )


class Offer:
    """The calls a client can make; each uses the library as it is at that moment."""

    def __init__(self, workspace: Workspace, agent: Agent, folder: Path) -> None:
        """Serve a library.

        Args:
            workspace: the library and its settings.
            agent: answers the questions.
            folder: keeps the sessions' notes, which nothing uses once the server has ended.
        """
        self._workspace = workspace
        self._agent = agent
        self._notes = Notes(folder / "notes.sqlite")

    def tools(self) -> list[Tool]:
        """The tools available now; if the library has several videos, each tool takes a `video`."""
        names = tuple(self._videos())
        offered = [SPECS[function] for function in CORE]
        tools = [
            Tool(name=spec.name, description=spec.description, input_schema=spec.schema(names)) for spec in offered
        ]
        return [*tools, Tool(name=ASK, description=AskArguments.__doc__, input_schema=_ask_schema(names))]

    def call(
        self, name: str, arguments: Mapping[str, Any], budget: Budget, watch: Watch, session: str = ""
    ) -> CallToolResult:
        """Make one call, within a budget; errors are returned in the result.

        Args:
            name: a tool, or `ask`.
            arguments: as the client sent them.
            budget: ends the work when the client stops waiting.
            watch: called with each trace event of `ask`.
            session: id of the client's session, which has its own notes.
        """
        try:
            return self._ask(arguments, budget, watch) if name == ASK else self._use(name, arguments, budget, session)
        except (LongtakeError, ToolError) as error:
            return _result(str(error), None, failed=True)

    def _use(self, name: str, arguments: Mapping[str, Any], budget: Budget, session: str) -> CallToolResult:
        toolbox = Toolbox(CORE)
        if name not in toolbox:  # the toolbox doesn't know of `ask`
            known = [*(spec.name for spec in toolbox), ASK]
            raise LongtakeError(f"There is no tool {name!r}. {did_you_mean(name, known)}")
        workspace = self._workspace
        records = self._videos().values()
        workspace.restore(records)
        handles = {record.id: VideoHandle(record, workspace.library) for record in records}
        opened = ToolContext(
            handles,
            workspace.engines,
            workspace.index,
            workspace.settings,
            budget,
            notes=self._notes,
            thread=session,
        )
        result = toolbox.call(name, arguments, opened)
        whole = result.model_dump(mode="json")
        if result.failure:
            return _result(f"{result.failure.message} {result.failure.remedy}".strip(), whole, failed=True)
        return _result(result.for_controller(workspace.settings.tools.result_characters), whole, failed=False)

    def _ask(self, arguments: Mapping[str, Any], budget: Budget, watch: Watch) -> CallToolResult:
        try:
            asked = AskArguments.model_validate(arguments)
        except ValidationError as error:
            raise LongtakeError(f"{ASK}: {problems(error, AskArguments)}") from error
        videos = [self._id_of(name) for name in asked.videos] or self._agent.likeliest(asked.question)
        answer = self._agent.ask(
            videos, asked.question, options=asked.options, thread=asked.thread, budget=budget, watch=watch
        )
        return _result(self._text_of(answer), answer.model_dump(mode="json"), failed=answer.status == "failed")

    def _text_of(self, answer: Answer) -> str:
        """An answer with what the video doesn't show of it, and with its proof or the closest lines, as text."""
        names = {video.id: video.name for video in self._workspace.library.videos()}
        option = [answer.option.told] if answer.option else []
        flagged = [f"- {claim.told}{marks(claim.against, names)}" for claim in answer.flagged]
        proof = [
            f"[{names.get(cited.video, cited.video)} {TimeSpan(start=cited.start, end=cited.end)}] {cited.quote}"
            for cited in answer.places
        ]
        return "\n".join([answer.error or answer.answer, *option, *flagged, *proof])

    def _id_of(self, reference: str) -> str:
        """The id of a video given by id or name; anything else a client sends never reaches the disk."""
        matches = [video.id for video in self._workspace.library.videos() if reference in (video.id, video.name)]
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise LongtakeError(f"videos: {reference!r} matches several videos, give an id: {', '.join(matches)}.")
        known = ", ".join(self._videos())
        remedy = f"it holds {known}" if known else "it is empty, index a video first"
        raise LongtakeError(f"videos: {reference!r} is not in the library: {remedy}.")

    def _videos(self) -> dict[str, VideoRecord]:
        """The videos by name, or by id if several share a name."""
        videos = self._workspace.library.videos()
        names = [video.name for video in videos]
        return {video.name if names.count(video.name) == 1 else video.id: video for video in videos}


def _ask_schema(videos: Sequence[str]) -> dict[str, Any]:
    schema = AskArguments.model_json_schema()
    for unwanted in ("title", "description"):
        schema.pop(unwanted, None)
    for argument in schema["properties"].values():
        argument.pop("title", None)
    if videos:
        schema["properties"]["videos"]["items"]["enum"] = list(videos)
    return schema


def _result(text: str, structured: dict[str, Any] | None, *, failed: bool) -> CallToolResult:
    content = TextContent(type="text", text=text)
    return CallToolResult(content=[content], structured_content=structured, is_error=failed)
