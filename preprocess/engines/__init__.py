"""The perception engines: one file per capability (its protocol), one per adapter, and one table of all engines."""

from longtake.preprocess.engines.engine_table import CapabilityReport, EngineTable

__all__ = ["CapabilityReport", "EngineTable"]
