"""Downloads of evidence packs."""

from __future__ import annotations

import io
import json
from zipfile import ZipFile

import httpx
import pytest
from helpers.servers.server_events import answer, begin

from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web.threads import PACKING

COST = "What does the blue kettle cost?"


@pytest.mark.nightly
def test_no_more_packs_are_made_at_once_than_leave_room_for_others(
    client: httpx.Client, small_workspace: Workspace
) -> None:
    thread = begin(client, small_workspace.library.resolve("talk.mp4").id)
    answer(client, thread, COST)
    address = f"/api/threads/{thread}/turns/0/pack"
    with PACKING.slot(), PACKING.slot():
        refused = client.get(address)
        assert (refused.status_code, refused.json()["error"]["type"]) == (503, "unavailable")
        assert "Try again" in refused.json()["error"]["message"]
        assert int(refused.headers["Retry-After"]) > 0
    for _ in range(3):  # each gives its slot back
        assert client.get(address).status_code == 200


def test_a_pack_is_downloaded(client: httpx.Client, small_workspace: Workspace) -> None:
    thread = begin(client, small_workspace.library.resolve("talk.mp4").id)
    reported = answer(client, thread, COST)["answer"]
    response = client.get(f"/api/threads/{thread}/turns/0/pack")
    assert response.headers["content-type"] == "application/zip"
    assert f'filename="longtake-{reported["trace"]}.zip"' in response.headers["content-disposition"]
    with ZipFile(io.BytesIO(response.content)) as pack:
        assert json.loads(pack.read("answer.json")) == reported
