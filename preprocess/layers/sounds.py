"""The layer `sounds`: sounds other than words, and where there is speech.

The track is measured block by block. Each block's measures are a chunk, so an interrupted build doesn't measure
finished blocks again. Events are then detected in the measures of the whole track.
"""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np

from longtake.memory.building import LayerWriter
from longtake.memory.layers import LayerRecipe
from longtake.memory.timespan import TimeSpan, joined
from longtake.preprocess.engines.sounds.sound_engine import Measures, SoundEngine
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.audio import TOUCHING, AudioBlock, read_audio
from longtake.preprocess.media.coverage import warn_of_gaps
from longtake.preprocess.media.stream_ends import promised_end

NAME = "sounds"


class Sounds:
    """Builds items {start, end, kind, level_db, confidence}; a tone also has hz."""

    name = NAME
    capability = "sounds"

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One layer, or none for a file without sound."""
        if not job.media.audio:
            return ()
        engine: SoundEngine = job.engines.load("sounds")
        return (LayerRecipe(NAME, version=4, engine=engine.id, settings=job.media.sound_recipe),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Measure the track once; blocks measured by an earlier build are decoded but not measured again."""
        engine: SoundEngine = job.engines.load("sounds")
        measured: list[Measures] = []
        heard: list[TimeSpan] = []
        previous: AudioBlock | None = None
        blocks = read_audio(job.path, job.media, rate=engine.rate, check_cancelled=job.check_cancelled)
        for number, block in enumerate(blocks):
            name = f"{number:05d}"
            data = job.chunks.get(name)
            if data is None:
                data = _packed(engine.measure(block, previous))
                job.chunks.put(name, data)
            measured.append(_unpacked(data))
            heard.append(TimeSpan(start=max(0.0, block.start), end=block.end))
            job.progress(min(1.0, block.end / job.media.duration) if job.media.duration > 0 else 1.0)
            previous = block
        writer = writers[NAME]
        for event in engine.detect(measured):
            writer.add(event.item())
        covered = joined(heard, TOUCHING)
        assert job.media.sound, "a file without sound has no recipes"
        promised = promised_end(job.path, job.media, job.media.sound.index)
        warn_of_gaps(covered, "sound", promised, job.warn, pauses=job.media.pauses)
        writer.cover(covered)


def _packed(measures: Measures) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **measures)
    return buffer.getvalue()


def _unpacked(data: bytes) -> Measures:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return dict(arrays)
