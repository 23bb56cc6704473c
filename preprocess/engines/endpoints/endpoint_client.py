"""What sends the requests of the `openai` client: without a key where none is set, and past proxies on this machine."""

from __future__ import annotations

from httpx import Request
from openai import DefaultHttpxClient

# Servers on one's own machine ask for no key, but the client insists on one; it is taken out of what is sent.
NO_KEY = "no-key-given"


def endpoint_client(*, loopback: bool, keyed: bool) -> DefaultHttpxClient | None:
    """The HTTP client to hand to that of `openai`; None where its own is right.

    Args:
        loopback: whether the endpoint is on this machine: then a proxy named in the environment must not see what it
            is told, and it can send nobody elsewhere.
        keyed: whether there is a key; without one `NO_KEY` is given in its place, and never sent.
    """
    if keyed and not loopback:
        return None
    hooks = {} if keyed else {"request": [_without_key]}
    return DefaultHttpxClient(trust_env=not loopback, follow_redirects=not loopback, event_hooks=hooks)


def _without_key(request: Request) -> None:
    request.headers.pop("Authorization", None)
