"""The extractive controller as a LangChain chat model: deterministic, without a language model.

It reads the `Query`, the gathered evidence and the tools' results as data (message artifacts) and never parses prose.
It calls the tools in its table, ranks the candidates and returns structured claims.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool

from longtake.agent.controllers.extractive.candidates import Embed, candidates_of
from longtake.agent.controllers.extractive.forming import Findings, form
from longtake.agent.controllers.extractive.made import made_reply
from longtake.agent.controllers.extractive.planning import Call, calls_after, calls_for
from longtake.agent.controllers.extractive.ranking import load_weights, read_and_ranked
from longtake.agent.controllers.extractive.reply import NOTHING, Reply, unsure
from longtake.agent.controllers.extractive.values import extreme
from longtake.agent.drafts.draft import ANSWER, Draft, DraftClaim
from longtake.agent.gathering.gathered import Gathered
from longtake.agent.query.query import Query
from longtake.errors import EngineError
from longtake.preprocess.engines.text.reranker import Reranker
from longtake.tools.core.result import ToolResult

QUERY, GATHERED = "query", "gathered"  # keys of the opening message's additional data


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
        weights = load_weights(self.family())
        candidates = candidates_of(query, gathered, results, self.embed)
        found = read_and_ranked(query, candidates, weights, self.reranker())
        planned = (calls_for(query, gathered) if rounds == 0 else []) or calls_after(query, results, found)
        calls = [call for call in planned if call.name in self.tool_names]
        if calls:
            message = _call_message(calls, len(results))
        else:
            lines = [candidate for candidate, _ in found]
            made, value = made_reply(query, gathered, results, lines), extreme(query, lines)
            picked = value.line if value else None
            message = _answer(
                form(Findings(query, found, weights, results, self.embed, made, picked, self.reranker())),
                query,
                len(results),
            )
        return ChatResult(generations=[ChatGeneration(message=message)])


def _call_message(calls: Sequence[Call], before: int) -> AIMessage:
    numbered = [
        {"name": call.name, "args": call.arguments, "id": f"extractive-{before + place}", "type": "tool_call"}
        for place, call in enumerate(calls)
    ]
    return AIMessage(content="", tool_calls=numbered)


def _answer(reply: Reply, query: Query, before: int) -> AIMessage:
    """The reply as a call of `answer`. Its claims are its text if it is sure."""
    names = query.names if len(query.names) > 1 else {}
    text = {"abstained": reply.reason or NOTHING, "uncertain": unsure(reply, names)}.get(reply.outcome, "")
    draft = Draft(
        status=reply.outcome,
        text=text or ("" if reply.claims else reply.reason),
        option=reply.option.letter if reply.option else None,
        claims=tuple(DraftClaim(text=claim.text, moments=claim.evidence) for claim in reply.claims),
        closest=reply.closest,
        confidence=reply.confidence,
    )
    call = {"name": ANSWER, "args": draft.model_dump(mode="json"), "id": f"extractive-{before}", "type": "tool_call"}
    return AIMessage(content="", tool_calls=[call])
