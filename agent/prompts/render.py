"""The agent's prompts, and the hash of all prompts, which goes into the trace."""

from __future__ import annotations

from typing import Any

from longtake import prompts

AGENT = "longtake.agent.prompts"
TOOLS = "longtake.tools.prompts"


def render(name: str, **values: Any) -> str:
    """The agent's prompt `name`, filled; a value that is missing is an error."""
    return prompts.render(AGENT, name, **values)


def prompts_hash() -> str:
    """Twelve hex digits over every prompt that a run may use."""
    return prompts.prompts_hash(AGENT, TOOLS)
