"""The scores of the agentic track on a file that was scored by hand, on gold itself, and of the agent."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from helpers.data.agentic import load, sample, turn

from longtake.evalharness.items import Item, Judgement, Prediction, Reply, ToolCall, Turn, Variant
from longtake.evalharness.judges.judging import reply_hash
from longtake.evalharness.scoring.estimates import Estimate
from longtake.evalharness.scoring.rubric_scores import READINGS, Reading
from longtake.evalharness.scripted.questions import items_of, read_wordings
from longtake.evalharness.scripted.suite import write_script
from longtake.evalharness.subjects.agent_subject import AgentSubject
from longtake.evalharness.subjects.subject import AskedTurn
from longtake.evalharness.suites.agentic import AgenticScores, agentic_item, own_tools, score_agentic
from longtake.preprocess.pipeline.workspace import Workspace


def call(tool: str, **arguments: Any) -> ToolCall:
    return ToolCall(tool=tool, arguments=arguments)


def reply(*calls: ToolCall, text: str = "So it is.", **given: Any) -> Reply:
    return Reply(text=text, calls=calls, **given)


def prediction(item: str, *replies: Reply, seed: int = 0) -> Prediction:
    return Prediction(item=item, variant="original", subject="x", seed=seed, replies=replies, seconds=0.0)


def judged(said: Prediction, turn: int, met: bool | None) -> Judgement:
    return Judgement(
        item=said.item,
        variant="original",
        subject="x",
        seed=said.seed,
        turn=turn,
        criterion="",
        judge="j",
        met=met,
        reply=reply_hash(said.replies[turn]),
    )


def values(rows: Mapping[str, Estimate]) -> dict[str, float | None]:
    return {name: row.value for name, row in rows.items()}


@pytest.fixture
def items(tmp_path: Path) -> list[Item]:
    """Samples a, b and c, each of its own video.

    Weights of their turns with calls, as selection, required, optional, sequence, final, efficiency, wrong:
    a   2 + 2 + 0.5  + 1 + 3 | 1 + 2    positives 8.5, all 11.5
    b0  2 + 1 + 1    + 1 + 3 | 1 + 2    positives 8,   all 11
    b2  1 + 1        + 1 + 3 | 1 + 2    positives 6,   all 9
    c   1     + 0.5  + 1 + 3 | 1 + 2    positives 5.5, all 8.5
    """
    found = ("find", {"query": "kettle price", "modalities": ["speech"], "video_id": "v1"}, "83")
    heard = ("transcribe", {"timestamp": "00:01:00-00:01:10"}, "three cups")
    counted = ("count_things", {"timestamp": "62-66", "thing": "cups"}, "3")
    conversation = [
        *turn("How many cups are there?", "Three.", heard, counted),
        *turn("Why?", "Nobody says."),
        *turn("And two more?", "Four.", ("compute", {"expression": "2+2"}, "4")),
    ]
    rows = (
        sample("a", turn("What do three cost?", "249.", found, ("compute", {"expression": "3*83"}, "249")), "v1"),
        sample("b", conversation, "v2"),
        sample("c", turn("What is said?", "Hello.", ("transcribe", {"timestamp": "1:00"}, "Hello.")), "v3"),
    )
    return load(tmp_path, *rows)[0]


# Flawless but for one call too many: 8.5 earned, and the efficiency penalty violated.
A = prediction(
    "a",
    reply(
        call("find", query="Kettle price", modalities="speech"),
        call("compute", expression="3 * 83"),
        call("compute", expression="1+1"),
    ),
)
# b0 misses a call and makes a wrong one: nothing earned, wrong_tool_call violated. The call in b1 counts nowhere.
# b2 has a wrong argument: selection 1, sequence 1 and final 3 earned.
B = prediction(
    "b",
    reply(call("count_things", timestamp="64-66", thing="cups"), call("find", query="cup")),
    reply(call("find", query="why")),
    reply(call("compute", expression="4")),
)
VERDICTS = [judged(A, 0, True), judged(B, 0, False), judged(B, 2, True)]


def scored(items: list[Item], reading: Reading = "repo") -> AgenticScores:
    return score_agentic(items, [A, B], VERDICTS, reading)


@pytest.mark.parametrize(
    ("reading", "overall", "excluded"),
    [
        # a 8.5 of 11.5, b 5 of 20, c 0 of 8.5
        ("repo", 13.5 / 40, 13.5 / 31.5),
        # a 8.5 - 1 of 8.5, b 5 - 2 of 14, c 0 of 5.5
        ("signed", 10.5 / 28, 10.5 / 22.5),
        ("paper", (7.5 / 8.5 + 3 / 14 + 0) / 3, (7.5 / 8.5 + 3 / 14) / 2),
        ("strict", 0.0, 0.0),
    ],
)
def test_the_rubric_in_each_reading(items: list[Item], reading: Reading, overall: float, excluded: float) -> None:
    scores = scored(items, reading)
    assert scores.overall.value == pytest.approx(100 * overall, abs=1e-4)
    assert scores.excluded.value == pytest.approx(100 * excluded, abs=1e-4)
    assert scores.headline == scores.overall


def test_selection_arguments_and_order(items: list[Item]) -> None:
    assert values(scored(items).calls) == pytest.approx(
        {
            # right calls 2 + 1 + 1 + 0, of 2 + 2 + 1 + 1 gold ones and 3 + 2 + 1 + 0 made
            "selection F1": 100 * 2 * 4 / (6 + 6),
            "selection precision": 100 * 4 / 6,
            "selection recall": 100 * 4 / 6,
            "order": 100 * (2 + 1 + 1 + 0) / 6,
            # query, expression and thing are right, 4 is not 2+2
            "required arguments": 75.0,
            # modalities and the timestamp of counting are right, those of transcribing were not given
            "optional arguments": 50.0,
        },
        abs=1e-4,
    )


def test_each_tool_parameter_and_timestamp(items: list[Item]) -> None:
    scores = scored(items)
    assert values(scores.tools) == pytest.approx(
        # find: 1 right, 1 gold, 2 made; compute: 2 right, 2 gold, 3 made
        {"compute": 100 * 4 / 5, "count_things": 100.0, "find": 100 * 2 / 3, "transcribe": 0.0},
        abs=1e-4,
    )
    assert values(scores.parameters) == {
        "compute expression": 50.0,
        "count_things thing": 100.0,
        "count_things timestamp": 100.0,
        "find modalities": 100.0,
        "find query": 100.0,
        "transcribe timestamp": 0.0,
    }
    # 64-66 shares 2 s of 62-66, and begins 2 s late; two others were not given.
    assert values(scores.timestamps) == pytest.approx({"overlap": 100 * 0.5 / 3, "within 1 s": 0.0}, abs=1e-4)


def test_criteria_and_what_went_wrong(items: list[Item]) -> None:
    scores = scored(items)
    assert values(scores.criteria) == pytest.approx(
        {
            "tool_selection_accuracy": 50.0,  # a and b2
            "required_parameter_accuracy": 100 / 3,  # a, of a, b0 and b2
            "optional_parameter_precision": 100 / 3,  # a, of a, b0 and c
            "sequence_logic": 50.0,  # a and b2
            "final_answer_correctness": 50.0,
            "efficiency_penalty": 75.0,  # all but a
            "wrong_tool_call": 75.0,  # all but b0
        },
        abs=1e-4,
    )
    counts = {name: (getattr(scores, name).count, getattr(scores, name).n) for name in ("wrong", "superfluous")}
    assert counts == {"wrong": (1, 6), "superfluous": (1, 6)}
    assert (scores.missed.count, scores.missed.n) == (2, 6)
    assert (scores.errors.count, scores.errors.n) == (1, 3)
    assert (scores.unjudged.count, scores.unjudged.n) == (0, 4)


def test_an_answer_without_a_verdict_counts_as_wrong_and_leaves_no_headline(items: list[Item]) -> None:
    other = judged(A, 0, True).model_copy(update={"reply": "of another"})
    scores = score_agentic(items, [A, B], [other, *VERDICTS[1:]], "repo")
    assert (scores.unjudged.count, scores.headline) == (1, None)
    assert scores.overall.value == pytest.approx(100 * 10.5 / 40, abs=1e-4)


def test_a_reply_of_thoughts_alone_is_wrong_without_a_verdict(items: list[Item]) -> None:
    thinking = prediction("a", reply(*A.replies[0].calls, text="<think>So it is.</think>"))
    scores = score_agentic(items[:1], [thinking], [], "repo")
    assert (scores.unjudged.count, scores.headline) == (0, scores.overall)


def test_an_uncertain_final_answer_is_wrong_whatever_its_verdict_and_is_read(items: list[Item]) -> None:
    calls = A.replies[0].calls
    unsure, wrong = prediction("a", reply(*calls, uncertain=True, parse="uncertain")), prediction("a", reply(*calls))
    scores = score_agentic(items[:1], [unsure], [judged(unsure, 0, True)], "repo")
    assert scores.overall == score_agentic(items[:1], [wrong], [judged(wrong, 0, False)], "repo").overall
    assert (scores.parse_failures.count, scores.unjudged.count) == (0, 0)


def test_verdicts_that_the_judge_is_not_sure_of_are_counted(items: list[Item]) -> None:
    doubted = [VERDICTS[0].model_copy(update={"sure": False}), *VERDICTS[1:]]
    scores = score_agentic(items, [A, B], doubted, "repo")
    assert (scores.unsure.count, scores.unsure.n) == (1, 4)


def test_an_error_made_no_calls_and_a_reply_without_calls_is_counted(items: list[Item]) -> None:
    failing = reply(*A.replies[0].calls, status="error", error="down")
    unread = reply(text="I would look.", parse="failed")
    said = [prediction("a", failing), prediction("b", unread, unread, unread), prediction("c", unread)]
    scores = score_agentic(items, said, [], "repo")
    assert values(scores.calls)["selection recall"] == 0.0
    assert (scores.wrong.n, scores.errors.count) == (0, 1)
    assert (scores.parse_failures.count, scores.parse_failures.n, scores.excluded.value) == (3, 4, None)
    assert scores.unjudged.count == 3


def test_a_turn_without_a_reply_is_an_error_and_missed_its_calls(items: list[Item]) -> None:
    short = prediction("b", *B.replies[:2])
    scores = score_agentic(items[1:2], [short], [judged(short, 0, False)], "repo")
    assert (scores.errors.count, scores.errors.n) == (1, 1)
    assert (scores.missed.count, scores.missed.n) == (2, 3)
    assert (scores.unjudged.count, scores.excluded.value) == (0, None)


def test_each_seed_is_a_sample_of_its_own(items: list[Item]) -> None:
    again = A.model_copy(update={"seed": 1})
    scores = score_agentic(items[:1], [A, again], [judged(A, 0, True), judged(again, 0, False)], "repo")
    assert scores.overall.value == pytest.approx(100 * (8.5 + 5.5) / 23, abs=1e-4)


@pytest.mark.usefixtures("voice")
@pytest.mark.parametrize("reading", READINGS)
def test_gold_calls_of_scripted_videos_are_flawless_beside_themselves(reading: Reading) -> None:
    asked = items_of(write_script(3, 1), {"seen": read_wordings("seen")})
    items = [agentic_item(item, own_tools()) for item in asked]
    said = [prediction(item.id, *(reply(*turn.calls) for turn in item.turns)) for item in items]
    verdicts = [judged(one, number, True) for one in said for number in range(len(one.replies))]
    scores = score_agentic(items, said, verdicts, reading)
    tables = (scores.calls, scores.tools, scores.parameters, scores.timestamps, scores.criteria)
    assert {row.value for rows in tables for row in rows.values()} == {100.0}
    assert (scores.wrong.count, scores.superfluous.count, scores.missed.count) == (0, 0, 0)
    if reading != "repo":  # where the penalties' weights can never be earned
        assert scores.overall.value == 100.0


def test_in_live_mode_the_calls_are_those_that_the_agent_made(small_workspace: Workspace) -> None:
    question = "What does the speaker say from 0:04 to 0:06?"
    asked = Turn(question=question, reference="249", calls=(call("transcribe_speech"),))
    video = str(small_workspace.library.root / "talk.mp4")
    item = Item(suite="longshot", id="live", video="talk", media=video, format="calls", turns=(asked,))
    item = agentic_item(item, own_tools())
    said = prediction("live", AgentSubject("agent", small_workspace).reply(AskedTurn(item, 0, Variant(), 0, ())))
    scores = score_agentic([item], [said], [judged(said, 0, True)], "repo")
    made = said.replies[0].calls
    assert scores.wrong.n == len(made) > 0
    assert values(scores.calls)["selection recall"] == 100.0
    assert scores.superfluous.count + scores.wrong.count == len(made) - 1
