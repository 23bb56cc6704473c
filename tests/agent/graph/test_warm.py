"""What an agent loads before it is asked."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from longtake.agent.graph.agent import Agent
from longtake.config import load
from longtake.memory.search.search_types import SearchFilter
from longtake.memory.search.store import NAME
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.pipeline.workspace import Workspace


class Counted(EngineTable):
    """Counts by capability how often its engines are wanted."""

    wanted: list[str]

    def load_each(self, capability: str) -> list[object]:
        self.wanted.append(capability)
        return super().load_each(capability)


def test_the_first_question_finds_its_reader_and_its_search_loaded(small_workspace: Workspace) -> None:
    warmed = copy.copy(small_workspace)
    engines = Counted(warmed.settings)
    engines.wanted, warmed.engines = [], engines
    agent = Agent(warmed)
    assert engines.wanted == []
    agent.warm()
    assert set(engines.wanted) == {"text_embedding", "image_text_embedding"}


@pytest.mark.parametrize("damaged", [False, True])
@pytest.mark.parametrize("settings", [(), ("engines.text_embedding=[]",)])
def test_an_empty_or_damaged_library_keeps_nobody_from_starting(
    tmp_path: Path, damaged: bool, settings: tuple[str, ...]
) -> None:
    workspace = Workspace(tmp_path, load(overrides=settings))
    index = workspace.library.index_root / NAME
    if damaged:
        index.parent.mkdir(parents=True)
        index.write_text("[]", encoding="utf-8")
    Agent(workspace).warm()
    assert workspace.index.search("anything", {}, SearchFilter(), 1) == []
