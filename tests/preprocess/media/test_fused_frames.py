"""What no single frame shows whole is whole in a fused picture."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from helpers.media.clips import Picture, flat, noise, write_clip, written

from longtake.config import load
from longtake.errors import MediaError
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.text.rapidocr import RapidOcr
from longtake.preprocess.layers.reading import lines_of
from longtake.preprocess.media.fused_frames import Mode, fuse_frames
from longtake.preprocess.media.media import probe

TEXT = "LANTERN 5307"
GROUND = flat((70, 30, 20), 640, 200)


def texts(path: Path, mode: Mode, span: TimeSpan | None = None) -> list[str]:
    """What is read in the fused picture."""
    media = probe(path)
    fused = fuse_frames(path, media, span or TimeSpan(start=0, end=media.duration), mode, lambda: None)
    assert fused
    height, width = fused.picture.shape[:2]
    boxes = RapidOcr(load()).read(fused.picture, min(4096, max(height, width)))
    return [line.text for line in lines_of(boxes, width / height)]


def through_a_slit(picture: Picture, frames: int) -> list[Picture]:
    """Only a strip of the picture in each frame, black beside it."""
    width = picture.shape[1] // frames + 1
    shown = [np.zeros_like(picture) for _ in range(frames)]
    for number, frame in enumerate(shown):
        part = slice(number * width, (number + 1) * width)
        frame[:, part] = picture[:, part]
    return shown


def test_writing_behind_a_moving_slit_is_read(tmp_path: Path) -> None:
    slide = written(GROUND, TEXT, (40, 120), 2.2)
    path = write_clip(tmp_path / "slit.mkv", through_a_slit(slide, 40))
    assert texts(path, "maximum") == [TEXT]
    assert TEXT not in texts(path, "maximum", TimeSpan(start=0.6, end=0.6))


@pytest.mark.parametrize("mode", ["maximum", "minimum"])
def test_writing_that_appears_letter_by_letter_and_goes_is_read(tmp_path: Path, mode: Mode) -> None:
    light = mode == "maximum"
    frames = list[Picture]()
    for place, letter in enumerate(TEXT):
        colour, ground = ((255, 255, 255), GROUND) if light else ((20, 20, 20), flat((220, 220, 230), 640, 200))
        shown = cv2.putText(ground.copy(), letter, (30 + 48 * place, 120), 0, 2.0, colour, 5, cv2.LINE_AA)
        frames += [np.asarray(shown, np.uint8)] * 4
    # Without loss: the reader would find the letters in what an encoder leaves around them, too.
    path = write_clip(tmp_path / "letters.mkv", frames, codec="ffv1", pixels="yuv444p")
    assert texts(path, mode) == [TEXT]
    assert texts(path, "minimum" if light else "maximum") == []


@pytest.mark.nightly
def test_writing_under_noise_is_read_in_the_mean(tmp_path: Path) -> None:
    slide = written(flat((90, 90, 90), 640, 200), TEXT, (40, 120), 2.2).astype(np.float32)
    generator = np.random.default_rng(7)
    frames = [np.clip(slide * 0.35 + generator.normal(60, 90, slide.shape), 0, 255).astype(np.uint8) for _ in range(50)]
    path = write_clip(tmp_path / "noise.mkv", frames)
    assert texts(path, "mean") == [TEXT]
    assert texts(path, "mean", TimeSpan(start=1, end=1)) != [TEXT]


@pytest.mark.nightly
def test_writing_that_scrolls_through_a_window_is_read_in_a_mosaic(tmp_path: Path) -> None:
    said = "The ferry to Larkspur leaves at 18:45 from pier seven"
    band = written(flat((70, 30, 20), 1700, 60), said, (330, 42), 1.2)
    frames = list[Picture]()
    for left in range(0, 1350, 9):
        frame = np.asarray(noise(4, 640, 360) // 3, np.uint8)
        frame[250:310, 160:480] = band[:, left : left + 320]
        frames.append(frame)
    path = write_clip(tmp_path / "ticker.mkv", frames)
    media = probe(path)
    fused = fuse_frames(path, media, TimeSpan(start=0, end=media.duration), "mosaic", lambda: None)
    assert fused
    assert fused.frames == 150
    assert fused.picture.shape[1] > 1300
    assert "".join(texts(path, "mosaic")).replace(" ", "") == said.replace(" ", "")


def test_a_span_without_frames_has_no_picture(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "short.mkv", [GROUND] * 5, sound_seconds=3.0)
    media = probe(path)
    assert fuse_frames(path, media, TimeSpan(start=0, end=0.1), "mean", lambda: None)
    with pytest.raises(MediaError):
        fuse_frames(tmp_path / "gone.mkv", media, TimeSpan(start=0, end=1), "mean", lambda: None)
