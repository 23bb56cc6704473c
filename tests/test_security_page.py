"""The threat model: every test that it names exists, and so does every part of Longtake."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROWS = [line.split("|") for line in (ROOT / "docs" / "security.md").read_text().splitlines() if line.startswith("| ")]


def test_every_claim_names_a_test_that_exists() -> None:
    for _, door, _, _, shown_by, _ in ROWS[1:]:
        tests = re.findall(r"`(tests/[^`]+)`", shown_by)
        assert tests, door
        assert [test for test in tests if not (ROOT / test).exists()] == []


def test_every_door_is_a_part_of_longtake() -> None:
    parts = [part for row in ROWS[1:] for part in re.findall(r"`([\w/]+\.py)`", row[1])]
    assert parts
    assert [part for part in parts if not (ROOT / "src" / "longtake" / part).exists()] == []
