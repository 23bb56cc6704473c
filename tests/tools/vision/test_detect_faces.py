"""`detect_faces` on clips made of photographs whose people are known, and on a recording."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from helpers.command import longtake
from helpers.media.clips import Picture, flat, write_clip

from longtake.config import load
from longtake.memory.gallery import EnrolledFace, Gallery
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.layers.entities import entities_of
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings
from longtake.tools.core.result import ToolResult
from longtake.tools.core.tool_context import Budget, ToolContext, VideoHandle
from longtake.tools.core.toolbox import Toolbox
from longtake.tools.vision.detect_faces import detect_faces

ASKED = load(overrides=["engines.faces=[dlib]"])
SIZE = (640, 360)


def photo(media: Path, name: str) -> Picture:
    """A photo in the middle of a picture of the size of the clip."""
    read = np.asarray(cv2.imread(str(media / "face_recognition" / name)), np.uint8)
    scale = min(SIZE[0] / read.shape[1], SIZE[1] / read.shape[0])
    small = cv2.resize(read, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    picture = flat((90, 90, 90), *SIZE)
    left = (SIZE[0] - small.shape[1]) // 2
    picture[: small.shape[0], left : left + small.shape[1]] = small
    return picture


@pytest.fixture(scope="module")
def workspace(media: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """`clip.mp4`: one man, a grey picture, another man, both beside each other, a second each."""
    folder = tmp_path_factory.mktemp("faces")
    photos = [photo(media, name) for name in ("obama2.jpg", "biden2.jpg", "two_people.jpg")]
    shown = [photos[0], flat((90, 90, 90), *SIZE), *photos[1:]]
    write_clip(folder / "clip.mp4", [picture for picture in shown for _ in range(25)])
    workspace = Workspace(folder / "library", ASKED)
    workspace.add(folder / "clip.mp4")
    return workspace


@pytest.fixture
def clip(workspace: Workspace) -> ToolContext:
    record = workspace.library.resolve("clip")
    handles = {record.id: VideoHandle(record, workspace.library)}
    return ToolContext(handles, workspace.engines, workspace.index, workspace.settings, Budget(60))


Enrol = Callable[[str, str], None]


@pytest.fixture
def gallery(workspace: Workspace) -> Gallery:
    """The gallery of the library, empty."""
    (workspace.library.root / "faces.json").unlink(missing_ok=True)
    return Gallery(workspace.library.root)


@pytest.fixture
def enrol(gallery: Gallery, workspace: Workspace, media: Path) -> Enrol:
    engine = workspace.engines.load("faces")

    def from_photo(name: str, file: str) -> None:
        [face] = engine.find(np.asarray(cv2.imread(str(media / "face_recognition" / file)), np.uint8))
        gallery.enrol(name, [EnrolledFace(engine=engine.id, embedding=face.embedding)])

    return from_photo


def found(context: ToolContext, timestamp: object) -> ToolResult:
    result = Toolbox([detect_faces]).call("detect_faces", {"timestamp": timestamp}, context)
    assert result.failure is None
    return result


@pytest.mark.nightly
@pytest.mark.usefixtures("gallery")
def test_without_anybody_enrolled_faces_are_told_apart_and_stay_unknown(clip: ToolContext) -> None:
    result = found(clip, [0.5, 2.5])
    assert [face["name"] for face in result.output["faces"]] == ["unknown 1", "unknown 2"]
    assert {tuple(face) for face in result.output["faces"]} == {("name", "confidence")}
    assert any("nobody is enrolled" in note for note in result.notes)


@pytest.mark.nightly
def test_the_enrolled_are_named_with_their_times_and_boxes(clip: ToolContext, enrol: Enrol) -> None:
    enrol("Barack", "obama.jpg")
    result = found(clip, [0, 4])
    named, other = result.output["faces"]
    assert (named["name"], other["name"]) == ("Barack", "unknown")
    assert 0.5 < named["confidence"] <= 1
    spans = {"Barack": [(0, 1), (3, 4)], "unknown": [(2, 4)]}
    for name, expected in spans.items():
        evidence = [item for item in result.evidence if item.text == f"{name} (face)"]
        assert [(item.span.start, item.span.end) for item in evidence] == expected
        assert {(item.modality, item.engine, item.trusted) for item in evidence} == {
            ("visual", clip.engines.load("faces").id, True)
        }
    left = [item.box for item in result.evidence if item.span.start == 3]
    assert left[0]
    assert left[0][0] + left[0][2] < 0.5


def test_who_was_enrolled_with_a_role_is_shown_with_it(clip: ToolContext, enrol: Enrol, gallery: Gallery) -> None:
    enrol("Joe", "biden.jpg")
    gallery.enrol("Joe", [], "vice president")
    [face] = found(clip, [2, 2.5]).output["faces"]
    assert (face["name"], face["role"]) == ("Joe", "vice president")


@pytest.mark.usefixtures("gallery")
def test_no_face_says_what_was_looked_at(clip: ToolContext) -> None:
    result = found(clip, [1.1, 1.9])
    assert result.output == {"faces": []}
    assert result.evidence == ()
    assert result.looked_at == (TimeSpan(start=1.1, end=1.9),)
    assert "no face turned to the camera in 4 pictures of 00:00:01.1-00:00:01.9" in result.notes


def test_without_the_file_the_pictures_of_the_index_are_looked_at(clip: ToolContext, enrol: Enrol) -> None:
    enrol("Joe", "biden.jpg")
    [(key, handle)] = clip.videos.items()
    record = handle.record.model_copy(update={"path": "/nowhere/clip.mp4"})
    result = found(replace(clip, videos={key: VideoHandle(record, handle.library)}), [2, 3])
    assert [face["name"] for face in result.output["faces"]] == ["Joe"]
    assert any("/nowhere/clip.mp4" in note for note in result.notes)


def test_faces_enrolled_by_another_engine_are_not_compared_and_that_is_said(
    clip: ToolContext, gallery: Gallery, enrol: Enrol
) -> None:
    enrol("Joe", "biden.jpg")
    [joe] = gallery.people()
    gallery.enrol("Jill", [EnrolledFace(engine="other-1", embedding=joe.faces[0].embedding)])
    gallery.forget("Joe")
    result = found(clip, [2, 2.5])
    assert [face["name"] for face in result.output["faces"]] == ["unknown"]
    assert "enrolled by another engine, so not compared: Jill" in result.notes


def test_nothing_is_looked_for_unless_the_profile_names_an_engine(clip: ToolContext) -> None:
    settings = Settings()
    workspace = Workspace(clip.video.library.root, settings)
    context = replace(clip, engines=workspace.engines, settings=settings)
    failure = Toolbox([detect_faces]).call("detect_faces", {"timestamp": 1}, context).failure
    assert failure
    assert failure.kind == "unavailable"
    assert "pip install 'longtake[faces]'" in failure.message
    assert "--set 'engines.faces=[dlib]'" in failure.message


@pytest.mark.nightly
def test_a_man_at_a_microphone_is_found_in_his_shots_and_nowhere_else(media: Path, tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, ASKED)
    engine = workspace.engines.load("faces")
    for name in ("lin-manuel-miranda", "alex-lacamoire", "biden", "obama"):
        suffix = "png" if "-" in name else "jpg"
        [face] = engine.find(np.asarray(cv2.imread(str(media / "face_recognition" / f"{name}.{suffix}")), np.uint8))
        Gallery(tmp_path).enrol(name, [EnrolledFace(engine=engine.id, embedding=face.embedding)])
    record = workspace.add(media / "face_recognition" / "short_hamilton_clip.mp4").video
    handles = {record.id: VideoHandle(record, workspace.library)}
    context = ToolContext(handles, workspace.engines, workspace.index, workspace.settings, Budget(120))
    evidence = found(context, [0, 10]).evidence
    assert {item.text for item in evidence} == {"lin-manuel-miranda (face)", "unknown (face)"}
    his = [item.span for item in evidence if item.text.startswith("lin")]
    shots = [TimeSpan(start=0.8, end=1.52), TimeSpan(start=3.58, end=7.89)]
    assert all(any(shot.start <= span.start and span.end <= shot.end for shot in shots) for span in his)
    assert sum(span.length for span in his) > 0.9 * (0.67 + 4.3)
    assert sum(span.length for span in his if span.end < 2) > 0.6
    assert all(item.span.start > 7.8 for item in evidence if item.text == "unknown (face)")


@pytest.mark.slow
def test_indexing_names_the_enrolled_and_forgetting_takes_them_out(
    workspace: Workspace, media: Path, tmp_path: Path
) -> None:
    root = tmp_path / "library"
    set_up = ("--set", "engines.faces=[dlib]")
    assert (
        longtake(*set_up, "faces", "enrol", "Barack", media / "face_recognition" / "obama.jpg", library=root).code == 0
    )
    mine = Workspace(root, ASKED)
    report = mine.add(workspace.library.root.parent / "clip.mp4")
    layer = mine.library.layer(report.video, "faces")
    assert layer is not None
    seen = [(item["name"], item["start"], item["end"]) for item in layer.items()]
    assert {name for name, _, _ in seen} == {"Barack"}
    [entity] = [each for each in entities_of(mine.library, report.video) if each.name == "Barack"]
    assert (entity.kind, entity.found) == ("person", ("recognised",))
    assert entity.spans[0][0] == 0.0
    assert longtake(*set_up, "faces", "forget", "Barack", library=root).code == 0
    after = mine.library.resolve("clip.mp4")
    assert "faces" not in after.layers
    assert [each.name for each in entities_of(mine.library, after)] == []
    assert not [file for file in (root / "videos").rglob("*.jsonl") if "Barack" in file.read_text(encoding="utf-8")]
