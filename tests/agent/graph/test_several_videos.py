"""One question about two videos: whose seconds a citation and a call are about."""

from __future__ import annotations

import pytest
from helpers.asking import ask_endpoint
from helpers.servers.openai_server import doubts, says

from longtake.agent.graph.agent import Agent
from longtake.preprocess.pipeline.workspace import Workspace

VIDEOS = ("talk.mp4", "my trip.mp4")
QUESTION = "What does the blue kettle cost in each video?"


def _listen(video: str) -> tuple[str, dict[str, str]]:
    return "transcribe_speech", {"timestamp": "00:00:03-00:00:07", "video": video}


def test_a_named_citation_resolves_to_that_video(two_videos: Workspace) -> None:
    draft = "The kettle costs 249 dollars [talk.mp4 00:00:04]. The kettle costs 99 dollars [my trip.mp4 00:00:04]."
    asked = ask_endpoint(
        two_videos, [says(None, *(_listen(name) for name in VIDEOS)), says(draft)], question=QUESTION, videos=VIDEOS
    )
    talk, trip = (two_videos.library.resolve(name).id for name in VIDEOS)
    assert asked.answer.status == "answered"
    assert [cited.video for cited in asked.answer.citations] == [talk, trip]
    assert sorted(span for event in asked.of("tool") for span in event["spans"]) == sorted(
        [[talk, 3.0, 7.0], [trip, 3.0, 7.0]]
    )


def test_what_the_other_video_says_proves_nothing(two_videos: Workspace) -> None:
    draft = "The blue kettle costs 99 dollars [talk.mp4 00:00:04]."
    asked = ask_endpoint(
        two_videos, [says(draft)], question=QUESTION, videos=VIDEOS, judge=doubts("99", verdict="contradicted")
    )
    (judged, _) = (request["messages"][-1]["content"] for request in asked.endpoint.judged)
    assert "[talk.mp4 00:04.0-00:06.0] said: The blue kettle costs 249 dollars." in judged
    assert (asked.answer.status, asked.answer.citations) == ("uncertain", ())
    assert asked.answer.answer == f"{draft} [contradicted]"
    (claim,) = asked.answer.claims
    assert {cited.video for cited in claim.citations} == {two_videos.library.resolve("talk.mp4").id}


def test_a_search_of_all_videos_looks_at_each(two_videos: Workspace) -> None:
    script = [says(None, ("cross_modal_search", {"query": "kettle", "modalities": []})), says("NOT FOUND: nothing.")]
    asked = ask_endpoint(two_videos, script, question=QUESTION, videos=VIDEOS)
    talk, trip = (two_videos.library.resolve(name).id for name in VIDEOS)
    assert asked.of("tool")[0]["spans"] == [[talk, 0.0, 8.0], [trip, 0.0, 8.0]]


@pytest.mark.parametrize("question", ["What does the blue kettle cost?", "Is any writing visible?"])
def test_the_extractive_controller_names_the_video_that_it_cites(two_videos: Workspace, question: str) -> None:
    answer = Agent(two_videos).ask(VIDEOS, question)
    assert answer.status == "answered"
    cited = {citation.video for citation in answer.citations}
    named = {two_videos.library.resolve(name).id for name in VIDEOS if f"[{name} 00:00:0" in answer.answer}
    assert cited
    assert named == cited
