"""Still scenes for camera motion (REVEAL, section 12.3): five kinds, drawn at 1280 by 720, each from its seed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import cv2
import numpy as np

from longtake.console import raise_if_interrupted
from longtake.evalharness.edits.rendering import write_frames
from longtake.evalharness.edits.timeline import PlannedFrame
from longtake.evalharness.runs.run_folder import Notify
from longtake.preprocess.media.frames import Picture

WIDTH, HEIGHT, FPS = 1280, 720, 25
Random = np.random.Generator


def write_stills(folder: Path, count: int, seed: int, notify: Notify) -> list[Path]:
    """Write `count` videos of a second, one kind of scene after the other, and list them; those that exist are kept.

    Raises:
        LibraryError: if the folder can't be written to.
    """
    videos = [folder / f"still-{seed}-{number}.mp4" for number in range(count)]
    for number, video in enumerate(videos):
        if not video.exists():
            notify(f"Making {video.name}")
            picture = still(list(SCENES)[number % len(SCENES)], seed * 1000 + number)
            write_frames(video, partial(_frames, picture), fps=FPS, check=raise_if_interrupted)
    return videos


def still(scene: str, seed: int) -> Picture:
    """A scene, (720, 1280, 3) BGR."""
    random = np.random.default_rng(seed)
    picture = np.empty((HEIGHT, WIDTH, 3), np.uint8)
    picture[:] = np.linspace(_shade(random, 150, 250), _shade(random, 90, 200), HEIGHT)[:, np.newaxis]
    SCENES[scene](picture, random)
    return picture


def _trees(picture: Picture, random: Random) -> None:
    cv2.rectangle(picture, (0, 480), (WIDTH, HEIGHT), (60, 130, 80), -1)
    for _ in range(16):
        x, foot, size = (int(random.integers(*span)) for span in ((0, WIDTH), (480, 700), (40, 110)))
        cv2.rectangle(picture, (x - 9, foot - 2 * size), (x + 9, foot), (40, 70, 100), -1)
        cv2.circle(picture, (x, foot - 2 * size), size, (30, int(random.integers(90, 190)), 40), -1)


def _table(picture: Picture, random: Random) -> None:
    cv2.rectangle(picture, (0, 420), (WIDTH, HEIGHT), (70, 110, 160), -1)
    for number in range(18):
        x, foot, side = (int(random.integers(*span)) for span in ((20, WIDTH - 20), (430, 700), (25, 80)))
        if number % 2:
            cv2.rectangle(picture, (x, foot - 2 * side), (x + side, foot), _shade(random), -1)
        else:
            cv2.ellipse(picture, (x, foot - side), (side, side // 2), 0, 0, 360, _shade(random), -1)


def _city(picture: Picture, random: Random) -> None:
    x = 0
    while x < WIDTH:
        width, top = int(random.integers(50, 140)), int(random.integers(80, 480))
        cv2.rectangle(picture, (x, top), (x + width, HEIGHT), _shade(random, 50, 140), -1)
        for row in range(top + 15, HEIGHT, 36):
            for column in range(x + 12, x + width - 14, 26):
                lit = (120, 220, 240) if random.random() < 0.5 else (60, 50, 40)
                cv2.rectangle(picture, (column, row), (column + 12, row + 18), lit, -1)
        x += width


def _pattern(picture: Picture, random: Random) -> None:
    for _ in range(60):
        centre = random.integers((0, 0), (WIDTH, HEIGHT))
        corners = centre + random.integers(-110, 110, (int(random.integers(3, 7)), 2))
        cv2.fillConvexPoly(picture, cv2.convexHull(corners.astype(np.int32)), _shade(random))


def _shelf(picture: Picture, random: Random) -> None:
    for board in range(150, HEIGHT, 180):
        x = 10
        while x < WIDTH - 60:
            width, height = int(random.integers(18, 60)), int(random.integers(90, 150))
            cv2.rectangle(picture, (x, board - height), (x + width, board), _shade(random), -1)
            cv2.rectangle(
                picture, (x + 4, board - height + 15), (x + width - 4, board - height + 24), (230, 230, 230), -1
            )
            x += width + int(random.integers(1, 14))
        cv2.rectangle(picture, (0, board), (WIDTH, board + 14), (50, 80, 120), -1)


def _shade(random: Random, low: int = 30, high: int = 240) -> tuple[int, int, int]:
    blue, green, red = (int(each) for each in random.integers(low, high, 3))
    return blue, green, red


def _frames(picture: Picture) -> Iterator[PlannedFrame]:
    return (PlannedFrame(picture, frame / FPS, 1 / FPS) for frame in range(FPS))


SCENES: dict[str, Callable[[Picture, Random], None]] = {
    "trees": _trees,
    "table": _table,
    "city": _city,
    "pattern": _pattern,
    "shelf": _shelf,
}
