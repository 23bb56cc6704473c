"""A judge that asks a model at an OpenAI-compatible endpoint (vLLM, llama.cpp, Ollama, a vendor).

Each case is one request for a reply in a JSON schema, which the prompt describes in words, too, for endpoints that
refuse it. Text around the JSON is ignored. Replies are cached on disk for all runs, by prompt, model and parameters; a
file has the request and the reply, so that each verdict can be inspected.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langsmith.run_helpers import tracing_context
from pydantic import Field, ValidationError

from longtake.agent.controllers.asking import Role, reply, tokens
from longtake.agent.controllers.call_parsing.arguments import NOT_READ
from longtake.agent.controllers.openai_endpoint import EndpointChatModel, open_endpoint
from longtake.config import secret
from longtake.errors import Cancelled, ConfigError, EngineError, LibraryError
from longtake.evalharness.judges.judging import MAX_POINTS, PASS_POINTS, SCORED, Asks, Case, Finding
from longtake.evalharness.prompts.prompt_set import JudgePrompt, PromptSet
from longtake.evalharness.runs.bounded_map import REQUESTS
from longtake.evalharness.runs.journal import write_file
from longtake.evalharness.scoring.spending import total
from longtake.memory.records import Record, Usage
from longtake.offline import refused_endpoint
from longtake.prompts import prompt_text, prompts_hash, render_text, without_thinking
from longtake.settings import ControllerSettings, PriceSettings
from longtake.tools.core.tool_context import Budget

PROMPTS = "longtake.evalharness.judges.prompts"
ROLE = Role("The judge", "its --url and --model", "the judge's timeout", "--key")
TRIES = 3
_MAX_WAIT = 60.0  # longest wait, in seconds, that an endpoint may request before a retry
_LETTERS, _VERDICT_TOKENS = 4, 40  # characters per token of English; tokens of a short reason and a verdict
# Longtake's own prompts by what is asked, with the field of the reply that has the verdict.
_FIELDS: Mapping[Asks, str] = {
    "criterion": "met",
    "penalty": "done",
    "whole": "same",
    "grade": "points",
    "says": "said",
    **dict.fromkeys(SCORED, "score"),
}
OWN: Mapping[str, JudgePrompt] = {
    asks: JudgePrompt(text=prompt_text(PROMPTS, asks), field=field, violated=asks == "penalty")
    for asks, field in _FIELDS.items()
}
_WRITTEN = (
    r"""(?<!\w)["'*]*{field}["'*]*\s*[:=]\s*["'*]*(true|false|yes|no|[0-5](?:\.\d+)?(?![.\d]))(?!\w|\s+(?:or|to)\b)"""
)
_BOOLEANS = {"true": True, "yes": True, "false": False, "no": False}
_DECODER = json.JSONDecoder(strict=False)


class Sent(Record):
    """Everything that determines a judge's reply."""

    model: str
    system: str = ""  # the message before the prompt
    prompt: str
    parameters: Mapping[str, Any]
    run: int = 0  # repeats the same request, to see whether the judge agrees with itself

    @property
    def hash(self) -> str:
        """Forty hex digits."""
        kept = self.model_dump_json(exclude=set() if self.system else {"system"})  # others keep their old hashes
        return hashlib.blake2b(kept.encode(), digest_size=20).hexdigest()


class Received(Record):
    """A judge's reply and its request."""

    sent: Sent
    reply: str


class Cache:
    """A folder of replies. Threads and processes may share it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, sent: Sent) -> str | None:
        """The stored reply to a request; None if there is none or its file is damaged.

        Raises:
            LibraryError: if the folder cannot be read.
        """
        try:
            return Received.model_validate_json(self._file(sent).read_bytes()).reply
        except (FileNotFoundError, ValidationError):
            return None
        except OSError as error:
            raise LibraryError(f"{self._file(sent)} cannot be read: {error.strerror}.") from error

    def put(self, sent: Sent, reply: str) -> None:
        """Keep a reply.

        Raises:
            LibraryError: if the folder cannot be written to.
        """
        write_file(self._file(sent), Received(sent=sent, reply=reply).model_dump_json())

    def _file(self, sent: Sent) -> Path:
        return self._folder / sent.hash[:2] / f"{sent.hash}.json"


class JudgeSettings(Record):
    """The model that judges, and its parameters."""

    base_url: str
    model: str
    api_key_env: str = "OPENAI_API_KEY"
    timeout: float = Field(default=60.0, gt=0, description="Seconds for one reply.")
    parameters: Mapping[str, Any] = Field(
        default={"max_tokens": 4096}, description="Further parameters of each request, such as top_p."
    )
    at_once: int = Field(default=REQUESTS, ge=1, description="Concurrent requests.")
    price: PriceSettings | None = Field(default=None, description="Prices of the endpoint, if they are known.")
    offline: bool = False


class EndpointJudge:
    """Asks a model about one case at a time."""

    def __init__(
        self, settings: JudgeSettings, cache: Cache | None = None, *, run: int = 0, prompts: PromptSet | None = None
    ) -> None:
        """Nothing is sent yet. Without a cache, every case is asked; another `run` asks again despite it.

        Raises:
            ConfigError: if the endpoint may not be used.
        """
        refused = refused_endpoint(settings.base_url, "The judge's URL", settings.api_key_env, offline=settings.offline)
        if refused:
            raise ConfigError(f"{refused}.")
        self.at_once = settings.at_once
        self._settings, self._cache, self._run = settings, cache, run
        self._parameters = {"temperature": prompts.judge_temperature if prompts else 0.0, **settings.parameters}
        others = prompts.judges if prompts else {}
        self._prompts: Mapping[str, JudgePrompt] = {**OWN, **others}
        own = [prompts_hash(PROMPTS), settings.model, self._parameters]
        asked = json.dumps([*own, {name: prompt.model_dump() for name, prompt in others.items()}], sort_keys=True)
        named = [Path(prompts.name).stem] if prompts and others else []
        self.id = "-".join([settings.model, *named, hashlib.blake2b(asked.encode(), digest_size=6).hexdigest()])
        self._model = open_endpoint(
            EndpointChatModel,
            ControllerSettings(timeout=settings.timeout),
            settings.base_url,
            settings.model,
            secret(settings.api_key_env),
            ROLE,
        ).model_copy(update={"extra_body": self._parameters})

    def judge(self, case: Case) -> Finding:
        """Decide one case; see `Judge`."""
        sent = self._request(case)
        if finding := self._held(sent, case.asks):
            return finding
        started = time.monotonic()
        try:
            finding = self._asked(sent, case.asks)
        except (EngineError, Cancelled) as error:
            return Finding(met=None, error=str(error))
        return finding.model_copy(update={"seconds": round(time.monotonic() - started, 3)})

    def expected(self, case: Case) -> Usage:
        """One request with a short reply; nothing if the verdict is cached."""
        sent = self._request(case)
        if self._held(sent, case.asks):
            return Usage()
        return self._usage(
            {"input_tokens": len(sent.system + sent.prompt) // _LETTERS, "output_tokens": _VERDICT_TOKENS}
        )

    def _request(self, case: Case) -> Sent:
        prompt = self._prompts[case.asks]
        return Sent(
            model=self._settings.model,
            system=prompt.system,
            prompt=render_text(prompt.text, case=case),
            parameters=self._parameters,
            run=self._run,
        )

    def _held(self, sent: Sent, asks: Asks) -> Finding | None:
        """The cached verdict."""
        held = self._cache.get(sent) if self._cache else None
        finding = None if held is None else read_finding(held, asks, self._prompts[asks])
        return finding and finding.model_copy(update={"cached": True})

    def _asked(self, sent: Sent, asks: Asks) -> Finding:
        """Ask until a reply has a verdict, a few times at most."""
        text, spent = "", list[Usage]()
        for _ in range(TRIES):
            said = self._reply(sent, asks)
            text = said.text
            spent.append(self._usage(tokens(said)))
            if finding := read_finding(text, asks, self._prompts[asks]):
                if self._cache:
                    self._cache.put(sent, text)
                return finding.model_copy(update={"usage": total(spent)})
        shown = " ".join(text.split())[:200]
        fault = (
            f"{ROLE.name} {self._settings.model} at {self._settings.base_url} gave no verdict in {TRIES} replies, "
            f"at last {shown!r}; choose another judge."
        )
        return Finding(met=None, error=fault, usage=total(spent))

    def _usage(self, spent: Mapping[str, int]) -> Usage:
        price = self._settings.price
        return Usage(rounds=1, **spent, cost=price.of(spent) if price else None)

    def _reply(self, sent: Sent, asks: Asks) -> AIMessage:
        budget = Budget(TRIES * (self._settings.timeout + _MAX_WAIT))
        with tracing_context(enabled=False):
            return reply(
                self._model,
                [*([SystemMessage(sent.system)] if sent.system else []), HumanMessage(sent.prompt)],
                (),
                timeout=self._settings.timeout,
                budget=budget,
                schema=_schema(asks, self._prompts[asks]),
                patient=True,
            )


def read_finding(text: str, asks: Asks, prompt: JudgePrompt) -> Finding | None:
    """The verdict in the reply to a prompt: from the last JSON object with one, else from the text.

    None without a verdict, or if several in the text disagree.
    """
    said = without_thinking(text)
    objects = [value for value in _objects(said) if prompt.field in value]
    if objects:
        return _finding(objects[-1][prompt.field], asks, prompt, str(objects[-1].get("reason", "")))
    field = re.escape(prompt.field)
    written = {value.lower() for value in re.findall(_WRITTEN.replace("{field}", field), said, re.IGNORECASE)}
    return _finding(written.pop(), asks, prompt, "") if len(written) == 1 else None


def _objects(text: str) -> Iterator[dict[str, Any]]:
    """The outermost JSON objects in a text."""
    place = text.find("{")
    while place >= 0:
        try:
            value, end = _DECODER.raw_decode(text, place)
        except NOT_READ:
            end = place + 1
        else:
            yield value
        place = text.find("{", end)


def _finding(value: Any, asks: Asks, prompt: JudgePrompt, reason: str) -> Finding | None:
    """The meaning of a model's verdict; None if it isn't one."""
    said = str(value).strip().lower()
    if asks == "grade":
        points = float(said) if re.fullmatch(r"[0-4](?:\.\d+)?|5(?:\.0+)?", said) else None
        return None if points is None else Finding(met=points >= PASS_POINTS, points=points, reason=reason)
    if asks in SCORED:
        score = float(said) if re.fullmatch(r"0?\.5|[01](?:\.0)?", said) else None
        return None if score is None else Finding(met=SCORED[asks](score), points=score, reason=reason)
    if said not in _BOOLEANS:
        return None
    return Finding(met=_BOOLEANS[said] != prompt.violated, reason=reason)


def _schema(asks: Asks, prompt: JudgePrompt) -> dict[str, Any]:
    """The schema of a reply: a verdict, and before it a reason if the prompt asks for one."""
    verdict: dict[str, Any] = {"type": "boolean"}
    if asks == "grade":
        verdict = {"type": "number", "minimum": 0, "maximum": MAX_POINTS}
    elif asks in SCORED:
        verdict = {"type": "number", "enum": [0, 0.5, 1]}
    reason = {"reason": {"type": "string"}} if "reason" in prompt.text else {}
    return {
        "title": "verdict",
        "type": "object",
        "properties": {**reason, prompt.field: verdict},
        "required": [*reason, prompt.field],
        "additionalProperties": False,
    }
