"""When something is said, written or heard."""

from __future__ import annotations

import re
from collections.abc import Sequence

from difflib import SequenceMatcher

from longtake.agent.orientation import Orientation
from longtake.agent.rules.facts import accepted
from longtake.agent.rules.moves import Call, Done, Move, called, cite, evidence_from, not_found
from longtake.agent.rules.sounds import asked_kinds, pick_sounds
from longtake.memory.records import Evidence
from longtake.memory.timespan import clock

SHOWN = {"speech": "is said", "scene_text": "is shown", "audio": "is heard"}
RESULTS = 10
ALIKE = 0.7
CLOSE_READING = 2.0  # seconds read frame by frame around the nearest text, when a code is looked for


def find_time(orientation: Orientation, done: Sequence[Done]) -> Move:
    """Search for what the question names and say from when to when it lasts; sounds come from the sound track."""
    if asked_kinds(orientation.question) and not orientation.quoted:
        length = next(iter(orientation.videos.values()))
        return pick_sounds(orientation, done) if done else [Call("detect_audio_events", {"timestamp": [0.0, length]})]
    if not called(done, "cross_modal_search"):
        senses = [sense for sense in orientation.modalities if sense in SHOWN] or ["speech", "scene_text"]
        query = " ".join(orientation.quoted) or _what(orientation.question)
        return [Call("cross_modal_search", {"query": query, "modalities": senses, "k": RESULTS})]
    found = evidence_from(done, "cross_modal_search", "extract_scene_text")
    exact = [item for item in found if any(_holds(item, marked) for marked in orientation.quoted)]
    if orientation.quoted and not exact and "speech" not in orientation.modalities:
        if not called(done, "extract_scene_text"):
            return [Call("extract_scene_text", {"timestamp": [0.0, next(iter(orientation.videos.values()))]})]
        nearest = _nearest(orientation.quoted[0], found)
        if nearest and sum(step.call.name == "extract_scene_text" for step in done) == 1:
            return [_closer(nearest, orientation)]
    kept = exact if orientation.quoted else accepted(orientation, found)
    if not kept:
        return not_found("Nothing said or written tells when this is.")
    return " ".join(_lasting(item) for item in kept[:3])


def _what(question: str) -> str:
    return re.sub(r"^\s*(?:at (?:what|which) times?|when)\b(?:\s+(?:of the video|does|do|did|is|are|was|were))*", "", question, flags=re.IGNORECASE)


def _holds(item: Evidence, marked: str) -> bool:
    return _plain(marked) in _plain(item.content)


def _nearest(marked: str, found: Sequence[Evidence]) -> Evidence | None:
    """The text on the screen most like the one looked for: a running code passes it a moment earlier or later."""
    texts = [item for item in found if item.modality == "scene_text"]
    best = max(texts, key=lambda item: _likeness(marked, item.content), default=None)
    return best if best and _likeness(marked, best.content) >= ALIKE else None


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, _plain(one), _plain(other), autojunk=False).ratio()


def _plain(text: str) -> str:
    return re.sub(r"[^\w:$€£.]+", " ", text.casefold()).strip(" .")


def _closer(item: Evidence, orientation: Orientation) -> Call:
    span = item.span.widened(CLOSE_READING, CLOSE_READING, orientation.videos.get(item.video, item.span.end))
    return Call("extract_scene_text", {"timestamp": [round(span.start, 3), round(span.end, 3)]})


def _lasting(item: Evidence) -> str:
    span = item.span
    spoken = f"from {clock(span.start, decimals=1)} to {clock(span.end, decimals=1)} ({span.start:.2f}-{span.end:.2f} s)"
    return f"“{item.content.strip()}” {SHOWN.get(item.modality, 'is found')} {spoken} {cite(item)}."
