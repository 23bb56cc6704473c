"""`cross_modal_search`: an event is one result, and each of its documents with a text is evidence."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.memory.library import VideoRecord
from longtake.memory.records import Modality
from longtake.memory.search.search_index import Batch, Document
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.core.toolbox import Toolbox

TALK = "aaaaaaaaaaaaaaaa"


def document(start: float, end: float, text: str, modality: Modality) -> Document:
    return Document(f"{TALK}:{start}", TALK, TimeSpan(start=start, end=end), modality, text, "engine", "layer")


@pytest.fixture
def talk(tmp_path: Path) -> ToolContext:
    """A slide, the words spoken over it, and a picture that is like the word `kettle`."""
    workspace = Workspace(tmp_path / "library", Settings())
    record = VideoRecord(id=TALK, name="talk.mp4", path="/x/talk.mp4", size=9, modified=1, duration=600, layers={})
    workspace.library.save(record)
    written = [document(10, 20, "Copper kettle", "scene_text"), document(12, 16, "This kettle is old", "speech")]
    embedding = workspace.engines.load("text_embedding")
    like = embedding.embed(["kettle"])
    workspace.index.replace(
        TALK, [Batch("", written, None), Batch(embedding.id, [document(400, 401, "", "visual")], like)]
    )
    handles = {TALK: VideoHandle(record, workspace.library)}
    return ToolContext(handles, workspace.engines, workspace.index, workspace.settings, Budget(60))


def test_the_slide_and_what_is_said_over_it_are_one_result_and_two_pieces_of_evidence(
    toolbox: Toolbox, talk: ToolContext
) -> None:
    result = toolbox.call("cross_modal_search", {"query": "kettle", "modalities": [], "k": 2}, talk)
    slide = next(row for row in result.output["results"] if row["modality"] != "visual")
    assert (slide["text"], [row["text"] for row in slide["also"]]) == ("Copper kettle", ["This kettle is old"])
    assert [(item.content, item.modality) for item in result.evidence] == [
        ("Copper kettle", "scene_text"),
        ("This kettle is old", "speech"),
    ]


def test_a_picture_leads_to_a_place_and_is_no_evidence(toolbox: Toolbox, talk: ToolContext) -> None:
    result = toolbox.call("cross_modal_search", {"query": "kettle", "modalities": ["visual"]}, talk)
    assert [row["timestamp"] for row in result.output["results"]] == [[400, 401]]
    assert result.evidence == ()


def test_what_does_not_fit_is_weak_and_said_to_be_merely_the_nearest(toolbox: Toolbox, talk: ToolContext) -> None:
    asked = {"query": "How did the orchestra tune its violins that evening?", "modalities": [], "k": 3}
    result = toolbox.call("cross_modal_search", asked, talk)
    assert [row["weak"] for row in result.output["results"]] == [True] * 3
    assert result.notes[-1].startswith("nothing about 'How did the orchestra ")
    assert result.notes[-1].endswith("weak")
    assert {item.score for item in result.evidence} == {0}
    fitting = toolbox.call("cross_modal_search", {"query": "kettle", "modalities": []}, talk)
    assert [row["weak"] for row in fitting.output["results"]] == [False, False]
    assert not any("nothing about" in note for note in fitting.notes)
