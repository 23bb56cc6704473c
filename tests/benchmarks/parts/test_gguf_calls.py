"""`bench gguf` with a real model, on two questions."""

from __future__ import annotations

import json
from pathlib import Path

from helpers.command import longtake
from helpers.models.smollm2 import smollm2


def test_a_small_model_breaks_no_call(tmp_path: Path) -> None:
    command = ("bench", "gguf", "--model", smollm2(), "--questions", 2, "--json")
    report = json.loads(longtake(*command, library=tmp_path / "library").stdout)
    assert (report["questions"], report["broken"]["count"]) == (2, 0)
    assert report["broken"]["n"] > 0
    assert report["later_token_unkept"]["n"] > 0
    assert sum(report["with_model"].values()) == sum(report["extractive"].values()) == 2
