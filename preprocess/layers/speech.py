"""The layer `speech`: a recogniser's transcript, for videos without subtitles."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from longtake.language.words import words
from longtake.memory.building import LayerWriter
from longtake.memory.layers import LayerRecipe, canonical_json
from longtake.memory.timespan import TimeSpan, joined, remaining
from longtake.preprocess.engines.audio.speech_engine import RATE, SpeechEngine
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.audio import TOUCHING, AudioBlock, Samples, read_audio

NAME = "speech"
# Seconds: a chunk ends at the quietest moment between them. The language is detected for each chunk. If it is known,
# longer chunks are faster: Whisper takes as long for the last few seconds of a chunk as for thirty.
CHUNK = {"any": (120, 180), "one": (240, 300)}
_LOOP = 3  # consecutive items with the same words
_PAUSE = 30  # hundredths of a second; gaps inside words are shorter


class Speech:
    """Builds items {start, end, text, language, words, confidence, trusted}; a word is [start, end, text, probability].

    A written transcript beats a recogniser: with subtitles, this builds nothing.
    """

    name = NAME
    capability = NAME

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One layer; none without sound, or with subtitles."""
        written = job.layers.get("subtitles")
        if not job.media.audio or (written and written.count):
            return ()
        engine: SpeechEngine = job.engines.load(NAME)
        settings = {"language": job.settings.speech.language} | job.media.sound_recipe
        return (LayerRecipe(NAME, 4, engine.id, settings),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Recognise the track chunk by chunk, each in the language of the settings or its own.

        What isn't trusted doesn't count as covered: something may have been said there.
        """
        engine: SpeechEngine = job.engines.load(NAME)
        writer = writers[NAME]
        language = job.settings.speech.language
        heard: list[TimeSpan] = []
        items: list[dict[str, Any]] = []
        length = CHUNK["any" if language is None and engine.detects_language() else "one"]
        blocks = read_audio(job.path, job.media, rate=RATE, check_cancelled=job.check_cancelled)
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
        distrust_loops(items)
        for item in items:
            writer.add(item)
        unsure = [TimeSpan(start=item["start"], end=item["end"]) for item in items if not item["trusted"]]
        writer.cover(remaining(joined(heard, TOUCHING), unsure))


def distrust_loops(items: Sequence[dict[str, Any]]) -> None:
    """Mark consecutive items with the same words: a recogniser repeats itself over noise and music."""
    for _, group in groupby(items, key=lambda item: words(item["text"])):
        repeated = list(group)
        if len(repeated) >= _LOOP:
            for item in repeated:
                item["trusted"] = False


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
