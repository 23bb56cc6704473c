"""Writes a trace as a self-contained HTML page, which needs only the video file to play it.

The modules of the page of `longtake serve` are bundled, because a single-file page can't import any.
"""

from __future__ import annotations

import json
import os
import re
import time
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Template

from longtake.agent.traces.lenient_run import LenientRun
from longtake.agent.traces.pages.page_videos import videos_of
from longtake.agent.traces.steps import TraceStep, every, spoken, steps_of
from longtake.agent.traces.trace import RecordedTrace
from longtake.agent.traces.tree import one_line, origin
from longtake.console import counted
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.records import VERDICTS, Claim, display_name
from longtake.memory.timespan import clock
from longtake.prompts import templates
from longtake.remote import RemoteFile, media_path

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
# What only modules have: imports of others, and the word before what they export.
_MODULAR = re.compile(r'^(?:import [^;]*?"\./([\w.]+)";\n|export (?=const|let|class|function|async))', re.MULTILINE)
_STYLES = ("base.css", "stage.css", "chat.css", "trace.css")


@cache
def style() -> str:
    """The style sheets of the chat, and ours for a trace."""
    return "".join(_text(name) for name in _STYLES)


@cache
def script() -> str:
    """`trace.js` after everything it imports, each module once; they share one scope, so their names must differ."""
    modules: dict[str, str] = {}

    def add(name: str) -> None:
        text = _text(name)
        modules[name] = ""
        for needed in _MODULAR.findall(text):
            if needed and needed not in modules:
                add(needed)
        del modules[name]
        modules[name] = _MODULAR.sub("", text)

    add("trace.js")
    return "".join(modules.values())


def script_hash() -> str:
    """The hash with which a security policy allows only this script (Content Security Policy, level 2)."""
    return f"sha256-{b64encode(sha256(script().encode()).digest()).decode()}"


def _text(name: str) -> str:
    """Our file of this name, or else that of the page of `longtake serve`."""
    own = files("longtake.agent.traces.pages") / name
    return (own if own.is_file() else files("longtake.web.page") / name).read_text(encoding="utf-8")


_MAX_FOUND = 40  # findings per step
_MAX_SPANS = 12

Address = Callable[[VideoRecord], str | None]


def file_address(video: VideoRecord) -> str | None:
    """The URL of a video's file on this machine; None if it lies on object storage."""
    path = media_path(video.path)
    return None if isinstance(path, RemoteFile) else path.as_uri()


def address_from(folder: Path) -> Address:
    """Addresses for a page in a folder: relative ones for files inside it, so that both can be moved."""

    def address(video: VideoRecord) -> str | None:
        path = media_path(video.path)
        inside = path.is_relative_to(folder.resolve())
        return quote(os.path.relpath(path, folder.resolve())) if inside else file_address(video)

    return address


def page_of(trace: RecordedTrace, library: LibraryStore | None, address: Address = file_address) -> str:
    """The page of a run; text from videos and models is escaped.

    Args:
        trace: the run's trace, possibly still being written.
        library: has the videos; without it, or for missing videos, only the steps are shown.
        address: the address of a playable video for the page; stills are shown if it returns None.

    Raises:
        LibraryError: when the trace can't be read at all.
    """
    run = LenientRun(trace)
    steps = steps_of(run)
    videos, remarks = videos_of(run, library, address)
    data = {
        "videos": videos,
        "calls": [_call(step) for step in every(steps) if step.type == "tool"],
        "citations": [each.model_dump() for each in run.answer.places] if run.answer else [],
        "claims": [each.model_dump(include={"text", "verdict", "reason"}) for each in run.answer.flagged]
        if run.answer
        else [],
    }
    return _template().render(
        run=run,
        steps=steps,
        asked=_new_messages(run),
        names={video["id"]: video["name"] for video in videos},
        receipt=receipt(run),
        origin=origin(run.forked_from) if run.forked_from else "",
        spent=spent(run),
        examined=examined(run),
        remarks=[*run.problems, *remarks],
        data=data,
    )


@cache
def _template() -> Template:
    environment = templates("longtake.agent.traces", "pages")
    environment.globals |= {
        "style": style(),
        "script": script(),
        "script_hash": script_hash(),
        "most_found": _MAX_FOUND,
        "most_spans": _MAX_SPANS,
        "span": between,
        "title": title_of,
        "about": about,
        "facts": facts_of,
        "finders": finders_of,
        "json": as_json,
        "cut": cut,
        "verdicts": VERDICTS,
        "display_name": display_name,
    }
    return environment.get_template("trace.html")


def _call(step: TraceStep) -> dict[str, Any]:
    """A call for the timeline."""
    return step.model_dump(include={"type", "tool", "arguments", "spans"}) | {"evidence": len(step.evidence)}


def _new_messages(run: LenientRun) -> Mapping[int, list[tuple[str, str]]]:
    """By step, the messages that were new to the model: role and text.

    Results of tools are left out: they are shown at their own steps.
    """
    new: dict[int, list[tuple[str, str]]] = {}
    known: set[tuple[str, str]] = set()
    for event in run.of("model"):
        sent = run.blob(event.input)
        messages = list(_messages(sent.get("messages"))) if isinstance(sent, Mapping) else []
        new[event.step] = [each for each in messages if each not in known and each[0] not in ("tool", "ai")]
        known.update(messages)
    return new


def _messages(messages: Any) -> Iterator[tuple[str, str]]:
    for message in messages if isinstance(messages, list) else []:
        if isinstance(message, Mapping) and isinstance(message.get("data"), Mapping):
            yield str(message.get("type")), spoken(message["data"].get("content"))


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
