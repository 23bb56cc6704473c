"""Sends single prompts to a model, for a tool call or to judge an answer."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import HumanMessage, message_to_dict

from longtake.agent.controllers.asking import reply, tokens, with_pictures
from longtake.agent.graph.run_context import RunContext
from longtake.agent.prompts.render import prompts_hash
from longtake.agent.traces.trace import JUDGE
from longtake.prompts import without_thinking

CHECK = ""  # the call id of prompts that judge


class PromptText:
    """Sends single prompts and returns the replies. The trace has each of them, and `spent` their tokens."""

    def __init__(
        self,
        context: RunContext,
        asked_at: int | None,
        tool: str = JUDGE,
        call: str = CHECK,
        model: BaseChatModel | None = None,
    ) -> None:
        """Prompt a model for one call of a tool, or for the judge.

        Args:
            context: of the run.
            asked_at: the trace's step of the reply that made the call, or that is judged.
            tool: that prompts; by default the judge.
            call: id of its call.
            model: that is prompted; by default the controller.
        """
        self.spent: Counter[str] = Counter()  # input_tokens, output_tokens
        self._context = context
        self._agent = {"tool": tool, "call": call}
        self._asked_at = asked_at
        self._model = model or context.controller

    def complete(
        self,
        prompt: str,
        *,
        seconds: float = math.inf,
        schema: dict[str, Any] | None = None,
        pictures: Mapping[str, str] | None = None,
    ) -> str:
        """The reply to one prompt, within at most `seconds`.

        Args:
            prompt: in words.
            seconds: to wait.
            schema: of the JSON object that it replies, if it is to.
            pictures: references of frames that it is shown after the prompt, each after its name.

        Raises:
            EngineError: if the endpoint doesn't answer or refuses.
            Cancelled: if time runs out.
        """
        started = time.time()
        context = self._context
        parts: list[str | dict[str, Any]] = [{"type": "text", "text": prompt}]
        for name, reference in (pictures or {}).items():
            parts += [{"type": "text", "text": f"{name}:"}, {"type": "image_url", "image_url": {"url": reference}}]
        asked = [HumanMessage(parts if pictures else prompt)]
        settings = context.tools.settings
        own = settings.verification.timeout if self._agent["tool"] == JUDGE else None
        timeout = own or settings.controller.timeout
        budget = context.tools.budget.share(seconds)
        sent = with_pictures(asked, context.frames)
        answered = reply(self._model, sent, [], timeout=timeout, budget=budget, schema=schema)
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
