"""dlib on photographs of people whose names are known."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from longtake.preprocess.engines.people.dlib_faces import DlibFaces
from longtake.preprocess.engines.people.people_engine import Face
from longtake.settings import Settings

Picture = npt.NDArray[np.uint8]
# photo: who is in it
WHO = {
    "alex-lacamoire.png": "Lacamoire",
    "biden.jpg": "Biden",
    "biden2.jpg": "Biden",
    "lin-manuel-miranda.png": "Miranda",
    "obama.jpg": "Obama",
    "obama1.jpg": "Obama",
    "obama2.jpg": "Obama",
    "obama3.jpg": "Obama",
    "obama_partial_face.jpg": "Obama",
}


@pytest.fixture(scope="module")
def engine() -> DlibFaces:
    return DlibFaces(Settings())


def photo(media: Path, name: str) -> Picture:
    return np.asarray(cv2.imread(str(media / "face_recognition" / name)), np.uint8)


def apart(one: Face, other: Face) -> float:
    return float(np.linalg.norm(np.array(one.embedding) - np.array(other.embedding)))


@pytest.mark.slow
def test_faces_of_one_person_lie_near_and_those_of_others_far(engine: DlibFaces, media: Path) -> None:
    faces = {}
    for name in WHO:
        [faces[name]] = engine.find(photo(media, name))
    for one, other in combinations(WHO, 2):
        assert (apart(faces[one], faces[other]) <= engine.same_person) == (WHO[one] == WHO[other]), (one, other)


def test_two_people_are_found_from_left_to_right_and_told_apart(engine: DlibFaces, media: Path) -> None:
    left, right = engine.find(photo(media, "two_people.jpg"))
    assert left.box[0] + left.box[2] < 0.5 < right.box[0]
    [obama] = engine.find(photo(media, "obama.jpg"))
    assert apart(left, obama) <= engine.same_person < apart(right, obama)


def test_a_face_is_found_at_the_same_place_whatever_the_size_of_the_picture(engine: DlibFaces, media: Path) -> None:
    large = photo(media, "obama1.jpg")
    [face] = engine.find(large)
    [small] = engine.find(np.asarray(cv2.resize(large, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA), np.uint8))
    assert small.box == pytest.approx(face.box, abs=0.03)
    assert apart(face, small) < 0.3
    assert 0.5 < face.confidence < 1


def test_a_box_that_leaves_the_picture_is_cut_at_its_edge(engine: DlibFaces, media: Path) -> None:
    [face] = engine.find(photo(media, "obama_partial_face.jpg"))
    assert face.box[0] == 0.0


def test_pictures_without_a_face_hold_none(engine: DlibFaces, media: Path) -> None:
    assert engine.find(np.zeros((360, 640, 3), np.uint8)) == []
    assert engine.find(np.zeros((4, 4, 3), np.uint8)) == []
    assert engine.find(np.asarray(cv2.imread(str(media / "EasyOCR" / "french.jpg")), np.uint8)) == []
