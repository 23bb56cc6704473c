"""A controller behind an OpenAI-compatible endpoint, through the whole graph: answers and failures."""

from __future__ import annotations

import re
from concurrent.futures import Future

import pytest
from helpers.asking import ask_endpoint, plans_by
from helpers.servers.openai_server import Reply, refuses, says

from longtake.agent.controllers import asking
from longtake.config import load
from longtake.errors import ConfigError
from longtake.preprocess.pipeline.workspace import Workspace

LISTEN = ("transcribe_speech", {"timestamp": "00:00:03-00:00:07"})
PRICE = "The blue kettle costs 249 dollars [00:00:04]."


def test_calls_then_a_cited_answer(small_workspace: Workspace) -> None:
    asked = ask_endpoint(
        small_workspace,
        [says(None, LISTEN, usage=(1_000, 100)), says(PRICE, usage=(2_000, 200))],
        "controller.price.input=2",
        "controller.price.output=10",
    )
    answer = asked.answer
    assert (answer.status, answer.answer) == ("answered", "The blue kettle costs 249 dollars [00:00:04].")
    assert [(cited.start, cited.quote) for cited in answer.citations] == [(4.0, "The blue kettle costs 249 dollars.")]
    assert [claim.verdict for claim in answer.claims] == ["supported"]
    assert (answer.usage.rounds, answer.usage.tool_calls) == (2, 1)
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (3_100, 320)
    assert answer.usage.cost == pytest.approx(3_100 * 2e-6 + 320 * 10e-6)
    offered = {tool["function"]["name"] for tool in asked.endpoint.requests[0]["tools"]}
    assert {"transcribe_speech", "extract_scene_text", "cross_modal_search"} <= offered
    result = asked.endpoint.requests[1]["messages"][-1]
    assert result["role"] == "tool"
    assert re.match(r"m\d+ \(above\)", result["content"])


def test_a_reply_that_comes_as_a_wait_ends_is_taken(
    small_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Late(Future[object]):
        """Its reply is there a moment after a limited wait gave up."""

        def result(self, timeout: float | None = None) -> object:
            reply = super().result()
            if timeout is not None:
                raise TimeoutError
            return reply

    monkeypatch.setattr(asking, "Future", Late)
    answer = ask_endpoint(small_workspace, [says(None, LISTEN), says(PRICE)]).answer
    assert answer.status == "answered"


def test_a_citation_that_nothing_backs_is_removed_and_counted(small_workspace: Workspace) -> None:
    answer = ask_endpoint(small_workspace, [says(None, LISTEN), says(f"{PRICE[:-1]}[00:00:09][01:30:00].")]).answer
    assert answer.status == "answered"
    assert answer.citations_removed == 2
    assert "01:30:00" not in answer.answer
    assert "00:00:09" not in answer.answer


@pytest.mark.parametrize("empty", [says(""), says(None), says("<think>Hm.</think>")])
def test_an_empty_reply_is_sent_back_once(small_workspace: Workspace, empty: Reply) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), empty, says(PRICE)])
    assert "Your reply was empty" in asked.endpoint.requests[2]["messages"][-1]["content"]
    assert asked.answer.status == "answered"
    silent = ask_endpoint(small_workspace, [says(None, LISTEN), empty])
    assert len(silent.endpoint.requests) == 3
    assert (silent.answer.status, silent.stood_in) == ("answered", True)


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (refuses(500, "the model crashed"), "failed: Error code: 500 - the model crashed"),
        (refuses(401, "Incorrect API key provided"), "failed: Error code: 401 - Incorrect API key provided"),
        (Reply("garbage"), "chat completion"),
        (Reply("<html>hello</html>", kind="text/html"), "chat completion"),
        (Reply("[]"), "chat completion"),
        (Reply("{}"), "chat completion"),
        (Reply('{"choices": []}'), "chat completion"),
        (Reply('{"choices": [{"index": 0}]}'), "chat completion"),
        (Reply('{"choices": [{"message": {"tool_calls": [{}]}}]}'), "chat completion"),
        (Reply('{"error": {"message": "out of memory"}}'), "out of memory"),
    ],
)
def test_an_endpoint_that_fails_is_one_sentence_that_names_it(
    small_workspace: Workspace, reply: Reply, said: str
) -> None:
    asked = ask_endpoint(small_workspace, [reply])
    error = asked.answer.controller_error or ""
    assert (asked.answer.status, asked.stood_in) == ("answered", True)
    assert f"The controller at {asked.endpoint.url} " in error
    assert said in error
    assert "\n" not in error
    assert [event["data"]["guard"] for event in asked.of("guard")] == [error]
    assert len(asked.endpoint.requests) == 1


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://127.0.0.1:8000/v1", True),
        ("http://localhost:8000/v1", True),
        ("http://[::1]:8000/v1", True),
        ("http://127.0.0.1.example.org/v1", False),
        ("http://192.168.1.2:8000/v1", False),
        ("https://api.example.org/v1", False),
    ],
)
def test_offline_allows_only_a_controller_on_this_machine(url: str, here: bool) -> None:
    settings = load(
        overrides=("controller.engine=openai", f"controller.base_url={url}", "controller.model=m"), offline=True
    )
    if here:
        assert plans_by(settings)
        return
    with pytest.raises(ConfigError, match="--offline forbids the endpoint"):
        plans_by(settings)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ((), "needs controller.base_url and controller.model"),
        (("controller.model=m", "controller.base_url=localhost"), "isn't a URL"),
        (("controller.model=m", "controller.base_url='http://[::1'"), "isn't a URL"),
        (("controller.model=m", "controller.base_url=http://127.0.0.1:port/v1"), "isn't a URL"),
    ],
)
def test_a_wrong_setting_of_the_endpoint_is_named(settings: tuple[str, ...], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        plans_by(load(overrides=("controller.engine=openai", *settings)))


@pytest.mark.parametrize(
    "url",
    [
        "http://me:hidden@127.0.0.1/v1",
        "http://127.0.0.1/v1?api_key=hidden",
        "http://127.0.0.1/v1#hidden",
        "localhost/v1?api_key=hidden",
        "http://me:hidden@[::1",
    ],
)
def test_an_address_that_may_hold_a_key_is_refused_and_not_repeated(url: str) -> None:
    settings = load(overrides=("controller.engine=openai", "controller.model=m", f"controller.base_url={url}"))
    with pytest.raises(ConfigError, match="must not contain @") as refused:
        plans_by(settings)
    assert "hidden" not in str(refused.value)


def test_a_proxy_of_the_environment_never_sees_what_is_said_to_this_machine(
    small_workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert ask_endpoint(small_workspace, [says(None, LISTEN), says(PRICE)]).answer.status == "answered"
