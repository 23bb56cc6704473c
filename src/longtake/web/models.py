"""Which models are in use, and the controllers that a question may choose between."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec

from pydantic import Field

from longtake.agent.controllers.factory import Controllers, make_controllers
from longtake.agent.graph.run_context import RunContext
from longtake.agent.query.reader import LearnedReader
from longtake.config import secret
from longtake.memory.records import Record
from longtake.models.advice import problem_at
from longtake.models.folder import installed
from longtake.models.names import of_another, roles, settings_of, short_name
from longtake.models.servers import Listing, ask_models
from longtake.offline import is_loopback
from longtake.preprocess.engines.llama_cpp.server import missing_gguf
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import ControllerSettings, Settings
from longtake.web.http.refusals import Refusal

_FRESH = 5.0  # seconds for which a server's list of models is believed


class ControllerChoice(Record):
    """A controller that a question may name."""

    name: str = Field(description="ROUTE/NAME, or `extractive`, which needs no language model.")
    default: bool
    problem: str | None = Field(description="Why it can't answer now.")


class ModelState(Record):
    """Whether a controller can answer."""

    name: str
    language_model: bool
    problem: str | None = Field(description="Why it can't answer now, and what to do.")


class EngineInUse(Record):
    """What supplies a capability."""

    capability: str
    engine: str | None
    summary: str
    missing: str | None = Field(description="If nothing supplies it: why, and what to do.")


class ModelsInUse(Record):
    """What answers, hears, sees and reads."""

    controllers: tuple[ControllerChoice, ...]
    roles: str = Field(description="With the settings: which model answers, which judges and which sees.")
    engines: tuple[EngineInUse, ...]


class ServedControllers:
    """The controllers of one server; each is made when a question first names it."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._reader = LearnedReader(workspace.engines)
        self._made: dict[str, tuple[ControllerSettings, Controllers]] = {}
        self._lock = threading.Lock()
        self._asking = threading.Lock()
        self._listed: Listing | None = None
        self._fresh_until = 0.0  # monotonic

    def in_use(self) -> ModelsInUse:
        """The choices and the engines; asks the server of the settings which models it has."""
        served, problem = self._served()
        mine = short_name(self._workspace.settings.controller)
        choices = (
            ControllerChoice(name=name, default=name == mine, problem=problem if name == mine else None)
            for name in self._choices(served)
        )
        reports = self._workspace.engines.reports()
        engines = (
            EngineInUse(
                capability=each.capability,
                engine=each.engine,
                summary=each.summary,
                missing=None if each.engine else next(iter(each.reasons.values()), None),
            )
            for each in reports
        )
        return ModelsInUse(controllers=tuple(choices), roles=roles(self._workspace.settings), engines=tuple(engines))

    def state(self, name: str | None) -> ModelState:
        """Whether a controller, by default that of the settings, can answer now; nothing is loaded."""
        served, problem = self._served()
        settings = self._workspace.settings
        mine = short_name(settings.controller)
        name = name or mine
        chosen = self._choices(served).get(name)
        if chosen is None:
            problem = problem or "it isn't there any more, so choose another one in Settings"
        elif chosen.engine == "gguf":
            problem = missing_gguf(settings, chosen.model, "controller.model")
        elif name != mine:
            problem = None
        return ModelState(name=name, language_model=name != "extractive", problem=problem)

    def chosen(self, name: str) -> Callable[[RunContext], RunContext]:
        """What puts the named controller in the place of a run's own.

        Raises:
            Refusal: 404 if it isn't among the choices.
            ConfigError: if it can't be used.
        """
        with self._lock:
            if name not in self._made:
                choices = self._choices(self._served()[0])
                if name not in choices:
                    raise Refusal(404, f"There is no model {name!r} here; GET /api/models lists those there are.")
                made = make_controllers(_with(self._workspace.settings, choices[name]), self._reader)
                self._made[name] = choices[name], made
            chosen, controllers = self._made[name]
        return lambda context: replace(
            context,
            controller=controllers.plans,
            stand_in=controllers.stands_in,
            judge=controllers.judges,
            tools=replace(context.tools, settings=_with(context.tools.settings, chosen)),
        )

    def _choices(self, served: dict[str, ControllerSettings]) -> dict[str, ControllerSettings]:
        """The controller of the settings, its server's other models, those on disk, and the one without a model."""
        own = self._workspace.settings.controller
        on_disk = [f"gguf/{each.model.name}" for each in installed("language")] if find_spec("xllamacpp") else []
        files = {name: own.model_copy(update=of_another(own, settings_of(name))) for name in on_disk}
        return {short_name(own): own, **served, **files, "extractive": ControllerSettings()}

    def _served(self) -> tuple[dict[str, ControllerSettings], str | None]:
        """The models of the server that the settings name, if it is on this machine, and why it can't be used."""
        own = self._workspace.settings.controller
        listing = self._listing(own)
        if listing is None:
            return {}, None
        problem = problem_at(listing, own.model, "controller.base_url", own.api_key_env)
        if listing.problem or not is_loopback(listing.url):
            return {short_name(own): own}, problem
        others = (own.model_copy(update=of_another(own, {"model": name})) for name in listing.models)
        return {short_name(each): each for each in others}, problem

    def _listing(self, own: ControllerSettings) -> Listing | None:
        """What the server of the settings said when it was last asked; it is asked again after a few seconds."""
        if own.engine not in ("openai", "qwen_agent") or not own.base_url:
            return None
        with self._asking:
            if time.monotonic() > self._fresh_until:
                self._listed = ask_models(own.base_url, secret(own.api_key_env))
                self._fresh_until = time.monotonic() + _FRESH
            return self._listed


def _with(settings: Settings, controller: ControllerSettings) -> Settings:
    return settings.model_copy(update={"controller": controller})
