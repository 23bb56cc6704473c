"""What is sent to an endpoint of a key, wherever the endpoint is."""

from __future__ import annotations

import openai
import pytest
from helpers.servers.openai_server import openai_server, says

from longtake.preprocess.engines.endpoints.endpoint_client import NO_KEY, endpoint_client


@pytest.mark.parametrize("loopback", [True, False])
@pytest.mark.parametrize(("key", "sent"), [("sk-seer", "Bearer sk-seer"), (None, "")])
def test_a_key_is_sent_where_there_is_one_and_nothing_in_its_place(loopback: bool, key: str | None, sent: str) -> None:
    http = endpoint_client(loopback=loopback, keyed=key is not None)
    with openai_server([says("Yes.")]) as server:
        client = openai.OpenAI(base_url=server.url, api_key=key or NO_KEY, http_client=http)
        client.chat.completions.create(model="seer", messages=[{"role": "user", "content": "Are you there?"}])
    assert server.keys == [sent]
