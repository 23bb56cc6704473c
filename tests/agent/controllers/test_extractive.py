"""The controller without a language model: what it calls, what it answers of each kind, and when it says nothing."""

from __future__ import annotations

from itertools import pairwise

import pytest
from helpers.asking import VIDEO
from langchain_core.messages import HumanMessage

from longtake.agent.controllers.extractive.made import made_reply
from longtake.agent.controllers.extractive.planning import calls_for, object_in, wanted_language
from longtake.agent.controllers.factory import extractive
from longtake.agent.drafts.draft import ANSWER, Draft
from longtake.agent.gathering.gathered import Found, Gathered
from longtake.agent.graph.agent import Agent
from longtake.agent.query.query import TARGETS, Query, Reading, Scope, Source, Target
from longtake.agent.query.reader import LearnedReader
from longtake.agent.traces.trace import RecordedTrace
from longtake.agent.traces.whole_run import reply_in
from longtake.errors import EngineError
from longtake.language.words import content_stems
from longtake.memory.records import Answer, Moment
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.core.result import ToolResult

KETTLE = "The blue kettle costs 249 dollars."


def query(source: Source, target: Target, question: str = "What?", span: TimeSpan | None = None) -> Query:
    reading = Reading(sources={source: 1.0}, targets={name: float(name == target) for name in TARGETS})
    scope = Scope(span=span, named=span is not None)
    return Query(question=question, reading=reading, scope=scope, videos={"v": 100.0}, names={"v": "talk.mp4"})


@pytest.mark.parametrize(
    ("source", "target", "question", "named", "called"),
    [
        ("speech", "quote", "What is said?", True, ["transcribe_speech"]),
        ("speech", "quote", "What is said?", False, []),
        ("text", "quote", "What is written?", True, ["extract_scene_text"]),
        ("sound", "yesno", "Is there music?", False, ["detect_audio_events"]),
        ("shots", "count", "How many cuts are there?", False, ["find_moments"]),
        ("speech", "translation", "Translate it into German.", False, ["translate_speech"]),
        ("outside", "calculation", "What is 12 * 7?", False, ["calculator"]),
        ("text", "calculation", "What is the result of the formula?", False, ["extract_math_exp"]),
        ("outside", "keep", "Remember this.", False, ["memory_tool"]),
        ("outside", "recall", "What did I note?", False, ["memory_tool"]),
        ("outside", "lookup", "What is the height of Everest?", False, ["web_search"]),
        ("file", "duration", "How long is the video?", False, []),
    ],
)
def test_what_is_called_for_a_source_and_a_target(
    source: Source, target: Target, question: str, named: bool, called: list[str]
) -> None:
    span = TimeSpan(start=10, end=20) if named else None
    calls = calls_for(query(source, target, question, span), Gathered())
    assert [call.name for call in calls] == called
    if named:
        assert [call.arguments["timestamp"] for call in calls] == ["10.000-20.000"]


@pytest.mark.parametrize(("colour", "mode"), [("black", "maximum"), ("white", "minimum")])
def test_footage_in_pieces_is_fused_whatever_the_words_of_the_question(colour: str, mode: str) -> None:
    text = f"each frame shows a piece of the picture, the rest is {colour}"
    span = TimeSpan(start=12, end=60)
    pieces = (Moment(video="v", span=span, modality="visual", text=text, score=1.0, engine="longtake/still"),)
    sources: tuple[Source, ...] = ("text", "picture")
    for source in sources:
        asked = query(source, "quote").model_copy(update={"pieces": pieces})
        fused = [call for call in calls_for(asked, Gathered()) if call.name == "integrate_frames"]
        assert [call.arguments for call in fused] == [{"timestamp": "12.000-20.000", "mode": mode}]
        elsewhere = query(source, "quote", span=TimeSpan(start=0, end=10)).model_copy(update={"pieces": pieces})
        assert "integrate_frames" not in {call.name for call in calls_for(elsewhere, Gathered())}


@pytest.mark.parametrize(
    ("question", "indexed", "where"),
    [
        ("How many people are there?", 1.0, "all"),
        ("How many dogs are there?", 1.0, "all"),
        ("How many people are there?", 0.0, "0-600"),
        ("How many red circles are there?", 1.0, "0-600"),
        ("How many different?", 1.0, "0-600"),
    ],
)
def test_an_hour_is_searched_for_what_the_index_knows(question: str, indexed: float, where: str) -> None:
    asked = query("picture", "count", question)
    hour = asked.model_copy(update={"videos": {"v": 3600.0}, "coverage": {"detections": indexed}})
    [counting] = [call for call in calls_for(hour, Gathered()) if call.name == "count_objects"]
    assert counting.arguments["timestamp"] == where


def test_a_summary_covers_the_whole_video_in_parts() -> None:
    calls = calls_for(query("speech", "summary", "Summarise it."), Gathered())
    spans = [[float(edge) for edge in call.arguments["timestamp"].split("-")] for call in calls]
    assert len(spans) > 1
    assert (spans[0][0], spans[-1][1]) == (0, 100)
    assert all(one[1] == other[0] for one, other in pairwise(spans))


def test_each_of_several_videos_is_called_for_by_its_id() -> None:
    both = query("sound", "list").model_copy(update={"videos": {"v": 100.0, "w": 50.0}})
    assert [call.arguments["video"] for call in calls_for(both, Gathered())] == ["v", "w"]


def test_a_note_is_only_made_where_that_is_surely_meant() -> None:
    unsure = query("outside", "keep").model_copy(
        update={"reading": Reading(sources={"outside": 1.0}, targets={"keep": 0.4, "time": 0.3})}
    )
    assert [call.name for call in calls_for(unsure, Gathered())] == []


def test_the_language_that_a_question_names_is_wanted() -> None:
    assert wanted_language("Translate it into German.").casefold() == "german"


@pytest.mark.parametrize(
    ("question", "translated"), [("Translate the storm.", "10.000-15.000"), ("Translate it.", "all")]
)
def test_what_a_question_tells_of_is_translated_else_all(question: str, translated: str) -> None:
    item = Moment(video="v", span=TimeSpan(start=10, end=15), modality="speech", text="A storm came.", engine="e")
    asked = query("speech", "translation", question).model_copy(update={"words": tuple(content_stems(question))})
    [call] = calls_for(asked, Gathered(found=(Found(evidence=item, line=(item,)),)))
    assert call.arguments["timestamp"] == translated


def test_a_translation_that_changes_nothing_is_no_answer() -> None:
    done = [ToolResult(tool="translate_text", output={"translated_text": "Pierogi"})]
    asked = query("text", "translation", "Ile soli potrzebujemy?")
    assert made_reply(asked, done, ["PIEROGI", "Kuchnia"]) is None
    assert made_reply(asked, done, ["Piroggen"]) is not None


@pytest.mark.parametrize(
    ("question", "lines", "answer", "sure"),
    [
        (
            "Work out the sum on the slide.",
            ["Bolts · 37 x 12 = ?", "Lamps 9 x 2"],
            "“37 x 12 = ?”: the result is 444",
            True,
        ),
        ("Work out the lamps.", ["Lamps 9 x 2", "Bolts · 37 x 12 = ?"], "“9 x 2”: the result is 18", True),
        ("Work it out with 40 instead.", ["Bolts · 37 x 12 = ?"], "“37 x 12 = ?”: the result is 444", False),
        (
            "Work out the sum on the slide.",
            ["It is on the slide.", "Bolts · 37 x 12 = ?"],
            "“37 x 12 = ?”: the result is 444",
            False,
        ),
        ("Work out the area.", ["a x b"], None, False),
    ],
)
def test_a_formula_on_screen_is_worked_out(question: str, lines: list[str], answer: str | None, sure: bool) -> None:
    span = TimeSpan(start=5, end=9)
    shown = [
        Moment(video="v", span=span, modality="scene_text", text=text, engine="e")
        for text in ("37 x 12 = ?", "9 x 2", "a x b")
    ]
    formulas = [
        {"seen": "37 x 12", "expression": "37 * 12", "value": "444"},
        {"seen": "9 x 2", "expression": "9 * 2", "value": "18"},
        {"seen": "a x b", "expression": "a * b"},
    ]
    read = ToolResult(tool="extract_math_exp", output={"expressions": formulas}, evidence=tuple(shown))
    reply = made_reply(query("text", "calculation", question), [read], lines)
    assert (reply.claims[0].text if reply else None) == answer
    assert bool(reply and (reply.confidence or 0) > 0.5) == sure


def test_a_count_is_reported_by_its_evidence_and_not_where_nothing_was_counted() -> None:
    seen = Moment(video="v", span=TimeSpan(start=0, end=9), modality="visual", text="red circle 2 of 2", engine="e")
    counted, doubted = (
        ToolResult(tool="count_objects", output={"count": 2, "in_all": in_all}, evidence=(seen,)) for in_all in (2, 6)
    )
    reply = made_reply(query("picture", "count"), [counted])
    unsure = made_reply(query("picture", "count"), [doubted])
    assert reply is not None
    assert unsure is not None
    assert (reply.confidence or 0) > 0.5 > (unsure.confidence or 0)
    assert [claim.moments for claim in reply.claims] == [(seen.id,)]
    assert reply.claims[0].text.startswith("2")
    at_once = made_reply(query("picture", "count", "How many are there at once?"), [doubted])
    assert at_once is not None
    assert at_once.confidence == reply.confidence
    none = ToolResult(tool="count_objects", output={"count": 0})
    assert made_reply(query("picture", "count"), [none]) is None


def test_every_time_without_anyone_is_reported() -> None:
    spans = [
        Moment(video="v", span=TimeSpan(start=start, end=start + 5), modality="visual", text="nobody", engine="e")
        for start in (0, 20)
    ]
    alone = ToolResult(tool="object_detection", output={"object": ["nobody", "nobody"]}, evidence=tuple(spans))
    reply = made_reply(query("picture", "time", "When is nobody there?"), [alone])
    assert reply is not None
    assert [claim.moments for claim in reply.claims] == [(item.id,) for item in spans]
    mixed = ToolResult(tool="object_detection", output={"object": ["dog"]}, evidence=tuple(spans[:1]))
    assert made_reply(query("picture", "time"), [mixed]) is None


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("How many people come to the table?", "people over time"),
        ("How many people are there at the same time?", "people at once"),
        ("How many people are there?", "people"),
        ("When is nobody at the table?", "nobody"),
        ("When does the train come?", "train come"),
    ],
)
def test_what_detectors_look_for(question: str, thing: str) -> None:
    assert object_in(query("picture", "count", question)) == thing


@pytest.fixture(scope="module")
def agent(small_workspace: Workspace) -> Agent:
    return Agent(small_workspace)


def ask(agent: Agent, question: str, *options: str) -> Answer:
    answer = agent.ask([VIDEO], question, options=options)
    if answer.status == "answered":
        assert answer.claims
        assert all(claim.verdict == "supported" for claim in answer.claims)
    return answer


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "held"),
    [
        ("What does the blue kettle cost?", KETTLE),
        ("When is the blue kettle mentioned?", "4.0 s"),
        ("What is 12 * (3 + 4)?", "84"),
    ],
)
def test_questions_of_many_kinds_are_answered_with_proof(agent: Agent, question: str, held: str) -> None:
    answer = ask(agent, question)
    assert answer.status == "answered", answer.answer
    assert held in answer.answer
    assert answer.citations or held == "84"


@pytest.mark.parametrize(
    ("question", "held"),
    [
        ("What is said at 0:04?", KETTLE),
        ("What is said at 0:01?", "Welcome to the workshop."),
        ("Is the kettle blue?", KETTLE),
    ],
)
def test_what_is_asked_for_is_reported_or_among_the_closest_lines(agent: Agent, question: str, held: str) -> None:
    answer = ask(agent, question)
    assert held in answer.answer or held in [each.text for each in answer.closest]


@pytest.mark.parametrize("question", ["What does the blue kettle cost?", "Who won the cup?"])
def test_an_option_is_always_named_and_is_proven_where_it_is_sure(agent: Agent, question: str) -> None:
    answer = ask(agent, question, "17 dollars", "249 dollars", "12 euros")
    assert answer.option is not None
    if "kettle" in question:
        assert (answer.status, answer.option.text) == ("answered", "249 dollars")
    assert answer.citations or answer.closest


@pytest.mark.parametrize("question", ["How many people walk past the door?", "What does she say about Napoleon?"])
def test_what_every_recording_has_is_not_among_the_closest_lines(agent: Agent, question: str) -> None:
    closest = ask(agent, question).closest
    assert not [each for each in closest if each.text.startswith(("The recording is", "There is", "tone"))]


@pytest.mark.parametrize("question", ["What colour is the president's tie?", "Who won the cup in Paris?"])
def test_what_nothing_answers_is_not_answered(agent: Agent, question: str) -> None:
    answer = ask(agent, question)
    assert answer.status in ("uncertain", "abstained")
    assert answer.citations == ()
    assert 0 < len(answer.closest) <= 3 or answer.status == "abstained"


def test_its_answer_is_a_call_whose_claims_name_their_evidence(agent: Agent, small_workspace: Workspace) -> None:
    answer = ask(agent, "What does the blue kettle cost?")
    trace = RecordedTrace(small_workspace.library.trace_root, answer.trace or "")
    events = list(trace.events())
    last = [event for event in events if event["type"] == "model"][-1]
    reply = reply_in(trace, last)
    (call,) = reply.tool_calls
    draft = Draft.model_validate(call["args"])
    found = {name for event in events for name in event["evidence"]}
    assert call["name"] == ANSWER
    assert draft.claims
    assert all(claim.moments and set(claim.moments) <= found for claim in draft.claims)
    assert (draft.status, draft.confidence) == (answer.status, answer.confidence)
    assert f"confidence {answer.confidence:.2f}" in reply.text
    assert "kettle" in reply.text


def test_the_same_question_has_the_same_answer(agent: Agent) -> None:
    one, other = (ask(agent, "What does the blue kettle cost?") for _ in range(2))
    assert (one.answer, one.citations, one.confidence) == (other.answer, other.citations, other.confidence)


def test_it_runs_only_where_a_query_is_given(small_workspace: Workspace) -> None:
    with pytest.raises(EngineError):
        extractive(LearnedReader(small_workspace.engines)).invoke([HumanMessage("Who?")])
