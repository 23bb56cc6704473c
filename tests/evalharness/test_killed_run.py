"""A run that is killed at random moments, again and again, ends as one that was left alone."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from longtake.benchmarks.parts.evaluation_speed import write_set

KILLS = 20
ITEMS = 400
SUBJECTS = ("longest", "random", "majority")
WRITTEN = {"run": ("items.jsonl", "predictions.jsonl"), "judge": ("judgements.jsonl",)}


def command(stage: str, cards: Path, run: Path) -> list[str]:
    asked = [part for subject in SUBJECTS for part in ("--subject", subject)]
    given = [cards / "card.yaml", "--suite", "own", "--out", run, *asked] if stage == "run" else [run, "--by", "rules"]
    return [sys.executable, "-m", "longtake", "--offline", "eval", stage, *map(str, given)]


def lines(file: Path) -> list[bytes]:
    """The lines of a file, the last one perhaps torn; none where it is not there."""
    return file.read_bytes().splitlines(keepends=True) if file.exists() else []


def size(run: Path, stage: str) -> int:
    return sum(file.stat().st_size for name in WRITTEN[stage] if (file := run / name).exists())


class Broken:
    """A run whose processes are killed; at every second kill the last line is torn too, as if it was half written."""

    def __init__(self, cards: Path, run: Path) -> None:
        self.kills: Counter[str] = Counter()
        self._cards, self._run = cards, run
        self._kept: dict[str, list[bytes]] = {}

    def kill_at(self, stage: str, written: float) -> None:
        """Start a stage and kill it when it has written so many bytes; one that comes to its end is left alone."""
        with subprocess.Popen(command(stage, self._cards, self._run), stdout=subprocess.DEVNULL) as process:
            while process.poll() is None and size(self._run, stage) < written:
                time.sleep(0.001)
            process.kill()
        assert process.returncode in (0, -signal.SIGKILL)
        self._see_that_nothing_is_lost()
        if process.returncode == -signal.SIGKILL:
            self.kills[stage] += 1
            if self.kills.total() % 2:
                self._tear(self._run / WRITTEN[stage][-1])
        self._kept = {
            name: [line for line in lines(self._run / name) if line.endswith(b"\n")]
            for name in sum(WRITTEN.values(), ())
        }

    def _see_that_nothing_is_lost(self) -> None:
        for name, held in self._kept.items():
            assert lines(self._run / name)[: len(held)] == held

    @staticmethod
    def _tear(file: Path) -> None:
        if held := lines(file):
            file.write_bytes(b"".join(held)[: -len(held[-1]) // 2])


def predictions(run: Path) -> list[dict[str, Any]]:
    """What was said, without how long it took."""
    return [{**json.loads(line), "seconds": None} for line in lines(run / "predictions.jsonl")]


def scores(run: Path) -> str:
    scored = [sys.executable, "-m", "longtake", "--offline", "eval", "score", str(run), "--json"]
    return subprocess.run(scored, check=True, capture_output=True, text=True).stdout


@pytest.mark.nightly
def test_twenty_kills_lose_nothing_repeat_nothing_and_change_no_score(tmp_path: Path) -> None:
    write_set(tmp_path, ITEMS)
    cards, whole, chance = tmp_path / "many", tmp_path / "whole", random.Random(0)
    for stage in WRITTEN:
        subprocess.run(command(stage, cards, whole), check=True, stdout=subprocess.DEVNULL)
    expected, kills = scores(whole), Counter[str]()
    while kills.total() < KILLS:
        run = tmp_path / f"after {kills.total()} kills"
        broken = Broken(cards, run)
        for stage in WRITTEN:
            end = size(whole, stage)
            for written in sorted(chance.uniform(0, end) for _ in range(KILLS // 4)):
                broken.kill_at(stage, written)
            broken.kill_at(stage, float("inf"))
        kills += broken.kills
        keys = [(said["item"], said["variant"], said["subject"], said["seed"]) for said in predictions(run)]
        assert len(keys) == len(set(keys)) == ITEMS * len(SUBJECTS)
        assert predictions(run) == predictions(whole)
        assert [lines(run / name) for name in ("items.jsonl", "judgements.jsonl")] == [
            lines(whole / name) for name in ("items.jsonl", "judgements.jsonl")
        ]
        assert scores(run) == expected
    assert set(kills) == set(WRITTEN)
