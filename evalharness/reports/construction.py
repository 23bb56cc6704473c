"""Checks the questions of a set with models: which need no video, are too easy, or may have no answer in the frames.

Video-TT keeps a question if one of three models fails in one of three attempts, and asks that 80 uniform frames answer
it; Moment-Video screens its questions for shortcuts and unclear wording. What is found here is for people to look at: a
question that no model solves may be hard, and one that all solve without the video may be luck.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from pydantic import Field

from longtake.console import counted
from longtake.errors import ConfigError
from longtake.evalharness.items import Variant
from longtake.evalharness.reports.run_scores import RunScores
from longtake.evalharness.subjects.model_spec import is_model, read_given
from longtake.evalharness.subjects.names import named
from longtake.evalharness.views.frame_views import Blind
from longtake.memory.records import Record

FRAMES, DENSE_FRAMES = 80, 320
ATTEMPTS = 3
TEMPERATURE = 1.0  # attempts at 0 would be one
_DENSE = Variant(name="dense", most_frames=DENSE_FRAMES)
_BLIND = Variant(name=Blind.name, view=Blind.name)
VARIANTS = (Variant(most_frames=FRAMES), _BLIND, _DENSE)  # a suite scores the first


class Construction(Record):
    """Which items of a set people should look at, by their ids."""

    items: int
    unjudged: int = Field(description="Items of these that are in no list yet: an answer has no verdict.")
    models: tuple[str, ...]
    blind: tuple[str, ...] = Field(description="Every model is right without the video in every attempt.")
    easy: tuple[str, ...] = Field(description=f"Every model is right with {FRAMES} frames in every attempt.")
    never: tuple[str, ...] = Field(description="No model is right in any attempt, with any frames.")
    frames: tuple[str, ...] = Field(
        description=f"No model is right with {FRAMES} frames, and one is with {DENSE_FRAMES} at most."
    )


def check_models(given: list[str]) -> None:
    """Refuse subjects that don't take the frames of a condition.

    Raises:
        ConfigError: if one isn't a model, or names its own frames.
    """
    for name, spec in map(named, given):
        if not is_model(spec) or spec.partition(":")[0] != "model":
            raise ConfigError(f"{name} isn't a model that is shown frames; give --model model:NAME@URL.")
        said = read_given(spec)
        if said.frames is not None or said.fps is not None or said.video or said.transcript:
            raise ConfigError(f"{name} names its own input; leave out frames, fps, video and transcript.")


def construction(run: RunScores) -> Construction:
    """What the replies of a run with these conditions say about its items; an error counts as wrong."""

    def values(item: str, variant: Variant) -> list[float | None]:
        """The score of each attempt of each model, None without a verdict."""
        return [
            subject.prediction_values[made.key]
            for subject in run.subjects
            for made in subject.predictions.get(item, ())
            if made.variant == variant.name
        ]

    def chosen(wanted: Callable[[list[bool], list[bool], list[bool]], bool]) -> tuple[str, ...]:
        return tuple(item for item, attempts in found.items() if wanted(*attempts))

    asked = {item.id: [values(item.id, variant) for variant in VARIANTS] for item in run.items}
    waiting = [item for item, attempts in asked.items() if None in chain(*attempts)]
    found = {
        item: [[value == 1 for value in one] for one in attempts]
        for item, attempts in asked.items()
        if item not in waiting
    }
    return Construction(
        items=len(asked),
        unjudged=len(waiting),
        models=tuple(subject.name for subject in run.subjects),
        blind=chosen(lambda frames, blind, dense: bool(blind) and all(blind)),
        easy=chosen(lambda frames, blind, dense: bool(frames) and all(frames)),
        never=chosen(lambda frames, blind, dense: not any(frames + dense)),
        frames=chosen(lambda frames, blind, dense: not any(frames) and any(dense)),
    )


def show_construction(found: Construction) -> list[str]:
    """The counts and the items as lines to print."""
    lines = [f"{counted(found.items, 'item')}, {counted(len(found.models), 'model')}, {ATTEMPTS} attempts each"]
    lines += [f"{counted(found.unjudged, 'item')} without all verdicts, in no list"] if found.unjudged else []
    for what, items in (
        ("solved by all without the video", found.blind),
        (f"solved by all with {FRAMES} frames in every attempt", found.easy),
        ("solved by none", found.never),
        (f"solved only with more than {FRAMES} frames", found.frames),
    ):
        lines += [f"{len(items)} {what}", *(f"  {item}" for item in items)]
    return lines
