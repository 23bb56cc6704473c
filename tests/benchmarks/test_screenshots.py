"""`bench screenshots`: what the pictures of the documentation hold."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from helpers.browser import chromium
from PIL import Image
from typer.testing import CliRunner

from longtake.benchmarks.cli import bench
from longtake.console import Session

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
MOST_BYTES = 150_000
MOST_IN_ALL = 2_000_000


def test_screenshots_written_are_full_pictures_of_the_committed_names(tmp_path: Path) -> None:
    with chromium():
        pass
    arguments = ["screenshots", "--out", str(tmp_path), "--json"]
    result = CliRunner().invoke(bench, arguments, obj=Session(), catch_exceptions=False)
    assert result.exit_code == 0
    pictures = {each["file"]: each for each in json.loads(result.stdout)["pictures"]}
    assert set(pictures) <= {
        file.relative_to(IMAGES).as_posix() for file in IMAGES.rglob("*.png")
    }  # others are of other programs
    brightness = {}
    for name, picture in pictures.items():
        shown = Image.open(tmp_path / name)
        assert shown.size == (picture["width"], picture["height"])
        assert picture["bytes"] == (tmp_path / name).stat().st_size <= MOST_BYTES
        grey = np.asarray(shown.convert("L"), dtype=float)
        brightness[name] = grey.mean()
        # A blank or half-loaded page is flat somewhere. A library of few videos is empty below them.
        parts = np.array_split(grey, 1 if name.startswith("page/") else 2)
        assert min(part.std() for part in parts) > 10, name
    assert sum(file.stat().st_size for file in IMAGES.rglob("*.png")) < MOST_IN_ALL
    assert brightness["page-dark.png"] < 100 < brightness["page-light.png"]
