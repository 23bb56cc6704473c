"""What was fitted to questions or chosen by measuring: `fitted.json`, which also says how, and on what."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from longtake.memory.records import Record

FILE = "fitted.json"


class Weights(Record):
    """The weights for ranking candidates and for the confidence in the best one, of one family of embeddings.

    Each tuple has one weight for each number that the named function of `ranking` returns, then the bias.

    Attributes:
        ranks: for `features`: how likely each candidate is the answer.
        on_clips: for `standing`: the confidence, fitted to questions about clips.
        as_read: for the function `as_read`: the confidence in a line of words that a reranker has read with the
            question.
        as_searched: the same without the first `SCORES` numbers, for a line of words that no reranker could read.
        any_language: whether the embedding knows other languages than English.
        near: cosine of a line and a question below which the line has nothing to do with it.
        sure: confidence from which the best candidate counts as the answer.
        sure_as_read: the same for a line that was read, chosen so that few answers about other recordings are wrong.
        sure_as_searched: the same for a line of words that no reranker could read.
    """

    ranks: tuple[float, ...]
    on_clips: tuple[float, ...]
    as_read: tuple[float, ...]
    as_searched: tuple[float, ...]
    any_language: bool
    near: float
    sure: float
    sure_as_read: float
    sure_as_searched: float


class Scores(Record):
    """What the scores of a reranker mean, which reads a question together with a line.

    Attributes:
        unrelated: score below which they have nothing to do with each other.
        far: score below which the line doesn't even answer a little.
        asked: weight of how well a passage answers a multiple-choice question, whatever the option.
        clearly: lead of an option over the next one from which it is sure.
    """

    unrelated: float
    far: float
    asked: float
    clearly: float


@cache
def load_scores() -> Scores:
    """What a reranker's scores mean."""
    return Scores.model_validate(_read()["scores"])


@cache
def load_weights(family: str) -> Weights:
    """The weights for a family of embeddings; the first set if it has none."""
    sets = _read()["embeddings"]
    own = sets.get(family, {})
    own = own if "ranks" in own else next(iter(sets.values()))
    return Weights.model_validate({name: own[name] for name in Weights.model_fields})


def rewrite(folder: Path, family: str, values: Mapping[str, Any]) -> None:
    """Put what was fitted for a family of embeddings into the file in a folder: `agent`, where it is shipped."""
    file = folder / FILE
    data = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else _read()
    data["embeddings"].setdefault(family, {}).update(values)
    file.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _read() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((files("longtake.agent") / FILE).read_text(encoding="utf-8"))
    return data
