"""Reads server-sent events as a browser would, and asks a question over HTTP."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx

from longtake.web.runs import Run

ENOUGH = 20  # seconds; what is stopped would otherwise go on for much longer


class Sent(NamedTuple):
    number: int
    kind: str
    data: dict[str, Any]


def events(client: httpx.Client, run: str, after: int | None = None) -> list[Sent]:
    """The events of a run until its end, from the one after a number."""
    with follow(client, run, after) as response:
        assert response.status_code == 200, response.read()
        assert response.headers["content-type"].startswith("text/event-stream")
        return list(sent(response))


def follow(client: httpx.Client, run: str, after: int | None = None) -> Any:
    headers = {} if after is None else {"Last-Event-ID": str(after)}
    return client.stream("GET", f"/api/runs/{run}/events", headers=headers)


def sent(response: httpx.Response) -> Iterator[Sent]:
    fields: dict[str, str] = {}
    for line in response.iter_lines():
        if line:
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
        elif "data" in fields:
            yield Sent(int(fields["id"]), fields["event"], json.loads(fields["data"]))
            fields = {}


def begin(client: httpx.Client, *videos: str) -> str:
    """The id of a new thread."""
    begun = client.post("/api/threads", json={"videos": list(videos)})
    assert begun.status_code == 201, begun.text
    return str(begun.json()["id"])


def ask(client: httpx.Client, thread: str, question: str, **more: Any) -> str:
    """The id of the run of a question."""
    asked = client.post(f"/api/threads/{thread}/questions", json={"question": question, **more})
    assert asked.status_code == 202, asked.text
    return str(asked.json()["run"])


def answer(client: httpx.Client, thread: str, question: str, **more: Any) -> dict[str, Any]:
    """The last event's data of a question, which must be an answer."""
    last = events(client, ask(client, thread, question, **more))[-1]
    assert last.kind == "answer", last
    return last.data


def wait_for_end(run: Run) -> None:
    deadline = time.monotonic() + ENOUGH
    while not run.feed.ended:
        assert time.monotonic() < deadline, "the run does not end"
        time.sleep(0.01)
