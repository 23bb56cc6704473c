"""The catalogue says of every model what a person chooses by."""

from __future__ import annotations

from typing import get_args

import pytest

from longtake.errors import ConfigError
from longtake.models.catalogue import Task, catalogue, named
from longtake.preprocess.engines.audio import packaged_whisper


def test_every_task_has_a_model_and_no_two_share_a_name() -> None:
    assert {model.task for model in catalogue()} == set(get_args(Task))
    assert len({model.name for model in catalogue()}) == len(catalogue())


def test_a_known_model_is_the_one_that_comes_as_a_package() -> None:
    packaged = {file.path.rpartition("/")[2]: file.sha256 for file in packaged_whisper.FILES}
    assert named("whisper-tiny.en").sha256 == packaged


def test_an_unknown_name_brings_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"qwen3-4b"):
        named("qwen3-4")


def test_memory_is_unknown_only_where_the_size_is() -> None:
    for model in catalogue():
        assert (model.memory is None) == (model.size is None)
        assert model.memory is None or model.size is None or model.memory > model.size
