"""The server of one small video, and who asks it."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest
from helpers.servers.web_server import WebServer, web_server

from longtake.preprocess.pipeline.workspace import Workspace


@pytest.fixture(scope="module")
def server(small_workspace: Workspace) -> Iterator[WebServer]:
    with web_server(small_workspace) as server:
        yield server


@pytest.fixture
def client(server: WebServer) -> Iterator[httpx.Client]:
    with server.client() as client:
        yield client


@pytest.fixture
def video(small_workspace: Workspace) -> str:
    """The id of the small video."""
    return small_workspace.library.resolve("talk.mp4").id
