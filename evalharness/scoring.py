"""The third stage: scores are made of a run's files alone, for each subject."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from longtake.evalharness.estimates import Estimate
from longtake.evalharness.run_folder import RunFolder, Tell
from longtake.evalharness.score_table import scored_run
from longtake.memory.records import Record


def score_run(folder: RunFolder, reading: str | None, tell: Tell, judge: str | None = None) -> dict[str, Record]:
    """The scores of every subject that has predictions; see `scored_run`."""
    run = scored_run(folder, reading, tell, judge)
    return {name: run.suite.score(scored, run.reading) for name, scored in run.subjects.items()}


def show_scores(scores: Mapping[str, Record]) -> Iterator[str]:
    """The scores for a person: each subject with its tables."""
    for name, table in scores.items():
        yield name
        yield from _lines(table.model_dump(), "  ")


def _lines(fields: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in fields.items():
        if isinstance(value, Mapping) and "videos" in value:
            yield f"{indent}{key:<28} {Estimate.model_validate(value)}"
        elif isinstance(value, Mapping) and set(value) == {"count", "n"}:
            yield f"{indent}{key:<28} {value['count']} of {value['n']}"
        elif isinstance(value, Mapping):
            yield f"{indent}{key}"
            yield from _lines(value, indent + "  ")
        elif value is not None:
            yield f"{indent}{key:<28} {value}"
