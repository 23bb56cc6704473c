"""Outputs of other evaluators become runs that hold what was asked, said and found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import longtake
from longtake.errors import ConfigError
from longtake.evalharness.items import ORIGINAL, Judgement, Reply
from longtake.evalharness.judges.judging import reply_hash
from longtake.evalharness.runs.run_folder import RunCard, RunFolder
from longtake.evalharness.scoring.choice_scores import ChoiceScores
from longtake.evalharness.scoring.progress import completeness
from longtake.evalharness.scoring.score_table import score_run
from longtake.evalharness.suites.imports import import_run

FIRST = {"name": "kettle", "description": "Names it.", "weight": 5, "criteria_met": True}
FAILED = {"name": "colour", "description": "Blue.", "weight": 3, "criteria_met": None, "evaluation_error": "Timed out."}
ASKED = {"role": "user", "content": "What stands there?"}
EVALUATED = {
    "sample_id": "sample_7",
    "video_id": "abc",
    "task": "entity_recognition",
    "conversations": [
        ASKED,
        {
            "role": "assistant",
            "content": "A kettle.",
            "criteria": [FIRST, FAILED],
            "candidate_response": "A blue kettle.",
        },
        ASKED,
        {"role": "assistant", "content": "A cup.", "criteria": [{**FIRST, "criteria_met": False}]},
    ],
}


def write(file: Path, *rows: Any) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return file


def samples(folder: Path, given: list[Any]) -> Path:
    """Samples of lmms-eval with what a metric gave each."""
    asked = {"target": "red", "input": "Which colour?", "filtered_resps": ["Red."]}
    rows = [asked | {"doc_id": number, "metric": one} for number, one in enumerate(given)]
    return write(folder / "model" / "samples_x.jsonl", *rows)


def lines(folder: Path) -> dict[str, int]:
    return {file.name: len(file.read_text().splitlines()) for file in folder.glob("*.jsonl")}


def test_an_output_of_the_released_evaluator_becomes_a_run(tmp_path: Path) -> None:
    file = write(tmp_path / "some_model" / "judges" / "qwen3_14b" / "some_model_eval.jsonl", EVALUATED)
    card = import_run("longshot", file, tmp_path / "run", pytest.fail)
    about = {"suite": "longshot", "source": str(file), "subjects": ("some_model",), "version": longtake.__version__}
    assert card == RunCard(**about, imported=True)
    run = RunFolder(tmp_path / "run")
    assert run.card() == card
    (item,) = run.items(pytest.fail)
    assert (item.id, item.task, len(item.turns)) == ("sample_7", "entity_recognition", 2)
    (prediction,) = run.predictions(pytest.fail).values()
    said, unsaid = prediction.replies
    assert said == Reply(text="A blue kettle.")
    assert (unsaid.text, unsaid.status) == ("", "error")

    def judged(turn: int, criterion: str, met: bool | None, reply: Reply, error: str | None = None) -> Judgement:
        return Judgement(
            item="sample_7",
            variant=ORIGINAL,
            subject="some_model",
            turn=turn,
            criterion=criterion,
            judge="released qwen3_14b",
            met=met,
            error=error,
            reply=reply_hash(reply),
        )

    assert list(run.judgements(pytest.fail)) == [
        judged(0, "kettle", True, said),
        judged(0, "colour", None, said, "Timed out."),
        judged(1, "kettle", False, unsaid),
    ]


def test_an_imported_run_lacks_no_video(tmp_path: Path) -> None:
    import_run("longshot", write(tmp_path / "m_eval.jsonl", EVALUATED), tmp_path / "run", pytest.fail)
    assert completeness(RunFolder(tmp_path / "run")).missing_videos == ()


def test_what_is_broken_or_repeated_is_reported_and_the_rest_is_imported(tmp_path: Path) -> None:
    other, repeated = {**EVALUATED, "sample_id": "sample_8"}, {**EVALUATED, "conversations": [ASKED]}
    file = write(tmp_path / "m_eval.jsonl", EVALUATED, '{"sample_id": }', {"sample_id": "x"}, repeated, other)
    reported: list[str] = []
    import_run("longshot", file, tmp_path / "run", reported.append)
    assert [item.id for item in RunFolder(tmp_path / "run").items(reported.append)] == ["sample_7", "sample_8"]
    assert [text.removeprefix(f"{file}, line ")[0] for text in reported] == ["2", "3", "4"]
    assert lines(tmp_path / "run") == {"items.jsonl": 2, "predictions.jsonl": 2, "judgements.jsonl": 6}
    assert next(RunFolder(tmp_path / "run").judgements(pytest.fail)).judge == "released"


def test_an_import_that_broke_off_goes_on_and_a_second_one_adds_nothing(tmp_path: Path) -> None:
    file = write(tmp_path / "m_eval.jsonl", EVALUATED, {**EVALUATED, "sample_id": "sample_8"})
    import_run("longshot", file, tmp_path / "run", pytest.fail)
    whole = lines(tmp_path / "run")
    assert whole == {"items.jsonl": 2, "predictions.jsonl": 2, "judgements.jsonl": 6}
    import_run("longshot", file, tmp_path / "run", pytest.fail)
    assert lines(tmp_path / "run") == whole
    predictions = tmp_path / "run" / "predictions.jsonl"
    predictions.write_text(predictions.read_text().splitlines(keepends=True)[0])
    import_run("longshot", file, tmp_path / "run", pytest.fail)
    assert lines(tmp_path / "run")["predictions.jsonl"] == 2


@pytest.mark.parametrize(
    "changed",
    [
        {"candidate_response": "A red kettle."},
        {"criteria": [{**FIRST, "criteria_met": False}, FAILED]},
        {"criteria": [{**FIRST, "criteria_met": None}, FAILED]},
    ],
)
def test_a_file_whose_replies_or_verdicts_have_changed_is_refused(tmp_path: Path, changed: dict[str, Any]) -> None:
    file = write(tmp_path / "m_eval.jsonl", EVALUATED)
    import_run("longshot", file, tmp_path / "run", pytest.fail)
    before = lines(tmp_path / "run")
    turns = list(EVALUATED["conversations"])
    turns[1] = {**turns[1], **changed}
    write(file, {**EVALUATED, "sample_id": "sample_8"}, {**EVALUATED, "conversations": turns})
    with pytest.raises(ConfigError, match=r"sample_7, or found of it, differs from the one held in .*another --out"):
        import_run("longshot", file, tmp_path / "run", pytest.fail)
    assert lines(tmp_path / "run") == before


def test_verdicts_of_a_judge_of_ones_own_are_no_change(tmp_path: Path) -> None:
    file = write(tmp_path / "m_eval.jsonl", EVALUATED)
    import_run("longshot", file, tmp_path / "run", pytest.fail)
    run = RunFolder(tmp_path / "run")
    own = next(run.judgements(pytest.fail)).model_copy(update={"judge": "mine", "met": False})
    with run.judgements_file.open("a") as stream:
        stream.write(own.model_dump_json() + "\n")
    import_run("longshot", file, tmp_path / "run", pytest.fail)
    assert lines(tmp_path / "run") == {"items.jsonl": 1, "predictions.jsonl": 1, "judgements.jsonl": 4}


def test_a_folder_of_another_run_and_a_file_without_samples_are_refused(tmp_path: Path) -> None:
    import_run("longshot", write(tmp_path / "m_eval.jsonl", EVALUATED), tmp_path / "run", pytest.fail)
    with pytest.raises(ConfigError, match="holds another run"):
        import_run("longshot", write(tmp_path / "n_eval.jsonl", EVALUATED), tmp_path / "run", pytest.fail)
    with pytest.raises(ConfigError, match="holds no sample of lmms-eval"):
        import_run("lmms-eval", write(tmp_path / "samples_x.jsonl"), tmp_path / "empty", pytest.fail)
    assert not (tmp_path / "empty").exists()


@pytest.mark.parametrize(
    ("documents", "ids"),
    [
        ([{"id": "q7"}, {"id": "q9"}], ["q7", "q9"]),
        ([{"id": "v", "question_id": 4}, {"id": "v", "question_id": 5}], ["4", "5"]),
        ([{"id": "v"}, {"id": "v"}], ["0", "1"]),
        ([{"id": "q7"}, {}], ["0", "1"]),
    ],
)
def test_a_sample_has_the_id_of_its_document_where_that_tells_samples_apart(
    tmp_path: Path, documents: list[dict[str, Any]], ids: list[str]
) -> None:
    rows = [
        {"doc_id": number, "doc": each | {"task": "count"}, "input": "?", "resps": [["Ten."]], "acc": 1}
        for number, each in enumerate(documents)
    ]
    import_run("lmms-eval", write(tmp_path / "m" / "samples_x.jsonl", *rows), tmp_path / "run", pytest.fail)
    run = RunFolder(tmp_path / "run")
    assert [(item.id, item.task) for item in run.items(pytest.fail)] == [(each, "count") for each in ids]
    assert [one.item for one in run.judgements(pytest.fail)] == ids
    assert [key.item for key in run.predictions(pytest.fail)] == ids


def test_samples_of_lmms_eval_become_a_run(tmp_path: Path) -> None:
    chosen = {"video_id": "v9", "pred_answer": "b", "answer": "C"}
    rows = [
        {
            "doc_id": 0,
            "target": "C",
            "input": "Which? A. x B. y C. z",
            "filtered_resps": ["B"],
            "score_of_choice": chosen,
        },
        {
            "doc_id": 1,
            "target": "red",
            "input": ["Which colour?", {}],
            "filtered_resps": ["It is red."],
            "exact_match": 1.0,
        }
        | {"resps": [["<think>red?</think>It is red."]], "doc_hash": "beef", "submission": {"id": 1}},
        {
            "doc_id": 2,
            "target": "ten",
            "input": "How many?",
            "resps": [["Ten."]],
            "gpt": {"score": 4},
            "doc": {"video": "v9"},
        },
    ]
    file = write(tmp_path / "some__model" / "20260101_samples_long_video.jsonl", *rows)
    card = import_run("lmms-eval", file, tmp_path / "run", pytest.fail)
    assert (card.suite, card.subjects) == ("lmms-eval/long_video", ("some__model",))
    run = RunFolder(tmp_path / "run")
    assert [
        (item.id, item.video, item.turns[0].question, item.turns[0].reference) for item in run.items(pytest.fail)
    ] == [
        ("0", "v9", "Which? A. x B. y C. z", "C"),
        ("1", "1", "Which colour?", "red"),
        ("2", "v9", "How many?", "ten"),
    ]
    assert [held.replies[0].text for held in run.predictions(pytest.fail).values()] == ["B", "It is red.", "Ten."]
    assert [(one.item, one.judge, one.met, one.points) for one in run.judgements(pytest.fail)] == [
        ("0", "lmms-eval score_of_choice", False, 0),
        ("1", "lmms-eval exact_match", True, 1),
        ("2", "lmms-eval gpt", None, 0.8),
    ]


@pytest.mark.parametrize(
    ("given", "overall"),
    [
        ([0, 0.25, 0.5, 0.75], 37.5),
        ([{"score": 1}, {"score": 2}, {"score": 3}, {"score": 4}], 50.0),
        ([{"score": 5}, {"score": 0}, {"score": 1}, {"score": 0}], 30.0),
        ([1, 0, 1, 1], 75.0),
    ],
)
def test_what_was_graded_counts_as_far_as_it_was_met(tmp_path: Path, given: list[Any], overall: float) -> None:
    import_run("lmms-eval", samples(tmp_path, given), tmp_path / "run", pytest.fail)
    scores = score_run(RunFolder(tmp_path / "run"), None, pytest.fail)["model"].scores
    assert isinstance(scores, ChoiceScores)
    assert scores.headline is not None
    assert (scores.headline.value, scores.overall.value, scores.unjudged.count) == (overall, overall, 0)
    assert [subject.unjudged for subject in completeness(RunFolder(tmp_path / "run")).subjects] == [0]


@pytest.mark.parametrize("given", [[-1, 0, 1], [0, 50.5, 100], [0.5, 1.5, 4]])
def test_a_metric_of_no_known_scale_is_left_out_in_one_sentence(tmp_path: Path, given: list[float]) -> None:
    reported: list[str] = []
    import_run("lmms-eval", samples(tmp_path, given), tmp_path / "run", reported.append)
    (sentence,) = reported
    assert f"lmms-eval metric gives {min(given):g} to {max(given):g}, which is neither" in sentence
    assert list(RunFolder(tmp_path / "run").judgements(pytest.fail)) == []
