"""`browse`: sections, segments and moments, page by page."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from helpers.data.written_layers import write_layer
from helpers.libraries import SETTINGS

from longtake.agent.gathering.moments import LibraryMoments, shown, shown_result
from longtake.memory.library import VideoRecord
from longtake.memory.records import Moment
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.core.toolbox import Toolbox
from longtake.tools.retrieval.browse import browse

VIDEO = "00112233445566aa"


@pytest.fixture
def demo(demo_workspace: Workspace) -> ToolContext:
    (video,) = demo_workspace.library.videos()
    handle = VideoHandle(video, demo_workspace.library)
    return ToolContext({video.id: handle}, demo_workspace.engines, demo_workspace.index, SETTINGS, Budget(60))


def test_sections_are_listed_with_their_titles(demo: ToolContext) -> None:
    result = Toolbox([browse]).call("browse", {"timestamp": "all", "level": "section"}, demo)
    listed = result.output["sections"]
    assert listed[0].startswith("00:00:00-00:00:13 ")
    assert any(row.startswith("00:00:27-00:00:40 What we have ordered. ") for row in listed)
    assert result.evidence == ()


def test_without_sections_its_segments_are_listed(small_workspace: Workspace) -> None:
    (video,) = small_workspace.library.videos()
    handle = VideoHandle(video, small_workspace.library)
    small = ToolContext({video.id: handle}, small_workspace.engines, small_workspace.index, SETTINGS, Budget(60))
    output = Toolbox([browse]).call("browse", {"timestamp": "all", "level": "section"}, small).output
    assert output["sections"] == []
    assert any("The blue kettle costs 249 dollars." in row for row in output["segments"])


def test_segments_are_listed_with_what_is_said_and_shown(demo: ToolContext) -> None:
    rows = Toolbox([browse]).call("browse", {"timestamp": "0-60", "level": "segment"}, demo).output["segments"]
    assert len(rows) >= 4
    [storm] = [row for row in rows if row.startswith("00:00:13-")]
    assert "What the storm broke" in storm
    assert "On the 9th of January a storm took" in storm


def test_without_a_level_a_span_is_as_fine_as_a_page_holds(demo: ToolContext) -> None:
    short = Toolbox([browse]).call("browse", {"timestamp": "all"}, demo)
    assert short.evidence
    assert short.output == {"sections": [], "segments": []}
    (handle,) = demo.videos.values()
    hours = VideoHandle(handle.record.model_copy(update={"duration": 7200.0}), handle.library)
    long = Toolbox([browse]).call("browse", {"timestamp": "all"}, replace(demo, videos={hours.id: hours}))
    assert long.output["segments"]
    assert not long.evidence


def test_pages_hold_every_moment_once(demo: ToolContext, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Toolbox([browse]).call("browse", {"timestamp": "all", "level": "moment"}, demo)
    monkeypatch.setattr("longtake.tools.retrieval.browse.PAGE", 1200)
    found: list[Moment] = []
    page = 0
    for page in count(1):
        arguments = {"timestamp": "all", "level": "moment", "page": page}
        result = Toolbox([browse]).call("browse", arguments, demo)
        found += result.evidence
        lines = shown(result.evidence, {}, LibraryMoments(demo.index, {}))
        assert shown_result(result, lines, {}, {}, 1900)[1] == set(lines)  # as a model reads it, it is whole
        [told] = [note for note in result.notes if note.startswith("page ")]
        if told == f"page {page} of {page}":
            break
        assert result.looked_at[-1].end <= max(item.span.end for item in result.evidence)
    assert page > 2
    assert found == list(whole.evidence)


def test_a_short_span_is_told_line_by_line_in_order(demo: ToolContext) -> None:
    result = Toolbox([browse]).call("browse", {"timestamp": "00:00:27-00:00:40"}, demo)
    texts = [item.text for item in result.evidence]
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


MEETING = """WEBVTT

00:01.000 --> 00:04.000
<v Edith Marlow>The roof leaks.

00:05.000 --> 00:08.000
<v Bertram>I'll mend it.

00:09.000 --> 00:11.000
<v Edith Marlow>By May?

00:12.000 --> 00:13.000
<v Rosa>No.
"""


@pytest.fixture
def meeting(tmp_path: Path) -> ToolContext:
    """Three people speak; somebody has indexed only the transcript."""
    transcript = tmp_path / "meeting.vtt"
    transcript.write_text(MEETING, encoding="utf-8")
    workspace = Workspace(tmp_path / "library", SETTINGS)
    handle = VideoHandle(workspace.add(transcript).video, workspace.library)
    return ToolContext({handle.id: handle}, workspace.engines, workspace.index, SETTINGS, Budget(60))


@pytest.fixture
def voices(tmp_path: Path) -> ToolContext:
    """Two voices: one gives her name, the other was given one by the user."""
    workspace = Workspace(tmp_path / "library", SETTINGS)
    store = workspace.library.layers(VIDEO)
    lines = ((0.0, 4.0, "My name is Edith Marlow."), (5.0, 9.0, "I'll mend it."), (10.0, 12.0, "By May?"))
    turns = ((0.0, 4.2, "1"), (4.8, 9.0, "2"), (9.9, 12.1, "1"))
    people = (("Edith Marlow", [], [[0.0, 12.1]]), ("Bob", ["speaker 2"], [[4.8, 9.0]]))
    whole, about = [TimeSpan(start=0, end=12.5)], {"kind": "person", "looks": "", "found": ["speaks"], "trusted": False}
    layers = (
        write_layer(
            store,
            "speech",
            *({"start": start, "end": end, "text": text, "confidence": 1.0} for start, end, text in lines),
            covered=whole,
        ),
        write_layer(
            store,
            "speakers",
            *({"start": start, "end": end, "speaker": who, "trusted": False} for start, end, who in turns),
        ),
        write_layer(
            store,
            "entities",
            *(
                {"start": spans[0][0], "end": spans[-1][1], "name": name, "aliases": also, "spans": spans} | about
                for name, also, spans in people
            ),
        ),
    )
    record = VideoRecord(id=VIDEO, name="call.wav", path="/gone/call.wav", size=1, modified=1, duration=12.5)
    record = record.model_copy(update={"layers": {layer.name: layer.key for layer in layers}})
    workspace.library.save(record)
    handle = VideoHandle(record, workspace.library)
    return ToolContext({VIDEO: handle}, workspace.engines, workspace.index, SETTINGS, Budget(60))


@pytest.mark.parametrize(
    ("speaker", "said"),
    [("Edith Marlow", ["The roof leaks.", "By May?"]), ("edith", ["The roof leaks.", "By May?"]), ("Rosa", ["No."])],
)
def test_what_one_speaker_says_is_listed_alone(meeting: ToolContext, speaker: str, said: list[str]) -> None:
    result = Toolbox([browse]).call("browse", {"timestamp": "all", "speaker": speaker}, meeting)
    assert [item.text for item in result.evidence] == said
    assert result.looked_at == tuple(item.span for item in result.evidence)


@pytest.mark.parametrize(
    ("speaker", "lines"),
    [
        ("Edith", [0.0, 10.0]),
        ("Edith Marlow (speaker 1)", [0.0, 10.0]),
        ("speaker 1", [0.0, 10.0]),
        ("Bob", [5.0]),
        ("speaker 2", [5.0]),
    ],
)
def test_a_voice_is_found_by_each_of_its_names(voices: ToolContext, speaker: str, lines: list[float]) -> None:
    result = Toolbox([browse]).call("browse", {"timestamp": "all", "speaker": speaker}, voices)
    assert [item.span.start for item in result.evidence] == lines
    assert any("mixed up" in note for note in result.notes)


@pytest.mark.parametrize("speaker", ["Walter", "speaker", " ?"])
def test_whoever_asks_for_nobody_in_particular_is_told_who_speaks(voices: ToolContext, speaker: str) -> None:
    result = Toolbox([browse]).call("browse", {"timestamp": "all", "speaker": speaker}, voices)
    assert result.failure
    assert result.failure.remedy == "Speakers: Edith Marlow, Bob."


def test_who_is_silent_in_a_span_is_said_to_be(meeting: ToolContext) -> None:
    result = Toolbox([browse]).call("browse", {"timestamp": "0-4", "speaker": "Rosa"}, meeting)
    assert result.evidence == result.looked_at == ()
    assert any("Rosa says nothing" in note for note in result.notes)
