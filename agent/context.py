"""What every node is handed: fixed for a run, never part of the state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from langchain_core.language_models import BaseChatModel

from longtake.agent.trace import Trace
from longtake.tools.context import ToolContext
from longtake.tools.toolbox import Toolbox


@dataclass(frozen=True, slots=True)
class RunContext:
    """Tools, models and trace of one run."""

    toolbox: Toolbox
    tools: ToolContext
    controller: BaseChatModel
    trace: Trace
    started: float  # time.time() when the question was put
    problems: Mapping[str, str] = field(default_factory=dict)  # why a layer could not be built, by its name
    incomplete: tuple[str, ...] = ()  # names of videos that are not indexed to their end
