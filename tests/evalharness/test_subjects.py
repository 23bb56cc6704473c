"""The agent and the finding baselines, on the demo video."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.servers.openai_server import openai_server, refuses, says

from longtake.agent.traces.trace import RecordedTrace
from longtake.config import load
from longtake.console import Session
from longtake.evalharness.items import Item, Turn, Variant
from longtake.evalharness.runs.predicting import predict
from longtake.evalharness.runs.run_folder import RunCard, RunFolder
from longtake.evalharness.subjects.agent_subject import AgentSubject
from longtake.evalharness.subjects.baselines import Finder
from longtake.evalharness.subjects.subject import AskedTurn
from longtake.evalharness.subjects.subject_table import subject_named, uses_gpu
from longtake.preprocess.pipeline.workspace import Workspace

EXTENSION = Turn(question="Which phone extension is given?", options=("1234", "4417", "9999"), gold=1)
OPEN = Turn(question="Which phone extension is given?")


def asked(video: Path | None, *turns: Turn, gold_at: int | None = None, number: int = 0) -> AskedTurn:
    media = str(video) if video else None
    item = Item(suite="own", id="i", video="demo", media=media, format="choice", turns=turns)
    return AskedTurn(
        item, number, Variant(gold_at=gold_at), 0, tuple((turn.question, "4417") for turn in turns[:number])
    )


@pytest.fixture(scope="module", params=["agent", "retrieval", "transcript"])
def subject(request: pytest.FixtureRequest, demo_workspace: Workspace) -> AgentSubject | Finder:
    if request.param == "agent":
        return AgentSubject("agent", demo_workspace)
    return Finder(request.param, demo_workspace, ("speech",) if request.param == "transcript" else ())


def test_a_video_that_is_not_there_is_reported(subject: AgentSubject | Finder) -> None:
    reply = subject.reply(asked(None, OPEN))
    assert (reply.status, reply.text) == ("no_media", "")
    assert reply.error


@pytest.mark.slow
@pytest.mark.parametrize("gold_at", [None, 0, 2])
def test_the_agent_chooses_the_same_option_wherever_it_stands(
    demo_workspace: Workspace, demo_video: Path, gold_at: int | None
) -> None:
    reply = AgentSubject("agent", demo_workspace).reply(asked(demo_video, EXTENSION, gold_at=gold_at))
    assert (reply.choice, reply.parse) == (1, "ok")
    assert reply.trace
    assert reply.cited


def test_the_agents_calls_are_those_of_its_run(small_workspace: Workspace) -> None:
    video = small_workspace.library.root / "talk.mp4"
    reply = AgentSubject("agent", small_workspace).reply(
        asked(video, Turn(question="What does the speaker say from 0:04 to 0:06?"))
    )
    assert [call.tool for call in reply.calls] == ["transcribe_speech"]
    assert "249" in reply.text


def test_an_answer_after_its_controller_died_is_an_error(small_workspace: Workspace) -> None:
    video = small_workspace.library.root / "talk.mp4"
    call = ("transcribe_speech", {"timestamp": "00:00:03-00:00:07"})
    with openai_server([says(None, call), refuses(400, "no more")]) as endpoint:
        workspace = copy.copy(small_workspace)
        workspace.settings = load(
            overrides=("controller.engine=openai", f"controller.base_url={endpoint.url}", "controller.model=scripted")
        )
        reply = AgentSubject("agent", workspace).reply(asked(video, Turn(question="What does the blue kettle cost?")))
    assert reply.status == "error"
    assert "no more" in (reply.error or "")
    assert "249" in reply.text  # what stood in is kept, and doesn't count


def test_an_agent_with_a_remote_controller_answers_about_different_videos_at_once(
    two_videos: Workspace, tmp_path: Path
) -> None:
    """Each request waits for a second one; only questions about different videos are under way together."""
    files = [two_videos.library.resolve(name).path for name in ("talk.mp4", "my trip.mp4")]
    items = [
        Item(suite="own", id=f"{video}{number}", video=str(video), media=file, format="open", turns=(OPEN,))
        for number in range(2)
        for video, file in enumerate(files)
    ]
    most = {}
    for at_once, delay in ((1, 0.15), (4, 20.0)):
        with openai_server([replace(says("NOT FOUND"), delay=delay, together=2)]) as endpoint:
            settings = (
                "controller.engine=openai",
                f"controller.base_url={endpoint.url}",
                "controller.model=scripted",
                "engines.speakers=[]",
            )
            agent = subject_named("agent", items, Session(overrides=settings, library=two_videos.library.root), at_once)
            folder, card = (
                RunFolder(tmp_path / str(at_once)),
                RunCard(suite="own", source="s", subjects=("agent",), version="0"),
            )
            folder.begin(card)
            done = predict(folder, card, items, [agent], pytest.fail)
        assert (done.asked, done.errors) == (4, 0)
        most[at_once] = endpoint.most_at_once
    assert most == {1: 1, 4: 2}


def test_an_agent_without_an_endpoint_answers_one_question_at_a_time(small_workspace: Workspace) -> None:
    assert AgentSubject("agent", small_workspace, at_once=4).at_once == 1


def test_only_a_subject_that_computes_on_a_gpu_waits_for_one(small_workspace: Workspace) -> None:
    agent, longest = AgentSubject("agent", small_workspace), subject_named("longest", [], Session())
    in_process = Session(overrides=("controller.engine=transformers", "controller.model=some/model"))
    assert (uses_gpu(agent, "agent", in_process), uses_gpu(longest, "longest", in_process)) == (True, False)
    assert not uses_gpu(agent, "agent", Session())


def test_the_agent_knows_what_was_said_before(small_workspace: Workspace) -> None:
    """What "it" is, only the first question tells."""
    video = small_workspace.library.root / "talk.mp4"
    first, second = Turn(question="What does the blue kettle cost?"), Turn(question="What does it cost?")
    agent = AgentSubject("agent", small_workspace)
    understood = []
    for question in (asked(video, second), asked(video, first, second, number=1)):
        trace = RecordedTrace(small_workspace.library.trace_root, agent.reply(question).trace or "")
        understood.append(trace.blob(trace.event(1, "orient")["output"])["question"])
    assert understood == [second.question, f"{second.question} {first.question}"]


def test_the_finder_chooses_by_what_it_finds_and_quotes_it(demo_workspace: Workspace, demo_video: Path) -> None:
    finder = Finder("retrieval", demo_workspace)
    assert finder.reply(asked(demo_video, EXTENSION, gold_at=2)).choice == 1
    assert "4417" in finder.reply(asked(demo_video, OPEN)).text


def test_a_finder_of_speech_alone_does_not_see_what_is_only_shown(demo_workspace: Workspace, demo_video: Path) -> None:
    reply = Finder("transcript", demo_workspace, ("speech",)).reply(asked(demo_video, OPEN))
    assert "Extension 4417" not in reply.text
