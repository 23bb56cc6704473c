"""Which engine supplies which capability; an engine's module is imported when it is first used."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import getmembers, isfunction
from typing import Any

from longtake.errors import ConfigError, EngineError, EngineUnavailable, PluginError, did_you_mean
from longtake.plugins import Table
from longtake.preprocess.engines.built_in_engines import BUILT_IN, PROTOCOLS, EngineEntry, named
from longtake.preprocess.engines.process import engine_process
from longtake.settings import EngineSettings, Settings


def _reader(capability: str) -> Callable[[str, object], EngineEntry]:
    """Reads the engines of a capability that plugins declare."""

    def read(name: str, declared: object) -> EngineEntry:
        """Importing the module now reports a broken plugin early."""
        if not isinstance(declared, EngineEntry):
            raise TypeError(f"{name} isn't an `EngineEntry` of the engine table")
        engine = named(declared.target)
        protocol = PROTOCOLS[capability]
        methods = (key for key, _ in getmembers(named(protocol), isfunction) if not key.startswith("_"))
        absent = [method for method in methods if not callable(getattr(engine, method, None))]
        if absent:
            raise TypeError(f"{declared.target} lacks {', '.join(absent)} of the protocol {protocol}")
        return declared

    return read


ENGINES: Mapping[str, Table[EngineEntry]] = {
    capability: Table(f"engines.{capability}", entries, _reader(capability)) for capability, entries in BUILT_IN.items()
}


@dataclass(frozen=True, slots=True)
class CapabilityReport:
    """What `doctor` reports about one capability."""

    capability: str
    engine: str | None
    summary: str
    reasons: Mapping[str, str] = field(default_factory=dict)
    unmet: bool = False  # the settings name a model that can't be used


class EngineTable:
    """The engines of one run: chosen by the profile's order, loaded once."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._loaded: dict[tuple[str, str], Any] = {}
        self._chosen: dict[str, str] = {}
        self._loading = threading.Lock()
        for capability in EngineSettings.model_fields:
            for name in self._names(capability):
                if name not in ENGINES[capability]:
                    hint = did_you_mean(name, ENGINES[capability])
                    raise ConfigError(f"engines.{capability}: no engine {name!r}. {hint}")

    def report(self, capability: str) -> CapabilityReport:
        """The engine a capability would use now, and why the ones before it can't be used.

        A model that the settings name is used or reported: no engine takes its place.
        """
        reasons: dict[str, str] = {}
        ignored: dict[str, str] = {}  # by engine, the setting whose model it can't use
        for name in self._names(capability):
            try:
                entry = ENGINES[capability][name]
            except PluginError as error:
                reasons[name] = str(error)
                continue
            reason = entry.missing(self.settings)
            if reason is None:
                if wanted := [each for each, setting in ignored.items() if setting != entry.setting]:
                    return CapabilityReport(capability, None, "", {each: reasons[each] for each in wanted}, unmet=True)
                return CapabilityReport(capability, name, entry.summary, reasons)
            reasons[name] = reason
            if entry.model(self.settings):
                ignored[name] = entry.setting
        return CapabilityReport(capability, None, "", reasons, unmet=bool(ignored))

    def on_gpu(self, capability: str) -> bool:
        """Whether the engine of a capability computes on a GPU where there is one; False without an engine."""

        def uses(name: str) -> bool:
            try:
                return ENGINES[capability][name].gpu
            except PluginError:
                return False

        # Looking for the engines of the other capabilities would start programs.
        able = [name for name in self._names(capability) if uses(name)]
        return bool(able) and self.report(capability).engine in able

    def reports(self) -> list[CapabilityReport]:
        """One report for each capability."""
        return [self.report(capability) for capability in ENGINES]

    def load(self, capability: str) -> Any:
        """The engine of a capability, made on first use; concurrent calls share it.

        Raises:
            EngineError: if the settings name a model that can't be used.
            EngineUnavailable: if none of the profile's engines can be used here.
        """
        with self._loading:
            if capability not in self._chosen:
                report = self.report(capability)
                if report.engine is None:
                    reasons = "; ".join(f"{name}: {reason}" for name, reason in report.reasons.items())
                    if report.unmet:
                        raise EngineError(f"{capability}: {reasons}.")
                    raise EngineUnavailable(f"No engine for {capability}: {reasons or _how_to_set(capability)}.")
                self._chosen[capability] = report.engine
            return self._make_once(capability, self._chosen[capability])

    def load_each(self, capability: str) -> list[Any]:
        """All usable engines of the profile, best first: stored data may come from any of them."""
        with self._loading:
            usable = [name for name in self._names(capability) if not self._missing(capability, name)]
            return [self._make_once(capability, name) for name in usable]

    def _missing(self, capability: str, name: str) -> str | None:
        """Why an engine can't be used here; None if it can."""
        try:
            return ENGINES[capability][name].missing(self.settings)
        except PluginError as error:
            return str(error)

    def _make_once(self, capability: str, name: str) -> Any:
        """One engine, made once."""
        if (capability, name) not in self._loaded:
            entry = ENGINES[capability][name]
            self._loaded[capability, name] = (
                engine_process(entry.target, self.settings) if entry.process else named(entry.target)(self.settings)
            )
        return self._loaded[capability, name]

    def _names(self, capability: str) -> tuple[str, ...]:
        names: tuple[str, ...] = getattr(self.settings.engines, capability)
        return names


def _how_to_set(capability: str) -> str:
    known = ", ".join(ENGINES[capability])
    return f"set engines.{capability} to one of {known}" if known else "none is built in; install a plugin that has one"
