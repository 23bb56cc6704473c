"""Which models are in use, and the controllers that a question may choose between."""

from __future__ import annotations

import threading
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
from longtake.models.names import settings_of, short_name
from longtake.models.servers import ask_models
from longtake.offline import is_loopback
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import ControllerSettings, Settings
from longtake.web.http.refusals import Refusal


class Choice(Record):
    """A controller that a question may name."""

    name: str = Field(description="ROUTE/NAME, or `extractive`, which needs no language model.")
    default: bool
    problem: str | None = Field(description="Why it can't answer now.")


class EngineInUse(Record):
    """What supplies a capability."""

    capability: str
    engine: str | None
    summary: str
    missing: str | None = Field(description="If nothing supplies it: why, and what to do.")


class ModelsInUse(Record):
    """What answers, hears, sees and reads."""

    controllers: tuple[Choice, ...]
    engines: tuple[EngineInUse, ...]


class Models:
    """The controllers of one server; each is made when a question first names it."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._reader = LearnedReader(workspace.engines)
        self._made: dict[str, tuple[Settings, Controllers]] = {}
        self._lock = threading.Lock()

    def in_use(self) -> ModelsInUse:
        """The choices and the engines; asks the server of the settings which models it has."""
        served, problem = self._served()
        mine = short_name(self._workspace.settings.controller)
        choices = (
            Choice(name=name, default=name == mine, problem=problem if name == mine else None)
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
        return ModelsInUse(controllers=tuple(choices), engines=tuple(engines))

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
                settings = self._workspace.settings.model_copy(update={"controller": choices[name]})
                self._made[name] = settings, make_controllers(settings, self._reader)
            settings, controllers = self._made[name]
        return lambda context: replace(
            context,
            controller=controllers.plans,
            stand_in=controllers.stands_in,
            tools=replace(context.tools, settings=settings),
        )

    def _choices(self, served: dict[str, ControllerSettings]) -> dict[str, ControllerSettings]:
        """The controller of the settings, its server's other models, those on disk, and the one without a model."""
        own = self._workspace.settings.controller
        on_disk = [f"gguf/{each.model.name}" for each in installed("language")] if find_spec("xllamacpp") else []
        files = {name: own.model_copy(update=settings_of(name)) for name in on_disk}
        return {short_name(own): own, **served, **files, "extractive": ControllerSettings()}

    def _served(self) -> tuple[dict[str, ControllerSettings], str | None]:
        """The models of a server on this machine that the settings name, or why it doesn't answer."""
        own = self._workspace.settings.controller
        if own.engine not in ("openai", "qwen_agent") or not own.base_url or not is_loopback(own.base_url):
            return {}, None
        listing = ask_models(own.base_url, secret(own.api_key_env))
        problem = problem_at(listing, own.model, "controller.base_url", own.api_key_env)
        if listing.problem:
            return {short_name(own): own}, problem
        others = (own.model_copy(update={"model": name}) for name in listing.models)
        return {short_name(each): each for each in others}, problem
