"""Tests of real translations are skipped where Apertium or its English-Spanish pair is not installed."""

from __future__ import annotations

import shutil

import pytest

from longtake.preprocess.engines.text.apertium import Apertium
from longtake.settings import Settings

ABSENT = shutil.which("apertium") is None or Apertium(Settings()).missing("en", "es") is not None
needs_apertium = pytest.mark.skipif(ABSENT, reason="needs the system packages apertium and apertium-eng-spa")
