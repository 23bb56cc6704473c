"""Exports a run for other tools: CSV tables, and samples JSONL in the format of lmms-eval.

Options and the letters of the chosen and the right one are in the order shown, so that they match the reply.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

from longtake.evalharness.items import Item, Prediction
from longtake.evalharness.reports.document import write_pieces
from longtake.evalharness.reports.run_scores import RunScores, SubjectScores
from longtake.evalharness.subjects.model_spec import asked_in

_COLUMNS: tuple[str, ...] = tuple(
    "suite item video task subject variant seed turn score status parse abstained uncertain choice gold question "
    "options reference reply error tool_calls input_tokens output_tokens cost seconds trace tags".split()
)


def write_csv(run: RunScores, file: Path) -> None:
    """One row per reply. `score` is the score of the whole prediction, 0 to 1, and empty without a verdict.

    Raises:
        LibraryError: if the file cannot be written.
    """
    write_pieces(file, _csv_rows(run))


def write_lmms(run: RunScores, folder: Path) -> list[Path]:
    """One samples file for each subject, variant and seed: `<subject>/samples_<suite>[_<variant>][_<seed>].jsonl`.

    Returns:
        The files.

    Raises:
        LibraryError: if one cannot be written.
    """
    files: list[Path] = []
    for subject in run.subjects:
        below = folder / plain_name(subject.name)
        variants = asked_in(subject.name, run.card)
        asked = [(variant.name, seed) for variant in variants for seed in run.card.seeds]
        for variant, seed in asked:
            named = [run.card.suite, variant, str(seed)] if len(asked) > 1 else [run.card.suite]
            files.append(below / f"samples_{plain_name('_'.join(named))}.jsonl")
            write_pieces(files[-1], _samples(run, subject, variant, seed))
    return files


def plain_name(name: str) -> str:
    """A valid file name."""
    return re.sub(r"[^\w.-]+", "-", name)


def _csv_rows(run: RunScores) -> Iterator[str]:
    buffer = StringIO()
    writer = csv.DictWriter(buffer, _COLUMNS)
    writer.writeheader()
    for subject in run.subjects:
        for item in run.items:
            for prediction in subject.predictions.get(item.id, ()):
                writer.writerows(_replies(run, subject, item, prediction))
                yield buffer.getvalue()
                buffer.seek(0)
                buffer.truncate()
    yield buffer.getvalue()


def _replies(run: RunScores, subject: SubjectScores, item: Item, prediction: Prediction) -> Iterator[dict[str, Any]]:
    for asked, reply in zip(run.asked(item, prediction), prediction.replies, strict=False):
        turn, usage = asked.turn, reply.usage
        yield {
            "suite": item.suite,
            "item": item.id,
            "video": item.video,
            "task": item.task,
            "subject": subject.name,
            "variant": prediction.variant,
            "seed": prediction.seed,
            "turn": asked.number,
            "score": subject.prediction_values[prediction.key],
            "status": reply.status,
            "parse": reply.parse,
            "abstained": reply.abstained,
            "uncertain": reply.uncertain,
            "choice": "" if reply.choice is None else asked.label(reply.choice),
            "gold": "" if turn.gold is None else asked.target,
            "question": turn.question,
            "options": json.dumps(asked.options, ensure_ascii=False) if asked.options else "",
            "reference": turn.reference,
            "reply": reply.text,
            "error": reply.error,
            "tool_calls": len(reply.calls) or (usage.tool_calls if usage else 0),
            "input_tokens": usage.input_tokens if usage else "",
            "output_tokens": usage.output_tokens if usage else "",
            "cost": ("unknown" if usage.cost is None else usage.cost) if usage else "",
            "seconds": prediction.seconds,
            "trace": reply.trace,
            "tags": json.dumps(dict(item.tags), ensure_ascii=False),
        }


def _samples(run: RunScores, subject: SubjectScores, variant: str, seed: int) -> Iterator[str]:
    """The lines of a samples file. `longtake_score` is the metric; it is missing without a verdict."""
    for number, item in enumerate(run.items):
        made = [p for p in subject.predictions.get(item.id, ()) if (p.variant, p.seed) == (variant, seed)]
        for prediction in made:
            asked = run.asked(item, prediction)
            said = [reply.text for reply in prediction.replies]
            row: dict[str, Any] = {
                "doc_id": number,
                "doc": {"id": item.id, "video_id": item.video, "task": item.task, **item.tags},
                "input": "\n".join(turn.text for turn in asked),
                "target": asked[-1].target,
                "arguments": [],
                "resps": [said],
                "filtered_resps": said,
            }
            value = subject.prediction_values[prediction.key]
            yield json.dumps(row if value is None else row | {"longtake_score": value}, ensure_ascii=False) + "\n"
