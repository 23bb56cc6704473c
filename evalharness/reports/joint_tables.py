"""Tables that put one model under several conditions side by side, and people.

A model is asked with other frames, with its transcript or with a chain of thought as a subject of its own. Here these
subjects are the columns of one table, as in Figures 9 (c) and (d) of Video-TT. People whose replies come from files,
one of each person, are pooled, with the range between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from longtake.console import counted
from longtake.evalharness.reports.behaviour import score_of, stance
from longtake.evalharness.reports.grid import Cell, Grid, Plot, Point, estimate
from longtake.evalharness.reports.run_scores import SubjectScores
from longtake.evalharness.scoring.estimates import Estimate, Rows
from longtake.evalharness.subjects.model_spec import Given, is_model, is_recorded, read_given

_HELPS = {"cot": "with a chain of thought", "transcript": "with its transcript"}
_INPUT = {"frames", "fps", "video", "transcript", "cot", "temperature"}


class _Asked(NamedTuple):
    """A model with a number of frames."""

    frames: int
    subject: SubjectScores


def by_frames(subjects: Sequence[SubjectScores]) -> Plot | None:
    """The scores of models over numbers of frames; None if no model was asked with two."""
    asked: dict[str, list[_Asked]] = {}
    for name, held in _models(subjects, ("frames", "fps")).items():
        counts = [_Asked(count, subject) for given, subject in held if (count := _frames(given, subject)) is not None]
        if len({one.frames for one in counts}) > 1:
            asked[name] = sorted(counts, key=lambda one: one.frames)
    if not asked:
        return None
    columns = sorted({one.frames for held in asked.values() for one in held})
    rows = [
        (name, measure, *(estimate(_with_frames(held, frames, measure)) for frames in columns))
        for name, held in asked.items()
        for measure in _measures(held[0].subject)
    ]
    points = [
        Point(series, f"{name}, {counted(one.frames, 'frame')}", float(one.frames), one.subject.table.headline)
        for series, (name, held) in enumerate(asked.items())
        for one in held
        if one.subject.table.headline
    ]
    grid = Grid("", ("Model", "Figure", *(counted(frames, "frame") for frames in columns)), tuple(rows))
    return Plot("Frames and score", "Frames", tuple(points), tuple(asked), grid)


def by_helps(subjects: Sequence[SubjectScores]) -> Grid | None:
    """What a chain of thought and a transcript change, in percent of the figure without; None if no model had both."""
    rows: list[tuple[Cell, ...]] = []
    for name, held in _models(subjects, tuple(_HELPS)).items():
        asked = {tuple(getattr(given, field) for field in _HELPS): subject for given, subject in held}
        plain = asked.get((False, False))
        if plain is None or len(asked) < 2:
            continue
        helped = [asked.get(helps) for helps in ((True, False), (False, True), (True, True))]
        for measure, before in _measures(plain).items():
            after = [_measures(subject).get(measure) if subject else None for subject in helped]
            rows.append((name, measure, estimate(before), *(cell for one in after for cell in _changed(before, one))))
    if not rows:
        return None
    named = (*_HELPS.values(), "with both")
    columns = ("Model", "Figure", "As asked", *(cell for name in named for cell in (name.capitalize(), "Change")))
    return Grid("Chain of thought and transcript", columns, tuple(rows), "Change: in percent of the figure as asked.")


def people(subjects: Sequence[SubjectScores]) -> Grid | None:
    """What people scored on the items that they answered; None of fewer than two.

    The range is between persons. Their mean counts persons alike, and the pooled score their answers.
    """
    persons = [subject for subject in subjects if is_recorded(subject.card.spec_of(subject.name))]
    if len(persons) < 2:
        return None
    answered = {one.name: [item for item in one.items if stance(one, item) != "failed"] for one in persons}
    scores = {one.name: score_of(one, answered[one.name]) for one in persons}
    known = [score.value for score in scores.values() if score.value is not None]
    if not known:
        return None
    n = sum(score.n for score in scores.values())
    pooled = sum((score.value or 0.0) * score.n for score in scores.values()) / n
    rows: list[tuple[Cell, ...]] = [(name, str(score.n), estimate(score)) for name, score in scores.items()]
    rows.append(("Mean of persons", str(len(known)), f"{sum(known) / len(known):.1f}"))
    rows.append(("Lowest and highest", "", f"{min(known):.1f} to {max(known):.1f}"))
    rows.append(("All answers", str(n), f"{pooled:.1f}"))
    return Grid("People", ("Who", "Answers", "Score"), tuple(rows), "Items that somebody did not answer don't count.")


def _models(subjects: Sequence[SubjectScores], but: tuple[str, ...]) -> Mapping[str, list[tuple[Given, SubjectScores]]]:
    """The subjects that are the same model with the same input, but for some fields, by its name and that input."""
    models: dict[str, list[tuple[Given, SubjectScores]]] = {}
    for subject in subjects:
        spec = subject.card.spec_of(subject.name)
        if is_model(spec):
            given = read_given(spec)
            said = given.model_dump(include=_INPUT - {*but}, exclude_defaults=True)
            shown = [f"{field}={1 if value is True else value}" for field, value in said.items()]
            models.setdefault(" ".join((given.model, *shown)), []).append((given, subject))
    return models


def _frames(given: Given, subject: SubjectScores) -> int | None:
    """The number of frames that a model is shown at most; None if it is asked at a rate, or for the video itself."""
    if given.frames is not None:
        return given.frames
    return given.sampling(subject.card.variants[0]).most if given.sees and given.fps is None else None


def _measures(subject: SubjectScores) -> Rows:
    """The headline, and where the suite has them the five ways of Video-TT and their robustness."""
    table = subject.table
    held = {"Headline": table.headline} if table.headline else dict(table.headlines)
    return {**held, **table.groups.get("way", {}), **table.groups.get("robustness", {})}


def _with_frames(held: Sequence[_Asked], frames: int, measure: str) -> Estimate | None:
    return next((_measures(one.subject).get(measure) for one in held if one.frames == frames), None)


def _changed(before: Estimate, after: Estimate | None) -> tuple[Cell, Cell]:
    if after is None or after.value is None or not before.value:
        return estimate(after), ""
    return after, f"{100 * (after.value - before.value) / before.value:+.1f} %"
