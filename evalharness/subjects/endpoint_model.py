"""A model at an OpenAI-compatible endpoint (vLLM, llama.cpp, Ollama, a vendor), with frames, a transcript or neither.

A turn is one request. The video's frames and transcript come before the first question, as in the released code of
LongShOT, and the earlier questions and answers follow.

In the simulated mode of the agentic track, each turn is asked twice, as in that code. First the conversation so far and
the tools: the model lists the calls it would make. Then, whatever it listed, a new conversation holds the question, the
gold calls and the gold results, but nothing of the video, and the model answers. Calls are read from a fenced JSON
object; without one, from JSON anywhere in the reply or from lines of `TOOL_CALL: name(parameter="value")`.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from mimetypes import guess_type
from pathlib import Path
from threading import Lock
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langsmith.run_helpers import tracing_context

from longtake.agent.controllers.asking import ContextFull, Role, reply, tokens
from longtake.agent.controllers.call_parsing.arguments import NOT_READ, read_json
from longtake.agent.controllers.call_parsing.text_tool_calls import calls_in_text
from longtake.agent.controllers.openai_endpoint import EndpointChatModel, open_endpoint
from longtake.config import secret
from longtake.errors import Cancelled, ConfigError, EngineError, MediaError
from longtake.evalharness.items import Item, ParseStatus, Reply, ToolCall, Turn
from longtake.evalharness.prompts.prompt_set import PromptSet
from longtake.evalharness.runs.bounded_map import REQUESTS
from longtake.evalharness.scoring.choices import LABELS, read_choice
from longtake.evalharness.scoring.spending import total
from longtake.evalharness.subjects.model_spec import Given
from longtake.evalharness.subjects.subject import AskedTurn, NoAnswer, no_media, refuse_clip
from longtake.evalharness.views.view import Shown, frames_of, media_of, read_transcript
from longtake.evalharness.views.view_table import MAX_CHARACTERS, view_named
from longtake.memory.records import Usage
from longtake.memory.timespan import clock
from longtake.models.profiles import known_price
from longtake.offline import refused_endpoint
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.prompts import data_url, render, without_thinking
from longtake.settings import ControllerSettings
from longtake.tools.core.tool_context import Budget

MAX_BYTES = 64_000_000  # of a video inside a request, which is a third larger and held several times in memory
PROMPTS = "longtake.evalharness.subjects.prompts"
ROLE = Role("The model", "its name and its URL in --subject", "timeout= in --subject", "key= in --subject")
LONG_SIDES = (1024, 512)  # pixels of the frames; the second size if the first exceeds the model's context
MAX_TOKENS = 4096  # of a reply
THINK = 'Think step by step first. Then give the answer alone, on a last line that begins with "Answer:".'
_ANSWER = re.compile(r"^[\W_]*(?:final )?answer[*_]*:[*_]*", re.IGNORECASE | re.MULTILINE)
_WAITS = 120.0  # total seconds that an endpoint may request before retries
# For estimates: a picture of 1024 by 576 at 28 by 28 pixels per token, as Qwen2.5-VL reads
# it; letters of a token of English; letters of a second of speech, with its time; a short answer.
_FRAME_TOKENS, _LETTERS, _SPOKEN, _ANSWER_TOKENS = 752, 4, 20, 100
TOOL_PROMPTS = "longtake.evalharness.suites.agentic_prompts"
_FENCE = re.compile(r"```(?:json)?\s*(\{.*?\})\s*```", re.DOTALL | re.IGNORECASE)
_LINE = re.compile(r"TOOL_CALL:\s*((\w+)\s*\(.*\))")


def video_url(path: Path, *, in_request: bool) -> str:
    """The URL of a video: a data URL with all of it, or a file URL, which only a server on this machine can read.

    Raises:
        MediaError: if it cannot be read, or is too large for a request.
    """
    if not in_request:
        return path.resolve().as_uri()
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise MediaError(
                f"{path} has {size / 1e6:.0f} MB; at most {MAX_BYTES / 1e6:.0f} MB fit in a request. Use video=file if "
                "the server may read the file itself, or frames=N."
            )
        content = path.read_bytes()
    except OSError as error:
        raise MediaError(f"{path} cannot be read: {error.strerror}.") from error
    return data_url(guess_type(path.name)[0] or "video/mp4", content)


class EndpointModel:
    """Asks a model, at the temperature of its specification, else of the suite, else at 0; so too for the tokens."""

    at_most = False

    def __init__(self, name: str, given: Given, workspace: Workspace, at_once: int = REQUESTS) -> None:
        """Nothing is sent yet. The workspace's library indexes videos for transcripts; its profile has the prices.

        Raises:
            ConfigError: if the endpoint may not be used.
        """
        settings = workspace.settings
        refused = refused_endpoint(given.url, "The subject's URL", "that key= names", offline=settings.offline)
        if refused:
            raise ConfigError(f"{refused}.")
        self.name, self.indexes, self.at_once = name, given.transcript, at_once
        self._given, self._workspace = given, workspace
        self._price = given.price or known_price(settings.controller, (given.url, given.model))
        self._reading = Lock()  # decoding takes all cores, and indexing the library
        self._model = open_endpoint(
            EndpointChatModel,
            ControllerSettings(timeout=given.timeout),
            given.url,
            given.model,
            secret(given.key) if given.key else None,
            ROLE,
        )

    def reply(self, asked: AskedTurn) -> Reply:
        """Reply to one turn; see `Subject`. Thinking is removed."""
        if asked.item.media is None and asked.variant.view is None and self._needs_video:
            return no_media()
        started = time.monotonic()
        said = self._answered(asked)
        text = without_thinking(said.text)
        usage = self._usage(seconds=round(time.monotonic() - started, 3), **tokens(said))
        if not text:
            silence = _silence(said, self._max_tokens(asked.item))
            raise NoAnswer(f"{ROLE.name} {self._given.model} at {self._given.url} {silence}", usage)
        thought, text = _at_end(text) if self._given.cot else ("", text)
        choice = read_choice(text, asked.options)
        return Reply(
            text=text,
            planned=thought,
            choice=asked.own(choice.option),
            parse=choice.status,
            abstained=choice.status == "abstained",
            usage=usage,
        )

    def expected(self, asked: AskedTurn) -> Usage:
        """Estimate tokens from the length of the video. The time of a reply is unknown."""
        letters = len(asked.text) + sum(len(text) for pair in asked.history for text in pair)
        seconds = asked.item.seconds
        view = view_named(asked.variant.view) if asked.variant.view else None
        if view.speaks if view else self._given.transcript:
            letters += MAX_CHARACTERS if seconds is None else min(MAX_CHARACTERS, round(seconds * _SPOKEN))
        if view:
            frames = view.pictures(asked.item)
        else:
            looks = self._given.sees or self._given.video  # a server samples a video by itself
            frames = self._given.sampling(asked.variant).expected(seconds) if looks else 0
        return self._usage(input_tokens=letters // _LETTERS + frames * _FRAME_TOKENS, output_tokens=_ANSWER_TOKENS)

    @property
    def _needs_video(self) -> bool:
        return self._given.sees or self._given.transcript or bool(self._given.video)

    def _usage(self, input_tokens: int = 0, output_tokens: int = 0, seconds: float = 0.0) -> Usage:
        spent = {"input_tokens": input_tokens, "output_tokens": output_tokens}
        return Usage(rounds=1, seconds=seconds, **spent, cost=self._price.of(spent) if self._price else None)

    def _answered(self, asked: AskedTurn) -> AIMessage:
        """The reply to as large frames as the model reads."""
        large, small = LONG_SIDES
        shown = self._shown(asked, large)
        try:
            return self._sent(asked, shown)
        except ContextFull:
            if not shown.frames:
                raise
            return self._sent(asked, self._shown(asked, small))

    def _sent(self, asked: AskedTurn, shown: Shown) -> AIMessage:
        budget = Budget(3 * self._given.timeout + _WAITS)
        temperature = asked.item.temperature if self._given.temperature is None else self._given.temperature
        sampling = {"temperature": temperature or 0.0, "max_tokens": self._max_tokens(asked.item)}
        model = self._model.model_copy(update={"extra_body": sampling})
        messages = _conversation(asked, shown, self._video(asked), THINK if self._given.cot else "")
        try:
            with tracing_context(enabled=False):
                return reply(model, messages, (), timeout=self._given.timeout, budget=budget, patient=True)
        except Cancelled as error:  # this turn alone is over
            raise EngineError(f"{ROLE.name} at {self._given.url} did not answer: {error}") from error

    def _max_tokens(self, item: Item) -> int:
        return self._given.max_tokens or (None if self._given.cot else item.max_tokens) or MAX_TOKENS

    def _video(self, asked: AskedTurn) -> str | None:
        """The URL of the video itself, if the model is sent that."""
        if not self._given.video or asked.variant.view:
            return None
        refuse_clip(asked.item)
        with self._reading:
            return video_url(Path(asked.item.media or ""), in_request=self._given.video == "1")

    def _shown(self, asked: AskedTurn, long_side: int) -> Shown:
        """What the variant's view shows, else what the specification says."""
        with self._reading:
            if asked.variant.view:
                return view_named(asked.variant.view).show(asked.item, self._workspace, long_side, asked.seed)
            item, given = asked.item, self._given
            return Shown(
                frames_of(item, given.sampling(asked.variant), long_side) if given.sees else (),
                read_transcript(self._workspace, media_of(item), MAX_CHARACTERS, item.clip)
                if given.transcript
                else None,
            )


def _silence(said: AIMessage, max_tokens: int) -> str:
    """Why a reply has no answer, and what to do about it."""
    if said.response_metadata.get("finish_reason") == "length":
        return (
            f"gave no answer in {max_tokens} tokens; give it more with max_tokens= in --subject, or see whether it "
            "thinks too long."
        )
    return "gave no answer: its reply is empty or only thinking. Ask again with --retry-errors."


def _at_end(text: str) -> tuple[str, str]:
    """The thoughts and the answer of a reply that thinks step by step; all is the answer if none is marked."""
    marks = list(_ANSWER.finditer(text))
    answer = text[marks[-1].end() :].strip() if marks else ""
    return (text[: marks[-1].start()].strip(), answer) if answer else ("", text)


def _conversation(asked: AskedTurn, shown: Shown, video: str | None, last: str) -> list[BaseMessage]:
    """The video's input with the first question, then the later answers and questions, and finally the turn.

    Beside the video itself, the user says only the question: an agent may take all that the user says as the question.
    """
    prompts = asked.variant.prompts or PromptSet()
    known = {
        "video": video is not None,
        "frames": len(shown.frames),
        "timed": shown.timed,
        "words": shown.words,
        "captions": shown.captions,
        "guess": asked.item.guess,
    }
    own = {
        "question": asked.turn.question,
        "options": list(zip(LABELS, asked.options, strict=False)),
        "instruction": asked.turn.instruction,
    }
    head, text = prompts.part("material", **known, **own), prompts.part("question", **known, **own)
    if head is None:
        head = render(PROMPTS, "material", **known)
    question = "\n".join(filter(None, (asked.text if text is None else text, last)))
    questions = [*(earlier for earlier, _ in asked.history), question]
    messages: list[BaseMessage] = [HumanMessage(_content(prompts, head, shown, questions[0]))]
    if video:
        part = {"type": "video_url", "video_url": {"url": video}}
        before = [SystemMessage(head)] if head else []
        messages = [*before, HumanMessage([part, {"type": "text", "text": questions[0]}])]
    for (_, answer), question in zip(asked.history, questions[1:], strict=True):
        # Endpoints reject empty messages.
        messages += [AIMessage(answer or "(no answer)"), HumanMessage(question)]
    return messages


def _content(prompts: PromptSet, head: str, shown: Shown, question: str) -> str | list[str | dict[str, object]]:
    """One text, or texts and pictures in turn. Text-only models don't get a list."""
    if not shown.frames:
        return f"{head}\n\n{question}".strip()
    parts: list[str | dict[str, object]] = [_text(head)] if head else []
    for number, frame in enumerate(shown.frames, 1):
        time = clock(frame.time, decimals=2)
        label = prompts.part("frame", number=number, time=time)
        if label is None:
            label = f"Frame at {time}:" if shown.timed else f"Frame {number}:"
        parts += [_text(label)] if label else []
        parts.append({"type": "image_url", "image_url": {"url": data_url("image/jpeg", frame.jpeg)}})
    return [*parts, _text(question)]


def _text(text: str) -> dict[str, object]:
    return {"type": "text", "text": text}


class Simulated:
    """A model that plans calls and answers from gold results."""

    def __init__(self, name: str, planner: EndpointModel, answerer: EndpointModel) -> None:
        """Nothing is sent yet. The planner is asked for the calls; the answerer is the same model without the video."""
        self.name = name
        self.at_once, self.at_most, self.indexes = planner.at_once, planner.at_most, planner.indexes
        self._planner, self._answerer = planner, answerer

    def reply(self, asked: AskedTurn) -> Reply:
        """See `Subject`. `calls` are the listed ones, `text` is the final answer."""
        planned = self._planner.reply(_plan(asked))
        if planned.status != "ok":
            return planned
        calls, parse = read_calls(planned.text)
        answer = self._answerer.reply(_answer(asked))
        return answer.model_copy(
            update={
                "planned": planned.text,
                "calls": calls,
                "parse": parse,
                "usage": total([planned.usage or Usage(), answer.usage or Usage()]),
            }
        )

    def expected(self, asked: AskedTurn) -> Usage:
        """The options of both requests."""
        return total([self._planner.expected(_plan(asked)), self._answerer.expected(_answer(asked))])


def read_calls(text: str) -> tuple[tuple[ToolCall, ...], ParseStatus]:
    """The calls that a reply lists: `ok` from a fence, `fallback` from elsewhere, `failed` where none can be read.

    An empty list means no calls; list items that aren't calls are skipped.
    """
    fenced = (read_json(match[1]) for match in _FENCE.finditer(text))
    ways: tuple[tuple[ParseStatus, Iterator[Any]], ...] = (("ok", fenced), ("fallback", _objects(text)))
    for parse, values in ways:
        for value in values:
            if isinstance(value, dict) and isinstance(value.get("tool_calls"), list):
                return tuple(_calls(value["tool_calls"])), parse
    lines = [call for line in _LINE.finditer(text) for call in calls_in_text(line[1], {line[2]})[1]]
    calls = tuple(ToolCall(tool=call.name, arguments=call.arguments) for call in lines)
    return calls, "fallback" if calls else "failed"


def _objects(text: str) -> Iterator[Any]:
    """The JSON objects that begin at any brace of a text."""
    decoder = json.JSONDecoder(strict=False)
    for brace in re.finditer(r"\{", text):
        try:
            yield decoder.raw_decode(text, brace.start())[0]
        except NOT_READ:
            continue


def _calls(rows: list[Any]) -> Iterator[ToolCall]:
    for row in rows:
        if isinstance(row, dict) and isinstance(row.get("tool"), str):
            given = row.get("parameters")
            arguments = given.items() if isinstance(given, dict) else ()
            yield ToolCall(tool=row["tool"], arguments={name: value for name, value in arguments if value is not None})


def _plan(asked: AskedTurn) -> AskedTurn:
    """The prompt for a turn's calls: the tools and the earlier conversation."""
    return _put(asked, render(TOOL_PROMPTS, "choose_calls", tools=asked.item.tools, question=asked.turn.question))


def _answer(asked: AskedTurn) -> AskedTurn:
    """The prompt for a turn's answer: the gold results alone, without the earlier conversation."""
    put = _put(asked, render(TOOL_PROMPTS, "answer", calls=asked.turn.calls, question=asked.turn.question))
    alone = (asked.variant.prompts or PromptSet()).model_copy(update={"material": ""})
    return replace(put, history=(), variant=asked.variant.model_copy(update={"prompts": alone}))


def _put(asked: AskedTurn, text: str) -> AskedTurn:
    turns = list(asked.item.turns)
    turns[asked.number] = Turn(question=text)
    return replace(asked, item=asked.item.model_copy(update={"turns": tuple(turns)}))
