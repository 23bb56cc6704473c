"""The controller that the settings name."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from langchain_core.language_models import BaseChatModel

from longtake.config import ControllerSettings, Settings, secret
from longtake.errors import ConfigError


def make_controller(settings: Settings) -> BaseChatModel:
    """A chat model that plans. It is never changed silently: an endpoint that is down is an error.

    Raises:
        ConfigError: when a setting is missing, or `--offline` forbids the endpoint.
    """
    if settings.controller.engine == "rules":
        from longtake.agent.controllers.rules import RulesChatModel

        return RulesChatModel()
    return _openai(settings.controller, offline=settings.offline)


def _openai(settings: ControllerSettings, *, offline: bool) -> BaseChatModel:
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    if not settings.base_url or not settings.model:
        raise ConfigError("controller.engine=openai needs controller.base_url and controller.model; give both with --set.")
    if offline and not is_loopback(settings.base_url):
        raise ConfigError(f"--offline forbids the controller at {settings.base_url}; use one on this machine.")
    # Servers on one's own machine ask for no key, but the client insists on one.
    key = secret(settings.api_key_env) or "none"
    return ChatOpenAI(
        base_url=settings.base_url,
        model=settings.model,
        api_key=SecretStr(key),
        temperature=settings.temperature,
        timeout=settings.timeout,
        max_retries=2,
    )


def is_loopback(url: str) -> bool:
    """Whether a URL's host is this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
