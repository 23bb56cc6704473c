"""Measures a language model in process: broken calls, the time to its first token, and its outcomes.

Each question is put to the extractive controller and to the model. A call is broken if it had to be repaired, names an
unknown tool or has arguments that don't fit; it is refused if it fits and the tool still can't use it, such as a time
before the start of the span. The time to the first token is that of reading the prompt, as llama.cpp reports it. For
the second prompt of some questions it is measured again with nothing kept of the first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage, messages_from_dict

from longtake.agent.controllers.call_parsing.calls import FROM_TEXT
from longtake.agent.controllers.gguf import TIMINGS, GgufChatModel, open_gguf
from longtake.agent.graph.agent import Agent
from longtake.agent.traces.trace import RecordedTrace
from longtake.benchmarks.hour.reel import Notify
from longtake.benchmarks.intervals import Share, Spread
from longtake.benchmarks.parts.gguf_questions import Asked
from longtake.benchmarks.timing import Machine, load
from longtake.errors import EngineError, LongtakeError, MediaError
from longtake.evalharness.scoring.grading import Grade, grade
from longtake.memory.records import Answer, Record
from longtake.preprocess.engines.llama_cpp.gguf_header import Header, read_header
from longtake.preprocess.engines.llama_cpp.server import operations_a_second
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.result import ToolError
from longtake.tools.core.toolbox import Toolbox

UNKEPT = 12  # prompts that are read again with nothing kept: that takes as long as a question


class Outcome(Record):
    """A question and how it ended with each controller."""

    video: str
    question: str
    extractive: Grade
    model: Grade
    stood_in: bool
    rounds: int
    seconds: float


class GgufReport(Record):
    """The public shape of `bench gguf --json`; times are milliseconds, sizes are tokens."""

    machine: Machine
    model: str
    questions: int
    calls: int
    broken: Share
    refused: Share
    own_answers: Share
    first_message: Spread | None
    first_token: Spread | None
    later_token: Spread | None
    later_token_unkept: Spread | None
    unkept_as_estimated: Spread | None  # the measured time divided by the estimate
    extractive: dict[str, int]
    outcomes: dict[str, int]
    below: tuple[str, ...]
    above: tuple[str, ...]
    answers: tuple[Outcome, ...]


class _Seen:
    """What the traces of the model's runs contain."""

    def __init__(self) -> None:
        self.calls = self.broken = self.refused = 0
        self.first_tokens: list[float] = []
        self.first: list[float] = []
        self.later: list[float] = []
        self.unkept: list[float] = []
        self.as_estimated: list[float] = []


def measure_gguf(root: Path, settings: Settings, model: str, asked: Sequence[Asked], notify: Notify) -> GgufReport:
    """Index the videos in a library at `root`, and put every question to both controllers.

    Raises:
        LongtakeError: if the model can't be used, or a recording can't be indexed.
    """
    before = load()
    plain = Workspace(root, _with(settings, engine="extractive"))
    with_model = Workspace(root, _with(settings, engine="gguf", model=model))
    extractive, agent = Agent(plain), Agent(with_model)
    header = read_header(Path(model).expanduser())
    cold = open_gguf(with_model.settings, model).model_copy(update={"keeps_prefix": False})
    for number, video in enumerate(dict.fromkeys(one.video for one in asked), 1):
        notify(f"indexing {number}: {video.name}")
        with suppress(MediaError):  # a picture: its questions fail for both
            plain.add(video)
    seen, answers = _Seen(), []
    for number, one in enumerate(asked, 1):
        notify(f"asking {number} of {len(asked)}: {one.question}")
        answer = _ask(agent, one)
        if answer.trace:
            _look(RecordedTrace(with_model.library.trace_root, answer.trace), cold, header, seen)
        answers.append(
            Outcome(
                video=one.video.name,
                question=one.question,
                extractive=_graded(one, _ask(extractive, one)),
                model=_graded(one, answer),
                stood_in="The language model gave no answer" in answer.answer,
                rounds=answer.usage.rounds,
                seconds=round(answer.usage.seconds, 2),
            )
        )
    return GgufReport(
        machine=Machine.since(before),
        model=Path(model).name,
        questions=len(asked),
        calls=seen.calls,
        broken=Share.of(seen.broken, seen.calls),
        refused=Share.of(seen.refused, seen.calls),
        own_answers=Share.of(sum(not one.stood_in for one in answers), len(answers)),
        first_message=_spread(seen.first_tokens),
        first_token=_spread(seen.first),
        later_token=_spread(seen.later),
        later_token_unkept=_spread(seen.unkept),
        unkept_as_estimated=_spread(seen.as_estimated),
        extractive=dict(Counter(one.extractive for one in answers)),
        outcomes=dict(Counter(one.model for one in answers)),
        below=tuple(_named(one) for one in answers if one.extractive == "held" != one.model),
        above=tuple(_named(one) for one in answers if one.model == "held" != one.extractive),
        answers=tuple(answers),
    )


def show_gguf(report: GgufReport) -> list[str]:
    """The lines to print."""
    return [
        f"{report.model}: {report.questions} questions, {report.calls} calls; broken {report.broken}; "
        f"refused {report.refused}",
        f"first message: {report.first_message} tokens, first token after {report.first_token} ms",
        f"second message: first token after {report.later_token} ms; with nothing kept {report.later_token_unkept} ms",
        f"with nothing kept, measured / estimated: {report.unkept_as_estimated}",
        f"extractive: {_counts(report.extractive)}",
        f"model:      {_counts(report.outcomes)}; its own answers {report.own_answers}",
        *(f"held only by the extractive controller: {line}" for line in report.below),
        *(f"held only with the model: {line}" for line in report.above),
        f"{report.machine}",
    ]


def _with(settings: Settings, **controller: str) -> Settings:
    changed = settings.controller.model_copy(update=controller)
    return settings.model_copy(update={"controller": changed})


def _ask(agent: Agent, one: Asked) -> Answer:
    try:
        return agent.ask([str(one.video)], one.question, options=one.options)
    except LongtakeError as error:
        return Answer(question=one.question, status="failed", answer="", error=str(error))


def _graded(one: Asked, answer: Answer) -> Grade:
    return grade(one.gold, answer, tolerance=one.tolerance, cited_times=one.cited_times)


def _look(trace: RecordedTrace, cold: GgufChatModel, header: Header, seen: _Seen) -> None:
    """Count the calls of a run, and time its prompts; the second one again without the first."""
    toolbox = Toolbox(ALL_TOOLS)
    rounds = 0
    for event in trace.events():
        data = event["data"]
        if event["type"] == "tool" and rounds:
            seen.refused += data["failure"] == "bad_arguments" and _fits(toolbox, data)
        if event["type"] != "model" or "calls" not in data or not event["output"]:
            continue
        reply = trace.blob(event["output"])["data"]
        timings = reply["response_metadata"].get(TIMINGS)
        if not timings:  # the extractive controller stands in
            rounds = 0
            continue
        rounds += 1
        calls = data["calls"]
        seen.calls += len(calls)
        mended = [each for each in data["repairs"] if not each.endswith(FROM_TEXT)]
        seen.broken += sum(not _fits(toolbox, call) for call in calls) or bool(calls and mended)
        if rounds == 1:
            seen.first_tokens.append(event["usage"]["input_tokens"])
            seen.first.append(timings["prompt_ms"])
        elif rounds == 2:
            seen.later.append(timings["prompt_ms"])
        if rounds == 2 and len(seen.unkept) < UNKEPT:
            with suppress(EngineError):  # not read within the time limit of a reply
                seen.unkept.append(_unkept(trace.blob(event["input"]), cold))
                estimate = 1000 * header.operations(event["usage"]["input_tokens"]) / operations_a_second()
                seen.as_estimated.append(seen.unkept[-1] / estimate)


def _unkept(given: Mapping[str, Any], cold: GgufChatModel) -> float:
    """Milliseconds to read a recorded prompt from its beginning."""
    messages: list[BaseMessage] = messages_from_dict(given["messages"])
    reply = cold.bind_tools(given["tools"]).invoke(messages)
    return float(reply.response_metadata[TIMINGS]["prompt_ms"])


def _fits(toolbox: Toolbox, call: Mapping[str, Any]) -> bool:
    try:
        toolbox.check(call["tool"], call["arguments"], {})
    except ToolError:
        return False
    return True


def _spread(values: Sequence[float]) -> Spread | None:
    return Spread.of(values) if values else None


def _named(one: Outcome) -> str:
    return f"{one.video}: {one.question} ({one.extractive}; with the model {one.model})"


def _counts(outcomes: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(outcomes.items(), key=lambda item: -item[1]))
