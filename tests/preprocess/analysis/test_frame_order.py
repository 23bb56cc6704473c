"""Frames and pieces that were put into another order are found in real clips, and real clips are left alone."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.analysis.frame_measures import Measured, measure
from longtake.preprocess.analysis.frame_order import Order, find_shuffled
from longtake.preprocess.media.frames import read_frames
from longtake.preprocess.media.media import probe

CLIPS = ("sam2/01_dog.mp4", "libopenshot/run.mp4", "shared-assets/friday.mp4", "Ask-Anything/playing_guitar.mp4")
SECONDS = 4.0
Reorder = Callable[[list[Measured]], list[Measured]]


@cache
def measured(path: Path) -> list[Measured]:
    span = TimeSpan(start=0, end=SECONDS)
    return [measure(frame) for frame in read_frames(path, probe(path), span, lambda: None)]


def retimed(frames: Sequence[Measured], order: Sequence[int]) -> list[Measured]:
    """The frames in another order, each at the time of the one whose place it takes."""
    return [frames[source]._replace(time=frame.time) for source, frame in zip(order, frames, strict=False)]


def as_filmed(frames: list[Measured]) -> list[Measured]:
    return frames


def backwards(frames: list[Measured]) -> list[Measured]:
    return retimed(frames, range(len(frames))[::-1])


def frames_shuffled(frames: list[Measured]) -> list[Measured]:
    """Those from the second second on, for a second and a half."""
    order = list(range(len(frames)))
    first, last = (next(n for n, frame in enumerate(frames) if frame.time >= time) for time in (1.0, 2.5))
    middle = order[first:last]
    random.Random(1).shuffle(middle)
    return retimed(frames, order[:first] + middle + order[last:])


def pieces_shuffled(frames: list[Measured]) -> list[Measured]:
    pieces = np.array_split(np.arange(len(frames)), 8)
    return retimed(frames, [int(n) for at in (3, 0, 6, 2, 7, 4, 1, 5) for n in pieces[at]])


@pytest.mark.parametrize("clip", CLIPS)
@pytest.mark.parametrize("reorder", [as_filmed, backwards])
def test_a_real_clip_is_in_order_whichever_way_it_runs(media: Path, clip: str, reorder: Reorder) -> None:
    order = find_shuffled(reorder(measured(media / clip)))
    assert order.findings == []
    assert order.judged > 0.5


@pytest.mark.parametrize("clip", CLIPS)
def test_permuted_frames_are_found_where_they_are(media: Path, clip: str) -> None:
    [found] = find_shuffled(frames_shuffled(measured(media / clip))).findings
    assert found.kind == "shuffled"
    assert found.span.start == pytest.approx(1.0, abs=0.5)
    assert found.span.end == pytest.approx(2.5, abs=0.6)
    assert found.sure > 0.7


def test_frames_of_two_scenes_that_were_permuted_are_one_span(media: Path) -> None:
    one, other = (measured(media / clip)[:45] for clip in CLIPS[:2])
    frames = [frame._replace(time=number / 25) for number, frame in enumerate((*one, *other))]
    assert find_shuffled(frames).findings == []
    order = find_shuffled(frames_shuffled(frames))
    assert [finding.kind for finding in order.findings] == ["shuffled"]
    assert order.broken == (order.findings[0].span,)


@pytest.mark.parametrize("clip", CLIPS[1:])
def test_permuted_pieces_are_found(media: Path, clip: str) -> None:
    [found] = find_shuffled(pieces_shuffled(measured(media / clip))).findings
    assert found.text.startswith("pieces out of order")
    assert found.span.length > 0.9 * SECONDS


def test_the_order_of_a_picture_that_rests_cannot_be_told(media: Path) -> None:
    [frame, *_] = measured(media / CLIPS[0])
    rests = [frame._replace(time=number / 25) for number in range(60)]
    assert find_shuffled(rests) == Order([], 0.0)
    assert find_shuffled(rests[:10]) == Order([], 0.0)
