"""`bench walks`: what it counts."""

from __future__ import annotations

from longtake.benchmarks.walks import measure_walks


def test_a_walk_has_the_files_that_its_work_goes_through_and_no_others() -> None:
    walks = measure_walks(lambda _: None).walks
    through = {name: set(walk.names) for name, walk in walks.items()}
    assert "preprocess/visual_pass/visual_pass.py" in through["index"] - through["ask"]
    assert "agent/graph/agent.py" in (through["ask"] & through["evaluate"]) - through["index"]
    assert "evalharness/runs/predicting.py" in through["evaluate"] - through["ask"]
    assert all(sum(walk.names.values()) == walk.functions > 0 for walk in walks.values())
