"""The controller that the settings name."""

from __future__ import annotations

from langchain_core.language_models import BaseChatModel

from longtake.config import ControllerSettings, Settings, secret
from longtake.errors import ConfigError
from longtake.offline import is_loopback, refused_endpoint


def make_controller(settings: Settings) -> BaseChatModel:
    """A chat model that plans. It is never changed silently: an endpoint that is down is an error.

    Raises:
        ConfigError: when a setting is missing or wrong, or `--offline` forbids the endpoint.
    """
    if settings.controller.engine == "rules":
        from longtake.agent.controllers.rules import RulesChatModel

        return RulesChatModel()
    return _endpoint(settings.controller, offline=settings.offline)


def _endpoint(settings: ControllerSettings, *, offline: bool) -> BaseChatModel:
    url, model = settings.base_url, settings.model
    if not url or not model:
        raise ConfigError(
            "controller.engine=openai needs controller.base_url and controller.model; give both with --set."
        )
    refused = refused_endpoint(url, "controller.base_url", settings.api_key_env, offline=offline)
    if refused:
        raise ConfigError(f"{refused}.")
    from longtake.agent.controllers.openai_endpoint import open_endpoint

    return open_endpoint(settings, url, model, secret(settings.api_key_env), loopback=is_loopback(url))
