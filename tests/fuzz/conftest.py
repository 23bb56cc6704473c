"""How much is tried: little by default, more in `.ci/nightly`."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

UNHURRIED = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large]
settings.register_profile("fuzz", max_examples=50, deadline=None, suppress_health_check=UNHURRIED)
settings.register_profile(
    "fuzz-long", max_examples=2_000, deadline=None, derandomize=False, suppress_health_check=UNHURRIED
)
settings.load_profile(os.environ.get("LONGTAKE_FUZZ", "fuzz"))
