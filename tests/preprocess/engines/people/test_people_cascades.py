"""Whose faces are asked for, and which are found in a shot, without the tools around it."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from helpers.media.clips import write_clip

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.objects.objects_query import parse_query
from longtake.preprocess.engines.people.people_cascades import CascadeFaces
from longtake.preprocess.engines.people.people_engine import Footage
from longtake.preprocess.media.frames import read_frames
from longtake.preprocess.media.media import probe
from longtake.settings import Settings

pytestmark = pytest.mark.slow

FACES = CascadeFaces(Settings())


@pytest.mark.parametrize("text", ["faces", "moving faces", "two different faces"])
def test_faces_are_known(text: str) -> None:
    assert FACES.knows(parse_query(text))


@pytest.mark.parametrize("text", ["people", "nobody", "women", "round faces", "clock faces", "things"])
def test_people_and_what_only_some_faces_are_is_not(text: str) -> None:
    assert not FACES.knows(parse_query(text))


def footage(path: Path) -> Footage:
    media, span = probe(path), TimeSpan(start=0, end=2)
    frames = list(read_frames(path, media, span, lambda: None))
    return Footage(span, lambda step: ((frame.time, frame) for frame in frames[:: round(step * 25)]))


@pytest.mark.nightly
def test_the_faces_of_those_who_sit_still_are_found(tmp_path: Path, media: Path) -> None:
    photo = np.asarray(cv2.imread(str(media / "face_recognition" / "two_people.jpg")), np.uint8)
    shown = np.asarray(cv2.resize(photo, (640, 360)), np.uint8)
    shot = footage(write_clip(tmp_path / "two.mp4", [shown] * 50))
    found = FACES.find(parse_query("faces"), [shot])
    assert (len(found.tracks), found.doubt) == (2, "")
    assert abs(found.pictures - 4) <= 1
    assert not FACES.find(parse_query("moving faces"), [shot]).tracks
    assert "after a cut" in FACES.find(parse_query("different faces"), [shot, shot]).doubt
