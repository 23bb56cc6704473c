"""`summarize_segment`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from longtake.errors import LibraryError
from longtake.language.text import words_of
from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan, joined, parse_time
from longtake.preprocess.analysis.spoken_sentences import spoken_sentences
from longtake.preprocess.engines.text.text_engines import Summarizer
from longtake.preprocess.engines.text.textrank import TextRank
from longtake.preprocess.layers.layer_moments import WORDED
from longtake.preprocess.layers.sections import Section, sections_of
from longtake.preprocess.layers.speaker_lines import spoken_by
from longtake.preprocess.layers.text_vectors import load_vectors
from longtake.prompts import render
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolError, ToolResult, evidence_of, examined
from longtake.tools.core.tool_context import ToolContext, VideoHandle
from longtake.tools.speech.audio_events import describe
from longtake.tools.vision.motion_facts import dated

PROMPTS = "longtake.tools.prompts"
WINDOW = 60.0
SENTENCES = {"short": 2, "medium": 4, "long": 8}
_RUNNING = 0.9  # share of the video from which a text is a running header, or a logo
_SLACK = 0.5  # seconds of a section, or of a line, in a span that are none
_TELLING = 12  # words of a sentence that can tell something by itself
_ROWS = 2  # of a title beside which sentences tell the rest
_SENTENCE = 30.0  # seconds in which the longest sentence is said
_ROOM = 12_000  # characters that a model is given to sum up
_LETTERS = re.compile(r"[^\W\d_]{2}")  # what has none, such as a time code or a page number, says nothing
_CLOCK = re.compile(r"\b\d{1,2}:[0-5]\d:[0-5]\d(?:\.\d)?\b")
_UNTOLD = ("speech", "silence", "quiet")  # sounds that tell nothing of what happens


@tool(capabilities=("summary",), quiet=("text", "length"))
def summarize_segment(
    context: ToolContext,
    timestamp: Timestamp,
    text: Annotated[
        str, Field(description="The text to summarise; empty means what is said, written, seen and heard.")
    ] = "",
    length: Annotated[Literal["short", "medium", "long"], Field(description="2, 4 or 8 sentences.")] = "medium",
) -> ToolResult:
    """Sums up speech, text, pictures, sounds."""
    parsed = context.span(timestamp, window=WINDOW)
    notes = parsed.notes
    if text.strip():
        evidence: tuple[Moment, ...] = ()
        looked_at: tuple[TimeSpan, ...] = ()
        sentences = split_sentences(text)
        notes = (*notes, "this summarises the given text, which isn't evidence from the video")
    else:
        evidence, looked_at = _evidence(context, parsed.span)
        if context.text_model is not None:  # a name of a sound is no sentence to quote
            evidence = _ordered([*evidence, *_heard(context, parsed.span)])
            evidence = _within_room(context, parsed.span, evidence)
        sentences = [item.text for item in evidence]
    if not sentences:
        raise ToolError("unavailable", f"Nothing is said or written in {parsed.span} that could be summarised.")
    if context.text_model is not None:
        lines = [f"{item.modality} {dated(item)}" for item in evidence] or sentences
        prompt = render(PROMPTS, "summarize", sentences=lines, count=SENTENCES[length])
        summary = context.text_model.complete(prompt, seconds=context.budget.left)
        return _result(summary, _cited(summary, evidence), looked_at, notes)
    engine: Summarizer = context.engines.load("summary")
    if not evidence:
        chosen = engine.summarize(sentences, SENTENCES[length])
        return _result(" ".join(sentences[index] for index in chosen), (), looked_at, notes)
    starting = [each for each in _sections(context) if parsed.span.start <= each.start < parsed.span.end - _SLACK]
    said = _said(context, parsed.span)
    titled = [each for each in starting if each.card] if said else starting
    # Titles name the subjects and sentences tell of them; where nothing is said, titles say it all.
    titles = _of_sections(evidence, titled, alone=not said) if len(starting) > 1 else ()
    seen = [item for item in evidence if item.modality == "visual"]
    told = _ordered([*said, *seen]) or (() if titles else evidence)
    count = max(1, SENTENCES[length] - len(titles))
    # The built-in engine sees a part alone; the vectors know the whole video. An engine of the user's choice decides.
    typical = _central(context.video, told, count) if engine.id == TextRank.id else []
    if not typical:
        typical = [told[index] for index in engine.summarize([item.text for item in told], count)]
    kept = _ordered(list(dict.fromkeys([*titles, *typical])))
    return _result((" · " if titles else " ").join(item.text for item in kept), kept, looked_at, notes)


def split_sentences(text: str) -> list[str]:
    """Sentences of a text, split after `.`, `!`, `?` and similar marks, and at line ends."""
    return [part.strip() for part in re.split(r"(?<=[.!?。！？])\s+|\n+", text) if part.strip()]


def _evidence(context: ToolContext, span: TimeSpan) -> tuple[tuple[Moment, ...], tuple[TimeSpan, ...]]:
    """Speech, on-screen text and descriptions of a span, in order, and the examined parts of the span."""
    video = context.video
    found: list[Moment] = []
    seen: list[TimeSpan] = []
    for name, modality in WORDED.items():
        layer = video.layer(name)
        if layer is None:
            continue
        seen += examined(layer, span)
        items = video.items(name, span)
        language = items[0].get("language") if items else None
        kept = [item for item in items if item.get("language") == language and _LETTERS.search(item["text"])]
        for item in kept:
            # A model that summarises wants to know who speaks; a quotation is of the words alone.
            text = spoken_by(item.get("speaker", ""), item["text"]) if context.text_model else item["text"]
            found.append(evidence_of(item, text, modality, layer, video.id))
    inside = [item for item in found if span.shared(item.span) >= min(_SLACK, item.span.length / 2)]
    running = [each.modality == "scene_text" and each.span.length >= _RUNNING * video.duration for each in inside]
    passing = [item for item, runs in zip(inside, running, strict=True) if not runs]
    return _ordered(passing or inside), joined(seen)


def _said(context: ToolContext, span: TimeSpan) -> tuple[Moment, ...]:
    """The whole sentences that begin in a span; what was recognised poorly proves nothing, so only if all was."""
    whole = TimeSpan(start=max(0.0, span.start - _SENTENCE), end=span.end + _SENTENCE)
    cues = [item for item in _evidence(context, whole)[0] if item.modality == "speech"]
    begun = [each for each in spoken_sentences(cues) if span.start <= each.span.start < span.end]
    return tuple(each for each in begun if each.trusted) or tuple(begun)


def _central(video: VideoHandle, lines: Sequence[Moment], count: int) -> list[Moment]:
    """Of some lines those most like all that is told in the video, if that was embedded.

    Likeness to the mean of all vectors (Rossiello, Basile and Semeraro, 2017), less for a line of few words: "Twenty
    times?" is like everything. Of 25 parts of five recordings it chose better lines than TextRank of each part alone.
    """
    layer = video.layer("text_vectors")
    modalities = {line.modality for line in lines}
    try:
        known = zip(layer.items(), load_vectors(layer), strict=True) if layer else ()
        told = [(item, vector) for item, vector in known if item["modality"] in modalities]
    except (LibraryError, OSError, ValueError):
        return []
    if not told:
        return []
    whole = np.mean([vector for _, vector in told], axis=0)
    scores: dict[Moment, float] = {}
    for line in lines:
        inside = (each for each in told if each[0]["start"] < line.span.end and line.span.start < each[0]["end"])
        own = [vector for item, vector in inside if item["modality"] == line.modality]
        telling = min(1.0, len(line.text.split()) / _TELLING)
        scores[line] = telling * float(np.mean(own, axis=0) @ whole) if own else 0.0
    if not any(scores.values()):
        return []
    return sorted(scores, key=lambda line: -scores[line])[:count]


def _within_room(context: ToolContext, span: TimeSpan, evidence: Sequence[Moment]) -> tuple[Moment, ...]:
    """Of much, what is central in each section, so that the model reads something of all of them."""
    letters = sum(len(item.text) for item in evidence)
    if letters <= _ROOM:
        return tuple(evidence)
    engine: Summarizer = context.engines.load("summary")
    starts = [each.start for each in _sections(context) if span.start < each.start < span.end]
    edges = [span.start, *starts, span.end]
    kept: list[Moment] = []
    for start, end in pairwise(edges):
        inside = [item for item in evidence if start <= item.span.start < end or (start == edges[0] > item.span.start)]
        count = max(1, int(len(inside) * _ROOM / letters))
        kept += [inside[place] for place in engine.summarize([item.text for item in inside], count)]
    return tuple(kept)


def _sections(context: ToolContext) -> list[Section]:
    with suppress(LibraryError):  # a damaged layer costs its sections
        return sections_of(context.video.library, context.video.record)
    return []


def _of_sections(evidence: Sequence[Moment], sections: Sequence[Section], *, alone: bool) -> tuple[Moment, ...]:
    """The lines that stand for each section: its title; alone, for one that is no slide, its most typical lines."""
    found: list[Moment] = []
    for each in sections:
        title = words_of(each.text if alone and each.card and not each.slide else each.title)
        lines = [(item, words_of(item.text)) for item in evidence if each.start <= item.span.start < each.end]
        whole = [item for item, words in lines if title and words.startswith(title)][:1]
        found += whole or [item for item, words in lines if f" {words} " in f" {title} "][: None if alone else _ROWS]
    return tuple(found)


def _cited(summary: str, evidence: Sequence[Moment]) -> tuple[Moment, ...]:
    """The lines that begin when a summary says; all of them if it names no such time."""
    times = [parse_time(time) for time in _CLOCK.findall(summary)]
    found = tuple(item for item in evidence if any(abs(item.span.start - time) < 1 for time in times))
    return found or tuple(evidence)


def _heard(context: ToolContext, span: TimeSpan) -> list[Moment]:
    layer = context.video.layer("sounds")
    if layer is None:
        return []
    return [
        evidence_of(item, describe(item), "audio", layer, context.video.id, confidence=item["confidence"])
        for item in context.video.items("sounds", span)
        if item["kind"] not in _UNTOLD
    ]


def _ordered(evidence: Sequence[Moment]) -> tuple[Moment, ...]:
    return tuple(sorted(evidence, key=lambda item: item.span.start))


def _result(
    summary: str, evidence: tuple[Moment, ...], looked_at: tuple[TimeSpan, ...], notes: tuple[str, ...]
) -> ToolResult:
    return ToolResult(
        tool="summarize_segment",
        output={"summary": summary},
        evidence=evidence,
        looked_at=looked_at,
        notes=notes,
    )
