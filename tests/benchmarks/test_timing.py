"""Work that is timed in turns with the floor it is compared with."""

from __future__ import annotations

import platform
import time

from longtake.benchmarks.timing import Comparison, Machine


def test_work_is_timed_in_turns_with_its_floor() -> None:
    order: list[str] = []

    def ours() -> None:
        order.append("ours")
        time.sleep(0.02)

    measured = Comparison.measure(ours, lambda: order.append("floor"), 3)
    assert order == ["floor", "ours"] * 3
    assert measured.seconds.n == measured.floor.n == measured.ratio.n == 3
    assert measured.seconds.low >= 0.02
    assert measured.ratio.low > 1


def test_ratios_are_those_of_the_pairs() -> None:
    compared = Comparison.of([2.0, 9.0, 4.0], [1.0, 3.0, 8.0])
    assert (compared.ratio.low, compared.ratio.median, compared.ratio.high) == (0.5, 2.0, 3.0)
    assert compared.against("nothing") == "4 [2, 9] n=3; x nothing (3 s): 2 [0.5, 3] n=3"


def test_a_machine_is_told_by_its_system_and_processor_not_by_its_kernel() -> None:
    machine = Machine.since(0.0)
    assert platform.system() in machine.system
    assert platform.release() not in str(machine)
