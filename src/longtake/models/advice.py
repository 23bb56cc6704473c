"""What to do about a server that doesn't answer, refuses the key or lacks the model."""

from __future__ import annotations

from longtake.config import secret, unset
from longtake.models.names import LOCAL_SERVERS
from longtake.models.servers import Listing

_STARTED_BY = {
    "ollama": "ollama serve",
    "lmstudio": "lms server start",
    "vllm": "vllm serve NAME",
    "llamacpp": "llama-server --model FILE.gguf --jinja",
}
_SHOWN = 5  # models of a server


def problem_at(listing: Listing, model: str | None, setting: str, variable: str) -> str | None:
    """Why the model of a server can't be used, and what to do; None if it can.

    Args:
        listing: what the server said when it was asked for its models.
        model: the one that the settings name.
        setting: the setting that holds the URL, such as `controller.base_url`.
        variable: the environment variable that holds the key.
    """
    at = f"the endpoint {listing.url}"
    if listing.refused:
        return f"{at} refuses the key: {_right_key(variable)}"
    if listing.problem:
        return f"{at} does not answer ({listing.problem}): {_start(listing.url)}, or correct {setting}"
    if model and not listing.has(model):
        return f"{at} has no model {model}: {_others(listing)}"
    return None


def _right_key(variable: str) -> str:
    return f"correct the one in {variable}" if secret(variable) else f"{unset(variable)}, so export it"


def _start(url: str) -> str:
    program = next((_STARTED_BY[route] for route, usual in LOCAL_SERVERS.items() if usual == url), None)
    return f"start it with `{program}`" if program else "start it"


def _others(listing: Listing) -> str:
    more = ", ..." if len(listing.models) > _SHOWN else ""
    route = next((route for route, usual in LOCAL_SERVERS.items() if usual == listing.url), "openai")
    take = f"longtake setup --model {route}/NAME"
    return f"it has {', '.join(listing.models[:_SHOWN])}{more}; `{take}` takes one"
