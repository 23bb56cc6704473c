"""Exports a run for other tools: CSV tables, samples JSONL in the format of lmms-eval, and Inspect logs.

Options and the letters of the chosen and the right one are in the order shown, so that they match the reply. Logs are
written by Inspect's own library (the extra `inspect`) for its viewer.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longtake.errors import ConfigError, LibraryError
from longtake.evalharness.items import Item, Prediction
from longtake.evalharness.reports.document import write_pieces
from longtake.evalharness.reports.run_scores import RunScores, SubjectScores
from longtake.evalharness.scoring.spending import total, used
from longtake.evalharness.subjects.model_spec import asked_in
from longtake.evalharness.subjects.subject import AskedTurn

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalResults, EvalSample
    from inspect_ai.model import ChatMessage, ModelUsage
    from inspect_ai.scorer import Score

_COLUMNS: tuple[str, ...] = tuple(
    "suite item video task subject variant seed turn score status parse abstained uncertain choice gold question "
    "options reference reply error tool_calls input_tokens output_tokens cost seconds trace tags".split()
)
SCORER = "longtake"


def write_lmms(run: RunScores, folder: Path) -> list[Path]:
    """The files: one for each subject, variant and seed, `<subject>/samples_<suite>[_<variant>][_<seed>].jsonl`.

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


def csv_pieces(run: RunScores) -> Iterator[str]:
    """One row per reply. `score` is the score of the whole prediction, 0 to 1, and empty without a verdict."""
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


def write_inspect(run: RunScores, made: datetime, folder: Path) -> list[Path]:
    """The files: one `<subject>.eval` per subject. A seed is an epoch, and a sample's id contains the variant.

    `made` is when the last prediction was, with its time zone.

    Raises:
        ConfigError: if the extra is not installed.
        LibraryError: if a file cannot be written.
    """
    try:
        from inspect_ai.log import write_eval_log
    except ImportError as error:
        raise ConfigError("Inspect is not installed; run: pip install 'longtake[inspect]'.") from error
    files: list[Path] = []
    for subject in run.subjects:
        file = folder / f"{plain_name(subject.name)}.eval"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_eval_log(_log(run, subject, made), file)
        except OSError as error:
            raise LibraryError(f"{file} cannot be written: {error.strerror}; choose another --out.") from error
        files.append(file)
    return files


def _log(run: RunScores, subject: SubjectScores, made: datetime) -> EvalLog:
    from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSpec, EvalStats

    samples = list(_inspect_samples(run, subject))
    spec = EvalSpec(
        created=made.isoformat(),
        task=run.card.suite,
        task_version=run.card.version,
        model=f"longtake/{subject.name}",
        dataset=EvalDataset(name=run.card.suite, samples=len(run.items)),
        config=EvalConfig(epochs=len(run.card.seeds), score_on_error=True),
        metadata={"reading": subject.table.reading, "notes": list(subject.table.notes)},
    )
    asked = timedelta(seconds=sum(sample.total_time or 0.0 for sample in samples))
    return EvalLog(
        status="success",
        eval=spec,
        results=_results(subject, len(samples)),
        stats=EvalStats(started_at=(made - asked).isoformat(), completed_at=made.isoformat()),
        samples=samples,
    )


def _results(subject: SubjectScores, samples: int) -> EvalResults:
    """The headline as the log's accuracy; without a headline no metric."""
    from inspect_ai.log import EvalMetric, EvalResults, EvalScore

    headline = subject.table.headline
    held = {"accuracy": headline.value, "stderr": headline.error} if headline else {}
    metrics = {name: EvalMetric(name=name, value=value / 100) for name, value in held.items() if value is not None}
    score = EvalScore(name=SCORER, scorer=SCORER, metrics=metrics)
    return EvalResults(total_samples=samples, completed_samples=samples, scores=[score])


def _inspect_samples(run: RunScores, subject: SubjectScores) -> Iterator[EvalSample]:
    from inspect_ai.log import EvalError, EvalSample
    from inspect_ai.model import ModelOutput

    model = f"longtake/{subject.name}"
    for item in run.items:
        for prediction in subject.predictions.get(item.id, ()):
            asked, last = run.asked(item, prediction), prediction.replies[-1]
            failed = next((reply.error or reply.status for reply in prediction.replies if reply.status != "ok"), None)
            yield EvalSample(
                id=item.id if len(run.card.variants) == 1 else f"{item.id}/{prediction.variant}",
                epoch=run.card.seeds.index(prediction.seed) + 1,
                input=asked[0].text,
                choices=list(asked[0].options) or None,
                target=asked[-1].target,
                messages=_messages(asked, prediction),
                output=ModelOutput.from_content(model, last.text),
                scores=_scores(subject, asked, prediction),
                metadata={"video": item.video, "task": item.task, "trace": last.trace, **item.tags},
                error=EvalError(message=failed, traceback="", traceback_ansi="") if failed else None,
                model_usage={model: _usage(prediction)},
                total_time=prediction.seconds,
            )


def _usage(prediction: Prediction) -> ModelUsage:
    from inspect_ai.model import ModelUsage

    spent = total(used(prediction))
    read, written = spent.input_tokens, spent.output_tokens
    return ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written)


def _messages(asked: Sequence[AskedTurn], prediction: Prediction) -> list[ChatMessage]:
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser
    from inspect_ai.tool import ToolCall

    messages: list[ChatMessage] = []
    for turn, reply in zip(asked, prediction.replies, strict=False):
        calls = [
            ToolCall(id=f"{turn.number}-{place}", function=call.tool, arguments=dict(call.arguments))
            for place, call in enumerate(reply.calls)
        ]
        messages.append(ChatMessageUser(content=turn.text))
        messages.append(ChatMessageAssistant(content=reply.text, tool_calls=calls or None))
    return messages


def _scores(subject: SubjectScores, asked: Sequence[AskedTurn], prediction: Prediction) -> dict[str, Score]:
    """The score with the verdicts as its explanation; none without a verdict."""
    from inspect_ai.scorer import Score

    value = subject.prediction_values[prediction.key]
    if value is None:
        return {}
    verdicts = [
        f"{name or 'reply'}: {'no verdict' if found.met is None else 'met' if found.met else 'not met'} {found.reason}"
        for turn in range(len(prediction.replies))
        for name, found in subject.verdicts(prediction, turn).items()
    ]
    last = len(prediction.replies) - 1
    reply = prediction.replies[last]
    answer = reply.text if reply.choice is None else asked[last].label(reply.choice)
    return {SCORER: Score(value=value, answer=answer, explanation="\n".join(verdicts) or None)}
