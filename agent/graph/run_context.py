"""What every node receives. It stays the same during a run and is never part of the state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import BaseChatModel

from longtake.agent.gathering.gathered import Gatherer
from longtake.agent.gathering.gatherer import gather
from longtake.agent.graph.video_metadata import Known
from longtake.agent.query.reader import Reader
from longtake.agent.traces.trace import Trace
from longtake.agent.verification.verifier import billions
from longtake.tools.core.tool_context import ToolContext
from longtake.tools.core.toolbox import Toolbox


@dataclass(frozen=True, slots=True)
class RunContext:
    """Tools, models and trace of one run."""

    toolbox: Toolbox
    tools: ToolContext
    controller: BaseChatModel
    trace: Trace
    started: float  # time.time() when the question was asked
    reader: Reader
    gather: Gatherer = gather
    stand_in: BaseChatModel | None = None  # takes over from a controller that finds nothing
    known: Known = field(default_factory=Known)
    origin: Mapping[str, Any] = field(default_factory=dict)  # of a run forked from another

    @property
    def writes(self) -> bool:
        """Whether the controller is a language model, which also writes texts for tools."""
        return self.stand_in is not None

    @property
    def entails(self) -> bool:
        """Whether the model's name says that it is large enough to judge paraphrases."""
        settings = self.tools.settings
        size = billions(settings.controller.model or "")
        return self.writes and size is not None and size >= settings.verification.entailment_from
