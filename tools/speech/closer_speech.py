"""Transcribes a short span again with a larger model than the one used for the whole video."""

from __future__ import annotations

from longtake.errors import EngineError, MediaError
from longtake.memory.closer_readings import VERSIONS
from longtake.memory.layers import Layer, LayerRecipe
from longtake.memory.records import Evidence
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.audio.speech_engine import RATE, SpeechEngine, SpeechSegment
from longtake.preprocess.media.audio import read_audio
from longtake.tools.core.refinement import earlier_reading, keep_reading, started_from
from longtake.tools.core.tool_context import ToolContext

CLOSE = 60.0  # seconds; for a longer span the transcript of the whole video is used
MARGIN = 1.0  # seconds of context around the span, so that no word is cut
CAPABILITY = "closer_speech"

Heard = tuple[tuple[Evidence, ...] | None, tuple[str, ...]]


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


def _evidence(context: ToolContext, segment: SpeechSegment, engine: SpeechEngine) -> Evidence:
    return Evidence(
        video=context.video.id,
        span=_span(segment),
        modality="speech",
        content=segment.text,
        score=round(segment.confidence, 3),
        engine=engine.id,
        trusted=segment.trusted,
    )


def _span(segment: SpeechSegment) -> TimeSpan:
    return TimeSpan(start=round(segment.words[0].start, 3), end=round(segment.words[-1].end, 3))
