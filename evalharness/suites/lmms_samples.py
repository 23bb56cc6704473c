"""A samples file of lmms-eval: one JSON object per line with what was asked, what was said and the metrics of it.

The file (`<model>/<date>_samples_<task>.jsonl`) holds the prompt as one text, options included, so a choice is taken as
lmms-eval read it: a metric that is a number, or an object with a `score` or with a `pred_answer` beside an `answer`, is
a judgement of the whole reply; any other metric says nothing of a single sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from longtake.evalharness.items import Item, Turn
from longtake.evalharness.judges.judge import MAX_POINTS

_NO_METRICS = frozenset({"metrics", "filter", "arguments", "schema_version"})
_IDS = ("id", "question_id", "qid")
_VIDEO = ("video_id", "videoID", "video", "video_name")

LMMS = "lmms-eval"


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
        """The item. A sample without a video counts as one about its own video.

        Args:
            suite: its name.
            id_field: which field of the document is the id; None: the sample's number.
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


def suite_of(file: Path) -> str:
    """The suite a file is of: `lmms-eval/` and the task in its name."""
    return f"{LMMS}/{file.stem.partition('samples_')[2] or file.stem}"


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
