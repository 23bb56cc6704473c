"""Builds the HTTP client for the `openai` library: sends no key if none is set, and bypasses proxies on loopback."""

from __future__ import annotations

from httpx import Request
from openai import APIConnectionError, APIError, APITimeoutError, DefaultHttpxClient

# Local servers need no key, but the client insists on one; it is removed from each request.
NO_KEY = "no-key-given"


def endpoint_client(*, loopback: bool, keyed: bool) -> DefaultHttpxClient | None:
    """The HTTP client to pass to `openai`; None if its default will do.

    Args:
        loopback: whether the endpoint is on this machine: then no proxy from the environment may see the requests, and
            redirects aren't followed.
        keyed: whether there is a key; without one, `NO_KEY` takes its place and is never sent.
    """
    if keyed and not loopback:
        return None
    hooks = {} if keyed else {"request": [_without_key]}
    return DefaultHttpxClient(trust_env=not loopback, follow_redirects=not loopback, event_hooks=hooks)


def problem_of(error: APIError) -> str:
    """What went wrong, in words that follow the name and address of an endpoint."""
    if isinstance(error, APITimeoutError):
        return "sent no reply in time"
    if isinstance(error, APIConnectionError):
        return "can't be reached: is it running?"
    return f"failed: {error}"


def _without_key(request: Request) -> None:
    request.headers.pop("Authorization", None)
