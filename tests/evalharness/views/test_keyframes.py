"""Keyframes: the choice by hand, and the frames of one colour of a drawn video."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.media.clips import flat, write_clip
from helpers.models.colour_embedding import COLOURS

from longtake.config import load
from longtake.evalharness.items import Item, Turn
from longtake.evalharness.views.frame_views import FRAMES, keyframes
from longtake.evalharness.views.view_table import view_named
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.built_in_engines import EngineEntry
from longtake.preprocess.engines.engine_table import ENGINES
from longtake.preprocess.pipeline.workspace import Workspace


def scores(*near: int, of: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    """0 for each frame, and 1 for those named."""
    found = np.zeros(of, np.float32)
    found[list(near)] = 1
    return found


def test_a_peak_takes_all_frames_and_a_flat_video_is_covered() -> None:
    # The best sixteen have a mean of 1, all 160 one of 0.1: 0.9 better, so nothing is halved.
    assert keyframes(scores(*range(40, 56), of=160)) == list(range(40, 56))
    # All are the same: four halvings, and the first frame of each sixteenth.
    assert keyframes(np.ones(160, np.float32)) == list(range(0, 160, 10))
    assert keyframes(np.ones(FRAMES, np.float32)) == list(range(FRAMES))


def test_a_peak_in_one_half_takes_the_frames_of_that_half() -> None:
    # 144 frames, of which 0 to 11 are near: the best sixteen have a mean of 0.75, less 0.083 is 0.67, so it is halved.
    # The first half has 0.75 less 0.167 and is halved down to nine frames a stretch, each with its best: 0 and 9 of the
    # near ones, then the first of each.
    assert keyframes(scores(*range(12), of=144)) == list(range(0, 144, 9))
    # 320 frames, of which 0 to 15 and 170 are near. Whole: 1 less 17 / 320 is 0.95.
    assert keyframes(scores(*range(16), 170, of=320)) == list(range(16))
    # 320 frames, of which ten of the first half are near and the second half is half as near throughout. Whole: the
    # best sixteen have (10 + 6 / 2) / 16 = 0.81, less (10 + 80) / 320 = 0.28. Neither half has a peak of 0.8 either.
    found = scores(*range(10), of=320)
    found[160:] = 0.5
    assert keyframes(found) == list(range(0, 320, 20))


@pytest.mark.parametrize("clip", [None, TimeSpan(start=20, end=60)])
def test_the_frames_of_the_colour_that_is_asked_about_are_shown(
    clip: TimeSpan | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Red at one frame a second, and blue from 30 to 46 seconds."""
    entry = EngineEntry("helpers.models.colour_embedding:ColourEmbedding", "colours")
    monkeypatch.setitem(ENGINES, "image_text_embedding", {**ENGINES["image_text_embedding"], "colours": entry})
    seconds = 160 if clip is None else 100
    pictures = [flat(COLOURS["blue" if 30 <= second < 46 else "red"], 64, 64) for second in range(seconds)]
    video = write_clip(tmp_path / "colours.mp4", pictures, times=float)
    turn = Turn(question="What is blue?", options=("the sky", "the sea"), gold=0)
    item = Item(suite="own", id="i", video="v", media=str(video), format="choice", turns=(turn,), clip=clip)
    workspace = Workspace(tmp_path / "library", load(overrides=("engines.image_text_embedding=[colours]",)))
    times = [frame.time for frame in view_named("keyframes").show(item, workspace, 64, 0).frames]
    evenly = [frame.time for frame in view_named("uniform").show(item, workspace, 64, 0).frames]
    assert len(times) == len(evenly) == FRAMES
    if clip is None:  # 16 of 160 are near: a peak of 0.9
        assert times == [float(second) for second in range(30, 46)]
    else:  # 16 of 40 are near, a mean of 0.4 and no peak: all of the clip is covered
        assert all(clip.start <= time <= clip.end for time in times)
        assert times != evenly
