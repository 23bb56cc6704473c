"""Who is asked for, and who is found in a shot, without the tools around it."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from helpers.media.clips import write_clip

from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines.objects.objects_moving import LONG_SIDE, MovingThings
from longtake.preprocess.engines.objects.objects_query import parse_query
from longtake.preprocess.engines.people.people_engine import Footage
from longtake.preprocess.engines.people.people_opencv import OpenCvPeople
from longtake.preprocess.media.frames import read_frames
from longtake.preprocess.media.media import probe
from longtake.settings import Settings

pytestmark = pytest.mark.slow

PEOPLE = OpenCvPeople(Settings())


@pytest.mark.parametrize("text", ["people", "moving people", "different humans", "somebody", "two faces"])
def test_people_and_faces_are_known(text: str) -> None:
    assert PEOPLE.knows(parse_query(text))


@pytest.mark.parametrize("text", ["man", "women", "children", "red people", "round faces", "clock faces", "things"])
def test_what_only_some_of_them_are_is_not(text: str) -> None:
    assert not PEOPLE.knows(parse_query(text))


def footage(path: Path) -> Footage:
    media, span = probe(path), TimeSpan(start=0, end=2)
    frames = list(read_frames(path, media, span, lambda: None))
    return Footage(
        span,
        lambda step: ((frame.time, frame) for frame in frames[:: round(step * 25)]),
        lambda: MovingThings([frame.bgr(LONG_SIDE) for frame in frames[::10]]),
    )


@pytest.mark.parametrize(("text", "pictures"), [("people", 10), ("faces", 4)])
def test_those_who_sit_still_are_found_by_their_faces(text: str, pictures: int, tmp_path: Path, media: Path) -> None:
    photo = np.asarray(cv2.imread(str(media / "face_recognition" / "two_people.jpg")), np.uint8)
    shown = np.asarray(cv2.resize(photo, (640, 360)), np.uint8)
    shot = footage(write_clip(tmp_path / "two.mp4", [shown] * 50))
    found = PEOPLE.find(parse_query(text), [shot])
    assert (len(found.tracks), found.doubt) == (2, "")
    assert abs(found.pictures - pictures) <= 1
    assert not PEOPLE.find(parse_query(f"moving {text}"), [shot]).tracks
    assert "after a cut" in PEOPLE.find(parse_query(f"different {text}"), [shot, shot]).doubt
