"""What goes wrong at an endpoint: what was found answers in its place, and says why in a sentence."""

from __future__ import annotations

import email.utils
import json
import socket
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from helpers.asking import VIDEO, ask_endpoint, endpoint_asker
from helpers.servers.openai_server import Reply, doubts, openai_server, refuses, says

from longtake.agent.traces.trace import RecordedTrace
from longtake.preprocess.pipeline.workspace import Workspace

LISTEN = ("transcribe_speech", {"timestamp": "00:00:03-00:00:07"})
# A round whose result is long: the summary is asked of the same endpoint.
SUMMARY = ("summarize_segment", {"timestamp": [0, 8], "text": "", "length": "long"})
LONG = (says(None, SUMMARY), says("A heron wades through the river. " * 80))
PRICE = "The blue kettle costs 249 dollars [00:00:04]."
AT_ONCE = {"retry-after": "0"}

PASSING = {
    "429": replace(refuses(429, "slow down"), headers=AT_ONCE),
    "500": replace(refuses(500, "the model crashed"), headers=AT_ONCE),
    "502 in HTML": Reply("<html><h1>502 Bad Gateway</h1></html>", 502, "text/html", headers=AT_ONCE),
    "503": replace(refuses(503, "loading the model"), headers=AT_ONCE),
    "connection reset": Reply(says(PRICE).body, breaks="reset"),
    "reply cut short": Reply(says(PRICE).body, breaks="short"),
}
LASTING = {
    "401": refuses(401, "no such key"),
    "404": refuses(404, "no such model"),
    "HTML": Reply("<html>Welcome</html>", kind="text/html"),
    "half a JSON": Reply(says(PRICE).body[:40]),
    "an event stream": Reply('data: {"choices": []}\n\ndata: [DONE]\n\n', kind="text/event-stream"),
    "an error with status 200": Reply('{"error": {"message": "out of memory"}}'),
    "nothing": Reply(""),
    "time-out": Reply(says(PRICE).body, delay=4.0),
    "a letter at a time": Reply(says(PRICE).body, breaks="trickle"),
}
# Short beside those two, long enough for a busy machine to serve the others.
PATIENCE = "controller.timeout=2"


@pytest.mark.parametrize(
    ("trouble", "mended_by"),
    [
        (refuses(401, "no such key"), "OPENAI_API_KEY is not set"),
        (refuses(404, "no such model"), "longtake setup"),
        (refuses(400, "this model does not support tools"), "controller.calls=text"),
        (LASTING["time-out"], "controller.timeout"),
    ],
)
def test_a_failure_says_what_mends_it(
    small_workspace: Workspace, trouble: Reply, mended_by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert mended_by in (ask_endpoint(small_workspace, [trouble], PATIENCE).answer.controller_error or "")


@pytest.mark.parametrize("trouble", PASSING.values(), ids=PASSING.keys())
def test_a_trouble_that_passes_is_asked_over(small_workspace: Workspace, trouble: Reply) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), trouble, says(PRICE)])
    assert asked.answer.status == "answered"
    again = [len(event["data"]["asked_again"]) for event in asked.rounds]
    assert again == [0, 1]


@pytest.mark.nightly
@pytest.mark.parametrize("trouble", [*PASSING.values(), *LASTING.values()], ids=[*PASSING, *LASTING])
@pytest.mark.parametrize("before", [[], [says(None, LISTEN)]], ids=["at once", "later"])
def test_a_trouble_that_lasts_ends_in_what_was_found(
    small_workspace: Workspace, before: list[Reply], trouble: Reply
) -> None:
    asked = ask_endpoint(small_workspace, [*before, trouble], PATIENCE)
    assert (asked.answer.status, asked.stood_in, asked.answer.error) == ("answered", True, None)
    assert "249 dollars" in asked.answer.answer
    error = asked.answer.controller_error or ""
    assert error.startswith("the language model stopped answering (The controller ")
    assert "\n" not in error
    assert [event["data"]["guard"] for event in asked.of("guard")] == [error]
    assert len(asked.endpoint.requests) - len(before) == (3 if trouble in PASSING.values() else 1)


@pytest.fixture
def nobody() -> Iterator[str]:
    """The URL of a port where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{free.getsockname()[1]}/v1"


def test_nobody_at_the_address_is_named(small_workspace: Workspace, nobody: str) -> None:
    answer = endpoint_asker(small_workspace, nobody).ask([VIDEO], "What does the blue kettle cost?")
    assert answer.status == "answered"
    assert f"The controller at {nobody} can't be reached" in (answer.controller_error or "")
    assert "controller.base_url" in (answer.controller_error or "")


def test_the_wait_that_an_endpoint_names_is_kept(small_workspace: Workspace) -> None:
    busy = replace(refuses(429, "slow down"), headers={"Retry-After": "1"})
    arrivals: list[float] = []
    with openai_server([busy, says(None, LISTEN), says(PRICE)]) as endpoint:
        keep = endpoint.next
        # To see when.
        endpoint.next = lambda *sent: arrivals.append(time.monotonic()) or keep(*sent)  # type: ignore[method-assign]
        answer = endpoint_asker(small_workspace, endpoint.url).ask([VIDEO], "What does the blue kettle cost?")
    assert answer.status == "answered"
    assert arrivals[1] - arrivals[0] >= 1.0


@pytest.mark.parametrize(
    "wait", ["900", email.utils.formatdate(time.time() + 900, usegmt=True)], ids=["seconds", "a date"]
)
def test_a_wait_beyond_the_questions_time_is_not_begun(small_workspace: Workspace, wait: str) -> None:
    busy = replace(refuses(429, "slow down"), headers={"Retry-After": wait})
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), busy, says(PRICE)])
    assert (asked.answer.status, asked.stood_in) == ("answered", True)
    assert "slow down" in asked.answer.answer
    assert len(asked.endpoint.requests) == 2


@pytest.mark.slow
def test_a_wait_ends_with_the_questions_time(small_workspace: Workspace) -> None:
    busy = replace(refuses(429, "slow down"), headers={"Retry-After": "2"})
    asked = ask_endpoint(small_workspace, [busy] * 3 + [says(PRICE)], "budget.seconds=3")
    assert "429" in (asked.answer.controller_error or "")
    assert len(asked.endpoint.requests) == 2


FULL = {
    "OpenAI": (400, "Your input exceeds the context window of this model. Please adjust your input and try again."),
    "OpenAI and vLLM": (400, "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens."),
    "vLLM": (400, "The decoder prompt (length 5000) is longer than the maximum model length of 4096."),
    "llama.cpp": (400, "the request exceeds the available context size, try increasing it"),
    "llama.cpp with numbers": (400, "request (4390 tokens) exceeds the available context size (4096 tokens)"),
    "older llama.cpp": (500, "Context size has been exceeded."),
    "llama-cpp-python": (400, "Requested tokens (2285) exceed context window of 2048"),
    "SGLang": (400, "The input (5000 tokens) is longer than the model's context length (4096 tokens)."),
    "LiteLLM": (400, "ContextWindowExceededError: prompt is too long: 5000 tokens > 4096 maximum"),
    "Gemini": (400, "The input token count (5000) exceeds the maximum number of tokens allowed (4096)."),
}


@pytest.mark.parametrize(("status", "words"), FULL.values(), ids=FULL.keys())
def test_a_full_context_is_asked_again_with_older_results_shortened(
    small_workspace: Workspace, status: int, words: str
) -> None:
    asked = ask_endpoint(small_workspace, [*LONG, says(None, LISTEN), refuses(status, words), says(PRICE)])
    assert asked.answer.status == "answered"
    before, after = (request["messages"] for request in asked.endpoint.requests[3:5])
    assert [message["role"] for message in before] == [message["role"] for message in after]
    assert len(after[3]["content"]) < 1_700 < len(before[3]["content"])
    assert "shortened" in after[3]["content"]
    assert after[5] == before[5]
    shortened = [event["data"].get("shortened") for event in asked.of("model")[:4]]
    assert shortened[:3] == [[], None, []]
    assert [words.startswith("result of summarize_segment shortened from 2,") for words in shortened[3]] == [True]


def test_results_are_shortened_further_until_they_fit(small_workspace: Workspace) -> None:
    full = refuses(*FULL["vLLM"])
    asked = ask_endpoint(small_workspace, [*LONG, says(None, LISTEN), full, full, full, says(PRICE)])
    assert asked.answer.status == "answered"
    sizes = [len(request["messages"][3]["content"]) for request in asked.endpoint.requests[3:]]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 4


def test_what_was_shortened_stays_short_in_the_next_round(small_workspace: Workspace) -> None:
    full = refuses(*FULL["vLLM"])
    asked = ask_endpoint(small_workspace, [*LONG, says(None, LISTEN), full, says(None, LISTEN), says(PRICE)])
    after, later = (request["messages"] for request in asked.endpoint.requests[4:6])
    assert later[: len(after)] == after


def test_a_context_that_stays_full_ends_in_what_was_found(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), refuses(*FULL["vLLM"])])
    assert (asked.answer.status, asked.stood_in) == ("answered", True)
    assert "249 dollars" in asked.answer.answer
    assert "longer than the maximum model length" in asked.answer.answer


def _ending(reply: Reply, reason: str, **changes: str | None) -> Reply:
    body = json.loads(reply.body)
    body["choices"][0]["finish_reason"] = reason
    body["choices"][0]["message"].update(changes)
    return replace(reply, body=json.dumps(body))


@pytest.mark.parametrize(
    "text",
    [
        "The blue kettle costs 249 dollars [00:00:04]. The red one costs 24",
        "蓝色水壶的价格是249美元。红色水壶的价格是",
        "- Blue kettle: 249 dollars\n- Red kettle",
    ],
    ids=["sentences", "Chinese", "list"],
)
def test_a_text_that_breaks_off_is_kept_and_the_reader_is_told(small_workspace: Workspace, text: str) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), _ending(says(text), "length")])
    assert asked.answer.answer.startswith(f"{text}…")
    assert "cut off at its limit of tokens" in asked.answer.answer


@pytest.mark.parametrize(
    "reply",
    [
        says(None, ("transcribe_speech", '{"timestamp": "00:00:0')),
        says('<tool_call>{"name": "transcribe_speech", "arguments": {"timestamp": "00:00:0'),
        says("<function=transcribe_speech><parameter=timestamp>00:00:0"),
    ],
    ids=["in its field", "in the text", "in tags"],
)
def test_a_call_that_breaks_off_is_reported_and_not_made_with_half_a_time(
    small_workspace: Workspace, reply: Reply
) -> None:
    cut = _ending(reply, "length")
    asked = ask_endpoint(small_workspace, [cut, says(None, LISTEN), says(PRICE)])
    first, second = asked.of("tool")
    assert (first["data"]["failure"], second["data"]["failure"]) == ("bad_arguments", None)
    assert asked.answer.status == "answered"


def test_thinking_without_an_end_is_an_empty_reply(small_workspace: Workspace) -> None:
    thinks = _ending(says("<think>Let me see. The kettle may cost 300 dollars."), "length")
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), thinks, says(PRICE)])
    assert "Your reply was empty" in asked.endpoint.requests[2]["messages"][-1]["content"]
    assert asked.answer.status == "answered"
    assert "300" not in asked.answer.answer


@pytest.mark.parametrize(
    ("refusal", "status", "stood_in"),
    [
        (_ending(says(None), "stop", refusal="I can't help with that."), "abstained", False),
        (says("I'm sorry, but I can't help with that."), "uncertain", False),
        (_ending(says(None), "content_filter"), "answered", True),
    ],
    ids=["in its field", "in words", "filtered"],
)
def test_a_refusal_is_no_answer(small_workspace: Workspace, refusal: Reply, status: str, stood_in: bool) -> None:
    nothing = doubts("can't help", verdict="no_statement")
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), refusal], judge=nothing)
    assert (asked.answer.status, asked.stood_in, "can't help" in asked.answer.answer) == (
        status,
        stood_in,
        not stood_in,
    )


def test_a_refusal_in_its_field_is_kept_in_the_trace(small_workspace: Workspace) -> None:
    asked = ask_endpoint(small_workspace, [_ending(says(None), "stop", refusal="I can't help with that.")])
    trace = RecordedTrace(small_workspace.library.trace_root, asked.answer.trace or "")
    assert "I can't help with that." in trace.blob(asked.of("judge")[0]["input"])["draft"]["text"]


@pytest.mark.parametrize("wrong", [("order_pizza", {}), ("transcribe_speech", {"speaker": "Ann"})])
def test_the_same_wrong_call_for_ever_ends(small_workspace: Workspace, wrong: tuple[str, dict[str, str]]) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), says(None, wrong)])
    assert (asked.answer.status, asked.stood_in) == ("answered", True)
    assert "tools" not in asked.endpoint.requests[-1]
    assert "the same calls kept giving the same results" in asked.endpoint.requests[-1]["messages"][-1]["content"]
    assert "249 dollars" in asked.answer.answer


HUGE = {  # replies, all but the last three of which say something
    "sentences": "The heron wades. " * 30_000,
    "one word": "kettle" * 100_000,
    "broken JSON": '{"name": "transcribe_speech", "arguments": {"timestamp": ["' + "3, " * 100_000,
    "tags": "<tool_call>" * 30_000,
    "blanks": "<tool_call>" + " " * 300_000,
    "brackets": "[" * 100_000,
}


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE.keys())
def test_a_huge_reply_does_not_hold_the_run_up(small_workspace: Workspace, text: str) -> None:
    asked = ask_endpoint(small_workspace, [says(None, LISTEN), says(text), says(PRICE)])
    assert ("cut off after 20,000" in asked.answer.answer) is (text not in [*HUGE.values()][-3:])
    assert all(len(request["messages"][-1]["content"]) < 30_000 for request in asked.endpoint.requests)


def test_huge_arguments_and_a_hundred_calls_do_not_hold_the_run_up(small_workspace: Workspace) -> None:
    huge = ("transcribe_speech", '{"timestamp": "' + "3" * 300_000)
    asked = ask_endpoint(small_workspace, [says(None, *[LISTEN] * 99, huge), says(None, huge), says(PRICE)])
    assert asked.answer.status == "answered"
    assert asked.answer.usage.tool_calls == 17
    assert "84 of 100 calls left out" in asked.of("model")[0]["data"]["repairs"]
