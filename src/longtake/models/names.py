"""Short names of language models: a route and the model's name there, such as `ollama/qwen3:4b`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from longtake.errors import ConfigError, did_you_mean
from longtake.models.catalogue import named
from longtake.models.folder import find, installed
from longtake.models.profiles import profile_of
from longtake.settings import ControllerSettings, Settings

# The usual ports of servers on this machine.
LOCAL_SERVERS: Mapping[str, str] = MappingProxyType(
    {
        "ollama": "http://127.0.0.1:11434/v1",
        "lmstudio": "http://127.0.0.1:1234/v1",
        "vllm": "http://127.0.0.1:8000/v1",
        "llamacpp": "http://127.0.0.1:8080/v1",
    }
)
OPENAI = "https://api.openai.com/v1"
TRIED = ("calls", "sees", "context")  # settings of the controller that `longtake setup` finds out


def settings_of(name: str) -> dict[str, str]:
    """The settings of the controller that a short name stands for.

    Args:
        name: `ROUTE/NAME`; with `gguf`, NAME is a model of the catalogue or a file.

    Raises:
        ConfigError: if there is no such route, or no such model on disk.
    """
    route, _, model = name.partition("/")
    if route == "gguf" and model:
        return {"engine": "gguf", "model": str(_gguf(model))}
    servers = {**LOCAL_SERVERS, "openai": OPENAI}
    if route not in servers or not model:
        known = [*servers, "gguf"]
        hint = "" if route in known else f" {did_you_mean(route, known)}"
        raise ConfigError(f"--model takes ROUTE/NAME, such as ollama/qwen3:4b, not {name!r}.{hint}")
    return {"engine": "openai", "base_url": servers[route], "model": model}


def of_another(own: ControllerSettings, named: Mapping[str, str]) -> dict[str, str | None]:
    """Settings that name a model, without what `longtake setup` found out about another one.

    Args:
        own: the settings so far.
        named: the settings that name the model, such as those of a short name.
    """
    same = all(getattr(own, name) == value for name, value in named.items())
    return {**({} if same else dict.fromkeys(TRIED)), **named}


def roles(settings: Settings) -> str:
    """Which model answers, which judges what it says, and which sees, in one line."""
    controller = settings.controller
    answers = short_name(controller)
    judges = getattr(settings.verification, "model", None) or answers
    if controller.engine == "extractive":
        judges = "none, as it quotes"
    sees = answers if profile_of(controller).sees else settings.visual_question.model or "none"
    return f"answers: {answers}; judges: {judges}; sees: {sees}"


def short_name(controller: ControllerSettings) -> str:
    """What a person calls a controller: the short name if it has one."""
    model = controller.model or ""
    if controller.engine == "extractive":
        return "extractive"
    if controller.engine == "gguf":
        fetched = next((each.model.name for each in installed() if str(each.path) == model), Path(model).name)
        return f"gguf/{fetched}"
    routes = {url: route for route, url in (*LOCAL_SERVERS.items(), ("openai", OPENAI))}
    return f"{routes.get(controller.base_url or '', controller.engine)}/{model}"


def _gguf(model: str) -> Path:
    file = Path(model).expanduser()
    if file.is_file():
        return file.absolute()  # the settings may be read from another folder
    if os.sep in model or file.suffix == ".gguf":
        raise ConfigError(f"{model} isn't on disk: give a GGUF file, or a name that `longtake models list` shows.")
    found = find(named(model, "language", "pictures").name)
    if found is None:
        raise ConfigError(f"{model} isn't on disk: fetch it with `longtake models pull {model}`.")
    return found
