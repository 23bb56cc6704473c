"""The state machine: orient, gather, plan and act in turns, verify, then plan again, stand in or answer."""

from __future__ import annotations

from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from longtake.agent.graph.nodes.act import act
from longtake.agent.graph.nodes.answer import answer
from longtake.agent.graph.nodes.gather import gather
from longtake.agent.graph.nodes.orient import orient
from longtake.agent.graph.nodes.plan import plan
from longtake.agent.graph.nodes.stand_in import stand_in
from longtake.agent.graph.nodes.verify import verify
from longtake.agent.graph.routing import after_plan, after_verify
from longtake.agent.graph.run_context import RunContext
from longtake.agent.graph.state import AgentState, Question

Graph = CompiledStateGraph[AgentState, RunContext, Question, AgentState]


def build_graph(threads: BaseCheckpointSaver[Any] | None) -> Graph:
    """Wire the nodes. Models, tools and settings come from the run's context; `threads` keeps what a thread needs."""
    graph: StateGraph[AgentState, RunContext, Question, AgentState] = StateGraph(
        AgentState, context_schema=RunContext, input_schema=Question
    )
    for node in (orient, gather, plan, act, verify, stand_in, answer):
        graph.add_node(node)
    graph.add_edge(START, "orient")
    graph.add_edge("orient", "gather")
    graph.add_edge("gather", "plan")
    graph.add_conditional_edges("plan", after_plan)
    graph.add_edge("act", "plan")
    graph.add_conditional_edges("verify", after_verify)
    graph.add_edge("stand_in", "plan")
    graph.add_edge("answer", END)
    return graph.compile(checkpointer=threads)
