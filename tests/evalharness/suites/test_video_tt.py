"""Video-TT: one question asked in five ways, and who is right in all of them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from longtake.errors import ConfigError
from longtake.evalharness.items import Item, Judgement, Prediction, Reply, Variant
from longtake.evalharness.reports.joint_tables import further_groups
from longtake.evalharness.reports.run_scores import read_scores
from longtake.evalharness.runs.journal import Journal
from longtake.evalharness.runs.run_folder import RunCard, RunFolder
from longtake.evalharness.scoring.choice_scores import ChoiceScores
from longtake.evalharness.scoring.score_table import score_run
from longtake.evalharness.subjects.subject import AskedTurn
from longtake.evalharness.suites.suite_table import SUITES
from longtake.evalharness.suites.video_tt import THRESHOLDS, WAYS, Threshold, level_of, load_video_tt, score_video_tt

TYPES = {
    "primary": "Primary Open-ended Question",
    "paraphrased": "Paraphrased Open-ended Question",
    "correctly led": "Correctly-led Open-ended Question",
    "wrongly led": "Wrongly-led Open-ended Question",
    "multiple choice": "Multiple-choice Question with a Single Correct Answer",
}
OPTIONS = "How often does the goat jump?\nA. Once\nB. Twice\nC. Three times\nD. Never"


def row(video: str, way: str, **changed: Any) -> dict[str, Any]:
    """A row as the release has them."""
    choice = way == "multiple choice"
    fields = {
        "qid": f"{video}-{way}",
        "video_id": video,
        "question_type": TYPES[way],
        "capability": "Event Counting",
        "question": OPTIONS if choice else f"How often does the goat jump ({way})?",
        "duration": "12.5",
        "question_prompt": "Answer with one word.",
        "answer": "B" if choice else "Twice",
    }
    return fields | changed


def lines(file: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    file.write_text("".join(json.dumps(each) + "\n" for each in rows), encoding="utf-8")
    return file


def loaded(source: Path) -> tuple[list[Item], list[str]]:
    reported: list[str] = []
    return load_video_tt(source, None, reported.append), reported


def five(tmp_path: Path, *videos: str, **changed: Any) -> list[Item]:
    return loaded(lines(tmp_path / "test_all.jsonl", [row(video, way, **changed) for video in videos for way in WAYS]))[
        0
    ]


def test_a_question_is_five_items_of_one_video(tmp_path: Path) -> None:
    items = five(tmp_path, "goat")
    assert [(item.id, item.tags["way"]) for item in items] == [(f"goat/{way}", way) for way in WAYS]
    assert {(item.video, item.task, item.seconds) for item in items} == {("goat", "Event Counting", 12.5)}
    *opened, choice = (item.turns[0] for item in items)
    assert {turn.reference for turn in opened} == {"Twice"}
    assert (choice.question, choice.options, choice.gold, choice.reference) == (
        "How often does the goat jump?",
        ("Once", "Twice", "Three times", "Never"),
        1,
        "Twice",
    )
    assert [variant.most_frames for variant in SUITES["video-tt"].variants(tmp_path, items, "repo", ())] == [80]
    assert [item.max_tokens for item in items] == [50, 50, 50, 50, 16]


def test_the_way_to_answer_is_described_as_in_the_released_code(tmp_path: Path) -> None:
    file = lines(tmp_path / "all.jsonl", [row("goat", "primary"), row("goat", "multiple choice")])
    primary, choice = loaded(file)[0]
    asked = [AskedTurn(item, 0, Variant(), 0, ()).text for item in (primary, choice)]
    options = "How often does the goat jump?\nA. Once\nB. Twice\nC. Three times\nD. Never\n"
    assert asked == [
        "How often does the goat jump (primary)?\nAnswer with one word.",
        f"{options}Answer with one word.",
    ]
    assert primary.turns[0].question == "How often does the goat jump (primary)?"  # as it is judged


def test_splits_tell_the_way_by_their_names(tmp_path: Path) -> None:
    splits = {
        "test_no_leading_oe": "primary",
        "test_paraphrased_oe": "paraphrased",
        "test_correctly_led_oe": "correctly led",
        "test_wrongly_led_oe": "wrongly led",
        "test": "multiple choice",
    }
    for split, way in splits.items():
        lines(tmp_path / f"{split}.jsonl", [row("goat", way, question_type=None)])
    (tmp_path / "README.md").write_text("not a split")
    items, reported = loaded(tmp_path)
    assert reported == []
    assert sorted(item.tags["way"] for item in items) == sorted(WAYS)


def test_older_names_of_the_ways_are_known(tmp_path: Path) -> None:
    file = lines(tmp_path / "all.jsonl", [row("goat", "primary", question_type="Non-leading Open-ended Question")])
    assert [item.tags["way"] for item in loaded(file)[0]] == ["primary"]


def test_each_bad_row_is_reported_with_line_and_field_and_the_rest_is_kept(tmp_path: Path) -> None:
    rows = [
        row("a", "primary"),
        row("b", "primary", question_type="Riddle"),
        row("c", "multiple choice", question="How often?"),
        row("d", "multiple choice", answer="F"),
        row("e", "primary", answer=None),
        row("a", "primary"),
        row("f", "primary"),
    ]
    file = lines(tmp_path / "all.jsonl", rows)
    file.write_text(file.read_text() + '{"video_id": "torn', encoding="utf-8")
    items, reported = loaded(file)
    assert [item.video for item in items] == ["a", "f"]
    assert [sentence.removeprefix(f"{file}, ").split(": ")[0] for sentence in reported] == [
        "line 2, question_type",
        "line 3, question",
        "line 4, answer",
        "line 5, answer",
        "line 6, video_id",
        "line 8",
    ]


def test_nothing_of_the_suite_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no question of Video-TT"):
        loaded(lines(tmp_path / "empty.jsonl", []))


def test_the_judge_gives_points_for_open_answers_and_sees_the_question(tmp_path: Path) -> None:
    cases = SUITES["video-tt"].cases("repo")
    asked = {
        item.tags["way"]: [
            (case.asks, case.reference, case.with_question) for case in cases(item, answered(item, 5)[0])
        ]
        for item in five(tmp_path, "goat")
    }
    assert asked == {way: [] if way == "multiple choice" else [("grade", "Twice", True)] for way in WAYS}


def answered(item: Item, points: float | None) -> tuple[Prediction, Judgement | None]:
    """The reply that earns so many points; of a choice, the right one for 5 and a wrong one for less."""
    choice = item.format == "choice"
    reply = Reply(text="reply", choice=int(points == 5), parse="ok") if choice else Reply(text="reply")
    prediction = Prediction(item=item.id, variant="original", subject="s", replies=(reply,), seconds=0.0)
    verdict = Judgement(
        item=item.id, variant="original", subject="s", turn=0, criterion="", judge="j", met=None, points=points
    )
    return prediction, None if choice else verdict


def scored(
    items: list[Item], points: Mapping[str, Sequence[float | None]], threshold: Threshold = THRESHOLDS["repo"]
) -> ChoiceScores:
    """Score videos whose five answers earn so many points, in the order of the five ways."""
    given = [answered(item, points[item.video][WAYS.index(item.tags["way"])]) for item in items if item.video in points]
    return score_video_tt(
        items, [prediction for prediction, _ in given], [verdict for _, verdict in given if verdict], threshold
    )


def values(scores: ChoiceScores, group: str) -> dict[str, float | None]:
    return {name: row.value for name, row in scores.groups[group].items()}


HAND = {"a": (5, 4, 3, 5, 5), "b": (3, 5, 5, 0, 5), "c": (1, 5, 5, 5, 5), "d": (5, 2, 4, 1, 0)}


def test_five_accuracies_their_mean_and_robustness(tmp_path: Path) -> None:
    scores = scored(five(tmp_path, *HAND), HAND)
    assert list(values(scores, "way").items()) == [
        ("primary", 75.0),
        ("paraphrased", 75.0),
        ("correctly led", 100.0),
        ("wrongly led", 50.0),
        ("multiple choice", 75.0),
    ]
    assert scores.headline is not None
    assert (scores.headline.value, scores.headline.videos) == (75.0, 4)  # (75 + 75 + 100 + 50 + 75) / 5
    # Right in the primary question: a, b, d; right in all five: a.
    assert values(scores, "robustness")["RB"] == pytest.approx(100 / 3, abs=1e-3)
    assert values(scores, "multiple choice")["accuracy: above chance"] == pytest.approx(100 * 0.5 / 0.75, abs=1e-3)


def test_a_video_may_have_several_questions_in_five_ways(tmp_path: Path) -> None:
    asked = {"q1": (5, 5, 5, 5, 5), "q2": (5, 0, 5, 5, 5)}
    rows = [row("goat", way, question_id=question) for question in asked for way in WAYS]
    items, reported = loaded(lines(tmp_path / "test_all.jsonl", rows))
    assert (len(items), reported) == (10, [])
    given = [answered(item, asked[item.id.partition("/")[0]][WAYS.index(item.tags["way"])]) for item in items]
    verdicts = [verdict for _, verdict in given if verdict]
    scores = score_video_tt(items, [one for one, _ in given], verdicts, THRESHOLDS["repo"])
    assert values(scores, "robustness") == {"RB": 50.0}


def test_both_thresholds_stand_beside_the_one_chosen(tmp_path: Path) -> None:
    items = five(tmp_path, *HAND)
    repo, paper = scored(items, HAND), scored(items, HAND, THRESHOLDS["paper"])
    # With more than 3 points a loses its correctly led question, b its primary one: (50 + 75 + 75 + 50 + 75) / 5.
    both = {"at least 3": 75.0, "more than 3": 65.0}
    assert values(repo, "points, mean of five") == values(paper, "points, mean of five") == both
    assert [scores.headline and scores.headline.value for scores in (repo, paper)] == [75.0, 65.0]
    assert values(paper, "robustness")["RB"] == 0.0
    assert values(repo, "points, RB") == {"at least 3": pytest.approx(33.333, abs=1e-3), "more than 3": 0.0}
    stricter = scored(items, HAND, Threshold(5.0))
    assert values(stricter, "way")["paraphrased"] == 50.0


def test_robustness_is_undefined_when_no_primary_question_is_right(tmp_path: Path) -> None:
    points = {"a": (0, 5, 5, 5, 5), "b": (2, 5, 5, 5, 5)}
    scores = scored(five(tmp_path, *points), points)
    assert values(scores, "robustness") == {"RB": None}
    assert values(scores, "way")["primary"] == 0.0


def test_a_video_without_all_five_questions_has_no_part_in_robustness(tmp_path: Path) -> None:
    points = {"a": (5, 5, 5, 5, 5), "b": (5, 5, 5, 5, 5)}
    items = [item for item in five(tmp_path, *points) if item.id != "b/paraphrased"]
    points["b"] = (0, 5, 5, 5, 5)
    scores = scored(items, points)
    assert values(scores, "robustness") == {"RB": 100.0}
    assert scores.headline is not None
    assert scores.headline.value == 90.0  # (50 + 4 x 100) / 5, though 8 of 9 answers are right


def test_a_wrong_or_missing_answer_breaks_the_five(tmp_path: Path) -> None:
    points = {"a": (5, 5, 5, 5, 5), "b": (5, 5, 5, 5, 5)}
    scores = scored(five(tmp_path, *points, "c"), points)  # nobody asked about c
    assert values(scores, "robustness") == {"RB": 100.0}
    assert values(scores, "way")["primary"] == pytest.approx(66.667, abs=1e-3)
    assert (scores.errors.count, scores.errors.n, scores.without_failures.value) == (5, 15, 100.0)


def test_the_score_without_failures_is_a_mean_of_five_too(tmp_path: Path) -> None:
    points = {"a": (5, 5, 5, 5, 5), "b": (0, None, None, None, 5)}
    scores = scored(five(tmp_path, *points), points)
    assert scores.without_failures.value == 90.0  # (50 + 4 x 100) / 5, though 6 of 7 answers are right


def test_a_mean_of_five_is_none_of_fewer(tmp_path: Path) -> None:
    items = [item for item in five(tmp_path, *HAND) if item.tags["way"] not in ("primary", "wrongly led")]
    scores = scored(items, HAND)
    assert scores.note == "it is a mean of five, and no question is primary, wrongly led."
    assert scores.headline is not None
    assert [scores.headline.value, scores.without_failures.value] == [None, None]
    assert set(values(scores, "points, mean of five").values()) == {None}
    assert scores.overall.value == pytest.approx(100 * (3 + 4 + 3) / 12, abs=1e-3)
    assert scored(five(tmp_path, *HAND), HAND).note is None


def test_a_report_says_why_there_is_no_headline_and_scores_every_item(tmp_path: Path) -> None:
    items, folder = [item for item in five(tmp_path, *HAND) if item.format == "choice"], RunFolder(tmp_path / "run")
    folder.begin(RunCard(suite="video-tt", source="x", subjects=("s",), version="0"))
    folder.keep_items(items)
    with Journal(folder.predictions_file) as predictions:
        for item in items:
            predictions.append(answered(item, HAND[item.video][-1])[0])
    [subject] = read_scores(folder, None, pytest.fail).subjects
    assert subject.table.notes == (
        "No headline: it is a mean of five, and no question is primary, paraphrased, correctly led, wrongly led.",
    )
    assert list(subject.values.values()) == [1.0, 1.0, 1.0, 0.0]


def test_a_report_tells_the_five_ways_and_the_capabilities_apart_once(tmp_path: Path) -> None:
    items, folder = five(tmp_path, *HAND), RunFolder(tmp_path / "run")
    items = [*items, *five(tmp_path, "other", capability="Event Localization")]
    folder.begin(RunCard(suite="video-tt", source="x", subjects=("s",), version="0"))
    folder.keep_items(items)
    with Journal(folder.predictions_file) as predictions:
        for item in items:
            predictions.append(answered(item, 1.0)[0])
    [subject] = read_scores(folder, None, pytest.fail).subjects
    tables = [*subject.table.groups.values(), *further_groups(subject).values()]
    assert sum(set(rows) == set(WAYS) for rows in tables) == 1
    assert set(subject.table.groups["capability"]) == {"Event Counting", "Event Localization"}
    assert "task" not in further_groups(subject)


def test_capabilities_over_all_questions_and_for_each_way(tmp_path: Path) -> None:
    rows = [row("a", way) for way in WAYS] + [row("b", way, capability="Positional Relationship") for way in WAYS]
    items, _ = loaded(lines(tmp_path / "all.jsonl", rows))
    scores = scored(items, {"a": (5, 0, 0, 0, 5), "b": (0, 5, 5, 5, 5)})
    assert values(scores, "capability") == {"Event Counting": 40.0, "Positional Relationship": 80.0}
    assert values(scores, "capability, primary") == {"Event Counting": 100.0, "Positional Relationship": 0.0}
    assert values(scores, "level") == {"event": 40.0, "element": 80.0}


def test_robustness_by_capability_and_level(tmp_path: Path) -> None:
    """By hand: a, b are events; a right in all, b in the primary alone: 1 of 2. c, an element, is right in all."""
    rows = [row(video, way) for video in "ab" for way in WAYS]
    rows += [row("c", way, capability="Element Counting") for way in WAYS]
    rows += [row("d", way, capability="Element Counting") for way in WAYS]
    items, _ = loaded(lines(tmp_path / "all.jsonl", rows))
    points = {"a": (5, 5, 5, 5, 5), "b": (5, 0, 5, 5, 5), "c": (5, 5, 5, 5, 5), "d": (0, 5, 5, 5, 5)}
    scores = scored(items, points)
    assert values(scores, "capability, RB") == {"Event Counting": 50.0, "Element Counting": 100.0}
    assert values(scores, "level, RB") == {"event": 50.0, "element": 100.0}
    assert values(scores, "robustness")["RB"] == pytest.approx(100 * 2 / 3, abs=1e-3)


@pytest.mark.parametrize(
    ("capability", "level"),
    [
        ("Element Attributes (Optical Illusion)", "element"),
        ("Positional Relationship", "element"),
        ("Event Duration & Speed Attribute", "event"),
        ("Displacement Attribute", "event"),
        ("Plot Attribute (Montage)", "plot"),
        ("Objective Causality", "plot"),
        ("Something else", ""),
    ],
)
def test_capabilities_have_a_level(capability: str, level: str) -> None:
    assert level_of(capability) == level


def test_an_answer_without_points_is_unjudged_and_takes_the_headline_away(tmp_path: Path) -> None:
    scores = scored(five(tmp_path, "a"), {"a": (None, 5, 5, 5, 5)})
    assert (scores.unjudged.count, scores.unjudged.n, scores.headline) == (1, 4, None)
    assert values(scores, "way")["primary"] == 0.0


def test_a_run_by_the_paper_is_scored_by_the_paper_unless_told_otherwise(tmp_path: Path) -> None:
    items, folder = five(tmp_path, *HAND), RunFolder(tmp_path / "run")
    folder.begin(RunCard(suite="video-tt", source="x", subjects=("s",), protocol="paper", version="0"))
    folder.keep_items(items)
    given = [answered(item, HAND[item.video][WAYS.index(item.tags["way"])]) for item in items]
    with Journal(folder.predictions_file) as predictions, Journal(folder.judgements_file) as judgements:
        for prediction, verdict in given:
            predictions.append(prediction)
            if verdict:
                judgements.append(verdict.model_copy(update={"met": True}))
    headlines = [score_run(folder, reading, pytest.fail)["s"] for reading in (None, "paper", "repo")]
    assert [found.scores.model_dump()["headline"]["value"] for found in headlines] == [65.0, 65.0, 75.0]
