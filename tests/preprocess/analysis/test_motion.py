"""How the camera moves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from helpers.data.visual_pass import look_at, texture
from helpers.media.clips import Picture

WIDE = texture(7, 960, 540)


def view(across: float, along: float, zoom: float = 1.0) -> Picture:
    """What a camera sees that looks at a place of a wide picture, in pixels from its middle."""
    return np.asarray(
        cv2.getRectSubPix(
            np.asarray(cv2.resize(WIDE, None, fx=zoom, fy=zoom), np.uint8),
            (320, 180),
            (zoom * 480 + across, zoom * 270 + along),
        ),
        np.uint8,
    )


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("kind", "seen", "speed"),
    [
        ("pan_right", lambda n: view(2 * n - 100, 0), 50 / 320),
        ("pan_left", lambda n: view(100 - 2 * n, 0), 50 / 320),
        ("tilt_down", lambda n: view(0, 1.5 * n - 75), 37.5 / 320),
        ("tilt_up", lambda n: view(0, 75 - 1.5 * n), 37.5 / 320),
        ("zoom_in", lambda n: view(0, 0, 1 + 0.004 * n), 0.085),
        ("zoom_out", lambda n: view(0, 0, 1.4 - 0.004 * n), 0.085),
        ("zoom_in", lambda n: view(0, 0, 1.0025**n), 0.0625),
        ("zoom_out", lambda n: view(0, 0, 1.29 * 0.9975**n), 0.0625),
    ],
)
def test_a_steady_motion_is_one_span_of_its_kind(
    tmp_path: Path, kind: str, seen: Callable[[int], Picture], speed: float
) -> None:
    motion = look_at(tmp_path, [seen(0)] * 25 + [seen(n) for n in range(100)] + [seen(99)] * 25).items("motion")
    (span,) = motion
    assert span["kind"] == kind
    assert (span["start"], span["end"]) == (pytest.approx(1.0, abs=0.3), pytest.approx(5.0, abs=0.3))
    assert span["speed"] == pytest.approx(speed, rel=0.25)


def test_a_hand_that_trembles_is_reported_as_shaking(tmp_path: Path) -> None:
    places = np.cumsum(np.random.default_rng(1).choice([-6.0, 6.0], (15, 2)), axis=0)
    steps = [place for place in places for _ in range(5)]
    kinds = {item["kind"] for item in look_at(tmp_path, [view(*place) for place in steps]).items("motion")}
    assert "shake" in kinds


def test_a_static_camera_has_no_motion(tmp_path: Path) -> None:
    still = view(0, 0)
    moving = [cv2.circle(still.copy(), (20 + 3 * n, 90), 15, (0, 0, 255), -1) for n in range(90)]
    assert look_at(tmp_path, [still] * 25 + [np.asarray(each, np.uint8) for each in moving]).items("motion") == []
