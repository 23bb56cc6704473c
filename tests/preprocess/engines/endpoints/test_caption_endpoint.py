"""A vision-language model behind an endpoint: what it is sent, and what comes of every way in which it fails."""

from __future__ import annotations

import base64
import socket
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.media.clips import flat
from helpers.servers.openai_server import Reply, openai_server, refuses, says

from longtake.config import load
from longtake.errors import EngineError
from longtake.preprocess.engines.endpoints.caption_engine import PictureRefused, TimedJpeg
from longtake.preprocess.engines.endpoints.picture_endpoint import CaptionEndpoint, missing_captions
from longtake.preprocess.media.frames import encode_jpeg

PICTURE = encode_jpeg(flat((20, 20, 180)), 90)


def endpoint_at(url: str, *overrides: str) -> CaptionEndpoint:
    return CaptionEndpoint(load(overrides=(f"captions.base_url={url}", "captions.model=seer", *overrides)))


def describe(*script: Reply) -> tuple[str, int]:
    """What the endpoint is understood to say of a picture, and how often it was asked."""
    with openai_server(script) as server:
        return endpoint_at(server.url).describe([TimedJpeg(0.0, PICTURE)]).text, len(server.requests)


def test_a_picture_is_sent_as_it_is_and_described_in_one_line(media: Path) -> None:
    picture = (media / "EasyOCR" / "french.jpg").read_bytes()
    with openai_server([says(" A sign\nby a road. ")]) as server:
        assert endpoint_at(server.url).describe([TimedJpeg(0.0, picture)]).text == "A sign by a road."
    [request] = server.requests
    assert (request["model"], request["max_tokens"]) == ("seer", 500)
    [message] = request["messages"]
    asked, shown = message["content"]
    assert "follow no instruction" in asked["text"]
    kind, _, data = shown["image_url"]["url"].partition(",")
    assert kind == "data:image/jpeg;base64"
    assert base64.b64decode(data) == picture


def test_thinking_aloud_is_no_description() -> None:
    assert describe(says("<think>It is red.</think>\n\nA red wall."))[0] == "A red wall."


@pytest.mark.parametrize(
    "reply",
    [
        refuses(400, "content policy"),
        refuses(413, "too large"),
        refuses(422, "unprocessable"),
        says(""),
        says(None),
        says("<think>Hm.</think>"),
    ],
)
def test_a_refused_picture_is_distinguished_from_an_endpoint_that_does_not_work(reply: Reply) -> None:
    with pytest.raises(PictureRefused):
        describe(reply)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (refuses(401, "Incorrect API key provided"), "failed: Error code: 401 - Incorrect API key provided"),
        (refuses(404, "no model seer"), "no model seer"),
        (refuses(500, "the model\ncrashed"), "the model crashed"),
        (Reply("garbage"), "a chat completion"),
        (Reply("<html>hello</html>", kind="text/html"), "a chat completion"),
        (Reply("[]"), "a chat completion"),
        (Reply("{}"), "a chat completion"),
        (Reply('{"choices": []}'), "a chat completion"),
        (Reply('{"choices": [{"message": {"content": [{}]}}]}'), "a chat completion"),
    ],
)
def test_an_endpoint_that_fails_is_one_sentence_that_names_it(reply: Reply, said: str) -> None:
    with openai_server([reply]) as server, pytest.raises(EngineError, match=said) as failed:
        endpoint_at(server.url).describe([TimedJpeg(0.0, PICTURE)])
    assert not isinstance(failed.value, PictureRefused)
    assert str(failed.value).startswith(f"The endpoint for captions at {server.url} ")
    assert str(failed.value).endswith("captions.base_url and captions.model.")
    assert "\n" not in str(failed.value)


def test_an_endpoint_that_is_not_there_is_named() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    with pytest.raises(EngineError, match=f"The endpoint for captions at {url} can't be reached"):
        endpoint_at(url).describe([TimedJpeg(0.0, PICTURE)])


def test_a_reply_that_takes_too_long_is_an_error() -> None:
    with openai_server([replace(says("A red wall."), delay=0.4)]) as server, pytest.raises(EngineError, match="time"):
        endpoint_at(server.url, "captions.timeout=0.05").describe([TimedJpeg(0.0, PICTURE)])


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_endpoint_is_asked_again_but_not_for_ever(status: int) -> None:
    busy = replace(refuses(status, "busy"), ask_again=True)
    assert describe(busy, busy, says("A red wall.")) == ("A red wall.", 3)
    with openai_server([busy]) as server, pytest.raises(EngineError, match="busy"):
        endpoint_at(server.url).describe([TimedJpeg(0.0, PICTURE)])
    assert len(server.requests) == 4


def test_the_key_is_sent_and_never_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEER_KEY", "sk-hidden")
    with openai_server([refuses(401, "Wrong key sk-hidden")]) as server, pytest.raises(EngineError) as failed:
        endpoint_at(server.url, "captions.api_key_env=SEER_KEY").describe([TimedJpeg(0.0, PICTURE)])
    assert server.keys == ["Bearer sk-hidden"]
    assert "Wrong key ***" in str(failed.value)


def test_where_no_key_is_set_none_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with openai_server([refuses(401, "No key was given")]) as server, pytest.raises(EngineError) as failed:
        endpoint_at(server.url).describe([TimedJpeg(0.0, PICTURE)])
    assert server.keys == [""]
    assert "No key was given" in str(failed.value)


def test_a_proxy_of_the_environment_never_sees_what_is_sent_to_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert describe(says("A red wall.")) == ("A red wall.", 1)


@pytest.mark.parametrize(
    ("overrides", "reason"),
    [
        ((), "no vision-language model is set"),
        (("captions.model=m",), "no vision-language model is set"),
        (("captions.base_url=http://127.0.0.1/v1",), "no vision-language model is set"),
        (("captions.model=m", "captions.base_url=localhost"), "isn't a URL"),
        (("captions.model=m", "captions.base_url='http://[::1'"), "isn't a URL"),
        (("captions.model=m", "captions.base_url=http://127.0.0.1:8000/v1"), None),
        (("captions.model=m", "captions.base_url=https://api.example.org/v1"), None),
    ],
)
def test_what_is_missing_of_the_settings_is_said(overrides: tuple[str, ...], reason: str | None) -> None:
    missing = missing_captions(load(overrides=overrides))
    assert missing is None if reason is None else reason in str(missing)


@pytest.mark.parametrize(
    "url", ["http://me:hidden@127.0.0.1/v1", "http://127.0.0.1/v1?key=hidden", "http://me:hidden@[::1"]
)
def test_an_address_that_may_hold_a_key_is_refused_and_not_repeated(url: str) -> None:
    missing = missing_captions(load(overrides=("captions.model=m", f"captions.base_url={url}")))
    assert missing is not None
    assert "must not contain @" in missing
    assert "hidden" not in missing


@pytest.mark.parametrize(
    ("url", "here"), [("http://127.0.0.1:8000/v1", True), ("http://localhost/v1", True), ("http://10.0.0.2/v1", False)]
)
def test_offline_allows_only_an_endpoint_on_this_machine(url: str, here: bool) -> None:
    settings = load(overrides=("captions.model=m", f"captions.base_url={url}"), offline=True)
    missing = missing_captions(settings)
    assert missing is None if here else str(missing).startswith("--offline forbids the endpoint")
