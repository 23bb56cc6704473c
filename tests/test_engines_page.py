"""The table of engines in the documentation names every engine, and no other."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from longtake.preprocess.engines.engine_table import ENGINES
from longtake.settings import ControllerSettings

PAGE = Path(__file__).resolve().parents[1] / "docs" / "engines.md"
_ROW = re.compile(r"^\| `(\w+)` \| `(\w+)` \|", re.MULTILINE)


def test_every_engine_has_a_row() -> None:
    controllers = get_args(ControllerSettings.model_fields["engine"].annotation)
    built_in = [(capability, name) for capability, engines in ENGINES.items() for name in engines]
    rows = _ROW.findall(PAGE.read_text(encoding="utf-8"))
    assert sorted(rows) == sorted([*built_in, *(("controller", name) for name in controllers)])
