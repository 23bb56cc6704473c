"""Sends single prompts to the controller's model, for a tool call or for verification."""

from __future__ import annotations

import math
import time
from collections import Counter

from langchain_core.messages import HumanMessage, message_to_dict

from longtake.agent.controllers.asking import reply, tokens
from longtake.agent.graph.run_context import RunContext
from longtake.agent.prompts.render import prompts_hash
from longtake.prompts import without_thinking

CHECK = ""  # the call id of prompts from verification


class PromptText:
    """Answers single prompts. Each reply is in the trace, and its tokens count in `spent`."""

    def __init__(self, context: RunContext, asked_at: int | None, tool: str = "verify", call: str = CHECK) -> None:
        """Send prompts of verification, unless a tool and its call are named."""
        self.spent: Counter[str] = Counter()  # input_tokens, output_tokens
        self._context = context
        self._agent = {"tool": tool, "call": call}
        self._asked_at = asked_at

    def complete(self, prompt: str, *, seconds: float = math.inf) -> str:
        """The reply to one prompt, within at most `seconds`.

        Raises:
            EngineError: if the endpoint doesn't answer or refuses.
            Cancelled: if time runs out.
        """
        started = time.time()
        context, asked = self._context, [HumanMessage(prompt)]
        timeout, budget = context.tools.settings.controller.timeout, context.tools.budget.share(seconds)
        answered = reply(context.controller, asked, [], timeout=timeout, budget=budget)
        self.spent.update(tokens(answered))
        context.trace.event(
            "model",
            started=started,
            parent=self._asked_at,
            given={"messages": [message_to_dict(item) for item in asked], "tools": []},
            result=message_to_dict(answered),
            data={**self._agent, "prompts": prompts_hash()},
            usage=tokens(answered),
        )
        return without_thinking(answered.text)
