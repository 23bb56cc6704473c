"""The sandboxes that there are, each on its own."""

from __future__ import annotations

import pytest

from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.sandbox.sandbox import Sandbox
from longtake.settings import Settings

SANDBOXES = ("bubblewrap", "monty")


def settings_for(name: str, **limits: float) -> Settings:
    """Settings that name just this sandbox."""
    return Settings.model_validate({"engines": {"sandbox": [name]}, "sandbox": limits})


def sandbox_or_skip(name: str, **limits: float) -> Sandbox:
    """A sandbox; skips the test where it does not work, with the reason."""
    engines = EngineTable(settings_for(name, **limits))
    report = engines.report("sandbox")
    if report.engine is None:
        pytest.skip(f"{name}: {report.reasons[name]}")
    sandbox: Sandbox = engines.load("sandbox")
    return sandbox
