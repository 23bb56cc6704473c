"""The layer `speech`: a recogniser's transcript of what no subtitles cover."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from longtake.console import counted
from longtake.language.languages import ENGLISH
from longtake.language.words import words
from longtake.memory.building import LayerWriter
from longtake.memory.layers import Layer, LayerRecipe, canonical_json
from longtake.memory.timespan import TimeSpan, joined, remaining
from longtake.preprocess.engines.audio.speech_engine import RATE, SpeechEngine
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.audio import TOUCHING, AudioBlock, Samples, read_audio
from longtake.preprocess.media.language_codes import language_code
from longtake.preprocess.media.language_names import language_name

NAME = "speech"
# Seconds: a chunk ends at the quietest moment between them. The language is detected for each chunk. If it is known,
# longer chunks are faster: Whisper takes as long for the last few seconds of a chunk as for thirty.
CHUNK = {"any": (120, 180), "one": (240, 300)}
SILENT = "longtake/no-voices"  # the engine of a layer that nothing had to be recognised for
_MOSTLY = 0.5  # of a video
_VOICE = 1.0  # seconds
_BESIDE = 2.0  # seconds
_LOOP = 3  # consecutive items with the same words
_PAUSE = 30  # hundredths of a second; gaps inside words are shorter


class Speech:
    """Builds items {start, end, text, language, words, confidence, trusted}; a word is [start, end, text, probability].

    A written transcript beats a recogniser, which hears only what subtitles leave out.
    """

    name = NAME
    capability = NAME

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One layer; none without sound, or if subtitles cover all of it."""
        written = _written(job)
        if not job.media.audio or (written and not _left_out(job)):
            return ()
        inputs = {layer.name: layer.key for layer in (written, job.layers.get("sounds")) if layer and written}
        if written and not _to_hear(job):
            return (LayerRecipe(NAME, 4, SILENT, job.media.sound_recipe, inputs),)
        engine: SpeechEngine = job.engines.load(NAME)
        settings = {"language": job.settings.speech.language} | job.media.sound_recipe
        return (LayerRecipe(NAME, 4, engine.id, settings, inputs),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Recognise the track chunk by chunk, each in the language of the settings or its own.

        Of a video with subtitles only the voices between them are heard. What isn't trusted doesn't count as covered:
        something may have been said there.
        """
        writer = writers[NAME]
        spans = _to_hear(job)
        if not spans:
            writer.cover(_left_out(job))
            return
        engine: SpeechEngine = job.engines.load(NAME)
        language = job.settings.speech.language
        if language is None and (unknown := _unknown_language(job, engine)):
            job.warn(
                f"The sound is marked as {unknown}, and this recogniser knows only English: fetch one that knows "
                "more languages with `longtake models pull whisper-small`, then index the video again"
            )
        heard: list[TimeSpan] = []
        items: list[dict[str, Any]] = []
        length = CHUNK["any" if language is None and engine.detects_language() else "one"]
        blocks = (
            block
            for span in spans
            for block in read_audio(job.path, job.media, rate=RATE, span=span, check_cancelled=job.check_cancelled)
        )
        for number, chunk in enumerate(cut_at_pauses(blocks, *length)):
            name = f"{number:05d}"
            data = job.chunks.get(name)
            if data is None:
                segments = engine.recognise(chunk.samples, chunk.start, language)
                data = canonical_json([segment.item() for segment in segments]).encode()
                job.chunks.put(name, data)
            items.extend(json.loads(data))
            heard.append(TimeSpan(start=chunk.start, end=chunk.end))
            job.progress(chunk.end / max(chunk.end, job.media.duration))
        if written := _written(job):
            items = list(_not_written(items, list(written.items())))
            heard += remaining(_left_out(job), spans)  # without a voice
        items = list(without_loops(items))
        for item in items:
            writer.add(item)
        unsure = [TimeSpan(start=item["start"], end=item["end"]) for item in items if not item["trusted"]]
        writer.cover(remaining(joined(heard, TOUCHING), unsure))


def heard_between(layers: Mapping[str, Layer]) -> str | None:
    """A sentence on what the subtitles of a video leave out and a recogniser heard; None if that is nothing."""
    written, heard = layers.get("subtitles"), layers.get(NAME)
    if not (written and written.count and heard and heard.count):
        return None
    items = list(heard.items())
    first = TimeSpan(start=items[0]["start"], end=items[0]["end"])
    lines = f"{counted(len(items), 'line')} between them {'was' if len(items) == 1 else 'were'} transcribed"
    return f"The subtitles leave out some of the speech: {lines}, the first at {first}."


def _unknown_language(job: IndexJob, engine: SpeechEngine) -> str | None:
    """The language that the track is marked with, if a recogniser of one language, English, doesn't know it."""
    track = job.media.sound
    code = language_code(track.language) if track else None
    known = code is None or code.partition("-")[0] == ENGLISH or engine.detects_language()
    return None if known or code is None else language_name(code)


def _written(job: IndexJob) -> Layer | None:
    """The subtitles, if they have words."""
    written = job.layers.get("subtitles")
    return written if written and written.count else None


def _left_out(job: IndexJob) -> tuple[TimeSpan, ...]:
    """What the subtitles don't cover; everything without them."""
    written = _written(job)
    return remaining([TimeSpan(start=0.0, end=job.media.duration)], written.covered if written else ())


def _to_hear(job: IndexJob) -> tuple[TimeSpan, ...]:
    """What the recogniser hears: everything without subtitles, else the parts they leave out in which there are voices.

    If they leave out most, all of that: they are no transcript, and the detector of voices may miss some.
    """
    spans = _left_out(job)
    sounds = job.layers.get("sounds")
    if not _written(job):
        return (TimeSpan(start=0.0, end=float(10**9)),)
    if sounds is None or sum(span.length for span in spans) >= _MOSTLY * job.media.duration:
        return spans
    voices = [TimeSpan(start=item["start"], end=item["end"]) for item in sounds.items() if item["kind"] == "speech"]
    return tuple(span for span in spans if sum(map(span.shared, voices)) >= _VOICE)


def _not_written(items: Iterable[dict[str, Any]], cues: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Items without those that a cue beside them has: speech rarely begins and ends exactly with its subtitles."""
    for item in items:
        near = [cue for cue in cues if cue["start"] - _BESIDE <= item["end"] and item["start"] <= cue["end"] + _BESIDE]
        if not set(words(item["text"])) <= {word for cue in near for word in words(cue["text"])}:
            yield item


def without_loops(items: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """One item, not trusted, for many in a row with the same words: over noise a recogniser repeats itself."""
    for _, group in groupby(items, key=lambda item: words(item["text"])):
        repeated = list(group)
        if len(repeated) < _LOOP:
            yield from repeated
        else:
            yield repeated[0] | {"end": repeated[-1]["end"], "trusted": False}


def cut_at_pauses(blocks: Iterable[AudioBlock], shortest: int, longest: int) -> Iterator[AudioBlock]:
    """Split audio into blocks of `shortest` to `longest` seconds, each cut at its quietest moment.

    A block also ends at a gap and at the end of the audio. The cuts depend only on the samples.
    """
    pending: AudioBlock | None = None
    for block in blocks:
        if pending is None or block.start - pending.end > TOUCHING:
            if pending is not None:
                yield pending
            pending = block
        else:
            pending = AudioBlock(pending.start, np.concatenate([pending.samples, block.samples]), RATE)
        while len(pending.samples) >= longest * RATE:
            cut = _quietest(pending.samples, shortest, longest)
            yield AudioBlock(pending.start, pending.samples[:cut], RATE)
            pending = AudioBlock(round(pending.start + cut / RATE, 6), pending.samples[cut:], RATE)
    if pending is not None:
        yield pending


def _quietest(samples: Samples, shortest: int, longest: int) -> int:
    """The sample in the middle of the quietest moment between `shortest` and `longest` seconds."""
    frame = RATE // 100
    energy = np.square(samples[shortest * RATE : longest * RATE].astype(np.float64)).reshape(-1, frame).sum(axis=1)
    around = np.convolve(energy, np.ones(_PAUSE), "valid")
    return shortest * RATE + (int(around.argmin()) + _PAUSE // 2) * frame
