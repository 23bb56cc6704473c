"""The texts of the page of a trace."""

from __future__ import annotations

import json
import re
import time
from typing import Any

from longtake.agent.traces.lenient_run import LenientRun
from longtake.agent.traces.steps import TraceStep
from longtake.agent.traces.tree import one_line
from longtake.console import counted
from longtake.memory.records import Claim, display_name
from longtake.memory.timespan import clock

MAX_TEXT = 20_000  # characters of one argument, message or result
_WORDS = ("query", "question", "claim", "expression", "thing", "object")  # arguments that show what a call is about
_EXAMINED = ("subtitles", "speech", "scene_text", "sounds", "shots", "captions")  # layers, as the chat shows them
_NUMBERS = re.compile(r'\[\n([^\[\]{}"]*)\n *\]')  # a list in JSON that is easier to read on one line
_TITLES = {
    "orient": "Reads the question",
    "brief": "Searches for evidence",
    "judge": "Checks the claims",
    "guard": "Stops early",
    "error": "Stops with an error",
    "answer": "Answers",
}

_FINDERS = {"orient": "measuring the file", "brief": "the search before the first call"}


def title_of(step: TraceStep) -> str:
    """What a step did."""
    if step.type == "tool":
        return _plain(step.tool or "")
    if step.type == "model" and step.tool:
        return f"Replies to {_plain(step.tool).lower()}"
    if step.type == "model":
        return (
            f"Plans: {', '.join(dict.fromkeys(map(_plain, step.calls))).lower()}" if step.calls else "Writes the answer"
        )
    title = _TITLES.get(step.type, step.type)
    return f"{title}: {one_line(step.text, 90)}" if step.text else title


def finders_of(claim: Claim) -> str:
    """The steps that found what a claim cites."""
    return ", ".join(dict.fromkeys(_FINDERS.get(each.tool, _plain(each.tool).lower()) for each in claim.found_by))


def about(step: TraceStep) -> str:
    """The text argument of a call; its times are shown below it."""
    text = next((step.arguments[name] for name in _WORDS if name in step.arguments), "")
    return f"“{one_line(text, 90)}”" if isinstance(text, str) and text else ""


def facts_of(step: TraceStep) -> str:
    """The findings and cost of a step."""
    parts = [f"{len(step.evidence)} found"] if step.type == "tool" else []
    if step.input_tokens or step.output_tokens:
        parts += [f"{step.input_tokens + step.output_tokens:,} tokens", f"{step.cost:g} cost"]
    parts += [f"{len(step.repairs)} repaired"] if step.repairs else []
    parts.append("cached" if step.cached else f"{step.seconds:.2f} s")
    return " · ".join(parts)


def receipt(run: LenientRun) -> str:
    """The time, controller and id of a run."""
    controller = run.settings.controller
    when = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(run.started))
    engine = "no language model" if controller.engine == "extractive" else controller.engine
    return " · ".join(filter(None, (when, engine, controller.model, f"trace {run.id}")))


def spent(run: LenientRun) -> list[str]:
    """The cost of a run."""
    usage = run.usage
    parts = [f"{usage.seconds:.1f} s", counted(usage.rounds, "round"), counted(usage.tool_calls, "tool call")]
    if usage.input_tokens or usage.output_tokens:
        parts += [f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out", f"{usage.cost:g} cost"]
    return [*parts, *(["offline"] if run.answer and run.answer.offline else [])]


def examined(run: LenientRun) -> dict[str, float]:
    """The share of the timeline, 0 to 1, that each relevant layer covers."""
    coverage = run.answer.coverage if run.answer else {}
    return {_plain(name): coverage[name] for name in _EXAMINED if coverage.get(name)}


def _plain(name: str) -> str:
    return display_name(name).capitalize()


def as_json(value: Any) -> str:
    """A value as indented JSON; an empty string for an empty value."""
    text = json.dumps(value, ensure_ascii=False, indent=1) if value else ""
    return _NUMBERS.sub(lambda match: f"[{' '.join(match[1].split())}]", text)


def cut(text: str) -> str:
    """A text, cut to what the page shows."""
    more = len(text) - MAX_TEXT
    return f"{text[:MAX_TEXT]}… and {more:,} more characters in the trace" if more > 0 else text


def between(start: float, end: float) -> str:
    """Two times in the short form of a player, or one if they are in the same second."""
    return "–".join(dict.fromkeys(_short(clock(max(0.0, each))) for each in (start, end)))


def _short(text: str) -> str:
    rest = text.removeprefix("00:")
    return rest[1:] if rest.startswith("0") else rest
