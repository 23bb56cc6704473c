"""Faces by cascades, on photographs."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from helpers.media.clips import Picture, noise

from longtake.preprocess.engines.objects.object_engine import FoundObject
from longtake.preprocess.engines.people.people_cascades import find_faces


def photo(media: Path, name: str) -> Picture:
    return np.asarray(cv2.imread(str(media / "face_recognition" / name)), np.uint8)


def sure(picture: Picture) -> list[FoundObject]:
    return sorted((face for face in find_faces(picture) if face.confidence >= 0.5), key=lambda face: face.box)


@pytest.mark.parametrize("name", ["biden2.jpg", "obama1.jpg", "obama2.jpg", "lin-manuel-miranda.png"])
def test_a_face_is_found_once(name: str, media: Path) -> None:
    [face] = sure(photo(media, name))
    assert face.name == "face"


def test_two_faces_are_found_where_they_are(media: Path) -> None:
    left, right = sure(photo(media, "two_people.jpg"))
    assert left.middle == pytest.approx((0.286, 0.176), abs=0.03)
    assert right.middle == pytest.approx((0.777, 0.226), abs=0.03)


def test_a_mirrored_picture_holds_the_mirrored_faces(media: Path) -> None:
    right, left = sure(np.ascontiguousarray(photo(media, "two_people.jpg")[:, ::-1]))
    assert (right.middle[0], left.middle[0]) == pytest.approx((1 - 0.777, 1 - 0.286), abs=0.03)


def test_what_is_no_face_is_not_sure_to_be_one(media: Path) -> None:
    assert sure(noise(3)) == []
    assert sure(np.asarray(cv2.imread(str(media / "EasyOCR" / "example.png")), np.uint8)) == []
