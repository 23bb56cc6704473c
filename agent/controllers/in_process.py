"""Runs a `transformers` language model in this process as the controller, without a server."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from threading import Lock
from typing import Any

import torch  # pyright: ignore[reportMissingImports] - an extra
from jinja2 import TemplateError
from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, convert_to_openai_messages
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import Runnable
from pydantic import PrivateAttr
from transformers import (  # pyright: ignore[reportMissingImports] - an extra
    AutoModelForCausalLM,
    AutoTokenizer,
    StoppingCriteriaList,
)

from longtake.agent.controllers.asking import ContextFull
from longtake.agent.controllers.call_parsing.arguments import UNREADABLE
from longtake.agent.controllers.call_parsing.text_tool_calls import as_text, calls_in_text, harmless
from longtake.errors import ConfigError, EngineError
from longtake.models.machine import placed
from longtake.models.profiles import ModelProfile, profile_of
from longtake.prompts import without_thinking
from longtake.settings import ControllerSettings

MAX_PROBLEM_LENGTH = 300  # characters of an error message
SHORTEST_REPLY = 16  # tokens reserved for the reply


class TransformersChatModel(BaseChatModel):
    """A causal language model with its chat template. It writes one reply at a time."""

    weights: str  # a folder, or a name on the hub
    model: Any
    tokenizer: Any
    profile_in_use: ModelProfile
    thinking: bool | None = None
    _turn: Any = PrivateAttr(default_factory=Lock)

    @property
    def _llm_type(self) -> str:
        return "longtake-transformers"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Runnable[LanguageModelInput, AIMessage]:
        """The same model with the tools it may call, described by its chat template or in words."""
        return self.bind(described=list(tools))

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        *,
        described: Sequence[dict[str, Any]] = (),
        timeout: float | None = None,
        stopped: Callable[[], bool] = lambda: False,
        **kwargs: Any,
    ) -> ChatResult:
        prompt = self._prompt(messages, described)
        length = prompt["input_ids"].shape[1]
        room = self.model.config.get_text_config().max_position_embeddings - length
        if room < SHORTEST_REPLY:
            raise ContextFull(
                f"The controller {self.weights} reads {length + room} tokens, and the conversation has {length}: "
                "give one that reads more with controller.model."
            )
        # An abandoned reply ends at its next token and frees the model.
        with self._turn:
            written = self._write(prompt, min(self.profile_in_use.reply_tokens, room), timeout, stopped)[length:]
        ends = self.model.generation_config.eos_token_id
        whole = written[-1] in (ends if isinstance(ends, list) else [ends])
        names = {tool["function"]["name"] for tool in described}
        reply = _parse_reply(self.tokenizer.decode(written, skip_special_tokens=True), names)
        reply.usage_metadata = UsageMetadata(
            input_tokens=length, output_tokens=len(written), total_tokens=length + len(written)
        )
        facts = {"finish_reason": "stop" if whole else "length"}
        return ChatResult(generations=[ChatGeneration(message=reply, generation_info=facts)])

    def _prompt(self, messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]]) -> Any:
        """The conversation in tokens. If the template doesn't support tools, they are described in words."""
        in_words = self.profile_in_use.calls == "text" or "tools" not in str(self.tokenizer.chat_template)
        marks = self.tokenizer.get_added_vocab()
        spoken = convert_to_openai_messages(as_text(messages, tools) if in_words else list(messages))
        try:
            return self.tokenizer.apply_chat_template(
                [_for_template(message, marks) for message in spoken],
                tools=None if in_words or not tools else list(tools),
                add_generation_prompt=True,
                return_dict=True,
                return_tensors="pt",
                **({} if self.thinking is None else {"enable_thinking": self.thinking}),
            ).to(self.model.device)
        except TemplateError as error:
            raise EngineError(
                f"The chat template of the controller {self.weights} refuses the conversation ({error}): "
                "set controller.calls=text."
            ) from error

    def _write(self, prompt: Any, most: int, timeout: float | None, stopped: Callable[[], bool]) -> list[int]:
        """The tokens of the prompt and the reply, which ends at the time limit or when cancelled."""

        def ended(tokens: Any, scores: Any, **kwargs: Any) -> Any:
            return torch.full((tokens.shape[0],), stopped(), dtype=torch.bool, device=tokens.device)

        heat = self.profile_in_use.temperature
        sampling = {"do_sample": True, "temperature": heat} if heat else {"do_sample": False}
        try:
            with torch.inference_mode():
                tokens = self.model.generate(
                    **prompt,
                    **sampling,
                    max_new_tokens=most,
                    max_time=timeout,
                    stopping_criteria=StoppingCriteriaList([ended]),
                    pad_token_id=self.tokenizer.pad_token_id,
                )
        except RuntimeError as error:  # for example, the device is out of memory
            raise EngineError(
                f"The controller {self.weights} failed: {error}. Give a smaller one with controller.model."
            ) from error
        return [int(token) for token in tokens[0]]


def open_in_process(settings: ControllerSettings, weights: str, *, offline: bool) -> TransformersChatModel:
    """The controller of a folder or of a name on the hub.

    Raises:
        ConfigError: if it can't be loaded or isn't a chat model.
    """
    model, tokenizer = _load(weights, offline)
    return TransformersChatModel(
        weights=weights,
        model=model,
        tokenizer=tokenizer,
        profile_in_use=profile_of(settings),
        thinking=settings.thinking,
    )


@lru_cache(maxsize=1)
def _load(weights: str, offline: bool) -> tuple[Any, Any]:
    """The model, on the GPU if there is one, and its tokenizer; loaded once per process."""
    try:
        tokenizer = AutoTokenizer.from_pretrained(weights, local_files_only=offline)
        model: Any = AutoModelForCausalLM.from_pretrained(weights, local_files_only=offline, dtype="auto")
    except (OSError, ValueError, ImportError, KeyError) as error:
        remedy = (
            "remove --offline to download it, or name a folder" if offline else "name a folder, or a model of the hub"
        )
        problem = " ".join(str(error).split())[:MAX_PROBLEM_LENGTH].rstrip(".")
        raise ConfigError(f"controller.model={weights} cannot be loaded ({problem}): {remedy}.") from error
    if not tokenizer.chat_template:
        raise ConfigError(f"controller.model={weights} has no chat template. Name a chat model.")
    return placed(model, weights), tokenizer


def _for_template(message: dict[str, Any], marks: Iterable[str]) -> dict[str, Any]:
    """A message as chat templates expect it: no special tokens in its text, and arguments as objects."""
    made = {**message, "content": harmless(message["content"], marks)}
    if "tool_calls" in message:
        made["tool_calls"] = [
            {**call, "function": {**call["function"], "arguments": json.loads(call["function"]["arguments"])}}
            for call in message["tool_calls"]
        ]
    return made


def _parse_reply(text: str, names: set[str]) -> AIMessage:
    """The reply with the calls of known tools at its end. What needs a repair stays as written."""
    answer_text, calls = calls_in_text(without_thinking(text), names)
    if not calls or any(call.name not in names or UNREADABLE in call.arguments for call in calls):
        return AIMessage(text)
    made = [
        {"name": call.name, "args": call.arguments, "id": f"written-{place}", "type": "tool_call"}
        for place, call in enumerate(calls)
    ]
    return AIMessage(answer_text, tool_calls=made)
