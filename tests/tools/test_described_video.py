"""Tools on a video with subtitles, a tone and descriptions of its pictures: all of that is what happens in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.media.clips import Picture, flat, write_clip
from helpers.media.talk_of_topics import TOPICS, write_talk
from helpers.servers.openai_server import openai_server, says

from longtake.config import load
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.core.toolbox import Toolbox

SEEN = "A plain wall is seen in daylight."
SAID = "The kettle costs forty dollars."
CUES = f"WEBVTT\n\n00:00:01.000 --> 00:00:03.000\n{SAID}\n"
LIGHT = ("engines.speech=[]", "engines.scene_text=[]")


def walls() -> Iterator[Picture]:
    """Eight seconds of a wall, of which a part fades into another colour in the middle."""
    for number in range(200):
        wall = flat((140, 120, 90), 480, 270)
        wall[60:200, 100:360] = (120 + 60 * min(1, max(0, (number - 80) / 30)), 120, 90)
        yield wall


class Writer:
    """A text model that keeps its prompts."""

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def complete(self, prompt: str, *, seconds: float) -> str:
        self.prompts.append(prompt)
        return "It is about a kettle [00:00:01]."


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> ToolContext:
    folder = tmp_path_factory.mktemp("described")
    clip = write_clip(folder / "walls.mp4", walls(), sound_seconds=8)
    clip.with_suffix(".vtt").write_text(CUES)
    with openai_server([says(SEEN)]) as server:
        named = (f"captions.base_url={server.url}", "captions.model=seer")
        workspace = Workspace(folder / "library", load(overrides=[*LIGHT, *named]))
        workspace.add(clip)
    [record] = workspace.library.videos()
    handles = {record.id: VideoHandle(record, workspace.library)}
    settings = load(overrides=LIGHT)
    return ToolContext(handles, EngineTable(settings), workspace.index, settings, Budget(60))


def test_descriptions_are_what_happens_rather_than_changes_of_a_part(toolbox: Toolbox, described: ToolContext) -> None:
    found = [item.text for item in toolbox.call("detect_activities", {"timestamp": "all"}, described).evidence]
    assert SEEN in found
    assert not any("change of a part of the picture" in line for line in found)


def test_a_summary_reads_what_is_said_seen_and_heard(toolbox: Toolbox, described: ToolContext) -> None:
    writer = Writer()
    told = toolbox.call("summarize_segment", {"timestamp": "all"}, replace(described, text_model=writer))
    assert told.output["summary"] == "It is about a kettle [00:00:01]."
    assert [item.text for item in told.evidence if item.modality == "speech"] == [SAID]  # which the summary cites
    assert SEEN not in [item.text for item in told.evidence]
    [prompt] = writer.prompts
    assert f"speech 00:00:01.0-00:00:03.0 {SAID}" in prompt
    assert f"visual 00:00:00.0-00:00:08.0 {SEEN}" in prompt
    assert "audio 00:00:0" in prompt
    quoted = Toolbox(ALL_TOOLS).call("summarize_segment", {"timestamp": "all"}, described)
    assert {item.modality for item in quoted.evidence} == {"speech", "visual"}


@pytest.mark.slow
def test_of_much_that_is_said_a_summary_reads_something_of_each_part(toolbox: Toolbox, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", load(overrides=LIGHT))
    long = [tuple(f"{line} " * 65 for line in topic) for topic in TOPICS]
    video = workspace.add(write_talk(tmp_path / "talk.wav", *long)).video
    writer, handles = Writer(), {video.id: VideoHandle(video, workspace.library)}
    context = ToolContext(
        handles, workspace.engines, workspace.index, workspace.settings, Budget(60), text_model=writer
    )
    toolbox.call("summarize_segment", {"timestamp": "all"}, context)
    [prompt] = writer.prompts
    assert len(prompt) < 14_000 < sum(len(line) for topic in long for line in topic)
    assert all(any(line in prompt for line in topic) for topic in TOPICS)


def test_a_model_that_sees_is_told_what_is_said_meanwhile(toolbox: Toolbox, described: ToolContext) -> None:
    with openai_server([says("00:00:02.00 A wall.")]) as server:
        settings = load(overrides=[*LIGHT, f"visual_question.base_url={server.url}", "visual_question.model=seer"])
        sees = replace(described, engines=EngineTable(settings), settings=settings)
        for span in ("0:00-0:02", "0:04-0:08"):
            toolbox.call("watch_segment", {"timestamp": span, "question": "What is seen?"}, sees)
        during, after = (request["messages"][0]["content"][0]["text"] for request in server.requests)
    assert f"00:00:01.0-00:00:03.0 {SAID}" in during
    assert SAID not in after
