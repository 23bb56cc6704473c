"""Two versions of Longtake that use one library at once."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from longtake.benchmarks.faults.ground import Ended, Ground, Trial, finish, misanswer


def versions(ground: Ground, library: Path, chance: random.Random, _: int) -> Trial:
    """Index and ask with two versions that make different layers; each must do its work, whatever the other does."""
    wait = chance.uniform(0, ground.index_seconds)
    indexed = _at_once(ground.index(library), _other(ground.index(library)), wait)
    problem = next((each.failure() for each in indexed if each.failure()), "")
    if not problem:
        asked = _at_once(ground.ask(library), _other(ground.ask(library)), chance.uniform(0, 1))
        problem = next((wrong for each in asked if (wrong := misanswer(each))), "")
    return Trial(f"the other version started after {wait:.2f} s", problem)


def _other(command: Sequence[str]) -> list[str]:
    """The same command of the other version."""
    return ["longtake.benchmarks.faults.other_version" if part == "longtake" else part for part in command]


def _at_once(command: Sequence[str], late: Sequence[str], wait: float) -> list[Ended]:
    """Run two commands, the second of which starts some seconds later."""
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(finish, command)
        time.sleep(wait)
        second = finish(late)
        return [first.result(), second]
