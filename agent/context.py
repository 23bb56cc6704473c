"""What every node is handed: fixed for a run, never part of the state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from langchain_core.language_models import BaseChatModel

from longtake.agent.facts import Known
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
    known: Known = field(default_factory=Known)
    origin: Mapping[str, Any] = field(default_factory=dict)  # of a run that was forked from another
