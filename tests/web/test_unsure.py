"""Uncertain answers over HTTP: in events, threads, packs and chapters, and as chat completions."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from zipfile import ZipFile

import httpx
import openai
import pytest
from helpers.servers.server_events import answer, begin
from helpers.servers.web_server import web_server
from helpers.unsure import KETTLE, QUESTION, TEXT, always_unsure, places, unsure

from longtake.memory.records import Answer, Citation
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.web.openai.openai_answers import cited


@pytest.fixture
def client(small_workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[httpx.Client]:
    """Of a server that is always unsure; what it answers is held against its description."""
    always_unsure(monkeypatch)
    with web_server(small_workspace) as server, server.client() as client:
        yield client


@pytest.fixture
def turn(client: httpx.Client, video: str) -> str:
    """The address of an uncertain answer in its thread."""
    thread = begin(client, video)
    reported = answer(client, thread, QUESTION)
    assert Answer.model_validate(reported["answer"]) == unsure(video, reported["answer"]["trace"])
    return f"/api/threads/{thread}/turns/0"


def test_it_stands_in_its_thread_as_it_was_sent(client: httpx.Client, turn: str, video: str) -> None:
    [kept] = client.get(turn.partition("/turns")[0]).json()["turns"]
    assert kept["answer"]["status"] == "uncertain"
    assert kept["answer"]["confidence"] == 0.4
    assert kept["answer"]["closest"] == [line.model_dump() for line in unsure(video).closest]


def test_its_pack_holds_the_closest_places_and_does_not_call_them_proof(client: httpx.Client, turn: str) -> None:
    with ZipFile(io.BytesIO(client.get(f"{turn}/pack").content)) as pack:
        reported, names = pack.read("answer.md").decode(), pack.namelist()
        assert Answer.model_validate_json(pack.read("answer.json")).status == "uncertain"
        assert "Uncertain</span>" in pack.read("trace.html").decode()
    assert {"places/01.mp4", "places/01.jpg"} <= set(names)
    assert "## Closest lines" in reported
    assert "## Places" not in reported
    assert f"   - 00:00:04-00:00:06 speech: “{KETTLE}”" in reported
    assert "- uncertain in 0.0 s: 0 rounds" in reported


@pytest.mark.parametrize("form", ["text", "vtt"])
def test_it_gives_no_chapters(client: httpx.Client, turn: str, form: str) -> None:
    refused = client.get(f"{turn}/chapters", params={"format": form})
    assert refused.status_code == 404
    assert "This answer isn't sure" in refused.json()["error"]["message"]


def test_its_description_has_the_status_the_closest_lines_and_the_confidence(client: httpx.Client) -> None:
    described = client.get("/openapi.json").json()["components"]["schemas"]
    assert "uncertain" in described["Answer"]["properties"]["status"]["enum"]
    assert {"closest", "confidence"} <= set(described["Answer"]["properties"])
    assert set(described["Closest"]["properties"]) == {"text", "start", "end", "modality", "video"}


@pytest.mark.parametrize("stream", [False, True])
def test_a_completion_is_its_text_with_the_closest_lines_as_annotations(
    client: httpx.Client, video: str, stream: bool
) -> None:
    content = [
        {"type": "video_url", "video_url": {"url": f"longtake://{video}"}},
        {"type": "text", "text": QUESTION},
    ]
    asked = {"model": "longtake", "messages": [{"role": "user", "content": content}], "stream": stream}
    made = client.post("/v1/chat/completions", json=asked)
    if stream:
        lines = [line.removeprefix("data: ") for line in made.text.splitlines() if line.startswith("data: {")]
        deltas = [json.loads(line)["choices"][0]["delta"] for line in lines]
        said = "".join(delta.get("content") or "" for delta in deltas)
        [annotations] = [delta["annotations"] for delta in deltas if "annotations" in delta]
    else:
        whole = openai.types.chat.ChatCompletion.model_validate(made.json())  # pyright: ignore[reportAttributeAccessIssue]
        assert made.json()["longtake"]["status"] == "uncertain"
        said, annotations = whole.choices[0].message.content, made.json()["choices"][0]["message"]["annotations"]
    assert said == TEXT
    found = [each["url_citation"] for each in annotations]
    assert [each["url"] for each in found] == [f"longtake://{video}#t=4,6", f"longtake://{video}#t=1,3"]
    assert TEXT[found[0]["start_index"] : found[0]["end_index"]] == "00:00:04"
    assert TEXT[found[1]["start_index"] : found[1]["end_index"]] == TEXT  # it says no time of this line


def test_a_time_without_a_mark_is_none_of_a_sure_answer() -> None:
    place = Citation(video="v", start=4.0, end=6.0, modality="speech", quote=KETTLE)
    sure = Answer(question="?", status="answered", answer="It is said at 00:00:04.", citations=(place,))
    [annotation] = cited(sure, {}, sure.answer)
    assert (annotation.url_citation.start_index, annotation.url_citation.end_index) == (0, len(sure.answer))


def test_what_comes_closest_is_no_citation() -> None:
    assert (list(unsure().places), unsure().citations) == (places(), ())
