"""`bench faults`: what it reports. `.ci/nightly` tries every kind of fault."""

from __future__ import annotations

import json
import random
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest
from helpers.media.clips import flat, write_clip
from typer.testing import CliRunner

from longtake.benchmarks.cli import bench
from longtake.benchmarks.faults.campaign import KINDS
from longtake.benchmarks.faults.ground import Ended, Ground, Kind, Trial
from longtake.benchmarks.faults.kills import kill_index
from longtake.benchmarks.faults.server_kills import kill_upload
from longtake.console import EXIT_FAILED, EXIT_PARTIAL, Session
from longtake.errors import ConfigError, EngineUnavailable
from longtake.preprocess.demo.make import VIDEO

UNREAD = Session(overrides=("engines.scene_text=[]",))  # reading takes longest


def tried(*arguments: str, codes: Collection[int] = (0,)) -> dict[str, Any]:
    done = CliRunner().invoke(bench, ["faults", *arguments, "--json"], obj=UNREAD, catch_exceptions=False)
    assert done.exit_code in codes
    return dict(json.loads(done.stdout))


def test_an_unknown_kind_is_named_with_a_similar_one() -> None:
    with pytest.raises(ConfigError, match="kill-index"):
        tried("kil-index")


def test_a_kind_that_cannot_be_tried_is_no_success(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    faults = tried("slow-disk", codes=[EXIT_PARTIAL])["kinds"]["slow-disk"]
    assert (faults["tried"], bool(faults["skipped"])) == (0, True)


def test_trials_before_a_kind_became_impossible_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def brief(_ground: Ground, _library: Path, _chance: random.Random, number: int) -> Trial:
        if number:
            raise EngineUnavailable("The plug is gone.")
        return Trial("pulled the plug", "no answer")

    monkeypatch.setitem(KINDS, "brief", Kind(brief, on="nothing"))  # type: ignore[index]
    report = tried("brief", codes=[EXIT_FAILED])
    assert report["kinds"]["brief"] == {"tried": 1, "right": 0, "skipped": "The plug is gone."}
    assert report["failed"] == ["brief: pulled the plug: no answer"]


def test_a_command_that_fails_before_it_is_killed_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "sound").mkdir()
    ground = Ground(UNREAD, tmp_path, tmp_path / "no.mp4", index_seconds=60, ask_seconds=60)
    trial = kill_index(ground, tmp_path / "library", random.Random(0), 0)
    assert trial
    assert trial.problem


def test_an_uploaded_video_must_answer_the_question(tmp_path: Path) -> None:
    other = write_clip(tmp_path / VIDEO, [flat((90, 60, 30))] * 50)  # nobody speaks of wind
    ground = Ground(UNREAD, tmp_path, other)
    trial = kill_upload(ground, tmp_path / "library", random.Random(0), 0)
    assert trial.problem or ground.unsound(tmp_path / "library")


@pytest.mark.parametrize(
    ("ended", "bad"),
    [
        (Ended(0, json.dumps({}), ""), False),
        (Ended(1, "", "longtake: There is no disk space left."), False),
        (Ended(1, "", "Traceback (most recent call last)"), True),
        (Ended(2, "", "longtake: half a sentence"), True),
        (Ended(1, "", "longtake: A.\nTraceback (most recent call last)"), True),
        (Ended(1, "", "Exception ignored in: <function>\nlongtake: A."), True),
        (Ended(1, "", ""), True),
        (Ended(-11, "", ""), True),
    ],
)
def test_a_command_may_fail_in_one_sentence_only(ended: Ended, bad: bool) -> None:
    assert bool(ended.bad_failure()) == bad
