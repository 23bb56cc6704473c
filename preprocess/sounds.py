"""The layer `sounds`: what is heard besides words, and where somebody speaks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from longtake.memory.layers import LayerRecipe, LayerWriter
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.audio import AudioBlock, read_audio
from longtake.preprocess.engines.sounds import SoundEngine
from longtake.preprocess.step import IndexJob

NAME = "sounds"


@dataclass
class _Listening:
    """Passes blocks on and remembers what was heard."""

    job: IndexJob
    heard: list[TimeSpan] = field(default_factory=list)

    def follow(self, blocks: Iterable[AudioBlock]) -> Iterator[AudioBlock]:
        for block in blocks:
            yield block
            start, end = max(0.0, block.start), block.end
            if self.heard and start - self.heard[-1].end < 0.001:
                start = self.heard.pop().start
            self.heard.append(TimeSpan(start=start, end=end))
            self.job.progress(min(1.0, end / self.job.media.duration) if self.job.media.duration > 0 else 1.0)


class Sounds:
    """Builds items {start, end, kind, level_db, confidence}, for a tone with its hz."""

    name = NAME

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One layer, or none for a file without sound."""
        if not job.media.audio:
            return ()
        engine: SoundEngine = job.engines.load("sounds")
        return (LayerRecipe(NAME, version=1, engine=engine.id),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Listen to the default track once."""
        engine: SoundEngine = job.engines.load("sounds")
        writer = writers[NAME]
        listening = _Listening(job)
        blocks = read_audio(job.path, job.media, rate=engine.rate, check_cancelled=job.check_cancelled)
        for event in engine.detect(listening.follow(blocks)):
            writer.add(event.item())
        writer.cover(listening.heard)
