"""Parses subtitles in XML and JSON: TTML, which is also called DFXP, and YouTube's json3.

Formats: W3C Timed Text Markup Language 2; json3 as YouTube serves it, which has no specification.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

from longtake.errors import MediaError
from longtake.preprocess.media.cues import OPEN, Cue, Note, closed, tidy

_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_CLOCK = re.compile(r"(\d{1,4}):(\d{1,2}):(\d{1,2}(?:\.\d{1,30})?)(?::(\d{1,4}))?")
_OFFSET = re.compile(r"(\d{1,12}(?:\.\d{1,30})?)(h|ms|m|s|f|t)")
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_FRAMES = 30.0  # a second, where TTML doesn't say
_LONGEST = 1e7  # seconds


def parse_ttml(text: str, name: str, note: Note) -> list[Cue]:
    """The paragraphs of a TTML document with times, by start.

    Raises:
        MediaError: if it isn't TTML.
    """
    if "<!DOCTYPE" in text or "<!ENTITY" in text:  # entities can expand to any length
        raise MediaError(f"{name} has a document type of its own, which isn't read: save it as .srt.")
    try:
        root = ElementTree.fromstring(_DECLARATION.sub("", text, count=1).strip())
    except ElementTree.ParseError as error:
        line, _ = error.position
        raise MediaError(f"{name}, line {line}: this isn't valid XML ({error}); save it again or as .srt.") from error
    if _tag(root) != "tt":
        raise MediaError(f"{name} isn't TTML: its outermost element is <{_tag(root)}>; save it as .srt.")
    agents = {_attribute(each, "id"): tidy("".join(each.itertext())) for each in root.iter() if _is(each, "agent")}
    try:
        return closed(_Reader(_Times(root), agents, note).cues(root, 0.0, OPEN, None))
    except RecursionError as error:
        raise MediaError(f"{name} is nested too deeply; save it as .srt.") from error


class _Times:
    """Reads times of a TTML document in seconds, by its rates of frames and ticks."""

    def __init__(self, root: ElementTree.Element) -> None:
        self._frames = _number(_attribute(root, "frameRate")) or _FRAMES
        top, _, bottom = (_attribute(root, "frameRateMultiplier") or "1 1").partition(" ")
        self._frames *= (_number(top) or 1.0) / (_number(bottom) or 1.0)
        self._ticks = _number(_attribute(root, "tickRate")) or self._frames

    def seconds(self, text: str | None) -> float | None:
        """A time in seconds; None if it is missing or none."""
        if clock := _CLOCK.fullmatch((text or "").strip()):
            frames = int(clock[4]) / self._frames if clock[4] else 0.0
            return int(clock[1]) * 3600 + int(clock[2]) * 60 + float(clock[3]) + frames
        if offset := _OFFSET.fullmatch((text or "").strip()):
            units = _UNITS | {"f": 1 / self._frames, "t": 1 / self._ticks}
            return min(_LONGEST, float(offset[1]) * units[offset[2]])
        return None


class _Reader:
    """Reads the cues of a document, of which `agents` are the names by their ids."""

    def __init__(self, times: _Times, agents: Mapping[str | None, str], note: Note) -> None:
        self._times, self._agents, self._note = times, agents, note

    def cues(self, element: ElementTree.Element, start: float, end: float, agent: str | None) -> Iterator[Cue]:
        """The cues in an element, whose times count from the `start` of the one around it."""
        written = [element.get(name) for name in ("begin", "end", "dur")]
        begin, until, length = map(self._times.seconds, written)
        if any(text and value is None for text, value in zip(written, (begin, until, length), strict=True)):
            self._note(f"<{_tag(element)} begin={written[0]!r} end={written[1]!r}> (left out: these aren't times)")
            return
        if until is not None:
            end = start + until
        start += begin or 0.0
        if length is not None:
            end = start + length
        agent = _attribute(element, "agent") or agent
        if not _is(element, "p", "span") or any(each.get("begin") for each in element.iter() if each is not element):
            for each in element:
                yield from self.cues(each, start, end, agent)
        elif (words := tidy(_words(element))) and (begin is not None or end != OPEN):
            if OPEN != end < start:
                self._note(f"{words[:30]!r} (ends before it starts: times swapped)")
                start, end = end, start
            yield Cue(round(start, 3), round(end, 3), words, self._agents.get(agent))


def _words(element: ElementTree.Element) -> str:
    parts = [element.text or ""]
    for each in element:
        parts.append("\n" if _is(each, "br") else "" if _is(each, "metadata") else _words(each))
        parts.append(each.tail or "")
    # Line ends in the file are no line ends in the text.
    return "".join("\n" if part == "\n" else re.sub(r"\s+", " ", part) for part in parts)


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _is(element: ElementTree.Element, *tags: str) -> bool:
    return _tag(element) in tags


def _attribute(element: ElementTree.Element, name: str) -> str | None:
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), None)


def _number(text: str | None) -> float | None:
    return float(text) if text and re.fullmatch(r"\d{1,12}(?:\.\d{1,12})?", text) and float(text) else None


def parse_json3(text: str, name: str, note: Note) -> list[Cue]:
    """The events of a json3 file that have words, by start; each ends when the next one starts, if not before.

    Raises:
        MediaError: if it isn't json3.
    """
    try:
        events = json.loads(text)["events"]
        found = list(_events(events, note))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise MediaError(f"{name} isn't a json3 file of YouTube: save its subtitles as .vtt or .srt.") from error
    ordered = closed(found)
    following = [cue.start for cue in ordered[1:]] + [float("inf")] * bool(ordered)
    return [
        replace(cue, end=min(cue.end, after) if after > cue.start else cue.end)
        for cue, after in zip(ordered, following, strict=True)
    ]


def _events(events: list[dict[str, Any]], note: Note) -> Iterator[Cue]:
    for number, event in enumerate(events, start=1):
        words = tidy("".join(str(piece.get("utf8", "")) for piece in event.get("segs", ())))
        if not words:
            continue
        start, length = _milliseconds(event.get("tStartMs")), _milliseconds(event.get("dDurationMs"))
        if start is None or (length is None and "dDurationMs" in event):
            note(f"event {number} (left out: its times aren't milliseconds)")
            continue
        yield Cue(start, OPEN if length is None else start + length, words)


def _milliseconds(value: object) -> float | None:
    """Seconds; None if a value is no number of milliseconds."""
    return value / 1000 if isinstance(value, int | float) and 0 <= value < 1000 * _LONGEST else None
