"""What differs from the background of a shot."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from helpers.media.clips import Picture, noise
from helpers.media.drawing import GREEN, RED, circle

from longtake.preprocess.engines.objects.objects_moving import MovingThings, commonest

GROUND = noise(3)


def walk(number: int) -> Picture:
    """A red disc that crosses a still picture within twenty pictures."""
    return circle(GROUND, (10 + 15 * number, 90), 14, RED)


def places(movers: MovingThings, picture: Picture) -> list[tuple[float, float]]:
    found = movers.find(picture)
    assert found is not None
    return [each.middle for each in found]


def test_what_moves_is_found_where_it_is_with_its_colour() -> None:
    movers = MovingThings([walk(number) for number in range(20)])
    for number in (2, 9, 16):
        [found] = movers.find(walk(number)) or []
        assert found.middle == pytest.approx(((10 + 15 * number) / 320, 0.5), abs=0.02)
        assert found.colour == "red"


def test_a_picture_of_the_background_holds_nothing() -> None:
    movers = MovingThings([walk(number) for number in range(20)])
    assert movers.find(GROUND) == []


def test_the_background_may_be_covered_most_of_the_time() -> None:
    colours = np.random.default_rng(1).integers(0, 256, (20, 3))
    covered = [circle(GROUND, (160, 90), 40, (int(red), int(green), int(blue))) for red, green, blue in colours]
    samples = [GROUND if number % 5 < 2 else covered[number] for number in range(20)]
    differs = (commonest(samples) != GROUND).any(axis=2)
    assert differs.mean() < 0.0005  # but for an edge, where a covering colour may be like the ground


def test_a_flat_thing_over_a_grainy_background_is_no_background() -> None:
    grain = np.random.default_rng(2)
    grainy = [np.clip(grain.normal(200, 2, GROUND.shape), 0, 255).astype(np.uint8) for _ in range(20)]
    slow = [circle(each, (160, 35 + 6 * number), 20, GREEN) for number, each in enumerate(grainy)]
    assert np.abs(commonest(slow).astype(int) - 200).max() <= 8


def test_who_stands_there_for_most_of_the_shot_leaves_no_ghost() -> None:
    standing = circle(GROUND, (160, 90), 30, GREEN)
    movers = MovingThings([GROUND] * 6 + [standing] * 14)
    assert places(movers, GROUND) == []
    assert places(movers, standing) == [pytest.approx((0.5, 0.5), abs=0.02)]


def test_a_brighter_exposure_moves_nothing() -> None:
    movers = MovingThings([GROUND] * 10)
    assert movers.find(np.clip(GROUND.astype(int) + 30, 0, 255).astype(np.uint8)) == []


def test_a_soft_shadow_is_no_thing() -> None:
    ground = np.full((180, 320, 3), 200, np.uint8)
    shade = cv2.GaussianBlur(circle(np.zeros_like(ground), (160, 90), 50, (90, 90, 90)), (0, 0), 15)
    movers = MovingThings([ground] * 10)
    assert movers.find(np.asarray(cv2.subtract(ground, shade), np.uint8)) == []
    assert len(movers.find(circle(ground, (160, 90), 50, (110, 110, 110))) or []) == 1


def test_a_camera_that_moves_is_distinguished_from_things_that_do() -> None:
    wide = noise(5, 640, 180)
    samples = [np.ascontiguousarray(wide[:, 10 * number : 10 * number + 320]) for number in range(30)]
    movers = MovingThings(samples)
    assert sum(movers.find(sample) is None for sample in samples) > 15
