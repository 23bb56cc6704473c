"""`transcribe_speech`, and a short span transcribed again with a larger model than the whole video was."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from longtake.errors import EngineError, MediaError
from longtake.memory.closer_readings import VERSIONS
from longtake.memory.layers import Layer, LayerRecipe
from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan, joined
from longtake.preprocess.engines.audio.speech_engine import RATE, SpeechEngine, SpeechSegment
from longtake.preprocess.media.audio import read_audio
from longtake.tools.core.refinement import earlier_reading, keep_reading, started_from
from longtake.tools.core.registry import Timestamp, tool
from longtake.tools.core.result import ToolError, ToolResult, evidence_of, examined, unexamined
from longtake.tools.core.tool_context import ToolContext, VideoHandle

CLOSE = 60.0  # seconds; for a longer span the transcript of the whole video is used
MARGIN = 1.0  # seconds of context around the span, so that no word is cut
CAPABILITY = "closer_speech"

Heard = tuple[tuple[Moment, ...] | None, tuple[str, ...]]


def hear_closely(context: ToolContext, span: TimeSpan, layer: Layer | None, language: str | None) -> Heard:
    """The transcript of a span by the larger model, made now or earlier, and notes.

    None if the layer must do: a person wrote the words, the span is long, no larger model is named, or it can't be
    used (a note says why).
    """
    written = layer is not None and layer.name != "speech"
    if written or span.length > CLOSE or context.engines.report(CAPABILITY).engine is None:
        return None, ()
    engine: SpeechEngine = context.engines.load(CAPABILITY)
    language = language or context.settings.speech.language
    layers = started_from(context, "subtitles", "speech")  # stored readings are dropped if one of these appears
    recipe = LayerRecipe(CAPABILITY, VERSIONS[CAPABILITY], engine.id, inputs=layers)
    reading = earlier_reading(context, recipe, span, asked=language or "")
    if reading:
        return reading.found, (f"transcribed closely before, in {reading.span}",)
    try:
        found = tuple(_evidence(context, segment, engine) for segment in _segments(context, span, engine, language))
    except (EngineError, MediaError) as error:
        return None, (f"not transcribed again by the larger model: {error}",)
    return found, keep_reading(context, recipe, span, found, asked=language or "")


def _segments(context: ToolContext, span: TimeSpan, engine: SpeechEngine, language: str | None) -> list[SpeechSegment]:
    path, media = context.video.media()
    around = span.widened(MARGIN, MARGIN, context.video.duration)
    blocks = read_audio(path, media, rate=RATE, span=around, check_cancelled=context.budget.check)
    heard = [segment for block in blocks for segment in engine.recognise(block.samples, block.start, language)]
    return [segment for segment in heard if _span(segment).overlaps(span)]


def _evidence(context: ToolContext, segment: SpeechSegment, engine: SpeechEngine) -> Moment:
    return Moment(
        video=context.video.id,
        span=_span(segment),
        modality="speech",
        text=segment.text,
        score=round(segment.confidence, 3),
        engine=engine.id,
        trusted=segment.trusted,
    )


def _span(segment: SpeechSegment) -> TimeSpan:
    return TimeSpan(start=round(segment.words[0].start, 3), end=round(segment.words[-1].end, 3))


WINDOW = 30.0
REMEDY = "Put subtitles next to the file (NAME.srt or NAME.vtt) and index it again"


@tool(capabilities=("speech",), quiet=("language",))
def transcribe_speech(
    context: ToolContext,
    timestamp: Timestamp,
    language: Annotated[
        str | None, Field(description="Language code such as 'en'; by default the first track.")
    ] = None,
) -> ToolResult:
    """Words said, with times."""
    parsed = context.span(timestamp, window=WINDOW)
    span, video = parsed.span, context.video
    layers = _words_of(video)
    heard, said = hear_closely(context, span, layers[0] if layers else None, language)
    if heard is not None:
        return _result(span, heard, (span,), (*parsed.notes, *said))
    if not layers:
        raise ToolError("unavailable", " ".join([_why_no_words(context, span), *said]), _remedy(context))
    items = [
        (item, layer)
        for layer in layers
        for item in _one_source(list(layer.items()), language)
        if TimeSpan(start=item["start"], end=item["end"]).overlaps(span)
    ]
    items.sort(key=lambda found: (found[0]["start"], found[0]["end"]))
    evidence = tuple(
        evidence_of(item, item["text"], "speech", layer, video.id, confidence=item.get("confidence", 1.0))
        for item, layer in items
    )
    # The layer of sounds is made of the same track and tells what is missing of it.
    reader = video.layer("sounds") if layers[0].name == "speech" else None
    notes = _notes(layers[0], [item for item, _ in items], span, language)
    both = replace(layers[0], covered=joined(part for layer in layers for part in layer.covered))
    notes = (*parsed.notes, *said, *unexamined(both, span, reader), *notes)
    return _result(span, evidence, examined(both, span), notes)


def _result(
    span: TimeSpan, evidence: tuple[Moment, ...], looked_at: tuple[TimeSpan, ...], notes: tuple[str, ...]
) -> ToolResult:
    output = {"transcript": " ".join(item.text for item in evidence), "timestamp": [span.start, span.end]}
    if not evidence and not notes:
        notes = (f"no speech was recognised in {span}",)
    return ToolResult(tool="transcribe_speech", output=output, evidence=evidence, looked_at=looked_at, notes=notes)


def _words_of(video: VideoHandle) -> list[Layer]:
    """Subtitles, which a person wrote, and speech recognised where they have none; empty ones only by themselves."""
    subtitles, speech = video.layer("subtitles"), video.layer("speech")
    return [layer for layer in (subtitles, speech) if layer and (layer is speech or layer.count or not speech)]


def _one_source(items: list[dict[str, Any]], language: str | None) -> list[dict[str, Any]]:
    """The items of one track: the first in the requested language (`en` also matches `en-US`), else the first."""
    fitting = (item.get("source") for item in items if language and _is(item["language"], language))
    source = next(fitting, items[0].get("source") if items else None)
    return [item for item in items if item.get("source") == source]


def _is(found: str | None, asked: str) -> bool:
    return found is not None and (found.lower() == asked.lower() or found.partition("-")[0] == asked.lower())


def _notes(layer: Layer, items: list[dict[str, Any]], span: TimeSpan, language: str | None) -> tuple[str, ...]:
    if not items:
        where = "the subtitles have" if layer.name == "subtitles" else "the recogniser heard"
        return (f"{where} no words in {span}",)
    notes: list[str] = []
    spoken = items[0]["language"]
    if language and not _is(spoken, language):
        notes.append(f"there are no words in {language!r}; these are in {spoken or 'an unnamed language'}")
    if not all(item.get("trusted", True) for item in items):
        notes.append("the recognition of some words is unreliable: they may lead to a place but prove nothing")
    return tuple(notes)


def _why_no_words(context: ToolContext, span: TimeSpan) -> str:
    able = context.engines.report("speech").engine
    reason = "its speech wasn't recognised." if able else "no engine here turns speech into words."
    reason = f"the video has no subtitles and {reason}"
    if context.video.layer("sounds") is None:
        return f"T{reason[1:]}"
    voices = [item for item in context.video.items("sounds", span) if item["kind"] == "speech"]
    return f"{'Voices are' if voices else 'No voice is'} heard in {span}, but {reason}"


def _remedy(context: ToolContext) -> str:
    report = context.engines.report("speech")
    if report.engine:
        return f"{REMEDY}, which also runs {report.engine} over a sound track without subtitles."
    reasons = "; ".join(f"{name}: {reason}" for name, reason in report.reasons.items())
    return f"{REMEDY}, or set up speech recognition ({reasons or 'none is named in engines.speech'})."
