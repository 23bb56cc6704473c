"""Writes a trace as a self-contained HTML page, which needs only the video file to play it.

The modules of the page of `longtake serve` are bundled, because a single-file page can't import any.
"""

from __future__ import annotations

import os
import re
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
from longtake.agent.traces.pages.page_words import (
    about,
    as_json,
    between,
    cut,
    examined,
    facts_of,
    finders_of,
    receipt,
    spent,
    title_of,
)
from longtake.agent.traces.steps import TraceStep, every, spoken, steps_of
from longtake.agent.traces.trace import RecordedTrace
from longtake.agent.traces.tree import origin
from longtake.memory.library import LibraryStore, VideoRecord
from longtake.memory.records import VERDICTS, display_name
from longtake.prompts import templates
from longtake.remote import RemoteFile, media_path

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
