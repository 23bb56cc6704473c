"""NanoDet on real pictures: who and what it finds, and what it says it doesn't know."""

from __future__ import annotations

import shutil
from pathlib import Path

import cv2
import numpy as np
import pytest
from helpers.media.clips import flat, noise

from longtake.errors import EngineError
from longtake.preprocess.engines.engine_table import EngineTable
from longtake.preprocess.engines.objects.nanodet import detect, kind_of
from longtake.preprocess.engines.objects.objects_query import parse_query
from longtake.settings import Settings

# Left, top, width and height, as another conversion of the same graph finds them.
EXPECTED = [(0.0053, 0.0136, 0.4956, 0.9758), (0.5169, 0.0136, 0.4805, 0.9803)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        *(("people", "person"), ("somebody", "person"), ("dogs", "dog"), ("moving cars", "car"), ("a sofa", "couch")),
        *(("bikes", "bicycle"), ("wine glasses", "wine glass"), ("knives", "knife"), ("skis", "ski")),
        *(("telescopes", None), ("things", None), ("red cups", None), ("round tables", None)),
    ],
)
def test_its_80_kinds_are_known_by_their_usual_names(text: str, kind: str | None) -> None:
    assert kind_of(parse_query(text)) == kind


def test_without_the_model_faces_are_left() -> None:
    table = EngineTable(Settings())
    assert (table.report("detections").engine, table.report("people").engine) == (None, "cascades")
    assert "longtake models pull nanodet" in table.report("people").reasons["nanodet"]


@pytest.mark.slow
def test_two_people_are_found_where_they_are_in_a_photo(nanodet: Path, media: Path) -> None:
    photo = np.asarray(cv2.imread(str(media / "face_recognition" / "two_people.jpg")), np.uint8)
    people = sorted((each.box for each in detect(photo) if each.name == "person"), key=lambda box: box[0])
    assert people == [pytest.approx(box, abs=0.01) for box in EXPECTED]
    mirrored = [each for each in detect(np.ascontiguousarray(photo[:, ::-1])) if each.name == "person"]
    assert len(mirrored) == 2


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(3, 500), (500, 3), (720, 1280)])
def test_boxes_lie_in_pictures_of_any_shape(shape: tuple[int, int], nanodet: Path) -> None:
    assert not detect(flat((40, 90, 20), shape[1], shape[0]))
    for left, top, width, height in (each.box for each in detect(noise(1, shape[1], shape[0]))):
        assert 0 <= left <= left + width <= 1.0001
        assert 0 <= top <= top + height <= 1.0001


@pytest.mark.slow
def test_it_is_used_where_it_was_fetched(nanodet: Path) -> None:
    table = EngineTable(Settings())
    assert (table.report("detections").engine, table.report("people").engine) == ("nanodet", "nanodet")
    assert table.load("detections").id.startswith("nanodet-416-")


@pytest.mark.slow
def test_a_damaged_model_says_what_to_do(nanodet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(nanodet / "nanodet", tmp_path / "nanodet")
    file = tmp_path / "nanodet" / "nanodet.onnx"
    file.write_bytes(bytes(file.stat().st_size))
    monkeypatch.setenv("LONGTAKE_MODELS", str(tmp_path))
    with pytest.raises(EngineError, match="longtake models verify nanodet"):
        detect(flat((0, 0, 0), 64, 64))
