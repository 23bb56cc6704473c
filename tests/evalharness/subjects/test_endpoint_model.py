"""Models at an endpoint as subjects: what they are sent, how they are understood, and how they fail."""

from __future__ import annotations

import base64
import json
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from helpers.servers.openai_server import Endpoint, openai_server, refuses, says
from helpers.servers.openai_server import Reply as Sent
from helpers.servers.web_server import web_server

from longtake.config import load
from longtake.console import Session
from longtake.errors import ConfigError, EngineError, MediaError
from longtake.evalharness.items import Item, Reply, Turn, Variant
from longtake.evalharness.runs.predicting import predict
from longtake.evalharness.runs.run_folder import RunCard, RunFolder
from longtake.evalharness.subjects import endpoint_model
from longtake.evalharness.subjects.endpoint_model import THINK, EndpointModel
from longtake.evalharness.subjects.model_spec import Given
from longtake.evalharness.subjects.subject import AskedTurn, Subject
from longtake.evalharness.subjects.subject_table import subject_named
from longtake.preprocess.pipeline.workspace import Workspace

CHOICE = Turn(question="Which phone extension is given?", options=("1234", "4417", "9999"), gold=1, reference="4417")
OPEN = Turn(question="What does the blue kettle cost?", reference="249 dollars")
SECOND = Turn(question="And in which room?", reference="4417")


def asked(video: Path | None, *turns: Turn, variant: Variant | None = None, number: int = 0) -> AskedTurn:
    media = str(video) if video else None
    item = Item(suite="own", id="i", video="v", media=media, format="open", turns=turns or (OPEN,), seconds=8.0)
    history = tuple((turn.question, turn.reference) for turn in turns[:number])
    return AskedTurn(item, number, variant or Variant(), 0, history)


def subject_at(url: str, library: Path, kind: str = "model", options: str = "", *settings: str) -> Subject:
    name = f"{kind}:seer@{url}" + (f"?{options}" if options else "")
    return subject_named(name, [], Session(overrides=settings, library=library))


Ask = Callable[..., tuple[Reply, Endpoint]]


@pytest.fixture
def ask(own_workspace: Workspace) -> Ask:
    """Ask a model what the small video shows and says."""
    library = own_workspace.library.root

    def put(
        question: AskedTurn, *script: Sent, kind: str = "model", options: str = "", settings: tuple[str, ...] = ()
    ) -> Any:
        with openai_server(script or [says("It costs 249 dollars.")]) as server:
            return subject_at(server.url, library, kind, options, *settings).reply(question), server

    return put


@pytest.fixture
def talk(small_workspace: Workspace) -> Path:
    return small_workspace.library.root / "talk.mp4"


def content(server: Endpoint) -> Any:
    return server.requests[-1]["messages"][0]["content"]


def pictures(server: Endpoint) -> list[np.ndarray]:
    urls = [part["image_url"]["url"] for part in content(server) if part["type"] == "image_url"]
    files = [base64.b64decode(url.removeprefix("data:image/jpeg;base64,"), validate=True) for url in urls]
    return [np.asarray(cv2.imdecode(np.frombuffer(file, np.uint8), cv2.IMREAD_COLOR)) for file in files]


def test_a_suite_says_how_models_are_asked_and_a_subject_overrides_it(ask: Ask) -> None:
    question = asked(None)
    question = replace(question, item=question.item.model_copy(update={"temperature": 0.1, "max_tokens": 16}))
    sent = []
    for options in ("", "max_tokens=99", "temperature=0"):
        [request] = ask(question, kind="question-only", options=options)[1].requests
        sent.append((request["temperature"], request["max_tokens"]))
    assert sent == [(0.1, 16), (0.1, 99), (0.0, 16)]
    cut = replace(says(""), body=says("").body.replace('"stop"', '"length"'))
    with pytest.raises(EngineError, match="gave no answer in 16 tokens"):
        ask(question, cut, kind="question-only")


def test_the_video_itself_is_sent_once_and_frames_are_not(ask: Ask, talk: Path) -> None:
    _, server = ask(asked(talk, OPEN, SECOND, number=1), options="video=1")
    told, first, answer, second = server.requests[0]["messages"]
    assert told["role"] == "system"
    video, question = first["content"]
    kind, _, data = video["video_url"]["url"].partition(",")
    assert (video["type"], kind, question["text"]) == ("video_url", "data:video/mp4;base64", OPEN.question)
    assert base64.b64decode(data, validate=True) == talk.read_bytes()
    assert (answer["content"], second["content"]) == (OPEN.reference, SECOND.question)
    _, server = ask(asked(talk), options="video=file&transcript=1")
    told, first = server.requests[0]["messages"]
    assert first["content"][0]["video_url"]["url"] == talk.resolve().as_uri()
    assert "kettle costs 249" in told["content"]


def test_a_video_that_is_missing_or_too_large_for_a_request_is_one_sentence(
    ask: Ask, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ask(asked(None), options="video=1")[0].status == "no_media"
    monkeypatch.setattr(endpoint_model, "MAX_BYTES", 10_000)
    with pytest.raises(MediaError, match=r"fit in a request. Use video=file .* or frames=N"):
        ask(asked(talk), options="video=1")


@pytest.mark.nightly
def test_longtakes_own_endpoint_answers_about_the_video_it_is_sent(talk: Path, tmp_path: Path) -> None:
    """The library of the server is empty: it indexes what it is sent."""
    with web_server(Workspace(tmp_path / "served", load(overrides=["engines.speakers=[]"]))) as server:
        name = f"model:longtake@{server.url}/v1?video=1"
        subject = subject_named(name, [], Session(library=tmp_path / "library"))
        question = Turn(question="Which room number is shown?", reference="")
        reply = subject.reply(asked(talk, question))
    assert reply.status == "ok"
    assert "4417" in reply.text


def test_frames_are_sent_in_order_each_after_its_time(ask: Ask, talk: Path) -> None:
    reply, server = ask(asked(talk), options="frames=4")
    head, *parts, question = content(server)
    assert "4 of its frames" in head["text"]
    assert [part["text"] for part in parts[::2]] == [
        "Frame at 00:00:00.00:",
        "Frame at 00:00:02.60:",
        "Frame at 00:00:05.20:",
        "Frame at 00:00:07.80:",
    ]
    assert question == {"type": "text", "text": OPEN.question}
    slide, _, red, _ = pictures(server)
    assert slide.shape == (360, 640, 3)
    assert slide.mean(axis=(0, 1))[2] < 60 < 150 < red.mean(axis=(0, 1))[2]
    assert (reply.text, reply.parse, reply.choice) == ("It costs 249 dollars.", "none", None)
    [request] = server.requests
    assert (request["model"], request["temperature"], request["max_tokens"]) == ("seer", 0, 4096)
    assert "tools" not in request


@pytest.mark.parametrize("guess", [True, False, None])
def test_a_model_is_told_to_guess_or_to_abstain_or_neither(ask: Ask, guess: bool | None) -> None:
    question = asked(None)
    question = replace(question, item=question.item.model_copy(update={"guess": guess}))
    _, server = ask(question, kind="question-only")
    told = json.dumps(server.requests[0]["messages"])
    assert ("most likely" in told, "cannot be answered" in told) == (guess is True, guess is False)


def test_a_subject_may_have_its_own_temperature_length_and_prices(ask: Ask) -> None:
    options = "temperature=0.1&max_tokens=16&input_price=2&output_price=10"
    priced = ("controller.price.input=100", "controller.price.output=100")
    reply, server = ask(asked(None), kind="question-only", options=options, settings=priced)
    [request] = server.requests
    assert (request["temperature"], request["max_tokens"]) == (0.1, 16)
    assert reply.usage is not None
    spent = (2 * reply.usage.input_tokens + 10 * reply.usage.output_tokens) / 1_000_000
    assert reply.usage.cost == pytest.approx(spent, abs=1e-6)
    assert reply.usage.cost


def test_a_single_frame_is_the_one_in_the_middle(ask: Ask, talk: Path) -> None:
    _, server = ask(asked(talk, variant=Variant(fps=5.0)), kind="single-frame")
    assert [part["text"] for part in content(server)[1:-1:2]] == ["Frame at 00:00:04.00:"]


def test_the_frame_rate_is_that_of_the_name_or_of_the_variant(ask: Ask, talk: Path) -> None:
    """The video has five frames a second, forty in all."""
    for options, variant, count in [
        ("fps=1", Variant(), 8),
        ("fps=1&frames=3", Variant(), 3),
        ("", Variant(fps=2.5, most_frames=64), 20),
        ("", Variant(fps=16.0, most_frames=32), 32),
        ("fps=1", Variant(fps=16.0, most_frames=32), 8),
    ]:
        assert len(pictures(ask(asked(talk, variant=variant), options=options)[1])) == count


def test_a_transcript_is_sent_as_data_and_no_picture_with_it(ask: Ask, talk: Path) -> None:
    _, server = ask(asked(talk), options="transcript=1")
    assert '00:00:04 "The blue kettle costs 249 dollars."' in content(server)
    assert content(server).index("Welcome") < content(server).index("kettle costs")
    assert content(server).endswith(f"\n\n{OPEN.question}")
    assert "left out" not in content(server)


def test_a_transcript_that_is_too_long_is_cut_and_that_is_said(
    ask: Ask, talk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("longtake.evalharness.subjects.endpoint_model.MAX_CHARACTERS", 40)
    _, server = ask(asked(talk), options="transcript=1")
    assert "Welcome" in content(server)
    assert "kettle costs" not in content(server)
    assert "1 more lines are left out" in content(server)


def test_frames_and_transcript_go_together(ask: Ask, talk: Path) -> None:
    head, *_ = content(ask(asked(talk), options="frames=2&transcript=1")[1])
    assert "2 of its frames, in order and each after its time, and what is said" in head["text"]
    assert "kettle costs 249" in head["text"]


@pytest.mark.slow
def test_a_video_without_words_has_no_transcript(ask: Ask, media: Path) -> None:
    _, server = ask(asked(media / "PySceneDetect/counter.mp4"), options="transcript=1")
    assert "The video has no transcript." in content(server)


def test_with_the_question_only_nothing_is_given_and_no_video_is_needed(ask: Ask) -> None:
    reply, server = ask(asked(None), kind="question-only")
    assert reply.status == "ok"
    assert "neither see nor hear" in content(server)


@pytest.mark.parametrize("options", ["frames=2", "transcript=1"])
def test_a_video_that_is_not_there_is_reported_and_nothing_sent(ask: Ask, options: str) -> None:
    reply, server = ask(asked(None), options=options)
    assert (reply.status, reply.text) == ("no_media", "")
    assert not server.requests


def test_a_video_that_cannot_be_decoded_is_an_error(ask: Ask, tmp_path: Path) -> None:
    (tmp_path / "broken.mp4").write_bytes(b"no video" * 500)
    for options in ("frames=2", "transcript=1"):
        with pytest.raises(MediaError, match=r"broken\.mp4"):
            ask(asked(tmp_path / "broken.mp4"), options=options)


@pytest.mark.parametrize(
    ("said", "choice", "parse"),
    [
        ("B", 0, "ok"),
        ("<think>C? No.</think>The answer is (A).", 1, "ok"),
        ("I cannot tell.", None, "abstained"),
        ("Perhaps.", None, "failed"),
    ],
)
def test_the_letter_is_read_back_into_the_items_own_order(
    ask: Ask, talk: Path, said: str, choice: int | None, parse: str
) -> None:
    reply, server = ask(asked(talk, CHOICE, variant=Variant(gold_at=0)), says(said), options="frames=1")
    assert content(server)[-1]["text"].endswith("A. 4417\nB. 1234\nC. 9999\nReply with the letter of the right option.")
    assert (reply.choice, reply.parse, reply.abstained) == (choice, parse, parse == "abstained")
    assert "think" not in reply.text


def test_a_model_that_only_thinks_gives_no_answer(ask: Ask) -> None:
    for said in ("<think>On and on", "<think>Well.</think>", ""):
        with pytest.raises(EngineError, match=r"The model seer at http.* gave no answer"):
            ask(asked(None), says(said), kind="question-only")


def test_usage_and_cost_are_those_of_the_reply_at_its_prices(ask: Ask) -> None:
    prices = "input_price=10&output_price=100"
    reply, _ = ask(asked(None), says("249", usage=(1000, 20)), kind="question-only", options=prices)
    assert reply.usage
    assert (reply.usage.rounds, reply.usage.input_tokens, reply.usage.output_tokens) == (1, 1000, 20)
    assert reply.usage.cost == 0.012
    assert reply.usage.seconds > 0


def test_every_turn_is_asked_with_what_stands_before_it(ask: Ask, talk: Path) -> None:
    _, server = ask(asked(talk, OPEN, SECOND, number=1), options="frames=1")
    first, answer, second = server.requests[0]["messages"]
    assert len(pictures(server)) == 1
    assert first["content"][-1]["text"] == OPEN.question
    assert (answer["role"], answer["content"]) == ("assistant", OPEN.reference)
    assert second == {"role": "user", "content": SECOND.question}


@pytest.mark.parametrize(("history", "before"), [("gold", "249 dollars"), ("own", "Fifty.")])
def test_a_conversation_stands_on_the_references_or_on_its_own_replies(
    tmp_path: Path, history: Any, before: str
) -> None:
    item = asked(None, OPEN, SECOND).item
    variant = Variant(history=history)
    with openai_server([says("<think>Hm.</think>Fifty."), says("4417")]) as server:
        subject = subject_at(server.url, tmp_path / "library", "question-only")
        card = RunCard(suite="own", source="", subjects=(subject.name,), variants=(variant,), version="1")
        folder = RunFolder(tmp_path / "run")
        folder.begin(card)
        predict(folder, card, [item], [subject], lambda text: None)
    [prediction] = folder.predictions(lambda text: None).values()
    assert [reply.text for reply in prediction.replies] == ["Fifty.", "4417"]
    assert server.requests[1]["messages"][1]["content"] == before


def test_an_earlier_turn_that_failed_leaves_no_empty_message(ask: Ask) -> None:
    question = replace(asked(None, OPEN, SECOND, number=1), history=((OPEN.question, ""),))
    _, server = ask(question, kind="question-only")
    assert server.requests[0]["messages"][1]["content"] == "(no answer)"


def test_smaller_frames_are_sent_where_the_larger_ones_are_too_many(ask: Ask, media: Path) -> None:
    full = refuses(400, "This model's maximum context length is 4096 tokens")
    clip = media / "moviepy/big_buck_bunny_0_30.webm"
    reply, server = ask(asked(clip), full, says("A rabbit."), options="frames=2")
    assert reply.text == "A rabbit."
    assert len(server.requests) == 2
    assert [max(picture.shape) for picture in pictures(server)] == [512, 512]
    with pytest.raises(EngineError, match="maximum context length"):
        ask(asked(clip), full, options="frames=2")


def test_a_busy_endpoint_is_asked_again(ask: Ask) -> None:
    busy = replace(refuses(503, "busy"), ask_again=True)
    reply, server = ask(asked(None), busy, busy, says("249"), kind="question-only")
    assert (reply.text, len(server.requests)) == ("249", 3)


@pytest.mark.parametrize(
    "sent",
    [Sent("<html>hello</html>", kind="text/html"), Sent('{"choices": []}'), replace(says("249"), delay=2.0)],
    ids=["no JSON", "no choices", "too late"],
)
def test_a_broken_or_late_reply_is_asked_for_again(ask: Ask, sent: Sent) -> None:
    reply, server = ask(asked(None), sent, says("249"), kind="question-only", options="timeout=0.3")
    assert (reply.text, len(server.requests)) == ("249", 2)


@pytest.mark.parametrize(
    ("said", "text", "thought", "choice"),
    [
        ("It can't be A. So:\nAnswer: B", "B", "It can't be A. So:", 1),
        ("Answer: A? No.\n**Final answer:** B", "B", "Answer: A? No.", 1),
        ("The answer is B.", "The answer is B.", "", 1),
        ("First the kettle.\nAnswer:", "First the kettle.\nAnswer:", "", None),
    ],
)
def test_a_chain_of_thought_ends_in_the_answer(
    ask: Ask, said: str, text: str, thought: str, choice: int | None
) -> None:
    question = asked(None, CHOICE)
    short = replace(question, item=question.item.model_copy(update={"max_tokens": 16}))
    reply, server = ask(short, says(said), kind="question-only", options="cot=1")
    assert (reply.text, reply.planned, reply.choice) == (text, thought, choice)
    [request] = server.requests
    assert request["max_tokens"] == 4096
    assert request["messages"][-1]["content"].endswith(THINK)
    _, plain = ask(short, says(said), kind="question-only")
    assert plain.requests[0]["max_tokens"] == 16
    assert THINK not in plain.requests[0]["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("settings", "options", "cost"),
    [
        ((), "", None),
        ((), "input_price=1&output_price=4", 0.00018),  # 100 x 1 + 20 x 4 = 180 for a million
        (("controller.price.input=10",), "", None),  # the price of another model
    ],
)
def test_a_cost_is_unknown_without_a_price(
    ask: Ask, settings: tuple[str, ...], options: str, cost: float | None
) -> None:
    reply, _ = ask(asked(None), says("249"), kind="question-only", options=options, settings=settings)
    assert reply.usage
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cost) == (100, 20, cost)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sent", "reported"),
    [
        (
            refuses(401, "no such key"),
            "failed: Error code: 401 - no such key. Check the key, which was refused: key= in",
        ),
        (says(""), "gave no answer: its reply is empty"),
        (replace(says(""), body=says("").body.replace('"stop"', '"length"')), "gave no answer in 4096 tokens"),
        (Sent("<html>hello</html>", kind="text/html"), "chat completion"),
        (replace(says("249"), breaks="trickle"), "sent no whole reply within 0.3 s: raise timeout= in --subject"),
    ],
)
def test_what_goes_wrong_at_the_endpoint_is_reported_for_the_model(ask: Ask, sent: Sent, reported: str) -> None:
    with pytest.raises(EngineError) as failed:
        ask(asked(None), sent, kind="question-only", options="timeout=0.3")
    assert str(failed.value).startswith("The model ")
    assert reported in str(failed.value)
    assert "controller" not in str(failed.value)


def test_an_endpoint_that_is_down_fails_the_item_and_not_the_run(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    subject = subject_at(url, tmp_path / "library", "question-only")
    card = RunCard(suite="own", source="", subjects=(subject.name,), version="1")
    folder = RunFolder(tmp_path / "run")
    folder.begin(card)
    items = [asked(None).item.model_copy(update={"id": name}) for name in ("a", "b")]
    done = predict(folder, card, items, [subject], lambda text: None)
    assert (done.asked, done.errors) == (2, 2)
    for prediction in folder.predictions(lambda text: None).values():
        assert prediction.replies[0].error == (
            f"The model at {url} can't be reached: is it running? Check its name and its URL in --subject."
        )


def test_what_a_reply_without_an_answer_took_is_kept_with_its_error(tmp_path: Path) -> None:
    """100 and 4,096 tokens at 1 and 2 per million: 100 + 8,192 millionths."""
    folder = RunFolder(tmp_path / "run")
    with openai_server([says("<think>On and on", usage=(100, 4096))]) as server:
        prices = "input_price=1&output_price=2"
        subject = subject_at(server.url, tmp_path / "library", "question-only", prices)
        card = RunCard(suite="own", source="", subjects=(subject.name,), version="1")
        folder.begin(card)
        predict(folder, card, [asked(None).item], [subject], lambda text: None)
    [prediction] = folder.predictions(lambda text: None).values()
    [reply] = prediction.replies
    assert reply.usage
    assert (reply.status, reply.usage.output_tokens, reply.usage.cost) == ("error", 4096, 0.008292)


@pytest.mark.parametrize("turn", [CHOICE, OPEN])
def test_a_refusal_is_told_apart(ask: Ask, turn: Turn) -> None:
    body = json.loads(says(None).body)
    body["choices"][0]["message"]["refusal"] = "I can't help with that."
    for sent in (Sent(json.dumps(body)), says("I'm sorry, but I can't assist with that.")):
        reply, _ = ask(asked(None, turn), sent, kind="question-only")
        assert (reply.parse, reply.choice, reply.abstained) == ("refused", None, False)


def test_a_key_is_sent_only_where_its_variable_is_named(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    monkeypatch.setenv("SEER_KEY", "sk-seer")
    _, server = ask(asked(None), kind="question-only")
    assert server.keys == [""]
    _, server = ask(asked(None), kind="question-only", options="key=SEER_KEY")
    assert server.keys == ["Bearer sk-seer"]
    with pytest.raises(EngineError) as failed:
        ask(asked(None), refuses(401, "wrong key: sk-seer"), kind="question-only", options="key=SEER_KEY")
    assert "sk-seer" not in str(failed.value)


def test_a_url_that_holds_a_password_is_refused_without_repeating_it(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="must not contain @") as refused:
        subject_at("https://me:secret@api.example.org/v1", tmp_path)
    assert "secret" not in str(refused.value)


def test_offline_only_this_machine_is_asked(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, load().model_copy(update={"offline": True}))
    assert EndpointModel("m", Given(model="m", url="http://127.0.0.1:9/v1"), workspace).name == "m"
    with pytest.raises(ConfigError, match="--offline forbids"):
        EndpointModel("m", Given(model="m", url="http://192.0.2.1:9/v1"), workspace)
