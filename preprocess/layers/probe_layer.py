"""The layer `probe`: facts about the file, as evidence for questions about the recording itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

import av

from longtake.memory.building import LayerWriter
from longtake.memory.layers import LayerRecipe
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.layers.step import IndexJob

VERSION = 3


class ProbeStep:
    """One item: container, length and streams."""

    name = "probe"
    capability = None

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One recipe; the file itself is the only input."""
        return (LayerRecipe(self.name, VERSION, f"pyav-{av.__version__}"),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Write the probed facts."""
        facts = asdict(job.media)
        writer = writers[self.name]
        writer.add(facts | {"duration": round(job.media.duration, 3), "origin": round(job.media.origin, 3)})
        writer.cover([TimeSpan(start=0.0, end=round(job.media.duration, 3))])
