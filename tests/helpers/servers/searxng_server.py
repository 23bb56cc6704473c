"""An HTTP server on loopback that plays SearXNG: what it replies is scripted, and it keeps what it was asked."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from helpers.servers.loopback import Handler, listening

Page = Mapping[str, Any]


@dataclass(frozen=True)
class Reply:
    """One HTTP reply, sent as it is; `pieces` are sent one after another with `delay` seconds before each."""

    pieces: Sequence[bytes] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0


def finds(*pages: Page, **more: Any) -> Reply:
    """The JSON of SearXNG: pages of `url`, `title` and `content`, and further fields of the reply."""
    return Reply((json.dumps({"query": "", "results": pages, **more}).encode(),))


def leads_to(url: str) -> Reply:
    """A redirect."""
    return Reply(status=302, headers={"Location": url})


KETTLES = finds(
    {"url": "https://example.org/kettle", "title": "Kettles", "content": "A copper kettle costs 40 dollars."},
    {"url": "https://example.org/heron", "title": "Herons", "content": "A heron is a bird."},
)


@dataclass
class Server:
    """The running server: where it listens, what it replies to each path, which requests reached it."""

    url: str
    replies: Mapping[str, Reply]
    queries: list[dict[str, list[str]]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)


@contextmanager
def searxng_server(replies: Reply | Mapping[str, Reply]) -> Iterator[Server]:
    """Listen on a free port of loopback until the block ends.

    Args:
        replies: what `/search` is answered with, or a reply for each path.
    """

    class Playing(Handler):
        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            server.paths.append(asked.path)
            server.queries.append(parse_qs(asked.query))
            reply = server.replies.get(asked.path, Reply(status=404))
            with suppress(BrokenPipeError, ConnectionResetError):
                self.send(reply.status, dict(reply.headers))
                for piece in reply.pieces:
                    time.sleep(reply.delay)
                    self.wfile.write(piece)

    with listening(Playing) as url:
        server = Server(url, {"/search": replies} if isinstance(replies, Reply) else replies)
        yield server
