"""The layer `faces`: where the people whom the user enrolled are seen. Nobody else is kept."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from longtake.errors import LibraryError
from longtake.memory.building import LayerWriter
from longtake.memory.layers import LayerRecipe, content_key
from longtake.memory.timespan import TimeSpan, joined
from longtake.preprocess.analysis.alike_pictures import alike_in
from longtake.preprocess.engines.people.face_grouping import Sighting, comparable, recognise
from longtake.preprocess.engines.people.people_engine import FaceEngine
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.frames import read_jpeg

_MOST = 600  # pictures that are searched, evenly spread
_TOGETHER = 3.0  # seconds between two sightings of one appearance: people look aside


class Faces:
    """Builds items {start, end, name, role, confidence}, one for each appearance of an enrolled person."""

    name = capability = "faces"

    def recipes(self, job: IndexJob) -> tuple[LayerRecipe, ...]:
        """One recipe if faces are enrolled and an engine compares them; otherwise nobody asked for any."""
        keyframes = job.layers.get("keyframes")
        used = job.layers.get(self.name)  # without an engine, it stays
        if keyframes is None or not job.people or (not used and job.engines.report(self.capability).engine is None):
            return ()
        engine: FaceEngine = job.engines.load(self.capability)
        enrolled = content_key(*(person.model_dump_json() for person in comparable(job.people, engine)))
        inputs = {keyframes.name: keyframes.key}
        return (LayerRecipe(self.name, 1, engine.id, {"enrolled": enrolled}, inputs),)

    def build(self, job: IndexJob, writers: Mapping[str, LayerWriter]) -> None:
        """Find the faces in pictures that show something new, group them, and keep those that are enrolled."""
        engine: FaceEngine = job.engines.load(self.capability)
        keyframes, writer = job.layers["keyframes"], writers[self.name]
        alike = alike_in(keyframes)
        seconds = [item for item in keyframes.items() if item["kind"] == "second"]
        step = -(-len(seconds) // _MOST) or 1
        shown: list[TimeSpan] = []
        sightings: list[Sighting] = []
        searched = ""
        for number, item in enumerate(seconds):
            job.check_cancelled()
            span = TimeSpan(start=item["start"], end=item["end"])
            if searched and alike(searched, item["file"]):
                shown[-1] = TimeSpan(start=shown[-1].start, end=span.end)
            elif number % step == 0:
                searched = item["file"]
                with suppress(LibraryError):  # a damaged picture costs only itself
                    picture = read_jpeg(keyframes.path / searched)
                    sightings += [Sighting(len(shown), face) for face in engine.find(picture)]
                shown.append(span)
            job.progress((number + 1) / len(seconds))
        enrolled = {person.name for person in job.people}
        for seen in recognise(sightings, job.people, engine):
            for span in joined((shown[each.picture] for each in seen.sightings), _TOGETHER):
                if seen.name in enrolled:
                    times = {"start": round(span.start, 3), "end": round(span.end, 3)}
                    writer.add(times | {"name": seen.name, "role": seen.role, "confidence": seen.confidence})
        writer.cover(joined(shown))
