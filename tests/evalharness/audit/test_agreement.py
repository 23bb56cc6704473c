"""How far audits with other models and other voters agree, by hand."""

from __future__ import annotations

import json
from pathlib import Path

from helpers.audits import write_audit, write_votes
from helpers.command import longtake

from longtake.evalharness.audit.audit_report import audit_grids
from longtake.evalharness.audit.audit_state import audit_state
from longtake.evalharness.runs.run_folder import RunFolder

NAMES = "abcdefgh"


def test_sets_of_models_of_one_audit_beside_the_first(tmp_path: Path) -> None:
    right = {
        ("center-frame", "m"): "abcd",
        ("center-frame", "n"): "abcd",
        ("center-frame", "o"): "abe",
        ("frame-shuffling", "m"): "f",
        ("frame-shuffling", "n"): "",
        ("frame-shuffling", "o"): "f",
    }
    state = audit_state(write_audit(tmp_path / "run", NAMES, right, {"m": 0, "n": 1, "o": 3}), print, 2)
    [grid] = [grid for grid in audit_grids([state]) if grid.title == "Model sets: frames"]
    # m and n flag a to d; m and o flag a, b and f; n and o flag a and b.
    assert grid.rows == (
        ("m, n", "4", "4", "100.0", "100.0", "100.0"),
        ("m, o", "3", "2", "50.0", "66.7", "40.0"),
        ("n, o", "2", "2", "50.0", "100.0", "50.0"),
    )
    three = audit_state(RunFolder(tmp_path / "run"), print)
    assert not [grid for grid in audit_grids([three]) if grid.title.startswith("Model sets")]


def test_two_audits_are_compared_over_the_items_of_both(tmp_path: Path) -> None:
    one = write_audit(tmp_path / "one", NAMES, {("blind", "m"): "abc", ("center-frame", "m"): "d"}, {"m": 0})
    two = write_audit(tmp_path / "two", NAMES[1:], {("blind", "n"): "bcef"}, {"n": 0})
    write_votes(one, NAMES, {"v": dict.fromkeys(NAMES, 2)})
    write_votes(two, NAMES, {"w": dict.fromkeys(NAMES, 2) | {"g": 0, "h": 1}})
    done = longtake("eval", "audit", "compare", one.path, two.path, "--json")
    found = json.loads(done.stdout)
    assert found["items"] == 7  # without a
    # The first flags b, c and d, the second b, c, e and f: two of three, two of four, two of five.
    assert found["shortcuts"] == {
        "first": 3,
        "second": 4,
        "both": 2,
        "of_first": 2 / 3,
        "of_second": 0.5,
        "jaccard": 0.4,
    }
    assert found["tests"]["blind"]["of_first"] == 1.0
    assert list(found["tests"]) == ["blind"]
    assert found["remaining"]["both"] == 2  # g and h, of e to h and of d, g and h
    assert (found["labelled"], found["same_category"]) == (7, 5)
    shown = longtake("eval", "audit", "compare", one.path, two.path).stdout
    assert "2 of both: 66.7 % of 3 of the first, 50.0 % of 4 of the second; Jaccard index 40.0 %" in shown
    assert "the same for 5 of 7 (71.4%)" in shown
