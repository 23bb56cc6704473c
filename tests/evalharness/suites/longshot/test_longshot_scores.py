"""Hand-made outputs of the released evaluator give the scores worked by hand, in every reading."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction as F
from pathlib import Path
from typing import Any

import pytest

from longtake.evalharness.items import ORIGINAL, Item, Judgement, Prediction, Reply
from longtake.evalharness.judges.judging import reply_hash
from longtake.evalharness.runs.run_folder import RunFolder
from longtake.evalharness.scoring.estimates import Rows
from longtake.evalharness.scoring.rubric_scores import READINGS, Reading
from longtake.evalharness.scoring.score_table import score_table
from longtake.evalharness.suites.imports import import_run
from longtake.evalharness.suites.longshot import load_longshot
from longtake.evalharness.suites.longshot_scores import LongshotScores, score_longshot

Row = dict[str, Any]
CATEGORY = {"5": "high_priority", "3": "medium_priority", "1": "low_priority"}
MET = {"+": True, "-": False, "?": None}


def rubric(marks: str) -> list[Row]:
    """Criteria such as "5+ 3- 1? p+": a weight, or p for a penalty of 5, and whether it is met."""
    return [
        {
            "name": f"fact {number}",
            "description": "Must not invent." if mark[0] == "p" else "Says it.",
            "category": CATEGORY.get(mark[0], "penalty"),
            "weight": -5 if mark[0] == "p" else int(mark[0]),
            "is_penalty": mark[0] == "p",
            "criteria_met": MET[mark[1]],
        }
        for number, mark in enumerate(marks.split())
    ]


def turn(marks: str, reply: str | None = "So it is.", modalities: Sequence[str] = (), difficulty: int = 3) -> list[Row]:
    said = {"role": "assistant", "content": "Indeed.", "criteria": rubric(marks), "candidate_response": reply}
    return [{"role": "user", "content": "Is it?", "modalities": modalities, "difficulty": difficulty}, said]


def sample(name: str, video: str, task: str, conversation: list[Row], seconds: float = 60) -> Row:
    return {"sample_id": name, "video_id": video, "task": task, "duration": seconds, "conversations": conversation}


def score(folder: Path, rows: Sequence[Row], reading: Reading) -> LongshotScores:
    """Import the rows as an output of the released evaluator, and score the run."""
    file = folder / "model_eval.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_run("longshot", file, folder / "run", pytest.fail)
    run = RunFolder(folder / "run")
    items, said = list(run.items(pytest.fail)), run.predictions(pytest.fail).values()
    return score_longshot(items, said, run.judgements(pytest.fail), reading)


def values(rows: Rows) -> dict[str, float | None]:
    return {name: estimate.value for name, estimate in rows.items()}


def percent(shares: dict[str, F]) -> Any:
    return pytest.approx({name: float(100 * share) for name, share in shares.items()}, abs=5e-5)


V2 = [
    sample("a", "v1", "entity_recognition", turn("5+ 3- p+", modalities=["visual", "audio"], difficulty=1), 1799.9),
    sample("b", "v2", "entity_recognition", turn("5+ 3+ 1- p-", modalities=["text_overlay", "speech"]), 1800),
    sample("c", "v1", "event_understanding", turn("3- 1+ p-", modalities=["smell"], difficulty=5), 2700),
    sample("d", "v3", "causal_reasoning", [*turn("5+ 1+ p+", difficulty=2), *turn("3?", None, difficulty=5)], 3600),
    sample("e", "v3", "commonsense_reasoning", turn("5+ p+"), 0),
    sample("f", "v4", "summarization", turn("5+ 3?")),
    sample("g", "v4", "motion_analysis", turn("5+ 3+", modalities=["audio_environment"])),
    sample("h", "v5", "safety_monitoring", turn("5+ 5-")),
]
# What a task earned of what it could: pooled in `repo` and `signed`, the mean over its samples in the other two.
TASKS: dict[Reading, dict[str, F]] = {
    "repo": {
        "entity_recognition": F(5 + 8, 8 + 9),
        "event_understanding": F(1, 4),
        "causal_reasoning": F(6 + 5, 9 + 5),
        "summarization": F(5, 8),
        "motion_analysis": F(8, 8),
    },
    "signed": {
        "entity_recognition": F(5 + (8 - 5), 8 + 9),
        "event_understanding": F(0, 4),  # 1 - 5, not below 0
        "causal_reasoning": F(6 + 5, 9 + 5),
        "summarization": F(5, 8),
        "motion_analysis": F(8, 8),
    },
    "paper": {
        "entity_recognition": (F(5, 8) + F(8 - 5, 9)) / 2,
        "event_understanding": F(1 - 5, 4),
        "causal_reasoning": (F(6, 9) + F(5, 5)) / 2,
        "summarization": F(5, 8),
        "motion_analysis": F(8, 8),
    },
    "strict": {
        "entity_recognition": F(0),
        "event_understanding": F(0),
        "causal_reasoning": F(0 + 1, 2),
        "summarization": F(0),
        "motion_analysis": F(1),
    },
}


@pytest.mark.parametrize("reading", READINGS)
def test_tasks_categories_and_overall_are_those_worked_by_hand(tmp_path: Path, reading: Reading) -> None:
    scores = score(tmp_path, V2, reading)
    tasks = TASKS[reading]
    assert values(scores.tasks) == percent(tasks)
    categories = {
        "core_perception": (tasks["entity_recognition"] + tasks["event_understanding"]) / 2,
        "reasoning": tasks["causal_reasoning"],
        "information": tasks["summarization"],
        "multimodal": tasks["motion_analysis"],
    }
    assert values(scores.categories) == percent(categories)
    assert scores.overall.value == pytest.approx(float(100 * sum(categories.values()) / 4), abs=5e-5)
    # Written out: repo (69/136 + 11/14 + 5/8 + 1) / 4, and so on.
    overall = {"repo": 72.9517, "signed": 66.1502, "paper": 54.9479, "strict": 37.5}
    assert scores.overall.value == pytest.approx(overall[reading], abs=5e-5)


def test_an_unknown_task_is_reported_and_has_no_part_in_the_overall_score(tmp_path: Path) -> None:
    scores = score(tmp_path, V2, "repo")
    assert values(scores.unknown_tasks) == percent({"safety_monitoring": F(5, 10)})
    (tmp_path / "without").mkdir()
    without = score(tmp_path / "without", V2[:-1], "repo")
    assert (without.overall, without.unknown_tasks) == (scores.overall, {})


def test_errors_and_missing_verdicts_stand_beside_the_score(tmp_path: Path) -> None:
    scores = score(tmp_path, V2, "repo")
    # d has no reply to its second turn; its criterion there is not met rather than unjudged. f has the missing verdict.
    assert (scores.errors.count, scores.errors.n) == (1, 8)
    assert (scores.unjudged.count, scores.unjudged.n) == (1, 3 + 4 + 3 + 4 + 2 + 2 + 2 + 2)
    assert scores.headline is None
    # Without d causal reasoning has e alone, 5 of 5.
    assert scores.excluded.value == pytest.approx(float(100 * (F(69, 136) + 1 + F(5, 8) + 1) / 4), abs=5e-5)


def test_the_audio_tag_counts_as_audio_and_in_a_table_of_its_own_as_visual(tmp_path: Path) -> None:
    # Visual: a, b (text_overlay) and c (an unknown tag). Each sample counts in every row it lists.
    scores = score(tmp_path, V2, "repo")
    right = {"visual": F(5 + 8 + 1, 8 + 9 + 4), "audio": F(5 + 8, 8 + 8), "speech": F(8, 9)}
    assert values(scores.modalities) == percent(right)
    assert list(scores.modalities) == ["visual", "audio", "speech"]
    assert values(scores.parity_modalities) == percent({**right, "audio": F(8, 8)})
    groups = score_table("longshot", "m", "repo", scores).groups
    assert groups["modality, audio as visual as in the released code"] == scores.parity_modalities


def test_there_is_one_table_of_modalities_where_nothing_is_tagged_audio(tmp_path: Path) -> None:
    scores = score(tmp_path, V2[1:], "repo")
    assert set(score_table("longshot", "m", "repo", scores).groups["modality"]) == {"visual", "audio", "speech"}
    assert scores.parity_modalities == {}


def test_durations_fall_by_the_edges_of_code_and_paper(tmp_path: Path) -> None:
    durations = score(tmp_path, V2, "repo").durations
    # Short: a, f, g and h. Code: b to 2,700 s, c and d above. Paper: b and c to 3,600 s, d above. e has no length.
    short, unknown = F(5 + 5 + 8 + 5, 8 + 8 + 8 + 10), F(5, 5)
    repo = {"short": short, "medium": F(8, 9), "long": F(1 + 6, 4 + 9), "unknown": unknown}
    paper = {"short": short, "medium": F(8 + 1, 9 + 4), "long": F(6, 9), "unknown": unknown}
    assert values(durations["repo"]) == percent(repo)
    assert values(durations["paper"]) == percent(paper)


def test_turns_count_by_their_own_difficulty_and_samples_by_their_number_of_turns(tmp_path: Path) -> None:
    scores = score(tmp_path, V2, "signed")
    # 5: c, 1 - 5 is not below 0, of 4; the second turn of d, 0 of 3. 3: b, e, f, g and h.
    levels = {"1": F(5, 8), "2": F(6, 6), "3": F(3 + 5 + 5 + 8 + 5, 9 + 5 + 8 + 8 + 10), "5": F(0, 4 + 3)}
    assert values(scores.difficulties) == percent(levels)
    single = F(5 + 3 + 0 + 5 + 5 + 8 + 5, 8 + 9 + 4 + 5 + 8 + 8 + 10)
    assert values(scores.turns) == percent({"single_turn": single, "multi_turn": F(6, 9)})


@pytest.mark.parametrize(("reading", "perfect", "wrong_call"), [("repo", 75, 75), ("signed", 100, 700 / 9)])
def test_the_rubric_of_tools_of_v1(tmp_path: Path, reading: Reading, perfect: float, wrong_call: float) -> None:
    # Two tools with three required parameters: 2 + 3 + 1 + 3 = 9, and penalties of 1 and 2 with positive weights.
    rewards = {"tool_selection": 2, "required_parameters": 3, "sequence_logic": 1, "final_answer": 3}
    penalties = {"efficiency_penalty": 1, "wrong_tool_call": 2}
    rows = []
    for name, violated in (("perfect", ""), ("wrong call", "wrong_tool_call")):
        criteria = [
            {"name": each, "weight": weight, "is_penalty": each in penalties, "criteria_met": each != violated}
            for each, weight in {**rewards, **penalties}.items()
        ]
        call = json.dumps({"tool": "calculator", "parameters": {"expression": "1+1"}, "expected_response": "2"})
        said = {"role": "assistant", "tool_calls": [call], "criteria": criteria, "candidate_response": "Two."}
        rows.append(sample(name, name, f"agentic {name}", [{"role": "user", "content": "How many?"}, said]))
    scores = score(tmp_path, rows, reading)
    found = values(scores.unknown_tasks)
    assert found == pytest.approx({"agentic perfect": perfect, "agentic wrong call": wrong_call}, abs=5e-5)


def clean(folder: Path) -> list[Item]:
    """Two samples of a clean export: no ids, no weights, no lengths; 5 + 1 and a penalty, and 3."""
    categories = (["high_priority", "low_priority", "penalty"], ["medium_priority"])
    rows = [
        {
            "video_id": f"v{number}",
            "task": "information_retrieval",
            "conversations": [
                {"role": "user", "content": "What?"},
                {"role": "assistant", "content": "It.", "criteria": [{"name": c, "category": c} for c in held]},
            ],
        }
        for number, held in enumerate(categories)
    ]
    (folder / "clean.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return load_longshot(folder / "clean.jsonl", None, pytest.fail)


def said(item: Item, text: str = "It is.", seed: int = 0) -> Prediction:
    replies = (Reply(text=text),) if text else (Reply(text="", status="error", error="It is down."),)
    return Prediction(item=item.id, variant=ORIGINAL, subject="m", seed=seed, replies=replies, seconds=0)


def found(item: Item, criterion: str, met: bool | None, seed: int = 0, reply: str = "It is.") -> Judgement:
    hashed = reply_hash(Reply(text=reply))
    rest = {"criterion": criterion, "judge": "j", "met": met, "reply": hashed}
    return Judgement.model_validate(
        {"item": item.id, "variant": ORIGINAL, "subject": "m", "seed": seed, "turn": 0} | rest
    )


@pytest.mark.parametrize(
    ("reading", "share"), [("repo", F(5 + 3, 6 + 3)), ("signed", F(3, 9)), ("paper", F(1, 2)), ("strict", F(1, 2))]
)
def test_a_clean_export_is_scored_by_the_weights_of_its_categories(tmp_path: Path, reading: Reading, share: F) -> None:
    first, second = clean(tmp_path)
    judgements = [
        found(first, "high_priority", True),
        found(first, "low_priority", False),
        found(first, "penalty", False),  # 5 - 5 = 0 of 6
        found(second, "medium_priority", True),  # 3 of 3
    ]
    scores = score_longshot([first, second], [said(first), said(second)], judgements, reading)
    assert scores.headline == scores.overall
    assert scores.overall.value == pytest.approx(float(100 * share), abs=5e-5)


def test_what_was_never_asked_or_ended_in_an_error_is_wrong_and_no_penalty_is_due(tmp_path: Path) -> None:
    first, second = clean(tmp_path)
    judgements = [found(second, "medium_priority", True)]
    for predictions in ([said(second)], [said(first, ""), said(second)]):
        scores = score_longshot([first, second], predictions, judgements, "paper")
        assert (scores.overall.value, scores.excluded.value) == (100 * (0 + 1) / 2, 100)
        assert (scores.errors.count, scores.unjudged.count) == (1, 0)
    assert score_longshot([first, second], [], [], "repo").overall.value == 0


def test_an_empty_reply_is_wrong_without_a_verdict_and_no_error(tmp_path: Path) -> None:
    first, _ = clean(tmp_path)
    scores = score_longshot([first], [said(first, " ")], [], "paper")
    assert (scores.headline, scores.overall.value) == (scores.overall, 0)
    assert (scores.errors.count, scores.unjudged.count) == (0, 0)


@pytest.mark.parametrize("reply", [" ", "<think>It is.</think>", "<think>It is."])
def test_empty_replies_are_counted_and_the_score_without_them_stands_beside(tmp_path: Path, reply: str) -> None:
    first, second = clean(tmp_path)
    judgements = [found(second, "medium_priority", True)]
    scores = score_longshot([first, second], [said(first, reply), said(second)], judgements, "paper")
    assert (scores.empty_replies.count, scores.empty_replies.n, scores.errors.count) == (1, 2, 0)
    assert (scores.overall.value, scores.excluded.value) == (50, 100)
    assert score_longshot([first], [said(first, "")], [], "paper").empty_replies.count == 0  # an error


def test_a_verdict_on_a_reply_that_is_missing_counts_as_in_the_released_code(tmp_path: Path) -> None:
    scores = score(tmp_path, [sample("a", "v", "summarization", turn("5+ 3-", None))], "repo")
    assert scores.overall.value == 100 * 5 / 8
    assert (scores.errors.count, scores.excluded.value) == (1, None)


def test_a_conversation_that_broke_off_is_an_error(tmp_path: Path) -> None:
    _, item = clean(tmp_path)
    longer = item.model_copy(update={"turns": item.turns * 2})
    scores = score_longshot([longer], [said(longer)], [found(longer, "medium_priority", True)], "repo")
    assert (scores.overall.value, scores.errors.count, scores.unjudged.count) == (50, 1, 0)


def test_each_seed_makes_a_sample_of_its_own(tmp_path: Path) -> None:
    _, item = clean(tmp_path)
    judgements = [found(item, "medium_priority", True), found(item, "medium_priority", False, seed=1)]
    scores = score_longshot([item], [said(item), said(item, seed=1)], judgements, "repo")
    assert (scores.overall.value, scores.overall.n, scores.overall.videos, scores.errors.n) == (50, 2, 1, 2)


def test_the_last_verdict_on_the_present_reply_counts(tmp_path: Path) -> None:
    _, item = clean(tmp_path)
    reported = [found(item, "medium_priority", None), found(item, "medium_priority", True)]
    assert score_longshot([item], [said(item)], reported, "repo").overall.value == 100
    earlier = found(item, "medium_priority", True, reply="Another reply.")
    scores = score_longshot([item], [said(item)], [earlier], "repo")
    assert (scores.overall.value, scores.unjudged.count, scores.headline) == (0, 1, None)


def test_verdicts_that_the_judge_is_not_sure_of_are_counted(tmp_path: Path) -> None:
    first, second = clean(tmp_path)
    doubted = found(first, "high_priority", True).model_copy(update={"sure": False})
    judgements = [doubted, found(second, "medium_priority", True)]
    scores = score_longshot([first, second], [said(first), said(second)], judgements, "repo")
    assert (scores.unsure.count, scores.unsure.n) == (1, scores.unjudged.n)


@pytest.mark.parametrize(("missing", "given"), [(0, True), (1, True), (2, False)])
def test_no_headline_above_one_percent_without_a_verdict(tmp_path: Path, missing: int, given: bool) -> None:
    marks = ["1+"] * (100 - missing) + ["1?"] * missing
    scores = score(tmp_path, [sample("a", "v", "summarization", turn(" ".join(marks)))], "repo")
    assert (scores.headline is not None) == given
    assert scores.overall.value == 100 - missing
