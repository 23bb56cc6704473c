"""On a real recording, the pictures for a model show everybody who comes, and its lines are evidence at their times."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.servers.openai_server import openai_server, says

from longtake.config import load
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.core.toolbox import Toolbox

CLIP = "sample-videos/one-by-one-person-detection.mp4"
STAYS = [(7, 18), (24, 43), (52, 68), (76, 85), (94, 118), (125, 135)]  # seconds of six visitors, one after the other
LIGHT = ("engines.sounds=[]", "engines.speech=[]", "engines.scene_text=[]")
# As a model wrote it that was played by hand and saw the pictures.
WRITTEN = """Six visitors come to the table one after another:
- **00:00:07.00-00:00:19.10** A woman with long blond hair in a long grey cardigan.
- 00:00:23.00 – 00:00:44.20: A man in black clothes with a dark cap.
3. [00:00:51.20-00:01:09.60] A woman with long blond hair in black.
00:01:15-00:01:26 A man in a black T-shirt.
01:32.6-01:59.3 A woman with black hair in a grey knitted coat.
At 00:02:03.90 A man in a light grey shirt comes from the left."""


@pytest.mark.nightly
def test_every_visitor_is_in_the_pictures_and_each_line_is_evidence(media: Path, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", load(overrides=LIGHT))
    workspace.add(media / CLIP)
    [record] = workspace.library.videos()
    with openai_server([says(WRITTEN)]) as server:
        settings = load(overrides=[*LIGHT, f"visual_question.base_url={server.url}", "visual_question.model=seer"])
        handles = {record.id: VideoHandle(record, workspace.library)}
        context = ToolContext(handles, EngineTable(settings), workspace.index, settings, Budget(60))
        asked = {"timestamp": "all", "question": "Which visitors come, and when?"}
        result = Toolbox(ALL_TOOLS).call("watch_segment", asked, context)
        parts = server.requests[0]["messages"][0]["content"]
    times = [60 * int(part["text"][-9:-7]) + float(part["text"][-6:-1]) for part in parts[1::2]]
    assert len(times) == 32
    assert all(any(start <= time <= end for time in times) for start, end in STAYS)
    assert max(later - earlier for earlier, later in zip([0, *times], [*times, record.duration], strict=True)) < 10
    first, *visitors = result.evidence
    assert first.text == "Six visitors come to the table one after another"
    assert len(visitors) == len(STAYS)
    for item, (start, end) in zip(visitors, STAYS, strict=True):
        assert item.span.start <= start + 1
        assert item.span.end >= end - 1 or item is visitors[-1]
