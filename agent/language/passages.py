"""Speech that goes on from one cue to the next, read as one text."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.memory.records import Evidence

_PAUSE = 2.5  # seconds between two cues of one text


def goes_on(cue: Evidence, following: Evidence) -> bool:
    """Whether one cue goes on in the next one: of the same track, without a long pause between them."""
    same = (cue.video, cue.engine, cue.modality) == (following.video, following.engine, following.modality)
    return same and cue.modality == "speech" and following.span.start - cue.span.end <= _PAUSE


def passages(items: Sequence[Evidence]) -> list[str]:
    """The texts in which a quotation may stand: each piece of evidence, and cues that go on as one text, in order."""
    spoken = {item.id: item for item in items if item.modality == "speech"}.values()
    runs: list[list[Evidence]] = []
    for cue in sorted(spoken, key=lambda item: (item.video, item.engine, item.span.start)):
        if runs and goes_on(runs[-1][-1], cue):
            runs[-1].append(cue)
        else:
            runs.append([cue])
    return [*map(_plain, items), *(" ".join(map(_plain, run)) for run in runs if len(run) > 1)]


def _plain(item: Evidence) -> str:
    return " ".join(item.content.split())
