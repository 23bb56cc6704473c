"""A tool's result as a language model reads it: one line for each moment, then what else it says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from longtake.agent.gathering.moments import line_of
from longtake.language.text import words_of
from longtake.memory.records import Evidence
from longtake.tools.core.frames import is_frame
from longtake.tools.core.result import ToolResult

_PLACES = ("timestamp", "frames")  # fields of an output that say again where something is
_SHORT = 80  # letters of a text of the output from which it counts as said by the moments if they have its words
_SAID = 0.9  # share of those words


def shown_result(
    result: ToolResult,
    found: Mapping[str, Evidence],
    known: Mapping[str, Evidence],
    names: Mapping[str, str],
    room: int,
) -> tuple[str, set[str]]:
    """The text of a result, at most about `room` letters, and the ids that stand in it; what doesn't fit is said.

    Args:
        result: of the call.
        found: its moments by id, the best first, or in order of time.
        known: the moments that the model has seen already, by id.
        names: file names of the open videos, by library id.
        room: letters.
    """
    if result.failure:
        return " ".join(filter(None, ("FAILED:", result.failure.message, result.failure.remedy))), set()
    pictures = [name for name, item in found.items() if is_frame(item)]
    moments = [(name, item) for name, item in found.items() if name not in pictures]
    lines = {name: f"{name} (above)" if name in known else line_of(name, item, names) for name, item in moments}
    said = " ".join(item.content for item in found.values())
    facts = facts_beside(result.output, said)
    ending = [json.dumps(facts, ensure_ascii=False)] if facts else []
    ending += [f"({note})" for note in result.notes]
    ending += [f"(Pictures follow: {', '.join(pictures)}.)"] if pictures else []
    left = room - sum(map(len, ending))
    kept: list[tuple[str, Evidence]] = []
    for name, item in moments:
        left -= len(lines[name]) + 1
        if kept and left < 0:
            ending.append(f"({len(kept)} of {len(moments)} moments shown: ask for a shorter span.)")
            break
        kept.append((name, item))
    kept.sort(key=lambda pair: (pair[1].video, pair[1].span.start, -pair[1].span.end))
    if ending and len(ending[0]) > room:
        ending[0] = f"{ending[0][:room]}… (too long to show completely)"
    printed = {*pictures, *(name for name, _ in kept)}
    return "\n".join([*(lines[name] for name, _ in kept), *ending]) or "Nothing was found.", printed


def facts_beside(output: Mapping[str, Any], said: str) -> dict[str, Any]:
    """The fields of an output that its moments don't have.

    Args:
        output: of a tool.
        said: what its moments say; without any, everything counts but where it is.
    """
    if not said:
        return {
            name: value for name, value in output.items() if name not in _PLACES and value not in (None, "", [], {})
        }
    return {
        name: value
        for name, value in output.items()
        if isinstance(value, bool | int | float) or (isinstance(value, str) and not _is_said(value, said))
    }


def _is_said(text: str, said: str) -> bool:
    words = set(words_of(text).split())
    known = words.intersection(words_of(said).split())
    return text in said or (len(text) > _SHORT and len(known) >= _SAID * len(words))
