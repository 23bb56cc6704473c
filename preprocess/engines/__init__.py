"""The perception models: one file per capability (its protocol), one per adapter, one table of all."""

from longtake.preprocess.engines.engine_table import CapabilityReport, EngineTable

__all__ = ["CapabilityReport", "EngineTable"]
