"""`longtake faces`."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner, Result

from longtake.cli.main import app
from longtake.errors import EngineUnavailable, LibraryError, LongtakeError, MediaError
from longtake.memory.gallery import Gallery


def run(library: Path, *arguments: str) -> Result:
    command = ["--library", str(library), "--set", "engines.faces=[dlib]", "faces", *arguments]
    return CliRunner().invoke(app, command, catch_exceptions=False)


@pytest.fixture
def photos(media: Path) -> Path:
    return media / "face_recognition"


def test_a_face_is_enrolled_listed_and_forgotten(photos: Path, tmp_path: Path) -> None:
    assert run(tmp_path, "list").stdout.startswith("Nobody is enrolled")
    done = run(tmp_path, "enrol", "Barack", str(photos / "obama1.jpg"), str(photos / "obama2.jpg"), "--role", "guest")
    assert done.stdout.startswith("Enrolled Barack from 2 photos")
    assert done.stderr == ""
    assert run(tmp_path, "list").stdout == "Barack  2 photos  guest\n"
    assert run(tmp_path, "forget", "barack").stdout == "Deleted Barack.\n"
    assert Gallery(tmp_path).people() == ()


def test_json(photos: Path, tmp_path: Path) -> None:
    enrolled = json.loads(run(tmp_path, "enrol", "Joe", str(photos / "biden.jpg"), "--json").stdout)
    [engine] = enrolled.pop("engines")
    assert engine.startswith("dlib-")
    assert enrolled == {"name": "Joe", "role": None, "photos": 1}
    assert json.loads(run(tmp_path, "list", "--json").stdout) == [enrolled | {"engines": [engine]}]
    assert json.loads(run(tmp_path, "forget", "Joe", "--json").stdout) == {"forgotten": "Joe"}
    assert json.loads(run(tmp_path, "list", "--json").stdout) == []


@pytest.mark.slow
def test_one_photo_that_cannot_be_used_enrols_nobody(photos: Path, tmp_path: Path) -> None:
    (tmp_path / "text.jpg").write_text("no picture")
    (tmp_path / "empty.jpg").touch()
    cv2.imwrite(str(tmp_path / "wall.png"), np.full((200, 300, 3), 120, np.uint8))
    refused = {
        str(photos / "two_people.jpg"): "2 faces in .*two_people.jpg: crop it",
        str(tmp_path / "wall.png"): "no face in .*wall.png",
        str(tmp_path / "text.jpg"): "text.jpg isn't a readable picture",
        str(tmp_path / "empty.jpg"): "empty.jpg isn't a readable picture",
        str(tmp_path / "gone.jpg"): "gone.jpg doesn't exist",
        str(tmp_path): "doesn't exist",
    }
    for photo, reason in refused.items():
        with pytest.raises(MediaError, match=reason):
            run(tmp_path, "enrol", "Barack", str(photos / "obama2.jpg"), photo)
    assert Gallery(tmp_path).people() == ()


def test_photos_of_two_people_under_one_name_are_remarked(photos: Path, tmp_path: Path) -> None:
    done = run(tmp_path, "enrol", "Barack", str(photos / "obama2.jpg"), str(photos / "biden2.jpg"))
    assert "biden2.jpg doesn't look like the person in" in done.stderr


def test_a_name_that_nobody_can_have_is_refused(photos: Path, tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="unknown 1"):
        run(tmp_path, "enrol", "unknown 1", str(photos / "obama2.jpg"))


def test_enrolling_without_an_engine_says_how_to_get_one(photos: Path, tmp_path: Path) -> None:
    command = ["--library", str(tmp_path), "faces", "enrol", "Joe", str(photos / "biden.jpg")]
    with pytest.raises(EngineUnavailable, match=r"pip install 'longtake\[faces\]'.*--set 'engines.faces=\[dlib\]'"):
        CliRunner().invoke(app, command, catch_exceptions=False)


@pytest.mark.parametrize("arguments", [("enrol", "Joe"), ("enrol",), ("forget",)])
def test_what_is_missing_is_wrong_usage(arguments: tuple[str, ...], tmp_path: Path) -> None:
    assert run(tmp_path, *arguments).exit_code == 2


def test_forgetting_nobody_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(LongtakeError, match="Nobody is enrolled as 'Joe'"):
        run(tmp_path, "forget", "Joe")
