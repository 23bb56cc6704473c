"""`browse`: sections of a long span, lines of a short one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.libraries import SETTINGS

from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.core.toolbox import Toolbox
from longtake.tools.retrieval.browse import browse


@pytest.fixture
def demo(demo_workspace: Workspace) -> ToolContext:
    (video,) = demo_workspace.library.videos()
    handle = VideoHandle(video, demo_workspace.library)
    return ToolContext({video.id: handle}, demo_workspace.engines, demo_workspace.index, SETTINGS, Budget(60))


def test_a_long_span_is_listed_by_section(demo: ToolContext) -> None:
    result = Toolbox([browse]).call("browse", {"timestamp": "all"}, demo)
    listed = result.output["sections"]
    assert listed[0].startswith("00:00:00-00:00:13 ")
    assert "00:00:27-00:00:40 What we have ordered" in listed
    assert result.evidence == ()


def test_a_short_span_is_told_line_by_line_in_order(demo: ToolContext) -> None:
    result = Toolbox([browse]).call("browse", {"timestamp": "00:00:27-00:00:40"}, demo)
    texts = [item.content for item in result.evidence]
    assert {"Telescope cover", "$249"} <= set(texts)
    assert {item.modality for item in result.evidence} == {"speech", "scene_text"}
    assert [item.span.start for item in result.evidence] == sorted(item.span.start for item in result.evidence)
    assert all(item.span.start < 40 and item.span.end > 27 for item in result.evidence)


def test_where_nothing_is_said_or_shown_that_is_told(demo: ToolContext) -> None:
    (handle,) = demo.videos.values()
    bare = VideoHandle(handle.record.model_copy(update={"layers": {}}), handle.library)
    failure = Toolbox([browse]).call("browse", {"timestamp": "all"}, replace(demo, videos={bare.id: bare})).failure
    assert failure is not None
    assert (failure.kind, "was examined" in failure.message) == ("unavailable", True)
