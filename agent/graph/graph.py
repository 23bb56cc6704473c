"""The state machine: orient, brief, plan and act in turns, judge, then plan once more or publish.

The extractive controller stands in for a language model that fails or says nothing.
"""

from __future__ import annotations

from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from longtake.agent.graph.nodes.act import act
from longtake.agent.graph.nodes.brief import brief, by_own_id
from longtake.agent.graph.nodes.judge import judge
from longtake.agent.graph.nodes.orient import orient
from longtake.agent.graph.nodes.plan import plan
from longtake.agent.graph.nodes.publish import publish
from longtake.agent.graph.routing import after_judge, after_plan
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import AgentState, Question


def stand_in(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Restart with the question and what was found for it. The extractive controller plans from here."""
    opening = list(state.messages[:2])  # the instructions, and the question with what was found
    progress = state.progress.model_copy(update={"guard": None, "rounds_before": state.progress.rounds, "unread": 0})
    moments = state.moments | by_own_id(state.evidence)
    update = {"messages": opening, "moments": moments, "results": [], "progress": progress}
    return update | {"stands_in": state.progress.guard}


Graph = CompiledStateGraph[AgentState, RunContext, Question, AgentState]


def build_graph(threads: BaseCheckpointSaver[Any] | None) -> Graph:
    """Wire the nodes. Models, tools and settings come from the run's context; `threads` keeps what a thread needs."""
    graph: StateGraph[AgentState, RunContext, Question, AgentState] = StateGraph(
        AgentState, context_schema=RunContext, input_schema=Question
    )
    for node in (orient, brief, plan, act, judge, stand_in, publish):
        graph.add_node(node)
    graph.add_edge(START, "orient")
    graph.add_edge("orient", "brief")
    graph.add_edge("brief", "plan")
    graph.add_conditional_edges("plan", after_plan)
    graph.add_edge("act", "plan")
    graph.add_conditional_edges("judge", after_judge)
    graph.add_edge("stand_in", "plan")
    graph.add_edge("publish", END)
    return graph.compile(checkpointer=threads)
