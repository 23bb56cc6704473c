"""`cached_property`: computed once per object, and never a lock between objects."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Barrier, Thread

from longtake.lazy import cached_property

SECONDS = 10.0


@dataclass
class Left:
    """Needs a Right, and waits until the other thread is as far."""

    needs: Right | None = None
    meeting: Barrier | None = None
    computed: int = 0

    @cached_property
    def value(self) -> int:
        """How deep the chain is."""
        self.computed += 1
        if self.meeting:
            self.meeting.wait(SECONDS)
        return 1 + self.needs.value if self.needs else 0


@dataclass
class Right:
    """Needs a Left."""

    needs: Left | None = None
    meeting: Barrier | None = None

    @cached_property
    def value(self) -> int:
        """How deep the chain is."""
        if self.meeting:
            self.meeting.wait(SECONDS)
        return 1 + self.needs.value if self.needs else 0


def test_it_is_computed_once() -> None:
    left = Left()
    assert (left.value, left.value, left.computed) == (0, 0, 1)


def test_two_threads_that_need_each_others_classes_both_finish() -> None:
    meeting = Barrier(2)
    left, right = Left(Right(), meeting), Right(Left(), meeting)
    values: dict[str, int] = {}
    threads = [
        Thread(target=lambda: values.update(left=left.value), daemon=True),
        Thread(target=lambda: values.update(right=right.value), daemon=True),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert values == {"left": 1, "right": 1}
