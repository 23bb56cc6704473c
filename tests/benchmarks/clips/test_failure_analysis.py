"""What a question that was not answered right would have needed, told from the traces of real runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from helpers.asking import VIDEO, endpoint_asker
from helpers.servers.openai_server import openai_server, says

from longtake.agent.gathering.gathered import Gathered
from longtake.agent.graph.agent import Agent
from longtake.agent.graph.run_context import RunContext
from longtake.benchmarks.clips.clip_questions import ClipQuestion
from longtake.benchmarks.clips.failure_analysis import Needed, what_was_needed
from longtake.memory.records import Answer
from longtake.preprocess.pipeline.workspace import Workspace

LISTEN = ("transcribe_speech", {"timestamp": "00:00:04-00:00:06"})
READ = ("extract_scene_text", {"timestamp": [0, 2]})
FACES = ("detect_faces", {"timestamp": [0, 8]})
COUNT = ("count_objects", {"object_query": "red circles", "timestamp": [5, 6]})
GIVES_UP = "NOT FOUND: nothing tells."
QUESTION = "What does the blue kettle cost?"


def asked(workspace: Workspace, *calls: tuple[str, Any]) -> Answer:
    """An answer after one round of these calls, of a run that gathered nothing before and that nobody stands in for."""

    def bare(context: RunContext) -> RunContext:
        return replace(context, gather=lambda query, context: Gathered(), stand_in=None)

    with openai_server([says(None, *calls), says(GIVES_UP)]) as endpoint:
        return endpoint_asker(workspace, endpoint.url).ask([VIDEO], QUESTION, change=bare)


def needed(workspace: Workspace, answer: Answer, modality: str, gold: str, evidence: Sequence[float]) -> Needed:
    """What a question with this gold would have needed of the run that ended in the answer."""
    facts = {"id": "q", "media": VIDEO, "question": answer.question, "kind": "fact"}
    question = ClipQuestion.model_validate(facts | {"answer": gold, "evidence": list(evidence), "modality": modality})
    return what_was_needed(question, answer, workspace)


def test_a_gold_that_a_tool_found_was_found(small_workspace: Workspace) -> None:
    answer = asked(small_workspace, LISTEN)
    assert answer.status == "abstained"
    found = needed(small_workspace, answer, "speech", "249", [4, 6])
    assert found == Needed(group="found, not answered with", missing={}, called=("transcribe_speech",))
    assert needed(small_workspace, answer, "speech", "4.0-6.0 s", [4, 6]).group == "found, not answered with"


def test_a_gold_that_was_gathered_was_found_without_any_call(small_workspace: Workspace) -> None:
    answer = Agent(small_workspace).ask([VIDEO], QUESTION)
    found = needed(small_workspace, answer, "speech", "249", [4, 6])
    assert found == Needed(group="found, not answered with", missing={}, called=())
    assert needed(small_workspace, answer, "speech", "260", [4, 6]).group == "looked there, not recognised"


def test_another_gold_was_looked_at_and_not_recognised(small_workspace: Workspace) -> None:
    answer = asked(small_workspace, LISTEN)
    assert needed(small_workspace, answer, "speech", "260", [4, 6]).group == "looked there, not recognised"


def test_a_time_that_no_tool_of_the_sense_read_was_never_looked_at(small_workspace: Workspace) -> None:
    answer = asked(small_workspace, LISTEN)
    assert needed(small_workspace, answer, "speech", "249", [0, 2]).group == "never looked there"
    assert needed(small_workspace, answer, "ocr", "4417", [4, 6]).group == "never looked there"


def test_a_tool_that_finds_nothing_has_still_looked(small_workspace: Workspace) -> None:
    answer = asked(small_workspace, ("transcribe_speech", {"timestamp": [6.5, 8]}))
    assert needed(small_workspace, answer, "speech", "bye", [7, 8]).group == "looked there, not recognised"


def test_what_nothing_reads_here_is_named_with_the_reason(small_workspace: Workspace) -> None:
    answer = asked(small_workspace, LISTEN, READ)
    need = needed(small_workspace, answer, "visual", "a hat", [4, 6])
    assert need.group == "no engine here"
    assert set(need.missing) == {"captions", "visual_question"}
    assert "captions.base_url" in need.missing["captions"]
    assert str(need) == (
        "no engine here (not available: captions, visual_question); called: transcribe_speech, extract_scene_text"
    )


def test_a_special_tool_that_looked_is_no_missing_engine(small_workspace: Workspace) -> None:
    answer = asked(small_workspace, COUNT)
    assert needed(small_workspace, answer, "visual", "two kettles", [5, 6]).group == "looked there, not recognised"
    assert needed(small_workspace, answer, "visual", "two kettles", [0, 1]).group == "no engine here"


def test_a_tool_that_is_not_available_is_named_with_its_remedy(small_workspace: Workspace) -> None:
    answer = asked(small_workspace, FACES, COUNT)
    need = needed(small_workspace, answer, "visual", "Ada", [5, 6])
    assert need.group == "no engine here"
    assert "longtake doctor" in need.missing["detect_faces"]
    assert "detect_faces" not in needed(small_workspace, answer, "speech", "Ada", [5, 6]).missing


def test_what_an_answer_cites_was_looked_at(small_workspace: Workspace) -> None:
    with openai_server([says("The recording is 8.0 seconds long [m1].")]) as endpoint:
        answer = endpoint_asker(small_workspace, endpoint.url).ask([VIDEO], QUESTION)
    assert [each.modality for each in answer.citations] == ["metadata"]
    assert needed(small_workspace, answer, "visual", "9 s", [0, 8]).group == "looked there, not recognised"


def test_an_unknown_modality_may_be_any_sense(small_workspace: Workspace) -> None:
    answer = asked(small_workspace, LISTEN)
    assert needed(small_workspace, answer, "haptic", "249", [4, 6]).group == "found, not answered with"
    assert needed(small_workspace, answer, "haptic", "249", [0, 2]).group == "never looked there"


def test_a_run_without_a_trace_called_nothing(small_workspace: Workspace) -> None:
    answer = Answer(question="?", status="partial", answer="", coverage={"subtitles": 1.0})
    need = needed(small_workspace, answer, "speech", "249", [4, 6])
    assert need == Needed(group="never looked there", missing={}, called=())
    assert str(need) == "never looked there; called: nothing"
