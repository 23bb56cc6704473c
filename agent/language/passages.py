"""Joins cues that continue a sentence into one text."""

from __future__ import annotations

from collections.abc import Sequence

from longtake.memory.records import Evidence

_PAUSE = 2.5  # seconds between two cues of one text


def goes_on(cue: Evidence, following: Evidence) -> bool:
    """Whether the next cue continues this one: the same track, without a long pause."""
    same = (cue.video, cue.engine, cue.modality) == (following.video, following.engine, following.modality)
    return same and cue.modality == "speech" and following.span.start - cue.span.end <= _PAUSE


def passages(items: Sequence[Evidence]) -> list[str]:
    """The texts in which a quotation may be found: each piece of evidence, and joined cues, in order."""
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
