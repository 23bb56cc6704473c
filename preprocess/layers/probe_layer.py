"""The layer `probe`: facts about the file, as evidence for questions about the recording itself."""

from __future__ import annotations

from collections.abc import Mapping

import av

from longtake.memory.building import LayerWriter
from longtake.memory.layers import LayerRecipe
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.layers.sound_track import wanted_track
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.contents import no_track
from longtake.preprocess.media.sources import MEDIA_INFO

VERSION = 6


class ProbeStep:
    """One item: container, length and streams."""

    name = "probe"
    capability = None

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One recipe; the file itself is the only input, and of several tracks the one that is read."""
        wanted = {"wanted": job.settings.speech.track} if len(job.media.audio) > 1 and job.settings.speech.track else {}
        return (LayerRecipe(self.name, VERSION, f"pyav-{av.__version__}", job.media.sound_recipe | wanted),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Write the probed facts."""
        writer = writers[self.name]
        writer.add(MEDIA_INFO.dump_python(job.media, mode="json"))
        wanted = job.settings.speech.track
        if wanted and len(job.media.audio) > 1 and not wanted_track(job.media, wanted):
            job.warn(no_track(job.media, wanted))
        writer.cover([TimeSpan(start=0.0, end=round(job.media.duration, 3))])
