"""`longtake demo`: the first thing that a person sees."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.command import longtake
from helpers.libraries import copied

from longtake.preprocess.pipeline.workspace import Workspace


@pytest.mark.nightly
def test_it_answers_from_the_screen_and_from_sound_alone(demo_workspace: Workspace, tmp_path: Path) -> None:
    library = copied(demo_workspace, tmp_path / "library")
    *seen, heard = json.loads(longtake("demo", "--json", library=library).stdout)["answers"]
    assert ["249" in seen[0]["answer"], "4417" in seen[1]["answer"]] == [True, True]
    assert "130" in heard["answer"]
    assert {citation["modality"] for citation in heard["citations"]} == {"speech"}
    without = longtake("--set", "engines.speech=[]", "demo", library=library)
    assert without.code == 0
    assert "longtake[weights]" in without.stdout
