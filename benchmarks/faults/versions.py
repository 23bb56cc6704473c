"""Two versions of Longtake that use one library at once."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Generator, Sequence

from longtake.benchmarks.faults.ground import Ended, Ground, Trial, finish, misanswer


def versions(ground: Ground, chance: random.Random) -> Generator[Trial]:
    """Index and ask with two versions that make different layers; each must do its work, whatever the other does."""
    while True:
        with ground.place() as library:
            wait = chance.uniform(0, ground.index_seconds)
            indexed = _at_once(ground.index(library), _other(ground.index(library)), wait)
            problem = next((each.failure() for each in indexed if each.failure()), "")
            if not problem:
                asked = _at_once(ground.ask(library), _other(ground.ask(library)), chance.uniform(0, 1))
                problem = next((wrong for each in asked if (wrong := misanswer(each))), "")
            problem = problem or ground.unsound(library)
        yield Trial(did=f"the other version started after {wait:.2f} s", problem=problem)


def _other(command: Sequence[str]) -> list[str]:
    """The same command of the other version."""
    return ["longtake.benchmarks.faults.other_version" if part == "longtake" else part for part in command]


def _at_once(command: Sequence[str], late: Sequence[str], wait: float) -> list[Ended]:
    """Run two commands, the second of which starts some seconds later."""
    ended: list[Ended] = []
    first = threading.Thread(target=lambda: ended.append(finish(command)))
    first.start()
    time.sleep(wait)
    ended.append(finish(late))
    first.join()
    return ended
