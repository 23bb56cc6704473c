"""People and things from the layer `detections`, over an hour and without the file."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.data.written_layers import write_layer
from helpers.servers.openai_server import openai_server, says
from helpers.tool_calls import called, counted, refused

from longtake.config import load
from longtake.memory.library import VideoRecord
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.built_in_engines import EngineEntry
from longtake.preprocess.engines.engine_table import ENGINES
from longtake.preprocess.engines.objects.objects_query import parse_query
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.usable import usable
from longtake.tools.vision.object_search import asks_a_model

HOUR = 3600


def track(
    name: str, first: int, last: int, left: float, confidence: float = 0.8, step: float = 0.0
) -> Mapping[str, Any]:
    """Something seen every second from `first` to `last`, with its place across and how far that moves a second."""
    boxes = [[float(at), round(left + step * (at - first), 4), 0.2, 0.1, 0.5] for at in range(first, last + 1)]
    item = {"start": float(first), "end": last + 1.0, "name": name, "confidence": confidence}
    return item | {"trusted": name == "person", "boxes": boxes}


TRACKS = (
    track("person", 100, 199, 0.1),
    track("person", 150, 169, 0.5, step=0.02),
    track("person", 160, 160, 0.8, 0.5),
    track("car", 500, 504, 0.1, 0.5),
    track("car", 502, 509, 0.3, 0.6, step=0.05),
    track("person", 3000, 3500, 0.4),
)


def hour(
    folder: Path,
    *settings: str,
    shots: Sequence[tuple[int, int]] = ((0, HOUR),),
    tracks: Sequence[Mapping[str, Any]] = TRACKS,
) -> ToolContext:
    """A video of an hour whose file is gone."""
    workspace = Workspace(folder / "library", load(overrides=settings))
    store = workspace.library.layers("v1")
    whole = [TimeSpan(start=0, end=HOUR)]
    seconds = [{"kind": "second", "time": float(at), "start": at, "end": at + 1, "file": ""} for at in range(HOUR)]
    layers = (
        write_layer(store, "keyframes", *seconds, covered=whole),
        write_layer(store, "shots", *({"start": start, "end": end} for start, end in shots), covered=whole),
        write_layer(store, "motion", covered=whole),
        write_layer(store, "detections", *tracks, covered=whole),
    )
    keys = {layer.name: layer.key for layer in layers}
    record = VideoRecord(id="v1", name="a.mp4", path="a.mp4", size=1, modified=1, duration=HOUR, layers=keys)
    handle = VideoHandle(record, workspace.library)
    return ToolContext({"v1": handle}, workspace.engines, workspace.index, workspace.settings, Budget(60))


@pytest.fixture
def context(tmp_path: Path) -> ToolContext:
    return hour(tmp_path)


def test_people_of_an_hour_are_counted_at_once_and_over_time(context: ToolContext) -> None:
    at_once = counted(context, "people at once")
    assert (at_once.output["count"], at_once.output["in_all"]) == (2, 3)
    assert [(item.span.start, item.trusted, item.engine) for item in at_once.evidence[:2]] == [
        (150, True, "detections-engine")
    ] * 2
    over_time = counted(context, "different people")
    assert over_time.output["count"] == 3
    spans = [(item.span.start, item.span.end) for item in over_time.evidence]
    assert spans == [(100, 199), (150, 169), (3000, 3500)]
    assert any("every second" in note for note in over_time.notes)
    assert counted(context, "moving people").output["count"] == 1


def test_a_person_after_a_cut_may_be_one_seen_before(tmp_path: Path) -> None:
    result = counted(hour(tmp_path, shots=((0, 2000), (2000, HOUR))), "different people")
    assert (result.output["count"], result.output["at_least"]) == (2, True)


def test_nobody_is_there_in_between(context: ToolContext) -> None:
    result = called(context, "object_detection", {"categories": ["nobody"]})
    assert [(item.span.start, item.span.end) for item in result.evidence] == [(0, 99), (200, 2999), (3501, 3599)]
    assert all(item.trusted for item in result.evidence)
    assert result.looked_at == (TimeSpan(start=0, end=HOUR),)
    part = called(context, "object_detection", {"categories": ["nobody"]}, [150, 300])
    assert [(item.span.start, item.span.end) for item in part.evidence] == [(200, 299)]


def test_other_things_are_hints(context: ToolContext) -> None:
    cars = counted(context, "cars")
    assert cars.output == {"object": "car", "count": 2, "at_least": True, "confidence": 0.5}
    assert [item.trusted for item in cars.evidence] == [False, False]
    found = called(context, "object_detection", {"categories": ["automobiles", "cars"]}, [490, 520])
    assert found.output["object"] == ["car", "car"]
    assert not any(item.trusted for item in found.evidence)
    assert counted(context, "moving cars").output["count"] == 1
    dogs = called(context, "object_detection", {"categories": ["dog"]})
    assert dogs.output["object"] == []
    assert any("misses many a dog" in note for note in dogs.notes)


def test_of_hundreds_some_from_all_over_the_hour_are_listed(tmp_path: Path) -> None:
    shots = [(start, start + 10) for start in range(0, HOUR, 10)]
    context = hour(tmp_path, shots=shots, tracks=[track("person", start, start + 5, 0.1) for start, _ in shots])
    result = called(context, "object_detection", {"categories": ["people"]})
    assert 50 < len(result.evidence) <= 100
    assert f"{len(result.evidence)} of 360 are listed" in result.notes
    assert (result.evidence[0].span.start, result.evidence[-1].span.start > 3500) == (5, True)
    assert len(counted(context, "different people").evidence) == len(result.evidence)


def test_what_the_index_does_not_tell_is_looked_for_in_the_file(context: ToolContext) -> None:
    for query in ("red cars", "teapots", "women"):
        assert refused(context, "count_objects", {"object_query": query}).kind == "unavailable"


def test_a_video_that_was_indexed_without_the_detector_says_so(
    context: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = EngineEntry("helpers.models.colour_detector:ColourDetector", "colours")
    monkeypatch.setitem(ENGINES, "detections", {"nanodet": entry})
    record = context.video.record
    layers = {name: key for name, key in record.layers.items() if name != "detections"}
    video = replace(context.video, record=record.model_copy(update={"layers": layers}))
    before = replace(context, videos={"v1": video})
    dogs, teapots = (refused(before, "count_objects", {"object_query": query}) for query in ("dogs", "teapots"))
    assert "nanodet would, but the video was indexed without it" in dogs.remedy
    assert "nanodet" not in teapots.remedy


def test_a_model_is_asked_about_things_but_not_about_people(tmp_path: Path) -> None:
    with openai_server([says("Yes.")]) as server:
        seer = (f"visual_question.base_url={server.url}", "visual_question.model=seer")
        context = hour(tmp_path, *seer)
        assert [asks_a_model(context, parse_query(text)) for text in ("people", "cars", "red people")] == [
            False,
            True,
            True,
        ]


def test_a_model_is_offered_the_tools_that_the_layer_serves(context: ToolContext) -> None:
    _, needs = usable(context.settings, context.engines, list(context.videos.values()))
    assert not {"count_objects", "object_detection"} & needs.keys()


@pytest.fixture
def table(nanodet: Path, media: Path, tmp_path: Path) -> ToolContext:
    """Six people come to a table, one after the other; the file is gone since it was indexed."""
    file = Path(shutil.copy(media / "sample-videos" / "one-by-one-person-detection.mp4", tmp_path))
    settings = load(overrides=["engines.scene_text=[]", "engines.text_embedding=[]"])
    workspace = Workspace(tmp_path / "library", settings)
    record = workspace.add(file).video
    file.unlink()
    handle = VideoHandle(record, workspace.library)
    return ToolContext({record.id: handle}, workspace.engines, workspace.index, settings, Budget(300))


@pytest.mark.nightly
def test_visits_and_absences_of_real_footage_are_found_without_its_file(table: ToolContext) -> None:
    visits = counted(table, "people come")
    assert visits.output == {"object": "person", "count": 6}
    assert all(item.trusted and item.engine.startswith("nanodet-") for item in visits.evidence)
    nobody = called(table, "object_detection", {"categories": ["nobody"]})
    spans = [(item.span.start, item.span.end) for item in nobody.evidence]
    # Someone is there from 6.0 to 20, 22.4 to 45, 50.2 to 70, 74 to 87, 92 to 120 and 123.5 to 136.5 s.
    expected = [(0, 6), (20, 22), (45, 50), (70, 74), (87, 92), (120, 123), (136, 139)]
    assert spans == [pytest.approx(span, abs=1) for span in expected]
    few_seconds = refused(table, "count_objects", {"object_query": "people"})  # are looked at more closely
    assert "one-by-one" in few_seconds.message
