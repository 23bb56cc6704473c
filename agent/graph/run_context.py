"""What every node receives. It stays the same during a run and is never part of the state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from langchain_core.language_models import BaseChatModel

from longtake.agent.gathering.gathered import Gatherer
from longtake.agent.gathering.gatherer import gather
from longtake.agent.gathering.moments import MomentsOf
from longtake.agent.graph.known_videos import Known
from longtake.agent.query.reader import Reader
from longtake.agent.traces.trace import Trace
from longtake.models.profiles import ModelProfile, profile_of
from longtake.tools.core.frames import Frames
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.core.toolbox import Toolbox

if TYPE_CHECKING:
    from longtake.agent.graph.state import AgentState


@dataclass(frozen=True, slots=True)
class RunContext:
    """Tools, models and trace of one run."""

    toolbox: Toolbox
    tools: ToolContext
    controller: BaseChatModel
    trace: Trace
    started: float  # time.time() when the question was asked
    reader: Reader
    moments: MomentsOf
    frames: Frames
    gather: Gatherer = gather
    stand_in: BaseChatModel | None = None  # takes over from a language model that fails
    judge: BaseChatModel | None = None  # judges what a language model claims
    known: Known = field(default_factory=Known)
    on_text: Callable[[str], None] | None = None  # is given each new piece of the answer as it is written
    origin: Mapping[str, Any] = field(default_factory=dict)  # of a run forked from another

    @property
    def names(self) -> dict[str, str]:
        """File names of the open videos, by library id."""
        return {video.id: video.record.name for video in self.tools.videos.values()}

    @property
    def told_apart(self) -> dict[str, str]:
        """The same names if there are several videos to tell apart; none for one video alone."""
        return self.names if len(self.tools.videos) > 1 else {}

    @property
    def writes(self) -> bool:
        """Whether the controller is a language model, which also writes texts for tools."""
        return self.stand_in is not None

    def plans_by_model(self, state: AgentState) -> bool:
        """Whether a language model plans now: there is one, and nothing stands in for it."""
        return self.writes and state.stands_in is None

    @property
    def judge_profile(self) -> ModelProfile:
        """What the model that judges can do: its context, pictures, price."""
        judge = self.tools.settings.judge
        return profile_of(judge) if judge else self.profile

    @property
    def profile(self) -> ModelProfile:
        """What the controller's model can do: its context, pictures, price."""
        return profile_of(self.tools.settings.controller, self.tools.settings.gguf)
