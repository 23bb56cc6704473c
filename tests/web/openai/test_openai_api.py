"""The OpenAI-compatible endpoint, driven by OpenAI's own client."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import openai
import pytest
from helpers.asking import endpoint_asker
from helpers.full_disk import full_disk
from helpers.media.small_video import write_small_video
from helpers.servers.openai_server import openai_server, says
from helpers.servers.web_server import WebServer, web_server
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from longtake.agent.traces.trace import RecordedTrace
from longtake.config import load
from longtake.memory.records import Answer
from longtake.preprocess.pipeline.workspace import Workspace

COST = "What does the blue kettle cost?"
TOOLS: Any = [{"type": "function", "function": {"name": "f"}}]
SPOKEN = "“The blue kettle costs 249 dollars.” [00:00:04]"


@pytest.fixture
def client(small_workspace: Workspace) -> Iterator[openai.OpenAI]:
    with web_server(small_workspace) as server, _client(server) as client:
        yield client


@pytest.fixture
def allowed(tmp_path: Path) -> Iterator[tuple[WebServer, openai.OpenAI, Path]]:
    """A server with an empty library that may take the files of one folder, which holds the small video."""
    folder = tmp_path / "talks & more"
    folder.mkdir()
    file = write_small_video(folder / "talk.mp4")
    with web_server(Workspace(tmp_path / "library", load()), folders=[folder]) as server, _client(server) as client:
        yield server, client, file


def _client(server: WebServer, key: str = "none") -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{server.url}/v1", api_key=key, max_retries=0, timeout=120)


def _asks(text: str, *urls: str) -> list[Any]:
    videos = [{"type": "video_url", "video_url": {"url": url}} for url in urls]
    return [{"role": "user", "content": [*videos, {"type": "text", "text": text}]}]


def test_the_model_is_listed(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["longtake"]
    assert client.models.retrieve("longtake").object == "model"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("gpt-9")


def test_an_answer_comes_with_its_citations_as_annotations(client: openai.OpenAI, video: str) -> None:
    made = client.chat.completions.create(model="longtake", messages=_asks(COST, f"longtake://{video}"))
    [choice] = made.choices
    assert (made.object, made.model, choice.finish_reason) == ("chat.completion", "longtake", "stop")
    assert choice.message.content == SPOKEN
    [annotation] = choice.message.annotations or []
    cited = annotation.url_citation
    assert cited.url == f"longtake://{video}#t=4,6"
    assert cited.title == "talk.mp4, 00:00:04-00:00:06"
    assert SPOKEN[cited.start_index : cited.end_index] == "[00:00:04]"
    assert Answer.model_validate(made.model_extra["longtake"]).claims[0].verdict == "supported"  # type: ignore[index] # it is there


def test_a_message_without_a_video_is_about_the_library(client: openai.OpenAI, tmp_path: Path) -> None:
    made = client.chat.completions.create(model="longtake", messages=[{"role": "user", "content": COST}])
    assert made.choices[0].message.content == SPOKEN
    empty = web_server(Workspace(tmp_path / "empty", load()))
    with empty as server, _client(server) as asking, pytest.raises(openai.BadRequestError, match="is empty"):
        asking.chat.completions.create(model="longtake", messages=[{"role": "user", "content": COST}])


def test_tools_that_a_client_offers_are_left_alone(client: openai.OpenAI, video: str) -> None:
    made = client.chat.completions.create(
        model="longtake", messages=_asks(COST, f"longtake://{video}"), tools=TOOLS, tool_choice="auto"
    )
    assert made.choices[0].message.content == SPOKEN
    assert not made.choices[0].message.tool_calls


def test_langchain_asks_and_streams(small_workspace: Workspace, video: str) -> None:
    parts = _asks(COST, f"longtake://{video}")[0]["content"]
    with web_server(small_workspace) as server:
        model = ChatOpenAI(model="longtake", base_url=f"{server.url}/v1", api_key=SecretStr("none"))
        assert model.invoke([HumanMessage(parts)]).text == SPOKEN
        assert "".join(chunk.text for chunk in model.stream([HumanMessage(COST)])) == SPOKEN


@pytest.mark.skipif(not shutil.which("curl"), reason="needs curl")
def test_curl_reads_an_answer_and_a_stream(small_workspace: Workspace, video: str) -> None:
    body = {"model": "longtake", "messages": _asks(COST, f"longtake://{video}")}
    with web_server(small_workspace, token="open sesame, please") as server:

        def curl(**more: Any) -> str:
            headers = ["-H", "Authorization: Bearer open sesame, please", "-H", "Content-Type: application/json"]
            command = ["curl", "-sSN", f"{server.url}/v1/chat/completions", *headers, "-d", json.dumps(body | more)]
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout

        assert json.loads(curl())["choices"][0]["message"]["content"] == SPOKEN
        *chunks, done = [line for line in curl(stream=True).splitlines() if line.startswith("data: ")]
    assert done == "data: [DONE]"
    deltas = [json.loads(chunk.removeprefix("data: "))["choices"][0]["delta"] for chunk in chunks]
    assert "".join(delta.get("content") or "" for delta in deltas) == SPOKEN


def test_a_stream_holds_the_same_and_its_usage_when_it_is_asked_for(client: openai.OpenAI, video: str) -> None:
    messages = _asks(COST, f"longtake://{video}")
    chunks = list(
        client.chat.completions.create(
            model="longtake", messages=messages, stream=True, stream_options={"include_usage": True}
        )
    )
    assert len({chunk.id for chunk in chunks}) == 1
    *spoken, last = chunks
    deltas = [chunk.choices[0].delta for chunk in spoken]
    assert deltas[0].role == "assistant"
    assert "".join(delta.content or "" for delta in deltas) == SPOKEN
    [annotations] = [delta.model_extra["annotations"] for delta in deltas if delta.model_extra]
    assert annotations[0]["url_citation"]["url"] == f"longtake://{video}#t=4,6"
    assert [chunk.choices[0].finish_reason for chunk in spoken] == [None] * (len(spoken) - 1) + ["stop"]
    assert last.choices == []
    assert last.usage is not None
    without = list(client.chat.completions.create(model="longtake", messages=messages, stream=True))
    assert all(chunk.usage is None and chunk.choices for chunk in without)


def test_the_tokens_of_the_controller_are_the_usage(small_workspace: Workspace, video: str) -> None:
    listen = says(None, ("transcribe_speech", {"timestamp": "00:00:03-00:00:07"}))
    with openai_server([listen, says("It costs 249 dollars [00:00:04].")]) as endpoint:
        agent = endpoint_asker(small_workspace, endpoint.url)
        with web_server(small_workspace, agent=agent) as server, _client(server) as client:
            messages = _asks(COST, f"longtake://{video}")
            made = client.chat.completions.create(model="longtake", messages=messages)
    assert made.usage is not None
    assert (made.usage.prompt_tokens, made.usage.completion_tokens, made.usage.total_tokens) == (
        300,
        60,
        360,
    )  # two replies, and that of the judge


def test_earlier_messages_are_the_conversation_and_nothing_of_it_is_kept(
    client: openai.OpenAI, small_workspace: Workspace, video: str
) -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        *_asks(COST, f"longtake://{video}"),
        {"role": "assistant", "content": SPOKEN},
        {"role": "user", "content": "When is it mentioned?"},
    ]
    made = client.chat.completions.create(model="longtake", messages=messages)  # type: ignore[arg-type] # plain dicts
    reported = Answer.model_validate(made.model_extra["longtake"])  # type: ignore[index] # it is there
    trace = RecordedTrace(small_workspace.library.trace_root, reported.trace or "")
    oriented = trace.blob(trace.event(1, "orient")["output"])
    assert oriented["question"] == "When is it mentioned? What does the blue kettle cost?"
    assert oriented["earlier"] == [f"Q: {COST}\nA: {SPOKEN}"]


@pytest.mark.slow
def test_a_video_sent_along_is_kept_indexed_and_asked(allowed: tuple[WebServer, openai.OpenAI, Path]) -> None:
    server, client, file = allowed
    url = f"data:video/mp4;base64,{base64.b64encode(file.read_bytes()).decode()}"
    made = client.chat.completions.create(model="longtake", messages=_asks("Which room is shown?", url))
    assert "ROOM 4417" in (made.choices[0].message.content or "")
    [video] = server.service.library.videos()
    assert video.complete
    assert Path(video.path).parent == server.service.library.root / "uploads"
    again = client.chat.completions.create(model="longtake", messages=_asks("Which room is shown?", url))
    assert "ROOM 4417" in (again.choices[0].message.content or "")
    assert len(server.service.library.videos()) == 1
    assert _kept_uploads(server) == []


def _kept_uploads(server: WebServer) -> list[Path]:
    return list((server.service.library.root / "uploads" / "unfinished").iterdir())


def test_a_video_sent_along_that_no_disk_holds_leaves_no_upload(tmp_path: Path, tone: Path) -> None:
    url = f"data:audio/wav;base64,{base64.b64encode(tone.read_bytes()).decode()}"
    with web_server(Workspace(tmp_path / "library", load())) as server, _client(server) as client:
        with full_disk(50_000), pytest.raises(openai.InternalServerError) as refused:
            client.chat.completions.create(model="longtake", messages=_asks(COST, url))
        assert refused.value.status_code == 507
        assert _kept_uploads(server) == []


def test_a_question_on_a_full_disk_may_be_sent_again(own_workspace: Workspace, video: str) -> None:
    asked = _asks(COST, f"longtake://{video}")
    refusal = pytest.raises(openai.InternalServerError, match="disk space")
    with web_server(own_workspace) as server, _client(server) as client, full_disk(50), refusal as refused:
        client.chat.completions.create(model="longtake", messages=asked)
    assert (refused.value.status_code, refused.value.response.headers["x-should-retry"]) == (503, "true")


def test_a_file_of_an_allowed_folder_is_asked_where_it_lies(allowed: tuple[WebServer, openai.OpenAI, Path]) -> None:
    server, client, file = allowed
    url = f"file://{quote(str(file))}"
    chunks = client.chat.completions.create(model="longtake", messages=_asks(COST, url), stream=True)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == SPOKEN
    assert [video.path for video in server.service.library.videos()] == [str(file)]


def test_a_file_outside_of_it_is_refused(allowed: tuple[WebServer, openai.OpenAI, Path]) -> None:
    server, client, file = allowed
    outside = file.parent.parent / "secret.mp4"
    shutil.copy(file, outside)
    (file.parent / "link.mp4").symlink_to(outside)
    for path in (str(outside), f"{file.parent}/../secret.mp4", str(file.parent / "link.mp4"), "/etc/passwd", ""):
        with pytest.raises(openai.PermissionDeniedError) as refused:
            client.chat.completions.create(model="longtake", messages=_asks(COST, f"file://{quote(path)}"))
        assert refused.value.type == "permission_error"
    assert server.service.library.videos() == []


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://example.com/talk.mp4", "other URLs aren't fetched"),
        ("talk.mp4", "other URLs aren't fetched"),
        ("file://[x/y", "isn't a file URL"),
        ("data:video/mp4,plain", "followed by its bytes in base64"),
        ("data:video/mp4;base64,!!!", "followed by its bytes in base64"),
        ("data:video/mp4;base64,", "followed by its bytes in base64"),
        ("data:video/mp4;base64,bm8gdmlkZW8=", "video or audio file"),
    ],
)
def test_an_address_that_leads_to_no_video_is_refused(client: openai.OpenAI, url: str, words: str) -> None:
    with pytest.raises(openai.BadRequestError, match=words) as refused:
        client.chat.completions.create(model="longtake", messages=_asks(COST, url))
    assert refused.value.type == "invalid_request_error"


def test_requests_that_cannot_be_answered_are_refused_in_openais_shape(client: openai.OpenAI, video: str) -> None:
    ask = client.chat.completions.create
    asked = _asks(COST, f"longtake://{video}")
    with pytest.raises(openai.NotFoundError) as refused:
        ask(model="gpt-9", messages=asked)
    assert refused.value.code == "model_not_found"
    with pytest.raises(openai.NotFoundError, match="no video with this id"):
        ask(model="longtake", messages=_asks(COST, "longtake://0000000000000000"))
    with pytest.raises(openai.BadRequestError, match="at most 20 videos"):
        ask(model="longtake", messages=_asks(COST, *(f"longtake://{number:016}" for number in range(21))))
    with pytest.raises(openai.BadRequestError, match="asks nothing"):
        ask(model="longtake", messages=_asks("  ", f"longtake://{video}"))
    with pytest.raises(openai.BadRequestError, match="asks nothing"):
        ask(model="longtake", messages=[*asked, {"role": "assistant", "content": "Well."}])
    with pytest.raises(openai.BadRequestError, match="longer than 4,000 characters"):
        ask(model="longtake", messages=_asks("x" * 4_001, f"longtake://{video}"))
    with pytest.raises(openai.BadRequestError, match="`n`: "):
        ask(model="longtake", messages=asked, n=2)
    with pytest.raises(openai.BadRequestError, match="`tool_choice`: "):
        ask(model="longtake", messages=asked, tools=TOOLS, tool_choice="required")
    with pytest.raises(openai.BadRequestError, match="`type` of `response_format`: "):
        ask(model="longtake", messages=asked, response_format={"type": "json_object"})
    image: Any = [{"type": "image_url", "image_url": {"url": "data:,"}}]
    with pytest.raises(openai.BadRequestError, match="of `messages`: a part of the type 'image_url'"):
        ask(model="longtake", messages=[{"role": "user", "content": image}])
    with pytest.raises(openai.BadRequestError) as wrong:
        ask(model="longtake", messages=[])
    assert wrong.value.body == {
        "message": "In the body, `messages`: List should have at least 1 item after validation, not 0.",
        "type": "invalid_request_error",
        "param": None,
        "code": None,
    }


@pytest.mark.parametrize(
    ("body", "header", "told"),
    [
        ('{"model": "longtake"}', "text/plain", "Content-Type: application/json"),
        ('{"model": ', "application/json", "isn't valid JSON: Expecting value at character 10"),
    ],
)
def test_a_body_that_is_no_json_says_what_to_send(client: openai.OpenAI, body: str, header: str, told: str) -> None:
    answer = httpx.post(f"{client.base_url}chat/completions", content=body, headers={"Content-Type": header})
    assert (answer.status_code, told in answer.json()["error"]["message"]) == (400, True)


def test_without_the_token_nobody_is_answered(small_workspace: Workspace, video: str) -> None:
    with web_server(small_workspace, token="open sesame") as server:
        messages = _asks(COST, f"longtake://{video}")
        with _client(server, "wrong") as client, pytest.raises(openai.AuthenticationError):
            client.chat.completions.create(model="longtake", messages=messages)
        with _client(server, "open sesame") as client:
            assert client.chat.completions.create(model="longtake", messages=messages).choices[0].message.content


def test_a_question_that_fails_is_an_error_of_the_server(client: openai.OpenAI, video: str) -> None:
    messages = _asks("What is said at 5:00?", f"longtake://{video}")
    with pytest.raises(openai.InternalServerError, match="can't be answered") as failed:
        client.chat.completions.create(model="longtake", messages=messages)
    assert failed.value.type == "server_error"
    with pytest.raises(openai.APIError, match="can't be answered"):
        list(client.chat.completions.create(model="longtake", messages=messages, stream=True))


def test_without_its_model_an_answer_quotes_and_says_why(small_workspace: Workspace, video: str) -> None:
    agent = endpoint_asker(small_workspace, "http://127.0.0.1:9/v1")
    with web_server(small_workspace, agent=agent) as server, _client(server) as client:
        messages = _asks(COST, f"longtake://{video}")
        made = client.chat.completions.create(model="longtake", messages=messages)
        assert "127.0.0.1:9" in made.model_extra["longtake"]["controller_error"]  # type: ignore[index] # it is there
        chunks = client.chat.completions.create(model="longtake", messages=messages, stream=True)
        streamed = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    for text in (streamed, made.choices[0].message.content or ""):
        assert text.startswith(SPOKEN)
        assert "The language model gave no answer" in text


def test_options_that_a_message_lists_are_options(client: openai.OpenAI, video: str) -> None:
    made = client.chat.completions.create(
        model="longtake", messages=_asks(f"{COST}\nA. 99 dollars\nB. 249 dollars", f"longtake://{video}")
    )
    reported = Answer.model_validate(made.model_extra["longtake"])  # type: ignore[index] # it is there
    assert (reported.question, reported.options) == (COST, ("99 dollars", "249 dollars"))
    assert reported.option is not None
    assert reported.option.letter == "B"


@pytest.mark.parametrize("stream", [False, True])
def test_a_question_is_stopped_when_its_client_goes_away(
    small_workspace: Workspace, video: str, *, stream: bool
) -> None:
    messages = _asks(COST, f"longtake://{video}")
    with openai_server([replace(says("NOT FOUND: nothing."), delay=60)]) as endpoint:
        agent = endpoint_asker(small_workspace, endpoint.url)
        with web_server(small_workspace, agent=agent) as server, _client(server) as client:
            if stream:
                with client.chat.completions.create(model="longtake", messages=messages, stream=True) as chunks:
                    assert next(chunks).choices[0].delta.role == "assistant"
                    _wait_until(lambda: bool(server.service.runs.under_way()))
            else:
                with pytest.raises(openai.APITimeoutError):
                    client.chat.completions.create(model="longtake", messages=messages, timeout=1.5)
                assert server.service.runs.under_way()
            _wait_until(lambda: not server.service.runs.under_way())


def _wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_every_refusal_has_the_shape_of_openai(small_workspace: Workspace, video: str) -> None:
    def refusal(answer: httpx.Response) -> tuple[int, str]:
        assert answer.json()["error"].keys() == {"message", "type", "param", "code"}
        return answer.status_code, answer.json()["error"]["type"]

    with web_server(small_workspace, token="open sesame") as server, server.client() as client:
        assert refusal(client.get("/v1/models")) == (401, "authentication_error")
        assert refusal(client.get("/v1/models", headers={"Host": "evil.example"})) == (403, "permission_error")
        client.headers["Authorization"] = "Bearer open sesame"
        assert refusal(client.get("/v1/nothing")) == (404, "invalid_request_error")
        half = json.dumps({"model": "longtake", "messages": _asks("\ud800", f"longtake://{video}")})
        headers = {"Content-Type": "application/json"}
        assert refusal(client.post("/v1/chat/completions", content=half, headers=headers))[0] == 400
