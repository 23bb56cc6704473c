"""A round of calls: it ends when the person wants it to."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from longtake.agent.context import RunContext
from longtake.agent.controllers.rules import RulesChatModel
from longtake.agent.nodes.act import act
from longtake.agent.state import AgentState
from longtake.agent.trace import Trace
from longtake.preprocess.workspace import Workspace
from longtake.tools.context import Budget, ToolContext
from longtake.tools.registry import tool
from longtake.tools.result import ToolResult
from longtake.tools.toolbox import Toolbox

started = threading.Event()
finished = threading.Event()
never = threading.Event()


@tool()
def sleep(context: ToolContext) -> ToolResult:
    """Look at no budget for ten seconds."""
    started.set()
    never.wait(10)
    finished.set()
    return ToolResult(tool="sleep")


def test_ctrl_c_ends_a_round_without_waiting_for_its_tools(small_workspace: Workspace, tmp_path: Path) -> None:
    budget = Budget(60)
    tools = ToolContext({}, small_workspace.engines, small_workspace.index, small_workspace.settings, budget)
    trace = Trace(tmp_path)
    context = RunContext(Toolbox([sleep]), tools, RulesChatModel(), trace, time.time())
    calls = [{"name": "sleep", "args": {}, "id": f"call-{number}", "type": "tool_call"} for number in range(9)]
    state = AgentState("Who?", (), messages=[AIMessage(content="", tool_calls=calls)])
    main = threading.main_thread().ident
    assert main

    def interrupt() -> None:
        started.wait()
        time.sleep(0.5)  # until the main thread waits for the calls: a signal may be lost while it still starts them
        signal.pthread_kill(main, signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        act(state, Runtime(context=context))
    assert budget.stopped
    assert not finished.is_set()
    trace.close()
