"""`bench faults`: every kind of fault is tried, and Longtake withstands it."""

from __future__ import annotations

import json
import shutil

import pytest
from typer.testing import CliRunner

from longtake.bench.cli import bench
from longtake.bench.faults.campaign import KINDS, Faults, FaultsReport, show_faults
from longtake.bench.faults.ground import Ended, Trial
from longtake.console import Session
from longtake.errors import ConfigError

UNREAD = Session(overrides=("engines.scene_text=[]",))  # reading takes longest

NEEDED = {"read-only": "bwrap", "slow-disk": "strace"}


def tried(*arguments: str) -> FaultsReport:
    done = CliRunner().invoke(bench, ["faults", *arguments, "--json"], obj=UNREAD, catch_exceptions=False)
    return FaultsReport.model_validate_json(done.stdout)


@pytest.fixture(scope="module")
def campaign() -> FaultsReport:
    return tried("--n", "2")


@pytest.mark.kills
@pytest.mark.parametrize("kind", KINDS)
def test_longtake_withstands_a_fault(campaign: FaultsReport, kind: str) -> None:
    if kind in NEEDED and not shutil.which(NEEDED[kind]):
        pytest.skip(f"needs {NEEDED[kind]}, which isn't installed")
    assert [each for each in campaign.kinds if each.kind == kind] == [Faults(kind=kind, tried=2)]


def test_an_unknown_kind_is_named_with_a_similar_one() -> None:
    with pytest.raises(ConfigError, match="kill-index"):
        tried("kil-index")


def test_failed_trials_are_listed_below_their_kind() -> None:
    failed = Faults(kind="clock", tried=3, failed=(Trial(did="set back", problem="no answer"),))
    [_, row, problem] = show_faults(FaultsReport(seed=0, kinds=(failed,)))
    assert row.split() == ["clock", "3", "2", "1"]
    assert "set back: no answer" in problem


@pytest.mark.parametrize(
    ("ended", "rude"),
    [
        (Ended(0, json.dumps({}), ""), False),
        (Ended(1, "", "longtake: There is no disk space left."), False),
        (Ended(1, "", "Traceback (most recent call last)"), True),
        (Ended(2, "", "longtake: half a sentence"), True),
        (Ended(-11, "", ""), True),
    ],
)
def test_a_command_may_fail_in_one_sentence_only(ended: Ended, rude: bool) -> None:
    assert bool(ended.rudeness()) == rude
