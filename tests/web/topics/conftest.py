"""The server of a talk about three topics."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.servers.web_server import WebServer, web_server

from longtake.preprocess.pipeline.workspace import Workspace


@pytest.fixture(scope="module")
def server(topics_workspace: Workspace) -> Iterator[WebServer]:
    with web_server(topics_workspace) as server:
        yield server


@pytest.fixture
def talk(topics_workspace: Workspace) -> str:
    """The id of the talk."""
    return topics_workspace.library.resolve("topics.wav").id
