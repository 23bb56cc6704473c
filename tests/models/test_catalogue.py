"""The catalogue says of every model what a person chooses by."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from helpers.command import longtake
from pydantic import ValidationError

from longtake.errors import ConfigError
from longtake.models.catalogue import CatalogueModel, Task, catalogue, named
from longtake.preprocess.engines.audio import faster_whisper


def test_every_task_has_a_model_and_no_two_share_a_name() -> None:
    assert {model.task for model in catalogue()} == set(get_args(Task))
    assert len({model.name for model in catalogue()}) == len(catalogue())


def test_a_known_model_is_the_one_that_comes_as_a_package() -> None:
    packaged = {file.path.rpartition("/")[2]: file.sha256 for file in faster_whisper.PACKAGED_FILES}
    assert named("whisper-tiny.en").sha256 == packaged


def test_an_unknown_name_brings_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"qwen3-4b"):
        named("qwen3-4")


def test_every_model_states_one_size_and_needs_more_memory_than_that() -> None:
    assert all(model.memory > model.download > 0 for model in catalogue())
    stated = catalogue()[0].model_dump()
    for sizes in ({"size": None, "about": None}, {"size": 1, "about": 1}):
        with pytest.raises(ValidationError):
            CatalogueModel.model_validate(stated | sizes)


def test_the_list_marks_estimates_until_a_model_is_fetched() -> None:
    rows = {row["name"]: row for row in json.loads(longtake("models", "list", "--json").stdout)}
    assert {name for name, row in rows.items() if row["estimated"]} == {
        model.name for model in catalogue() if model.size is None
    }
    assert all(row["size"] and row["memory"] and row["files"] for row in rows.values())
    shown = {line.split()[0]: line for line in longtake("models", "list").stdout.splitlines() if line.startswith("   ")}
    assert {name for name, line in shown.items() if "~" in line} == {
        name for name, row in rows.items() if row["estimated"]
    }
