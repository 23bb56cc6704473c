"""The controller that the settings name."""

from __future__ import annotations

from urllib.parse import urlsplit

from langchain_core.language_models import BaseChatModel

from longtake.config import ControllerSettings, Settings, secret
from longtake.errors import ConfigError
from longtake.offline import is_this_machine


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
    parts = urlsplit(url)
    # The URL is named in errors and traces: what may hold a secret is refused first, without naming it.
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ConfigError(
            "controller.base_url must not hold a password, a query (?) or a fragment (#); "
            f"put the key into the variable {settings.api_key_env}."
        )
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"controller.base_url={url!r} is not a URL; write one such as http://127.0.0.1:8000/v1.")
    if offline and not is_loopback(url):
        raise ConfigError(f"--offline forbids the controller at {url}; use one on this machine.")
    from longtake.agent.controllers.openai_endpoint import open_endpoint

    return open_endpoint(settings, url, model, secret(settings.api_key_env), loopback=is_loopback(url))


def is_loopback(url: str) -> bool:
    """Whether a URL's host is this machine."""
    return is_this_machine(urlsplit(url).hostname or "")
