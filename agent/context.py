"""What every node is handed: fixed for a run, never part of the state."""

from __future__ import annotations

from dataclasses import dataclass

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
    incomplete: tuple[str, ...] = ()  # names of videos whose indexing was stopped before its end
