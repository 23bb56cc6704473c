"""The layer `speakers`: who speaks when, from names in the subtitles or else from the voices."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from longtake.memory.building import LayerWriter
from longtake.memory.layers import Layer, LayerRecipe
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.analysis.speaker_turns import Passage, turns_of
from longtake.preprocess.engines.audio.speaker_engine import RATE, SpeakerEngine
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.audio import AudioBlock, read_audio

NAME = "speakers"
_SHORTEST = 0.3  # seconds of voice that tell anything about it


class Speakers:
    """Builds items {start, end, speaker, trusted}.

    `speaker` is a name from the subtitles, or a number in order of appearance. Turns found by voice aren't trusted,
    because similar voices are confused.
    """

    name = NAME
    capability = NAME

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One layer if the subtitles name speakers or if there are voices."""
        written, sounds = job.layers.get("subtitles"), job.layers.get("sounds")
        if written and any(_named(written)):
            return (LayerRecipe(NAME, 1, "subtitles", inputs={written.name: written.key}),)
        if sounds is None or not _voices(sounds):
            return ()
        engine: SpeakerEngine = job.engines.load(NAME)
        return (LayerRecipe(NAME, 1, engine.id, inputs={sounds.name: sounds.key}),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Take the names of the subtitles, or encode the voiced passages block by block and group them by voice."""
        writer = writers[NAME]
        written = job.layers.get("subtitles")
        if written and any(_named(written)):
            for cue in _named(written):
                writer.add({key: cue[key] for key in ("start", "end", "speaker")} | {"trusted": True})
            writer.cover(written.covered)
            return
        sounds = job.layers["sounds"]
        for turn in turns_of(list(_passages(job, _voices(sounds)))):
            times = {"start": round(turn.start, 3), "end": round(turn.end, 3)}
            writer.add(times | {"speaker": str(turn.speaker), "trusted": False})
        writer.cover(sounds.covered)


def _named(written: Layer) -> Iterator[Mapping[str, object]]:
    return (cue for cue in written.items() if cue.get("speaker"))


def _voices(sounds: Layer) -> list[TimeSpan]:
    return [TimeSpan(start=item["start"], end=item["end"]) for item in sounds.items() if item["kind"] == "speech"]


def _passages(job: IndexJob, voices: Sequence[TimeSpan]) -> Iterator[Passage]:
    engine: SpeakerEngine = job.engines.load(NAME)
    blocks = read_audio(job.path, job.media, rate=RATE, check_cancelled=job.check_cancelled)
    for number, block in enumerate(blocks):
        pieces = list(_cut(block, voices))
        name = f"{number:05d}"
        data = job.chunks.get(name)
        if data is None:
            vectors = engine.embed([block.samples[first:last] for first, last in pieces])
            buffer = io.BytesIO()
            np.savez(buffer, *vectors, allow_pickle=False)
            data = buffer.getvalue()
            job.chunks.put(name, data)
        with np.load(io.BytesIO(data), allow_pickle=False) as stored:
            for (first, last), key in zip(pieces, stored.files, strict=True):
                yield Passage(block.start + first / RATE, block.start + last / RATE, stored[key])
        job.progress(min(1.0, block.end / max(block.end, job.media.duration)))


def _cut(block: AudioBlock, voices: Iterable[TimeSpan]) -> Iterator[tuple[int, int]]:
    """The voiced samples of a block, as first and last."""
    for voice in voices:
        first = max(0, round((voice.start - block.start) * RATE))
        last = min(len(block.samples), round((voice.end - block.start) * RATE))
        if last - first >= _SHORTEST * RATE:
            yield first, last
