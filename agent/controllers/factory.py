"""Builds the controller that the settings name."""

from __future__ import annotations

import socket
from importlib.util import find_spec
from typing import NamedTuple

from langchain_core.language_models import BaseChatModel

from longtake.agent.controllers.asking import CONTROLLER, JUDGE, Role
from longtake.agent.query.reader import LearnedReader
from longtake.config import secret, unset
from longtake.errors import ConfigError
from longtake.offline import refused_endpoint
from longtake.settings import ControllerSettings, Settings

# Requirements of an engine beyond the core: the packages, and the extra that installs them.
_EXTRAS = {
    "qwen_agent": (("qwen_agent", "soundfile"), "qwen"),
    "transformers": (("torch", "transformers"), "transformers"),
}


class Controllers(NamedTuple):
    """The chat model that plans, the one that takes over if it fails, and the one that judges what it claims."""

    plans: BaseChatModel
    stands_in: BaseChatModel | None = None
    judges: BaseChatModel | None = None


def make_controllers(settings: Settings, reader: LearnedReader) -> Controllers:
    """The controller of the settings. There is no silent fallback: an endpoint that is down is an error.

    Raises:
        ConfigError: if a setting is missing or wrong, a package or a model is missing, or `--offline` forbids the
            endpoint.
    """
    engine = settings.controller.engine
    packages, extra = _EXTRAS.get(engine, ((), ""))
    absent = [name for name in packages if find_spec(name) is None]
    if absent:
        raise ConfigError(
            f"controller.engine={engine} needs {' and '.join(absent)}: install it with pip install 'longtake[{extra}]'."
        )
    if engine == "extractive":
        return Controllers(extractive(reader))
    if engine == "transformers":
        plans = _in_process(settings.controller, offline=settings.offline)
    elif engine == "gguf":
        plans = _gguf(settings)
    else:
        plans = at_endpoint(settings.controller, offline=settings.offline)
    return Controllers(plans, extractive(reader), _judge(settings))


def _judge(settings: Settings) -> BaseChatModel | None:
    """The model that judges, by default the controller's own endpoint; none if the controller runs in this process."""
    named = settings.judge or (settings.controller if settings.controller.base_url else None)
    return at_endpoint(named, offline=settings.offline, role=JUDGE) if named else None


def extractive(reader: LearnedReader) -> BaseChatModel:
    """The controller that needs no language model. It uses the same embedding as the reader of questions."""
    from longtake.agent.controllers.extractive.model import ExtractiveChatModel

    return ExtractiveChatModel(embed=reader.embed, family=reader.family, reranker=lambda: reader.reranker)


def _in_process(settings: ControllerSettings, *, offline: bool) -> BaseChatModel:
    if not settings.model:
        raise ConfigError(
            "controller.engine=transformers needs controller.model, a folder or a name; give it with --set."
        )
    from longtake.preprocess.engines.transformers_folders import make_importable

    make_importable()
    from longtake.agent.controllers.in_process import open_in_process

    return open_in_process(settings, settings.model, offline=offline)


def _gguf(settings: Settings) -> BaseChatModel:
    from longtake.preprocess.engines.llama_cpp.server import missing_gguf

    missing = missing_gguf(settings, settings.controller.model, "controller.model")
    if missing or not settings.controller.model:
        raise ConfigError(f"controller.engine=gguf can't be used: {missing}.")
    from longtake.agent.controllers.gguf import open_gguf

    return open_gguf(settings, settings.controller.model)


def at_endpoint(settings: ControllerSettings, *, offline: bool, role: Role = CONTROLLER) -> BaseChatModel:
    """The chat model at the endpoint of these settings; nothing is sent yet.

    Raises:
        ConfigError: if it isn't set, or `--offline` forbids it.
    """
    url, model = settings.base_url, settings.model
    if not url or not model:
        raise ConfigError(
            f"controller.engine={settings.engine} needs controller.base_url and controller.model; give both with --set."
        )
    refused = refused_endpoint(url, "controller.base_url", settings.api_key_env, offline=offline)
    if refused:
        raise ConfigError(f"{refused}.")
    from longtake.agent.controllers.openai_endpoint import EndpointChatModel, open_endpoint

    kind = EndpointChatModel
    if settings.engine == "qwen_agent":
        look_up = socket.getaddrinfo
        from longtake.agent.controllers.qwen_agent import QwenAgentChatModel

        socket.getaddrinfo = look_up  # the package takes IPv6 from the whole process as it is imported
        kind = QwenAgentChatModel
    key = secret(settings.api_key_env)
    place = f"the environment variable {settings.api_key_env}" if key else unset(settings.api_key_env)
    role = role._replace(key=f"{place} ({role.key})")
    return open_endpoint(kind, settings, url, model, key, role)
