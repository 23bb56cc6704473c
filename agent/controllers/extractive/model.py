"""The extractive controller as a LangChain chat model: deterministic, without a language model.

It reads the `Query`, the gathered evidence and the tools' results as data (message artifacts) and never parses prose.
It calls the tools in its table, ranks the candidates and returns structured claims.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from longtake.agent.controllers.extractive.candidates import Embed, candidates_of
from longtake.agent.controllers.extractive.forming import CLOSEST, form, unsure
from longtake.agent.controllers.extractive.no_answer import Findings
from longtake.agent.controllers.extractive.planning import PlannedCall, calls_for
from longtake.agent.controllers.extractive.ranking import Ranked, read_and_ranked, sure_from
from longtake.agent.drafts.draft import ANSWER, Draft
from longtake.agent.fitted import Weights, load_weights
from longtake.agent.gathering.gathered import Gathered
from longtake.agent.query.query import Query
from longtake.console import counted
from longtake.errors import EngineError
from longtake.preprocess.engines.text.text_engines import Reranker
from longtake.tools.core.result import ToolResult

QUERY, GATHERED = "query", "gathered"  # keys of the opening message's additional data
_SHOWN = 40  # characters of a line in a trace


class ExtractiveChatModel(BaseChatModel):
    """Answers with lines from the video."""

    embed: Embed
    family: Callable[[], str]
    reranker: Callable[[], Reranker | None]
    tool_names: frozenset[str] = frozenset()

    @property
    def _llm_type(self) -> str:
        return "longtake-extractive"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The same model with the tools it may call."""
        names = frozenset(tool["function"]["name"] for tool in tools if isinstance(tool, dict))
        return self.model_copy(update={"tool_names": names})

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        data = {key: value for message in messages for key, value in message.additional_kwargs.items()}
        if QUERY not in data:
            raise EngineError(
                "The extractive controller only runs inside the agent's graph: the messages have no query."
            )
        query, gathered = Query.model_validate(data[QUERY]), Gathered.model_validate(data[GATHERED])
        results = [ToolResult.model_validate(each.artifact) for each in messages if isinstance(each, ToolMessage)]
        rounds = sum(isinstance(each, AIMessage) for each in messages)
        calls = [call for call in (calls_for(query, gathered) if rounds == 0 else []) if call.name in self.tool_names]
        message = _calling(calls) if calls else self._answer(query, gathered, results)
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _answer(self, query: Query, gathered: Gathered, results: Sequence[ToolResult]) -> AIMessage:
        """The call of `answer`. Its claims are its text if it is sure."""
        weights, reranker = load_weights(self.family()), self.reranker()
        candidates = candidates_of(query, gathered, results, self.embed)
        found = read_and_ranked(query, candidates, weights, reranker)
        draft = form(Findings(query, found, weights, results, self.embed, reranker))
        if draft.status == "uncertain":
            draft = draft.model_copy(update={"text": unsure(draft, query)})
        return _calling([PlannedCall(ANSWER, draft.model_dump(mode="json"))], _why(query, found, weights, draft))


def _why(query: Query, ranked: Ranked, weights: Weights, draft: Draft) -> str:
    """For traces: the confidence beside the one that is enough, and the likeliest lines with their chances."""
    if not ranked:
        return ""
    needed = sure_from(query, ranked[0][0], weights)
    trust = "" if draft.confidence is None else f"confidence {draft.confidence:.2f}, sure from {needed:.2f}; "
    cut = [textwrap.shorten(each.evidence.text, _SHOWN, placeholder="…") for each, _ in ranked[:CLOSEST]]
    lines = ", ".join(f"“{text}” {chance:.0%}" for text, (_, chance) in zip(cut, ranked, strict=False))
    return f"{trust}likeliest of {counted(len(ranked), 'line')}: {lines}"


def _calling(calls: Sequence[PlannedCall], text: str = "") -> AIMessage:
    numbered = [
        {"name": call.name, "args": call.arguments, "id": f"extractive-{call.name}-{place}", "type": "tool_call"}
        for place, call in enumerate(calls)
    ]
    return AIMessage(content=text, tool_calls=numbered)
