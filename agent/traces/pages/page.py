"""A trace as one HTML page that needs nothing but itself, and the video where it is to be played."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from longtake.agent.traces.pages.bundle import script, script_hash, style
from longtake.agent.traces.pages.page_videos import videos_of
from longtake.agent.traces.pages.page_words import (
    about,
    as_json,
    between,
    cut,
    examined,
    facts_of,
    receipt,
    spent,
    title_of,
)
from longtake.agent.traces.recorded import LenientRun
from longtake.agent.traces.steps import Step, every, spoken, steps_of
from longtake.agent.traces.trace import RecordedTrace
from longtake.agent.traces.tree import origin
from longtake.memory.library import Library, VideoRecord

_MAX_FOUND = 40  # pieces of evidence of one step
_MAX_SPANS = 12

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
    """The page of a run; what a video or a model says stands on it as text.

    Args:
        trace: of the run, which may still go on.
        library: holds the videos; without it, and for those it no longer holds, the steps stand alone.
        address: where the page finds a video that is there and can be played; stills are shown where it says None.

    Raises:
        LibraryError: when the trace cannot be read at all.
    """
    run = LenientRun(trace)
    steps = steps_of(run)
    videos, remarks = videos_of(run, library, address)
    data = {
        "videos": videos,
        "calls": [_call(step) for step in every(steps) if step.type == "tool"],
        "citations": [each.model_dump() for each in run.answer.places] if run.answer else [],
    }
    return _template().render(
        run=run,
        steps=steps,
        asked=_asked(run),
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
        "most_found": _MAX_FOUND,
        "most_spans": _MAX_SPANS,
        "span": between,
        "title": title_of,
        "about": about,
        "facts": facts_of,
        "json": as_json,
        "cut": cut,
    }
    return environment.get_template("trace.html")


def _call(step: Step) -> dict[str, Any]:
    """A call as the timeline draws it."""
    return step.model_dump(include={"type", "tool", "arguments", "spans"}) | {"evidence": len(step.evidence)}


def _asked(run: LenientRun) -> Mapping[int, list[tuple[str, str]]]:
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
