"""Exports a run as Inspect logs, written by Inspect's own library for its viewer. Needs the extra `inspect`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from longtake.errors import ConfigError, LibraryError
from longtake.evalharness.items import Prediction
from longtake.evalharness.reports.exports import plain_name
from longtake.evalharness.reports.run_scores import RunScores, SubjectScores
from longtake.evalharness.subjects.subject import Asked

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalResults, EvalSample
    from inspect_ai.model import ChatMessage, ModelUsage
    from inspect_ai.scorer import Score

SCORER = "longtake"


def write_inspect(run: RunScores, made: datetime, folder: Path) -> list[Path]:
    """One `<subject>.eval` per subject. A seed is an epoch, and a sample's id contains the variant.

    Args:
        run: with its scores.
        made: when the last prediction was, with its time zone.
        folder: the folder for the files.

    Returns:
        The files.

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

    samples = list(_samples(run, subject))
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


def _samples(run: RunScores, subject: SubjectScores) -> Iterator[EvalSample]:
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

    usages = [reply.usage for reply in prediction.replies if reply.usage]
    read, written = (sum(getattr(usage, name) for usage in usages) for name in ("input_tokens", "output_tokens"))
    return ModelUsage(input_tokens=read, output_tokens=written, total_tokens=read + written)


def _messages(asked: Sequence[Asked], prediction: Prediction) -> list[ChatMessage]:
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


def _scores(subject: SubjectScores, asked: Sequence[Asked], prediction: Prediction) -> dict[str, Score]:
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
