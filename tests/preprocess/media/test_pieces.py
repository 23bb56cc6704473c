"""A picture that is shown in pieces is read whole; every other picture is read as it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest
from helpers.media.clips import Picture, flat, noise, write_clip, written

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.media.frames import Frame, read_frames
from longtake.preprocess.media.media import probe
from longtake.preprocess.media.whole_frames import read_whole_frames, read_whole_frames_after

Mask = np.typing.NDArray[np.bool_]
WIDTH, HEIGHT = 320, 180
WHOLE = written(noise(3), "LANTERN", (40, 100), 1.6)
Hide = Callable[[int], Mask]


def quadrants(hold: int) -> Hide:
    """Top left, top right, bottom left, bottom right, each for some frames."""

    def visible(number: int) -> Mask:
        shown = np.zeros((HEIGHT, WIDTH), bool)
        down, across = divmod(number // hold % 4, 2)
        shown[HEIGHT // 2 * down :, WIDTH // 2 * across :][: HEIGHT // 2, : WIDTH // 2] = True
        return shown

    return visible


def strips(sets: int, axis: int, hold: int = 1) -> Hide:
    """One of several sets of strips in turn."""

    def visible(number: int) -> Mask:
        places = np.arange((HEIGHT, WIDTH)[axis])[(slice(None), None) if axis == 0 else (None, slice(None))]
        return np.broadcast_to(places // 10 % sets == number // hold % sets, (HEIGHT, WIDTH))

    return visible


def dealt(number: int) -> Mask:
    """A random third of the columns, another one in each frame."""
    chosen = np.random.default_rng(number).permutation(WIDTH // 8)[: WIDTH // 24]
    return np.broadcast_to(np.isin(np.arange(WIDTH) // 8, chosen), (HEIGHT, WIDTH))


def behind(visible: Hide, level: int, frames: int, whole: Callable[[int], Picture] = lambda _: WHOLE) -> list[Picture]:
    return [np.where(visible(n)[..., None], whole(n), np.uint8(level)) for n in range(frames)]


@pytest.mark.nightly
@pytest.mark.parametrize("level", [0, 128, 255])
@pytest.mark.parametrize(
    "visible",
    [quadrants(1), quadrants(12), strips(3, 1), strips(8, 1), strips(4, 0), strips(4, 1, hold=5), dealt],
    ids=["quadrants", "held quadrants", "thirds", "eighths", "rows", "held strips", "random columns"],
)
def test_pieces_become_the_whole_picture(tmp_path: Path, visible: Hide, level: int) -> None:
    path = write_clip(tmp_path / "a.mp4", behind(visible, level, 100))
    media = probe(path)
    apart = [
        np.abs(frame.bgr().astype(int) - WHOLE).mean() for frame in read_whole_frames(path, media, None, lambda: None)
    ]
    assert np.median(apart) < 12
    shown = [frame.time for frame in read_frames(path, media, None, lambda: None)]
    assert [frame.time for frame in read_whole_frames(path, media, None, lambda: None)] == shown


def test_a_part_of_the_video_is_read_like_the_whole(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "a.mkv", [noise(1)] * 50 + behind(quadrants(6), 0, 100) + [noise(2)] * 50)
    media = probe(path)
    [frame] = read_whole_frames(path, media, TimeSpan(start=4.0, end=4.0), lambda: None)
    after = next(read_whole_frames_after(path, media, 3.98, lambda: None))
    everything = {each.time: each.bgr() for each in read_whole_frames(path, media, None, lambda: None)}
    for one in (frame, after):
        assert np.array_equal(one.bgr(), everything[one.time])
    assert np.abs(frame.bgr().astype(int) - WHOLE).mean() < 8
    assert np.abs(everything[1.0].astype(int) - noise(1)).mean() < 8
    assert np.abs(everything[7.0].astype(int) - noise(2)).mean() < 8


@pytest.mark.parametrize("visible", [strips(4, 1), quadrants(2)], ids=["strips", "quadrants"])
def test_a_cut_between_rounds_of_pieces_stays_a_cut(tmp_path: Path, visible: Hide) -> None:
    """All pieces are known before the first round is joined, so that no round spans a cut."""
    before, after = noise(4, 8, 4), noise(5, 8, 4)  # large patches, so that the edges between strips don't show
    wholes = [np.asarray(cv2.resize(each, (WIDTH, HEIGHT)), np.uint8) for each in (before, after)]
    path = write_clip(tmp_path / "a.mkv", behind(visible, 0, 96, lambda n: wholes[n // 48]))
    for number, frame in enumerate(read_whole_frames(path, probe(path), None, lambda: None)):
        assert np.abs(frame.bgr().astype(int) - wholes[number // 48]).mean() < 12, number


def slides(number: int) -> Picture:
    """A picture in another place of a white slide every twelve frames."""
    slide = flat((255, 255, 255), WIDTH, HEIGHT)
    left, top = [(0, 0), (160, 0), (0, 90), (160, 90)][number // 12 % 4]
    slide[top : top + 90, left : left + 160] = noise(number // 12, 160, 90)
    return slide


def title(number: int) -> Picture:
    return written(flat((0, 0, 0), WIDTH, HEIGHT), f"Part {number // 20}", (20 + 40 * (number // 20), 100))


def spotlight(number: int) -> Picture:
    """A bright disc that crosses the dark."""
    return np.asarray(cv2.circle(flat((0, 0, 0), WIDTH, HEIGHT), (4 * number, 90), 70, (200, 220, 240), -1), np.uint8)


def pillars(number: int) -> Picture:
    """Upright pictures between black bars, one a second."""
    picture = flat((0, 0, 0), WIDTH, HEIGHT)
    picture[:, 110:210] = noise(number // 25, 100, HEIGHT)
    return picture


@pytest.mark.parametrize("picture", [slides, title, spotlight, pillars])
def test_other_pictures_with_much_flat_colour_stay(tmp_path: Path, picture: Callable[[int], Picture]) -> None:
    path = write_clip(tmp_path / "a.mp4", [picture(n) for n in range(100)])
    media = probe(path)

    def pictures(read: Callable[..., Iterator[Frame]]) -> list[Picture]:
        return [frame.bgr() for frame in read(path, media, None, lambda: None)]

    assert all(map(np.array_equal, pictures(read_whole_frames), pictures(read_frames)))
