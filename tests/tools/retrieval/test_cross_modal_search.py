"""`cross_modal_search`: an event is one result, and each of its documents with a text is evidence."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.memory.library import VideoRecord
from longtake.memory.records import Modality, Moment
from longtake.memory.search.search_types import Batch
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.core.toolbox import Toolbox

TALK = "aaaaaaaaaaaaaaaa"


def document(start: float, end: float, text: str, modality: Modality) -> Moment:
    return Moment(
        video=TALK,
        span=TimeSpan(start=start, end=end),
        modality=modality,
        text=text,
        engine="engine",
        layer="layer",
    )


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
    result = toolbox.call("cross_modal_search", {"query": "kettle", "k": 2}, talk)
    assert sorted(row["text"] for row in result.output["results"]) == ["", "Copper kettle"]
    spans = {item.text: (item.span.start, item.span.end) for item in result.evidence if item.trusted}
    assert spans == {"This kettle is old": (12, 16), "Copper kettle": (10, 20)}


def test_a_picture_leads_to_a_place_and_proves_nothing(toolbox: Toolbox, talk: ToolContext) -> None:
    result = toolbox.call("cross_modal_search", {"query": "kettle", "modalities": ["visual"]}, talk)
    assert [row["timestamp"] for row in result.output["results"]] == [[400, 401]]
    assert [(item.span.start, item.trusted) for item in result.evidence] == [(400, False)]


def test_what_does_not_fit_is_weak_and_said_to_be_merely_the_nearest(toolbox: Toolbox, talk: ToolContext) -> None:
    asked = {"query": "How did the orchestra tune its violins that evening?", "modalities": [], "k": 3}
    result = toolbox.call("cross_modal_search", asked, talk)
    assert [row["weak"] for row in result.output["results"]] == [True] * 3
    assert result.notes[-1].startswith("nothing about 'How did the orchestra ")
    assert result.notes[-1].endswith("weak")
    assert {item.score for item in result.evidence} == {0}
    fitting = toolbox.call("cross_modal_search", {"query": "kettle", "modalities": []}, talk)
    assert not any("weak" in row for row in fitting.output["results"])
    assert not any("nothing about" in note for note in fitting.notes)


def filled(talk: ToolContext, *documents: Moment) -> None:
    talk.index.replace(TALK, [Batch("", documents, None)])


def test_several_queries_are_one_search_and_what_several_find_comes_first(toolbox: Toolbox, talk: ToolContext) -> None:
    lines = ["a heron stands there", "the river is wide", "a heron in the river", "boats pass"]
    filled(talk, *(document(60.0 * number, 60.0 * number + 5, text, "speech") for number, text in enumerate(lines)))
    result = toolbox.call("cross_modal_search", {"query": ["heron", "river"]}, talk)
    found = [row["text"] for row in result.output["results"]]
    assert found[0] == "a heron in the river"
    assert set(found) == set(lines[:3])
    assert [item.text for item in result.evidence] == found


def test_what_one_query_finds_is_kept_where_it_shares_an_event_with_another(
    toolbox: Toolbox, talk: ToolContext
) -> None:
    """The second line joins the slide for the first query, and the third line for the last one: one event holds all."""
    lines = ["Harbour Canteen", "And the canteen? They had dropped out", "they haven't dropped out, only shut"]
    filled(
        talk,
        document(10, 40, lines[0], "scene_text"),
        document(20, 26, lines[1], "speech"),
        document(26, 31, lines[2], "speech"),
    )
    result = toolbox.call("cross_modal_search", {"query": ["harbour canteen", "canteen", "dropped out"]}, talk)
    assert len(result.output["results"]) == 1
    assert {item.text for item in result.evidence} == set(lines)


def test_a_search_stays_within_a_span(toolbox: Toolbox, talk: ToolContext) -> None:
    filled(talk, *(document(60.0 * number, 60.0 * number + 5, f"heron {number}", "speech") for number in range(5)))
    result = toolbox.call("cross_modal_search", {"query": "heron", "within": "00:01:30-00:03:10"}, talk)
    assert {item.text for item in result.evidence} == {"heron 2", "heron 3"}
    assert [(span.start, span.end) for span in result.looked_at] == [(90, 190)]
    refused = toolbox.call("cross_modal_search", {"query": "heron", "within": "soon"}, talk).failure
    assert refused
    assert refused.kind == "bad_arguments"


def test_forty_results_are_shown_and_no_more(toolbox: Toolbox, talk: ToolContext) -> None:
    filled(talk, *(document(12.0 * number, 12.0 * number + 2, f"heron {number}", "speech") for number in range(50)))
    forty = toolbox.call("cross_modal_search", {"query": "heron", "k": 40}, talk)
    more = toolbox.call("cross_modal_search", {"query": "heron", "k": 50}, talk)
    assert len(forty.evidence) == len(more.evidence) == 40
    assert more.notes == ("k: from 1 to 40, not 50",)


def test_windows_of_the_same_words_are_one_piece_of_evidence(toolbox: Toolbox, talk: ToolContext) -> None:
    filled(
        talk,
        document(10, 20, "the heron stands in the river", "speech"),
        document(10, 14, "The heron stands", "speech"),
        document(12, 20, "heron", "scene_text"),
    )
    result = toolbox.call("cross_modal_search", {"query": "heron"}, talk)
    assert {item.text for item in result.evidence} == {"the heron stands in the river", "heron"}
