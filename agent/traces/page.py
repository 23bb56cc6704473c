"""A trace as one HTML page that needs nothing but itself, and the video where it is to be played."""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from longtake.agent.trace import RecordedTrace
from longtake.agent.traces.bundle import script, script_hash, style
from longtake.agent.traces.page_videos import videos_of
from longtake.agent.traces.recorded import RecordedRun, concealed
from longtake.agent.traces.steps import Step, every, spoken, steps_of
from longtake.agent.traces.tree import one_line
from longtake.config import secret
from longtake.console import counted
from longtake.memory.library import Library, VideoRecord
from longtake.memory.timespan import clock

MOST_TEXT = 20_000  # characters of one argument, message or result
_MOST_FOUND = 40  # pieces of evidence of one step
_MOST_SPANS = 12
_SHORTEST_KEY = 8  # characters; what is shorter is a placeholder, and stands in many words
_KEY_NAMES = "api_key_env"
_WORDS = ("query", "question", "claim", "expression", "thing", "object")  # arguments that say what a call is about
_EXAMINED = ("subtitles", "speech", "scene_text", "sounds", "shots", "captions")  # layers, as the chat shows them
_NUMBERS = re.compile(r'\[\n([^\[\]{}"]*)\n *\]')  # a list in JSON that is easier to read on one line
_TITLES = {
    "orient": "Takes stock of the question",
    "verify": "Checks the claims",
    "guard": "Comes to an end",
    "error": "Breaks off",
    "answer": "Answers",
}

Address = Callable[[VideoRecord], str | None]


def file_address(video: VideoRecord) -> str:
    """Where a video's file is on this machine."""
    return Path(video.path).as_uri()


def address_from(folder: Path) -> Address:
    """Addresses for a page in a folder: of what lies in or below it relative ones, so that both can be moved."""

    def address(video: VideoRecord) -> str:
        path = Path(video.path)
        inside = path.is_relative_to(folder.resolve())
        return quote(os.path.relpath(path, folder.resolve())) if inside else file_address(video)

    return address


def page_of(trace: RecordedTrace, library: Library | None, address: Address = file_address) -> str:
    """The page of a run; what a video or a model says stands on it as text, and no key of an endpoint does.

    Args:
        trace: of the run, which may still go on.
        library: holds the videos; without it, and for those it no longer holds, the steps stand alone.
        address: where the page finds a video that is there and can be played; stills are shown where it says None.

    Raises:
        LibraryError: when the trace cannot be read at all.
    """
    run = RecordedRun(trace)
    steps = steps_of(run)
    calls = [step for step in every(steps) if step.type == "tool"]
    videos, remarks = videos_of(run, library, address)
    data = {
        "videos": videos,
        "calls": [call.model_dump(include={"type", "tool", "arguments", "spans"}) | _found(call) for call in calls],
        "citations": [each.model_dump() for each in run.answer.citations] if run.answer else [],
    }
    page = _template().render(
        run=run,
        steps=steps,
        asked=_asked(run),
        names={video["id"]: video["name"] for video in videos},
        receipt=_receipt(run),
        spent=_spent(run),
        examined=_examined(run),
        remarks=[*run.problems, *remarks],
        data=data,
    )
    return _without_keys(concealed(page), run)


@cache
def _template() -> Template:
    environment = Environment(
        loader=PackageLoader("longtake.agent.traces", "pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "style": style(),
        "script": script(),
        "script_hash": script_hash(),
        "most_found": _MOST_FOUND,
        "most_spans": _MOST_SPANS,
        "span": _span,
        "title": _title,
        "about": _about,
        "facts": _facts,
        "json": _json,
        "cut": _cut,
    }
    return environment.get_template("trace.html")


def _found(call: Step) -> dict[str, int]:
    return {"evidence": len(call.evidence)}


def _asked(run: RecordedRun) -> Mapping[int, list[tuple[str, str]]]:
    """By step, what the model was told that no step before had told it: who spoke, and the words.

    Results of tools are left out: they stand at their own steps.
    """
    told: dict[int, list[tuple[str, str]]] = {}
    known: set[tuple[str, str]] = set()
    for event in run.of("model"):
        given = run.blob(event.input)
        messages = list(_messages(given.get("messages"))) if isinstance(given, Mapping) else []
        told[event.step] = [each for each in messages if each not in known and each[0] not in ("tool", "ai")]
        known.update(messages)
    return told


def _messages(messages: Any) -> Iterator[tuple[str, str]]:
    for message in messages if isinstance(messages, list) else []:
        if isinstance(message, Mapping) and isinstance(message.get("data"), Mapping):
            yield str(message.get("type")), spoken(message["data"].get("content"))


def _title(step: Step) -> str:
    if step.type == "tool":
        return _plain(step.tool or "")
    if step.type == "model" and step.tool:
        return f"Replies to {_plain(step.tool).lower()}"
    if step.type == "model":
        return f"Plans {', '.join(dict.fromkeys(map(_plain, step.calls))).lower()}" if step.calls else "Writes"
    title = _TITLES.get(step.type, step.type)
    return f"{title}: {one_line(step.text, 90)}" if step.text else title


def _about(step: Step) -> str:
    """What a call was about, in the words it was given; its seconds stand below it."""
    told = next((step.arguments[name] for name in _WORDS if name in step.arguments), "")
    return f"“{one_line(told, 90)}”" if isinstance(told, str) and told else ""


def _facts(step: Step) -> str:
    parts = [f"{len(step.evidence)} found"] if step.type == "tool" else []
    if step.input_tokens or step.output_tokens:
        parts += [f"{step.input_tokens + step.output_tokens:,} tokens", f"{step.cost:g} cost"]
    parts += [f"{len(step.repairs)} repaired"] if step.repairs else []
    parts.append("known already" if step.cached else f"{step.seconds:.2f} s")
    return " · ".join(parts)


def _receipt(run: RecordedRun) -> str:
    controller = run.settings.controller
    when = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(run.started))
    return " · ".join(filter(None, (when, controller.engine, controller.model, f"trace {run.id}")))


def _spent(run: RecordedRun) -> list[str]:
    usage = run.usage
    spent = [f"{usage.seconds:.1f} s", counted(usage.rounds, "round"), counted(usage.tool_calls, "tool call")]
    if usage.input_tokens or usage.output_tokens:
        spent += [f"{usage.input_tokens:,} tokens in, {usage.output_tokens:,} out", f"{usage.cost:g} cost"]
    return [*spent, *(["offline"] if run.answer and run.answer.offline else [])]


def _examined(run: RecordedRun) -> dict[str, float]:
    """The share of the timeline, 0 to 1, that each layer on which answers rest has examined."""
    coverage = run.answer.coverage if run.answer else {}
    return {_plain(name): coverage[name] for name in _EXAMINED if coverage.get(name)}


def _plain(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, indent=1) if value else ""
    return _NUMBERS.sub(lambda match: f"[{' '.join(match[1].split())}]", text)


def _cut(text: str) -> str:
    more = len(text) - MOST_TEXT
    return f"{text[:MOST_TEXT]}… and {more:,} characters more, in the trace" if more > 0 else text


def _span(start: float, end: float) -> str:
    """Two times as short as a player shows them, or one where they are of the same second."""
    return "–".join(dict.fromkeys(_short(clock(max(0.0, each))) for each in (start, end)))


def _short(time_told: str) -> str:
    rest = time_told.removeprefix("00:")
    return rest[1:] if rest.startswith("0") else rest


def _without_keys(page: str, run: RecordedRun) -> str:
    """The page without the values of the variables that hold the keys of the run's endpoints."""
    settings = next((run.blob(event.output) for event in run.of("run")), None)
    sections = settings.values() if isinstance(settings, Mapping) else ()
    for variable in {str(each[_KEY_NAMES]) for each in sections if isinstance(each, Mapping) and _KEY_NAMES in each}:
        key = secret(variable)
        if key and len(key) >= _SHORTEST_KEY:
            page = page.replace(key, "***")
    return page
