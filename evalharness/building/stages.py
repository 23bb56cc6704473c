"""The stages of a build: every reply of a model is a record in `SET/stages/STAGE.jsonl`, and is asked for once.

A record is found again by a hash of the model, the prompt and the form of the reply. What a stage is told includes what
the stages before it found, so a changed prompt, model or reply makes only what depends on it again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langsmith.run_helpers import tracing_context
from pydantic import Field, ValidationError

from longtake.agent.controllers.asking import ASKED_AGAIN, reply, tokens
from longtake.agent.controllers.call_parsing.arguments import read_json
from longtake.agent.controllers.factory import at_endpoint
from longtake.console import counted
from longtake.errors import Cancelled, ConfigError, EngineError, LongtakeError
from longtake.evalharness.building.replies import StageReply
from longtake.evalharness.runs.bounded_map import REQUESTS, at_once
from longtake.evalharness.runs.journal import Journal, read_records, set_aside, wrong_field
from longtake.evalharness.runs.run_folder import Notify
from longtake.memory.records import Record
from longtake.prompts import without_thinking
from longtake.settings import Settings
from longtake.tools.core.tool_context import Budget

R = TypeVar("R", bound=StageReply)
Check = Callable[[str, R], str]  # of what is asked about and its reply: what is wrong, or nothing
Advance = Callable[[str, int, int], None]  # the stage, how much is done, of how much
STAGES = ("fusion", "scenarios", "tasks", "questions", "answers", "support", "guesses", "blind", "rubrics", "calls")
TRIES = 3
ENGINES = ("openai", "qwen_agent")
_PATIENCE = 3  # requests in a row that fail at the endpoint before the build stops
_MAX_WAIT = 60.0  # seconds that an endpoint may want us to wait
_SHOWN = 200  # letters of a useless reply in a message


class StageRecord(Record):
    """What a model was asked about a video or an item, and what it replied."""

    of: str = Field(description="The video or the item.")
    key: str = Field(description="Hash of the model, the prompt and the form of the reply.")
    model: str
    reply: str = Field(default="", description="JSON; empty if no reply was usable.")
    problem: str = ""
    calls: int = 0
    input_tokens: int | None = Field(default=None, description="None if the endpoint doesn't tell.")
    output_tokens: int | None = None


class Dropped(Record):
    """A video or an item that was left out at a stage, and why."""

    of: str
    stage: str
    why: str


def language_model(settings: Settings) -> BaseChatModel:
    """The language model that builds, at the endpoint of `controller.*`.

    Raises:
        ConfigError: if none is set, or it may not be asked.
    """
    if settings.controller.engine not in ENGINES:
        raise ConfigError(
            "Building a benchmark needs a language model at an endpoint: run `longtake setup`, or give "
            "--set controller.engine=openai, controller.base_url and controller.model."
        )
    return at_endpoint(settings.controller, offline=settings.offline)


class Stages:
    """Asks the language model, and keeps what it replied."""

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        notify: Notify,
        *,
        most: int = REQUESTS,
        retry_errors: bool = False,
        advance: Advance = lambda stage, done, of: None,
    ) -> None:
        """Nothing is asked yet.

        `notify` is called for damaged lines, and once for each stage that had useless replies. `most` requests are
        under way at once. `retry_errors` asks again where no reply was usable.

        Raises:
            ConfigError: if no model is set, or it may not be asked.
        """
        self.dropped: list[Dropped] = []
        self.failure: LongtakeError | None = None  # the last one of the endpoint
        self._folder, self._settings, self.notify = folder, settings, notify
        self._most, self._retry_errors, self._advance = most, retry_errors, advance
        self._model = language_model(settings)
        self._name = settings.controller.model or ""
        self._failures = 0

    def ask(
        self, stage: str, prompts: Mapping[str, str], kind: type[R], check: Check[R] = lambda of, said: ""
    ) -> dict[str, R]:
        """The replies of one stage, without those that were useless, which count as dropped.

        `prompts` are by video or item; `check` says what is wrong with a reply that has the right form.

        Raises:
            EngineError: if the endpoint fails several times in a row.
            LibraryError: if the folder can't be written to.
        """
        held = {asked.key: asked for asked in self.records(stage)}
        form = json.dumps(kind.model_json_schema(), sort_keys=True)
        told = {of: json.dumps([self._name, prompt, form]).encode() for of, prompt in prompts.items()}
        keys = {of: hashlib.blake2b(each, digest_size=8).hexdigest() for of, each in told.items()}
        lacking = {of: key for of, key in keys.items() if not self._stands(held.get(key), of, kind, check)}
        made = self._made(stage, lacking, prompts, kind, check) if lacking else {}
        found = {of: made.get(of) if of in lacking else held[key] for of, key in keys.items()}
        return self._usable(stage, {of: asked for of, asked in found.items() if asked}, kind)

    def drop(self, of: str, stage: str, why: str) -> None:
        """Note that something was left out."""
        self.dropped.append(Dropped(of=of, stage=stage, why=why))

    def records(self, stage: str) -> Iterable[StageRecord]:
        """All records of a stage, also those that nothing needs any more."""
        return read_records(self._file(stage), StageRecord, self.notify)

    def _stands(self, held: StageRecord | None, of: str, kind: type[R], check: Check[R]) -> bool:
        """Whether what is kept still counts: a reply that today's rules accept, or a failure not to be asked again."""
        if held is None or not held.reply:
            return held is not None and not self._retry_errors
        return _judged(held.reply, of, kind, check)[0] is not None

    def _made(
        self, stage: str, lacking: Mapping[str, str], prompts: Mapping[str, str], kind: type[R], check: Check[R]
    ) -> dict[str, StageRecord | LongtakeError]:
        """Ask about each of those that are lacking, which have the keys of their records, and keep what is replied."""

        def work(of: str) -> tuple[str, StageRecord | LongtakeError]:
            try:
                return of, self._asked(of, lacking[of], prompts[of], kind, check)
            except (EngineError, Cancelled) as error:
                return of, error

        made = dict[str, StageRecord | LongtakeError]()
        file = self._file(stage)
        set_aside(file, StageRecord, self.notify)
        with Journal(file) as journal:
            self._advance(stage, 0, len(lacking))
            for of, asked in at_once(work, lacking, self._most):
                made[of] = asked
                self._advance(stage, len(made), len(lacking))
                if isinstance(asked, StageRecord):
                    self._failures = 0
                    journal.append(asked)
                    continue
                self.failure = asked
                self._failures += 1
                if self._failures >= _PATIENCE:
                    raise asked
        return made

    def _file(self, stage: str) -> Path:
        return self._folder / f"{stage}.jsonl"

    def _usable(self, stage: str, found: Mapping[str, StageRecord | LongtakeError], kind: type[R]) -> dict[str, R]:
        usable, useless = dict[str, R](), list[Dropped]()
        for of, asked in found.items():
            if isinstance(asked, LongtakeError):
                useless.append(Dropped(of=of, stage=stage, why=str(asked)))
            elif asked.reply:
                usable[of] = kind.model_validate_json(asked.reply)
            else:
                useless.append(Dropped(of=of, stage=stage, why=asked.problem))
        if useless:
            first = useless[0]
            requests = counted(len(found), "request")
            self.notify(f"{stage}: {len(useless)} of {requests} had no usable reply. {first.of}: {first.why}")
        self.dropped += useless
        return usable

    def _asked(self, of: str, key: str, prompt: str, kind: type[R], check: Check[R]) -> StageRecord:
        """Ask until a reply is usable, a few times at most; each fault is told to the model.

        Raises:
            EngineError: if the endpoint fails.
        """
        messages: list[BaseMessage] = [HumanMessage(prompt)]
        given, written, calls = 0, 0, 0
        reported, fault, text = True, "", ""
        read: R | None = None
        for _ in range(TRIES):
            said = self._reply(messages, kind)
            calls += 1 + len(said.response_metadata.get(ASKED_AGAIN, ()))
            spent = tokens(said)
            reported = reported and bool(spent)
            given, written = given + spent.get("input_tokens", 0), written + spent.get("output_tokens", 0)
            text = without_thinking(said.text)
            read, fault = _judged(text, of, kind, check)
            if said.response_metadata.get("finish_reason") == "length":
                read, fault = None, "it broke off at the limit of a reply"
            if read is not None:
                break
            again = f"This can't be used: {fault}. Reply once more, with the whole JSON object and nothing else."
            messages = [messages[0], AIMessage(text or "(no text)"), HumanMessage(again)]
        problem = f"none of {TRIES} replies can be used: {fault}; the last was {' '.join(text.split())[:_SHOWN]!r}"
        return StageRecord(
            of=of,
            key=key,
            model=self._name,
            reply=read.model_dump_json() if read else "",
            problem="" if read else problem,
            calls=calls,
            input_tokens=given if reported else None,
            output_tokens=written if reported else None,
        )

    def _reply(self, messages: list[BaseMessage], kind: type[StageReply]) -> AIMessage:
        timeout = self._settings.controller.timeout
        schema = kind.model_json_schema() | {"title": kind.__name__.lower()}
        with tracing_context(enabled=False):
            return reply(
                self._model, messages, (), timeout=timeout, budget=Budget(TRIES * (timeout + _MAX_WAIT)), schema=schema
            )


def _judged(text: str, of: str, kind: type[R], check: Check[R]) -> tuple[R | None, str]:
    """The reply in a model's words, which may stand around its JSON, if it can be used; else None and what is wrong."""
    found = read_json(text[text.find("{") :]) if "{" in text else None
    if not isinstance(found, dict):
        return None, "it holds no JSON object"
    try:
        read = kind.model_validate(found)
    except ValidationError as error:
        return None, wrong_field(error)
    fault = check(of, read)
    return (None, fault) if fault else (read, "")
