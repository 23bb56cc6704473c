"""The page about layers names every field that the layers of the demo have."""

from __future__ import annotations

import re
from pathlib import Path

from longtake.memory.library import LAYERS
from longtake.preprocess.pipeline.workspace import Workspace

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "layers.md"
ROWS = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))


def test_every_layer_has_its_row() -> None:
    assert tuple(sorted(ROWS)) == tuple(sorted(LAYERS))


def test_a_row_names_the_fields_of_the_items(demo_workspace: Workspace) -> None:
    (video,) = demo_workspace.library.videos()
    for name in video.layers:
        layer = demo_workspace.library.layer(video, name)
        fields = {field for item in (layer.items() if layer else ()) for field in item} - {"start", "end"}
        assert fields <= set(re.findall(r"`(\w+)`", ROWS[name])), name
