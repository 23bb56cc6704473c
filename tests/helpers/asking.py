"""Ask the whole graph, with a scripted endpoint as its controller, and read back the trace it left."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from helpers.servers.openai_server import Endpoint, Reply, openai_server

from longtake.agent.controllers.factory import make_controllers
from longtake.agent.graph.agent import Agent
from longtake.agent.graph.nodes.publish import STOOD_IN
from longtake.agent.query.reader import LearnedReader
from longtake.agent.traces.trace import RecordedTrace
from longtake.config import load
from longtake.memory.records import Answer
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings

VIDEO = "talk.mp4"


@dataclass(frozen=True)
class Asked:
    """An answer, what the endpoint was asked for it, and the events of its trace."""

    answer: Answer
    endpoint: Endpoint
    events: list[dict[str, Any]]

    @property
    def stood_in(self) -> bool:
        """Whether the answer says that it is not the endpoint's own."""
        return STOOD_IN.partition("{why}")[0] in self.answer.answer

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["type"] == kind]


def endpoint_asker(workspace: Workspace, url: str, *settings: str) -> Agent:
    """An agent whose controller is at a URL, in a library that is open already."""
    overrides = ("controller.engine=openai", f"controller.base_url={url}", "controller.model=scripted", *settings)
    changed = copy.copy(workspace)
    changed.settings = load(overrides=overrides)
    return Agent(changed)


def plans_by(settings: Settings) -> Any:
    """The chat model that plans under these settings."""
    return make_controllers(settings, LearnedReader(EngineTable(settings))).plans


def ask_endpoint(
    workspace: Workspace,
    script: Sequence[Reply],
    *settings: str,
    question: str = "What does the blue kettle cost?",
    options: Sequence[str] = (),
    videos: Sequence[str] = (VIDEO,),
) -> Asked:
    """Ask one question of an endpoint that replies as scripted."""
    with openai_server(script) as endpoint:
        answer = endpoint_asker(workspace, endpoint.url, *settings).ask(list(videos), question, options=options)
    trace = RecordedTrace(workspace.library.trace_root, answer.trace or "")
    return Asked(answer, endpoint, list(trace.events()))
