"""A round of calls: it ends when the person wants it to."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from longtake.agent.controllers.factory import extractive
from longtake.agent.gathering.moments import VideoMoments
from longtake.agent.graph.nodes.act import act
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import AgentState
from longtake.agent.query.reader import LearnedReader
from longtake.agent.traces.trace import Trace
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.core.frames import Frames
from longtake.tools.core.registry import tool
from longtake.tools.core.result import ToolResult
from longtake.tools.core.tool_context import Budget, ToolContext
from longtake.tools.core.toolbox import Toolbox

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


@pytest.fixture
def heeded() -> Iterator[None]:
    """Ctrl-C interrupts: a shell starts what runs in the background with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded")
def test_ctrl_c_ends_a_round_without_waiting_for_its_tools(small_workspace: Workspace, tmp_path: Path) -> None:
    budget = Budget(60)
    tools = ToolContext({}, small_workspace.engines, small_workspace.index, small_workspace.settings, budget)
    trace = Trace(tmp_path)
    reader = LearnedReader(small_workspace.engines)
    context = RunContext(
        Toolbox([sleep]),
        tools,
        extractive(reader),
        trace,
        time.time(),
        reader,
        lambda video: VideoMoments(()),
        Frames({}),
    )
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
