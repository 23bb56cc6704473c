"""Published outputs as runs: what other evaluators wrote becomes items, predictions and judgements.

`longshot` is an `*_eval.jsonl` of the released LongShOT evaluator: samples with `candidate_response` in each assistant
turn and `criteria_met` in each criterion. `lmms-eval` is a samples file (`<model>/<date>_samples_<task>.jsonl`): one
JSON object a line, which holds the prompt as one text, options included. So a choice is taken as lmms-eval read it: a
metric that is a number, or an object with a `score` or with a `pred_answer` beside an `answer`, is a judgement of the
whole reply; any other metric says nothing of a single sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

import longtake
from longtake.errors import ConfigError
from longtake.evalharness.items import ORIGINAL, Item, Judgement, Prediction, Reply, Turn
from longtake.evalharness.judges.judging import MAX_POINTS, reply_hash
from longtake.evalharness.runs.journal import Journal
from longtake.evalharness.runs.run_folder import Notify, RunCard, RunFolder
from longtake.evalharness.scoring.estimates import grouped
from longtake.evalharness.suites.benchmark_rows import Row, read_rows
from longtake.evalharness.suites.loading import items_of
from longtake.evalharness.suites.longshot import SUITE, Sample, longshot_item, parsed

_NO_METRICS = frozenset({"metrics", "filter", "arguments", "schema_version"})
_IDS = ("id", "question_id", "qid")
_VIDEO = ("video_id", "videoID", "video", "video_name")

LMMS = "lmms-eval"
Kind = Literal["longshot", "lmms-eval"]
_ID: dict[Kind, str] = {"longshot": "sample_id", "lmms-eval": "doc_id"}


class LmmsSample(BaseModel):
    """A line of the file; what is not named here is a metric."""

    model_config = ConfigDict(extra="allow", frozen=True, coerce_numbers_to_str=True)

    doc_id: str
    input: Any
    target: str = ""
    filtered_resps: Any = None
    resps: Any = None
    doc: Mapping[str, Any] | None = None

    @property
    def metrics(self) -> dict[str, float]:
        """What each metric gives the sample, by name."""
        held = {name: _points(value) for name, value in (self.model_extra or {}).items() if name not in _NO_METRICS}
        return {name: points for name, points in held.items() if points is not None}

    @property
    def reply(self) -> str:
        """What the model said, after the filters of the task."""
        return _first_text(self.filtered_resps) or _first_text(self.resps) or ""

    def item(self, suite: str, id_field: str | None) -> Item:
        """The item, by the field of the document that is its id, or else by the sample's number.

        A sample without a video counts as one about its own video.
        """
        document = self.doc or {}
        sources = (self.doc, *(value for value in (self.model_extra or {}).values() if isinstance(value, Mapping)))
        videos = [held[name] for held in sources if held for name in _VIDEO if held.get(name)]
        return Item(
            suite=suite,
            id=str(document[id_field]) if id_field else self.doc_id,
            video=str(videos[0]) if videos else self.doc_id,
            task=str(document.get("task") or ""),
            format="open",
            turns=(Turn(question=_first_text(self.input) or "", reference=self.target),),
        )


def id_field_of(rows: Iterable[Mapping[str, Any]]) -> str | None:
    """The field of the documents that has another value in each of the samples, by which other runs know them."""
    documents = {str(row.get("doc_id")): row.get("doc") for row in rows}
    for field in _IDS:
        ids = {str(each[field]) for each in documents.values() if isinstance(each, Mapping) and each.get(field)}
        if documents and len(ids) == len(documents):
            return field
    return None


def most_points(given: Iterable[float]) -> int | None:
    """The most that a metric can give, by all that it gave: 1, or the 5 of lmms-eval's judges; None of other scales.

    Tasks give metrics of one name on different scales, so that the name does not tell.
    """
    values = set(given)
    if min(values) < 0 or max(values) > MAX_POINTS:
        return None
    if max(values) <= 1:
        return 1
    return MAX_POINTS if all(value.is_integer() for value in values) else None


def _points(value: Any) -> float | None:
    if isinstance(value, Mapping):
        if "pred_answer" in value and "answer" in value:
            # As lmms-eval compares them, and so not by `language.text`.
            return float(str(value["pred_answer"]).strip().casefold() == str(value["answer"]).strip().casefold())
        value = value.get("score")
    return float(value) if isinstance(value, int | float) and isfinite(value) else None


def _first_text(value: Any) -> str | None:
    """The first text in lists of lists."""
    if isinstance(value, list):
        return next((text for text in map(_first_text, value) if text is not None), None)
    return value if isinstance(value, str) else None


class _Imported(NamedTuple):
    """An item, the subject's prediction and its judgements."""

    item: Item
    replies: tuple[Reply, ...]
    judgements: tuple[Judgement, ...]


def import_run(kind: Kind, file: Path, out: Path, notify: Notify) -> RunCard:
    """Write the output of another evaluator as a run. What the run already has isn't written again.

    The subject is named after the file (`<model>_eval.jsonl`) or, of lmms-eval, after its folder.

    Raises:
        ConfigError: if the file can't be read or has no sample, or the folder has another run or other replies or
            verdicts.
        LibraryError: if the folder cannot be written to, or another process works on it.
    """
    file = file.resolve()
    suite, subject = SUITE, file.stem.removesuffix("_eval")
    if kind == "lmms-eval":
        suite, subject = f"{LMMS}/{file.stem.partition('samples_')[2] or file.stem}", file.parent.name
    outcomes: dict[str, _Imported] = {}
    rows = list(read_rows(file, notify))
    id_field = id_field_of(row.fields for row in rows)

    def make(row: Row) -> Item:
        outcome = _of_longshot(row, subject) if kind == "longshot" else _of_lmms(row, suite, subject, id_field)
        outcomes.setdefault(outcome.item.id, outcome)
        return outcome.item

    items_of(
        rows, make, notify, _ID[kind], f"{file} holds no sample of {kind}; give the file that its evaluator wrote."
    )
    imported = list(outcomes.values())
    if kind == "lmms-eval":
        imported = _graded(imported, file, notify)
    folder = RunFolder(out)
    card = RunCard(suite=suite, source=str(file), subjects=(subject,), imported=True, version=longtake.__version__)
    with folder.locked():
        folder.begin(card)
        folder.mend(notify)
        _write(folder, subject, imported, notify)
    return card


def _write(folder: RunFolder, subject: str, outcomes: list[_Imported], notify: Notify) -> None:
    """Write each prediction after its judgements, so that a stored prediction always has them."""
    held = {key.item for key in folder.predictions(notify)}
    _refuse_changed(folder, subject, [outcome for outcome in outcomes if outcome.item.id in held])
    folder.keep_items([outcome.item for outcome in outcomes])
    with Journal(folder.predictions_file) as predictions, Journal(folder.judgements_file) as judgements:
        for item, replies, found in outcomes:
            if item.id in held:
                continue
            for judgement in found:
                judgements.append(judgement)
            predictions.append(
                Prediction(item=item.id, variant=ORIGINAL, subject=subject, replies=replies, seconds=0.0)
            )


def _refuse_changed(folder: RunFolder, subject: str, outcomes: list[_Imported]) -> None:
    """Raise ConfigError if the run has other replies, or other verdicts of the same judges."""
    said = folder.said(lambda text: None)
    found: Mapping[str, list[Judgement]] = folder.found(None).get(subject, {})
    judges = {one.judge for outcome in outcomes for one in outcome.judgements}
    for item, replies, judgements in outcomes:
        held = [one for one in found.get(item.id, ()) if one.judge in judges]
        judged_alike = all(one in judgements for one in held) and all(one in held for one in judgements)
        if not judged_alike or said[subject][item.id][-1].replies != replies:
            raise ConfigError(
                f"What was said to {item.id}, or found of it, differs from the one held in {folder.path}; "
                "choose another --out."
            )


def _of_longshot(row: Row, subject: str) -> _Imported:
    """A sample of the released evaluator; a turn without a reply is an error."""
    sample, folder = Sample.of(row), row.file.parent
    exchanges = sample.exchanges
    replies = tuple(_reply(exchange.reply) for exchange in exchanges)
    judgements = tuple(
        Judgement(
            item=sample.sample_id,
            variant=ORIGINAL,
            subject=subject,
            turn=number,
            criterion=name,
            judge=f"released {folder.name}" if folder.parent.name == "judges" else "released",
            met=judged.criteria_met,
            error=judged.evaluation_error,
            reply=reply_hash(replies[number]),
        )
        for number, exchange in enumerate(exchanges)
        for name, judged in exchange.criteria.items()
        if judged.criteria_met is not None or judged.evaluation_error
    )
    return _Imported(longshot_item(sample), replies, judgements)


def _of_lmms(row: Row, suite: str, subject: str, id_field: str | None) -> _Imported:
    """A sample of lmms-eval. Each metric is a judge, and its value is points on a scale found in the file."""
    sample = parsed(LmmsSample, row)
    item = sample.item(suite, id_field)
    reply = Reply(text=sample.reply)
    judgements = tuple(
        Judgement(
            item=item.id,
            variant=ORIGINAL,
            subject=subject,
            turn=0,
            criterion="",
            judge=f"lmms-eval {metric}",
            met=None,
            points=points,
            reply=reply_hash(reply),
        )
        for metric, points in sample.metrics.items()
    )
    return _Imported(item, (reply,), judgements)


def _graded(imported: Sequence[_Imported], file: Path, notify: Notify) -> list[_Imported]:
    """The points of every metric as shares of its maximum; all and nothing are verdicts too."""
    given = grouped((one.judge, one.points or 0.0) for each in imported for one in each.judgements)
    most = {judge: most_points(points) for judge, points in given.items()}
    for judge in (judge for judge, scale in most.items() if scale is None):
        low, high = min(given[judge]), max(given[judge])
        notify(
            f"{file}: {judge} gives {low:g} to {high:g}, which is neither a share of 1 nor whole points up to "
            f"{MAX_POINTS}; it was left out."
        )
    return [
        each._replace(judgements=tuple(_share(one, scale) for one in each.judgements if (scale := most[one.judge])))
        for each in imported
    ]


def _share(judgement: Judgement, most: int) -> Judgement:
    points = judgement.points or 0.0
    fields = {"met": bool(points) if points in (0, most) else None, "points": points / most}
    return judgement.model_copy(update=fields | ({"reason": f"{points:g} of {most}"} if most > 1 else {}))


def _reply(text: str | None) -> Reply:
    if text is None:
        return Reply(text="", status="error", error="The file holds no reply to this turn.")
    return Reply(text=text)
