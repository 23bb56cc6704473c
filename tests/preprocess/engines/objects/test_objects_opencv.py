"""Colours and simple shapes, drawn and filmed."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from helpers.media.clips import Picture, flat
from helpers.media.drawing import BLUE, GREEN, RED, YELLOW, box, circle, polygon

from longtake.preprocess.engines.objects.object_engine import FoundObject
from longtake.preprocess.engines.objects.objects_colours import COLOURS, colour_mask, label_colours
from longtake.preprocess.engines.objects.objects_opencv import OpenCvObjects
from longtake.preprocess.engines.objects.objects_query import parse_query
from longtake.settings import Settings


def found(picture: Picture, text: str) -> list[FoundObject]:
    return sorted(OpenCvObjects(Settings()).find(picture, parse_query(text)), key=lambda each: each.box)


@pytest.fixture(scope="module")
def shapes() -> Picture:
    """Two red circles, a green circle, a blue square, a turned blue square, a yellow rectangle, a red triangle."""
    picture = flat((235, 235, 235), 640, 360)
    for middle, radius, colour in (((70, 80), 40, RED), ((200, 80), 12, RED), ((320, 80), 30, GREEN)):
        picture = circle(picture, middle, radius, colour)
    picture = box(picture, 420, 40, 70, 70, BLUE)
    picture = polygon(picture, [(570, 30), (620, 80), (570, 130), (520, 80)], BLUE)
    picture = box(picture, 40, 220, 200, 60, YELLOW)
    return polygon(picture, [(350, 320), (480, 310), (400, 200)], RED)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("red circles", 2),
        ("circles", 3),
        ("green circles", 1),
        ("blue circles", 0),
        ("squares", 2),
        ("blue squares", 2),
        ("rectangles", 1),
        ("triangles", 1),
        ("red things", 3),
        ("blue things", 2),
        ("purple things", 0),
    ],
)
def test_shapes_are_reported_by_colour_and_outline(text: str, count: int, shapes: Picture) -> None:
    assert len(found(shapes, text)) == count


def test_a_shape_lies_where_it_was_drawn_and_fits_it(shapes: Picture) -> None:
    [large, small] = found(shapes, "red circles")
    assert large.box == pytest.approx((30 / 640, 40 / 360, 81 / 640, 81 / 360), abs=0.01)
    assert small.box == pytest.approx((188 / 640, 68 / 360, 25 / 640, 25 / 360), abs=0.01)
    assert (large.name, large.colour) == ("red circle", "red")
    assert large.confidence > 0.95


def test_what_is_no_simple_shape_is_none() -> None:
    star = [(320, 60), (350, 160), (450, 160), (370, 220), (400, 320), (320, 260), (240, 320), (270, 220), (190, 160)]
    picture = polygon(flat((0, 0, 0), 640, 360), [*star, (290, 160)], YELLOW)
    oval = np.asarray(cv2.ellipse(picture, (540, 60), (80, 40), 0, 0, 360, YELLOW, cv2.FILLED), np.uint8)
    assert len(found(oval, "yellow things")) == 2
    assert [shape for shape in ("circles", "squares", "rectangles", "triangles") if found(oval, shape)] == []


def test_the_rim_of_something_else_is_no_shape() -> None:
    ring = np.asarray(cv2.circle(flat((255, 255, 255), 640, 360), (320, 180), 90, RED, 6, cv2.LINE_AA), np.uint8)
    assert found(ring, "red circles") == []


def test_the_ground_is_no_thing(shapes: Picture) -> None:
    assert found(shapes, "white things") == []


def test_a_large_picture_is_seen_as_a_small_one(shapes: Picture) -> None:
    large = np.asarray(cv2.resize(shapes, (1920, 1080), interpolation=cv2.INTER_CUBIC), np.uint8)
    small, big = found(shapes, "circles"), found(large, "circles")
    assert [each.name for each in big] == [each.name for each in small]
    for one, other in zip(small, big, strict=True):
        assert other.box == pytest.approx(one.box, abs=0.01)


def test_blank_and_tiny_pictures_hold_nothing() -> None:
    assert found(flat((0, 0, 0), 4, 4), "circles") == []
    assert found(flat((128, 128, 128)), "red things") == []


NAMED = {
    "red": (0, 0, 255),
    "orange": (0, 140, 255),
    "yellow": (0, 255, 255),
    "green": (0, 128, 0),
    "cyan": (255, 255, 0),
    "blue": (255, 0, 0),
    "purple": (128, 0, 128),
    "pink": (180, 105, 255),
    "brown": (19, 69, 139),
    "black": (0, 0, 0),
    "grey": (128, 128, 128),
    "white": (255, 255, 255),
}


@pytest.mark.parametrize("name", COLOURS)
def test_the_colours_of_the_web_have_their_names(name: str) -> None:
    assert colour_mask(label_colours(flat(NAMED[name])), name).all()


def test_what_is_no_colour_or_shape_takes_another_engine() -> None:
    engine = OpenCvObjects(Settings())
    assert engine.cannot(parse_query("red things")) is None
    assert "'person'" in (engine.cannot(parse_query("people")) or "")
