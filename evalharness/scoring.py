"""The third stage: scores are made of a run's files alone, for each subject."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from longtake.evalharness.estimates import Estimate
from longtake.evalharness.run_folder import RunFolder, Tell
from longtake.evalharness.score_table import SubjectScore, scored_subjects, subject_score
from longtake.evalharness.suites.table import reading_of, suite_named


def score_run(folder: RunFolder, reading: str | None, tell: Tell, judge: str | None = None) -> dict[str, SubjectScore]:
    """The scores of every subject.

    Args:
        folder: of the run.
        reading: repo, paper, signed or strict; None: that of the run's protocol.
        tell: told of lines that were left out.
        judge: whose verdicts count, where there are those of several.

    Raises:
        ConfigError: when the folder holds no run, nothing was predicted, the suite has no such reading, or it is not
            clear which judge is meant.
    """
    card = folder.card()
    suite, chosen = suite_named(card.suite), reading_of(card, reading)
    held = scored_subjects(folder, tell, judge)
    return {name: subject_score(card, name, suite, scored, chosen) for name, scored in held.items()}


def show_scores(found: Mapping[str, SubjectScore]) -> Iterator[str]:
    """The scores for a person: each subject with what is to be said of it and its tables."""
    for name, one in found.items():
        fields = one.fields
        yield name
        yield from (f"  {note}" for note in fields.pop("notes"))
        yield from _lines(fields, "  ")


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
