"""`cross_modal_search` at the levels above moments."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.libraries import SETTINGS

from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.core.result import ToolResult
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.core.toolbox import Toolbox
from longtake.tools.retrieval.cross_modal_search import cross_modal_search


def searched(workspace: Workspace, query: str, **arguments: Any) -> ToolResult:
    (video,) = workspace.library.videos()
    handle = VideoHandle(video, workspace.library)
    context = ToolContext({video.id: handle}, workspace.engines, workspace.index, SETTINGS, Budget(60))
    return Toolbox([cross_modal_search]).call("cross_modal_search", {"query": query, **arguments}, context)


@pytest.mark.parametrize("level", ["segment", "section"])
@pytest.mark.parametrize(
    ("query", "modalities", "start"),
    [
        ("What did the storm do to the roof?", [], 13.0),
        ("a storm took two panels off", ["speech"], 13.0),
        ("Telescope cover", ["scene_text"], 27.0),
    ],
)
def test_a_part_is_found_by_any_of_its_moments(
    demo_workspace: Workspace, level: str, query: str, modalities: list[str], start: float
) -> None:
    result = searched(demo_workspace, query, modalities=modalities, level=level)
    best = result.output["results"][0]
    assert best["timestamp"][0] == start
    assert result.output["timestamp"] == best["timestamp"]
    first = [item for item in result.evidence if item.span.start < best["timestamp"][1] and item.span.end > start]
    assert first
    assert not modalities or {item.modality for item in result.evidence} == set(modalities)


@pytest.mark.parametrize("level", ["segment", "section"])
def test_a_part_that_says_and_shows_it_comes_before_the_one_with_the_best_moment(
    demo_workspace: Workspace, level: str
) -> None:
    moment = searched(demo_workspace, "panel").output["timestamp"]
    first, *others = (each["timestamp"] for each in searched(demo_workspace, "panel", level=level).output["results"])
    assert first == [13.0, 27.0]
    assert any(start <= moment[0] < end for start, end in others)


def test_as_many_parts_are_found_as_are_asked_for(demo_workspace: Workspace) -> None:
    for count in (1, 3):
        assert len(searched(demo_workspace, "roof", level="section", k=count).output["results"]) == count


def test_entities_are_found_by_name_with_their_places_and_by_no_search_for_moments(demo_workspace: Workspace) -> None:
    [found] = searched(demo_workspace, "Who is Edith?", level="entity").evidence
    assert found.text.startswith("Edith Marlow (name, named)")
    assert "00:00:07" in found.text
    assert all(item.modality != "metadata" for item in searched(demo_workspace, "Edith Marlow").evidence)


def test_what_no_entity_is_like_is_told_as_such(demo_workspace: Workspace) -> None:
    result = searched(demo_workspace, "zebra crossing paint", level="entity")
    assert any("in the entities of demo.mp4" in note for note in result.notes)
