"""People anywhere in the picture: how many at once, how many visits, and when there is nobody."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.media.clips import Picture, flat
from helpers.tool_calls import called, counted

from longtake.config import load
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.objects.object_engine import FoundObject
from longtake.preprocess.engines.objects.objects_query import parse_query
from longtake.preprocess.engines.people import people_nanodet
from longtake.preprocess.engines.people.people_engine import Footage, FoundPeople
from longtake.preprocess.engines.people.people_nanodet import NanoDetPeople
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle


@pytest.mark.parametrize("text", ["people", "moving people", "somebody", "nobody", "no one", "two faces"])
def test_people_are_known_anywhere_and_faces_as_before(text: str) -> None:
    assert NanoDetPeople(Settings()).knows(parse_query(text))


@pytest.mark.parametrize("text", ["women", "red people", "round faces", "things"])
def test_what_only_some_of_them_are_is_not(text: str) -> None:
    assert not NanoDetPeople(Settings()).knows(parse_query(text))


class Still:
    """A frame that shows its time."""

    def __init__(self, second: int) -> None:
        self._second = second

    def bgr(self, long_side: int) -> Picture:
        return flat((self._second, 0, 0), 8, 8)


def footage(seconds: int) -> Footage:
    """A shot with one frame a second."""

    def frames(step: float) -> Iterator[tuple[float, Any]]:
        return ((float(second), Still(second)) for second in range(seconds))

    return Footage(TimeSpan(start=0, end=seconds), frames)


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> FoundPeople:
    """Of a minute: one person from 5 to 14 s, lost for two, another from 30 to 39 s and a third, unclear, beside.

    What is seen at 50 s is too brief and unclear to be counted, but it may be someone.
    """
    seen = (
        (range(5, 9), 0.1, 0.8),
        (range(11, 15), 0.15, 0.8),
        (range(30, 40), 0.1, 0.7),
        (range(32, 36), 0.6, 0.47),
        (range(50, 51), 0.1, 0.5),
    )

    def detected(picture: Picture) -> list[FoundObject]:
        second = int(picture[0, 0, 0])
        return [FoundObject("person", (left, 0.1, 0.2, 0.8), score) for times, left, score in seen if second in times]

    monkeypatch.setattr(people_nanodet, "detect", detected)
    return NanoDetPeople(Settings()).find(parse_query("different people"), [footage(60)])


def test_visits_are_counted_and_a_short_loss_ends_none(found: FoundPeople) -> None:
    assert [(round(track.start), round(track.end)) for track in found.tracks] == [(5, 14), (30, 39)]
    assert (len(found.perhaps), found.different) == (1, 2)
    assert found.doubt


def test_nobody_is_there_between_visits(found: FoundPeople) -> None:
    assert [(round(span.start), round(span.end)) for span in found.nobody] == [(0, 4), (15, 29), (40, 49), (51, 59)]


def test_a_visit_after_a_cut_may_be_the_same_person(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people_nanodet, "detect", lambda _: [FoundObject("person", (0.1, 0.1, 0.2, 0.8), 0.8)])
    people, shot = NanoDetPeople(Settings()), footage(5)
    assert "after a cut" in people.find(parse_query("different people"), [shot, shot]).doubt
    assert not people.find(parse_query("people"), [shot, shot]).doubt
    assert not people.find(parse_query("moving people"), [shot]).tracks


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory, media: Path) -> ToolContext:
    """Six people come to a table, one after the other."""
    settings = load(overrides=["engines.scene_text=[]", "engines.text_embedding=[]"])
    workspace = Workspace(tmp_path_factory.mktemp("library"), settings)
    assert workspace.add(media / "sample-videos" / "one-by-one-person-detection.mp4").complete
    [record] = workspace.library.videos()
    handle = VideoHandle(record, workspace.library)
    return ToolContext({record.id: handle}, workspace.engines, workspace.index, settings, Budget(300))


@pytest.mark.nightly
def test_six_people_come_one_at_a_time(nanodet: Path, table: ToolContext) -> None:
    visits = counted(table, "people come")
    assert visits.output == {"object": "person", "count": 6}
    assert all(item.trusted and item.engine.startswith("nanodet-") for item in visits.evidence)
    assert counted(table, "people at once").output == {"object": "person", "count": 1, "in_all": 6}


@pytest.mark.nightly
def test_nobody_is_at_the_table_seven_times(nanodet: Path, table: ToolContext) -> None:
    result = called(table, "object_detection", {"categories": ["nobody"]})
    spans = [(item.span.start, item.span.end) for item in result.evidence]
    # Someone is there from 6.0 to 20, 22.4 to 45, 50.2 to 70, 74 to 87, 92 to 120 and 123.5 to 136.5 s.
    expected = [(0, 6), (20, 22), (45, 50), (70, 74), (87, 92), (120, 123), (136, 139)]
    assert spans == [pytest.approx(span, abs=1) for span in expected]
