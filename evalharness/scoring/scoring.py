"""The third stage of a run: computes the scores of each subject from the run's files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from longtake.evalharness.runs.run_folder import Notify, RunFolder
from longtake.evalharness.scoring.estimates import Estimate
from longtake.evalharness.scoring.score_table import SubjectScore, scored_run, subject_score
from longtake.evalharness.scoring.spending import in_words


def score_run(
    folder: RunFolder, reading: str | None, notify: Notify, judge: str | None = None
) -> dict[str, SubjectScore]:
    """The scores of every subject; see `scored_run`."""
    run = scored_run(folder, reading, notify, judge)
    return {name: subject_score(run, name) for name in run.subjects}


def show_scores(found: Mapping[str, SubjectScore]) -> Iterator[str]:
    """The scores as text: each subject with its notes and tables."""
    for name, one in found.items():
        fields = one.fields
        yield name
        yield from (f"  {note}" for note in fields.pop("notes"))
        del fields["spent"], fields["judging"]
        yield from _lines(fields, "  ")
        yield f"  {'cost':<28} {in_words(one.table.spent)}"
        yield f"  {'cost of judging':<28} {in_words(one.table.judging)}"


def _lines(fields: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in fields.items():
        if isinstance(value, Mapping) and "videos" in value:
            yield f"{indent}{key:<28} {Estimate.model_validate(value)}"
        elif isinstance(value, Mapping) and set(value) == {"count", "n"}:
            yield f"{indent}{key:<28} {value['count']} of {value['n']}"
        elif isinstance(value, Mapping):
            if not value:
                continue
            yield f"{indent}{key}"
            yield from _lines(value, indent + "  ")
        elif value is not None:
            yield f"{indent}{key:<28} {value}"
