"""What people and machines do wrong: told in a sentence, the rest goes on, and nothing is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.eval_command import eval_
from helpers.full_disk import full_disk
from helpers.media.clips import flat, write_clip
from helpers.servers.openai_server import openai_server, says

from longtake.console import EXIT_FAILED, EXIT_PARTIAL
from longtake.evalharness.runs.run_folder import RunFolder

WRONG_USAGE = 2
CARD = """
name: own
file: questions.jsonl
videos: clips
fields: {id: id, question: question, options: options, answer: right, video: clip}
"""


def row(number: int, **changed: object) -> str:
    fields = {"id": f"q{number}", "question": "Which?", "options": ["a", "b"], "right": "A", "clip": "red"}
    return json.dumps(fields | changed)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A set of 40 questions of which the last is open, about a video that is there."""
    (tmp_path / "clips").mkdir()
    write_clip(tmp_path / "clips" / "red.mp4", [flat((0, 0, 255))] * 5)
    (tmp_path / "card.yaml").write_text(CARD)
    rows = [row(number) for number in range(39)] + [row(39, options=[], right="Red.")]
    (tmp_path / "questions.jsonl").write_text("\n".join(rows) + "\n")
    return tmp_path


def asked(place: Path, *subjects: str) -> tuple[object, ...]:
    named = [word for subject in subjects or ("longest",) for word in ("--subject", subject)]
    return "run", place / "card.yaml", "--suite", "own", "--out", place / "run", *named


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("arguments", "code", "reported"),
    [
        ("run card.yaml --suite own --out new --subject agent:wrong", 1, "No profile or file named 'wrong'"),
        ("run card.yaml --suite own --out new --subject agent:card.yaml", 1, "Invalid settings in"),
        ("run card.yaml --suite own --out new --subject agent:", 1, "No profile or file named ''"),
        ("run card.yaml --suite own --out new --subject agents", 1, "There is no subject 'agents'"),
        ("run card.yaml --suite own --out new --subject longest --history wrong", 2, "'wrong' is not one of"),
        ("run card.yaml --suite own --out new --subject longest --fps 8", 1, "not asked at --fps 8; leave --fps out"),
        ("run card.yaml --suite moment-video --out new --subject longest --fps 3", 1, "name one of 1, 5, 8, 16, or"),
        ("run card.yaml --suite moment-video --out new --subject longest --fps nan", 1, "not asked at --fps nan"),
        ("run card.yaml --suite own --out new --subject longest --media none", 2, "does not exist"),
        ("run card.yaml --suite own --out new --subject longest --media card.yaml", 2, "is a file"),
        ("run card.yaml --suite own --out new --subject longest --limit 0", 2, "greater than or equal to 1"),
        ("run card.yaml --suite own --out card.yaml --subject longest", 1, "cannot be made: File exists"),
        ("judge card.yaml", 1, "run.json"),
        ("judge run --by rules --url http://127.0.0.1:9/v1 --model m", 1, "need --by endpoint"),
        (
            "judge run --by endpoint --url http://127.0.0.1:9/v1 --model m --key NOT_SET",
            1,
            "NOT_SET is not set: set --key",
        ),
        ("judge-check run", 1, "has no verdicts yet"),
        ("judge-check run none.jsonl", 2, "does not exist"),
        ("score card.yaml", 1, "run.json"),
        ("score run --judge nobody", 1, "no verdicts"),
        ("score run --variant wrong", 1, "has no scores 'wrong'; it has repo"),
        ("report run --variant wrong", 1, "has no scores 'wrong'; it has repo"),
        ("report run --judge nobody", 1, "no verdicts"),
        (
            "compare run --first longest --second nobody",
            1,
            "names no subject; name one of longest, random.",
        ),
        ("compare run --first longest --second random --out page.pdf", 1, "must end in .html or .md"),
        ("export run --to wrong --out page", 1, "Can't export to 'wrong'"),
        ("export run --to csv --out clips", 1, "cannot be written: Is a directory"),
        ("doctor card.yaml", 1, "run.json"),
        ("import none.jsonl --suite longshot --out new", 1, "none.jsonl: No such file"),
        ("import questions.jsonl --suite wrong --out new", 1, "Can't import 'wrong'"),
        ("scripted --out new --n 0", 2, "greater than or equal to 1"),
        ("scripted --out new --n 1 --stills none", 1, "no photos"),
        ("scripted --out new --n 1 --recordings clips", 1, "no recording"),
    ],
)
def test_a_wrong_value_is_one_sentence(
    place: Path, monkeypatch: pytest.MonkeyPatch, arguments: str, code: int, reported: str
) -> None:
    monkeypatch.chdir(place)
    assert eval_(*asked(place, "longest", "random"))[0] == 0
    found, _, remarks = eval_(*arguments.split(), settings=("--library", "library"))
    assert (found, code in (EXIT_FAILED, WRONG_USAGE)) == (code, True)
    assert reported in " ".join(remarks.replace("│", " ").split())
    assert not Path("new").exists()


def test_each_bad_row_is_reported_with_line_and_field_and_the_rest_is_run(place: Path) -> None:
    (place / "clips" / "noise.mp4").write_bytes(bytes(range(256)) * 20)
    rows = [row(0), '{"id": "q1", "question"', row(0), row(2, options=[]), row(3, right="C"), row(4, clip="gone")]
    rows += [row(5, clip="noise"), row(6), row(7, options=["a", "a"]), '{"id": "q8",']
    (place / "card.yaml").write_text(CARD + "format: choice\n")
    (place / "questions.jsonl").write_text("\n".join(rows) + "\n")
    with openai_server([says("A")]) as server:
        seer = f"single-frame:seer@{server.url}"
        code, reported, remarks = eval_(*asked(place, "longest", seer), settings=("--library", place / "library"))
        again, _, remembered = eval_(*asked(place, "longest", seer), settings=("--library", place / "library"))
    assert code == again == EXIT_PARTIAL
    assert "2 errors from before" in remembered
    assert reported.startswith("8 replies, 0 kept from before, 2 errors")
    for line, fault in [
        (2, ": no valid JSON"),
        (3, ", id: q0 "),
        (4, ", options: "),
        (5, ", right: C "),
        (6, ", clip: gone: "),
        (7, f", clip: {place / 'clips' / 'noise.mp4'} isn't a video or audio file"),
        (9, ", options: "),
        (10, ": no valid JSON"),
    ]:
        assert f"questions.jsonl, line {line}{fault}" in remarks
    assert f"{seer}, q4: The video of this item is missing." in remarks
    assert f"{seer}, q5: {place / 'clips' / 'noise.mp4'} isn't a video or audio file" in remarks


def test_what_loading_left_out_is_reported_by_doctor_and_report_until_it_is_mended(place: Path) -> None:
    run, noise = place / "run", place / "clips" / "noise.mp4"
    noise.write_bytes(bytes(range(256)) * 20)
    (place / "questions.jsonl").write_text("\n".join([row(0), row(1, right="C"), row(2, clip="noise")]) + "\n")
    eval_(*asked(place))
    code, reported, _ = eval_("doctor", run)
    assert code == EXIT_PARTIAL
    assert "when the items were loaded: 2 remarks\n" in reported
    assert "questions.jsonl, line 2, right: C " in reported
    assert f"\n  {noise} isn't a video or audio file" in reported
    eval_("report", run, settings=("--library", place / "library"))
    assert "- Loading: 2 remarks, which `longtake eval doctor` tells; first: " in (run / "report.md").read_text()
    (place / "questions.jsonl").write_text("\n".join([row(0), row(1), row(2, clip="noise")]) + "\n")
    write_clip(noise, [flat((0, 0, 255))] * 5)
    assert (eval_(*asked(place))[0], eval_("doctor", run)[0]) == (0, 0)
    eval_("report", run, settings=("--library", place / "library"))
    assert "Loading" not in (run / "report.md").read_text()


def test_after_a_full_disk_a_run_goes_on_with_nothing_lost_and_nothing_twice(place: Path) -> None:
    command, file = asked(place, "longest", "random"), place / "run" / "predictions.jsonl"
    with full_disk(5_000):
        code, _, remarks = eval_(*command)
    assert (code, "items.jsonl cannot be written to: File too large; make room" in remarks) == (EXIT_FAILED, True)
    assert eval_(*command)[1].startswith("80 replies")
    held = b"".join(file.read_bytes().splitlines(keepends=True)[:20])
    file.write_bytes(held)
    with full_disk(len(held) + 1_000):
        code, _, remarks = eval_(*command)
    assert (code, "predictions.jsonl cannot be written to: File too large; make room" in remarks) == (EXIT_FAILED, True)
    assert file.read_bytes().startswith(held)
    assert eval_(*command)[0] == 0
    made = [json.loads(line)["item"] for line in file.read_text().splitlines()]
    assert sorted(made) == sorted([f"q{number}" for number in range(40)] * 2)


def test_after_a_full_disk_judging_goes_on_and_a_report_is_written_whole(place: Path) -> None:
    run = place / "run"
    eval_(*asked(place, "longest", "random"))
    with full_disk(500):
        code, _, remarks = eval_("judge", run, "--by", "rules")
    assert (code, "judgements.jsonl cannot be written to" in remarks) == (EXIT_FAILED, True)
    assert eval_("judge", run, "--by", "rules")[1].startswith("1 verdict, 1 kept from before")
    for most, file in ((1_000, "report"), (10_000, "report.html")):
        with full_disk(most):
            code, _, remarks = eval_("report", run)
        assert (code, f"{file} cannot be written: File too large; make room" in remarks) == (EXIT_FAILED, True)
        assert not list(run.glob("report*"))
    assert eval_("report", run)[0] == 0


def test_a_second_process_on_a_folder_changes_nothing_there(place: Path) -> None:
    run = place / "run"
    with RunFolder(run).locked():
        code, _, remarks = eval_(*asked(place))
        assert (code, "Another process" in remarks) == (EXIT_FAILED, True)
        assert not (run / "run.json").exists()
    assert eval_(*asked(place))[0] == 0
    with RunFolder(run).locked():
        assert "Another process" in eval_("judge", run, "--by", "rules")[2]
        assert eval_("score", run)[0] == 0


def test_what_holds_for_each_order_is_reported_once(place: Path) -> None:
    (place / "card.yaml").write_text(CARD + "rotate: true\n")
    (place / "questions.jsonl").write_text(row(0, clip="gone") + "\n")
    code, reported, remarks = eval_(*asked(place, "single-frame:m@http://127.0.0.1:9/v1"))
    assert (code, reported.partition(",")[0]) == (EXIT_PARTIAL, "2 replies")
    assert remarks.count("The video of this item is missing.") == 1


def test_a_set_of_choices_alone_is_scored_next(place: Path) -> None:
    assert eval_(*asked(place))[1].endswith(f"next: longtake eval judge {place / 'run'}\n")
    (place / "questions.jsonl").write_text(row(0) + "\n")
    choices = [place / "choices" if part == place / "run" else part for part in asked(place)]
    assert eval_(*choices)[1].endswith(f"next: longtake eval score {place / 'choices'}\n")


@pytest.mark.slow
def test_what_is_damaged_in_a_folder_is_reported_and_asked_for_again(place: Path) -> None:
    eval_(*asked(place))
    file = place / "run" / "predictions.jsonl"
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines[:3], lines[3][:40], '{"item": 7}', *lines[5:]]) + "\n")
    code, reported, remarks = eval_(*asked(place))
    assert (code, reported.partition(",")[0]) == (EXIT_PARTIAL, "2 replies")
    assert f"{file}, line 4: Invalid JSON: EOF while parsing" in remarks
    assert " at line" not in remarks
    assert f"{file}, line 5: item: Input should be a valid string; it was left out." in remarks
    assert file.with_name("predictions.jsonl.damaged").read_text() == f'{lines[3][:40]}\n{{"item": 7}}\n'
    assert (
        eval_(*asked(place))[0],
        eval_("judge", place / "run", "--by", "rules")[0],
        eval_("doctor", place / "run")[0],
    ) == (0, 0, 0)


@pytest.mark.slow
def test_damaged_items_and_verdicts_are_reported_once_and_made_anew(place: Path) -> None:
    run = place / "run"
    eval_(*asked(place))
    eval_("judge", run, "--by", "rules")
    for name in ("items", "judgements"):
        lines = (run / f"{name}.jsonl").read_text().splitlines()
        (run / f"{name}.jsonl").write_text("\n".join(["{}", *lines[1:]]) + "\n")
    code, reported, _ = eval_("doctor", run)
    assert (code, "  longest: 39 of 39 predictions\n" in reported) == (EXIT_PARTIAL, True)
    assert "set damaged lines aside" in reported
    assert eval_(*asked(place))[0] == EXIT_PARTIAL
    assert (eval_("judge", run, "--by", "rules")[0], eval_("doctor", run)[0]) == (0, 0)


def test_a_video_that_was_added_is_there_for_the_doctor(place: Path) -> None:
    (place / "questions.jsonl").write_text(row(0) + "\n" + row(1, clip="late") + "\n")
    eval_(*asked(place))
    code, reported, _ = eval_("doctor", place / "run")
    assert (code, "not there: late; give the same `longtake eval run` command with --media" in reported) == (3, True)
    write_clip(place / "clips" / "late.mp4", [flat((0, 0, 255))] * 5)
    assert eval_(*asked(place))[0] == 0
    assert eval_("doctor", place / "run")[0] == 0


@pytest.mark.parametrize(
    "card",
    [
        '{"suite": "own"',
        '{"suite": "own", "source": "", "subjects": ["a"], "version": "1", "variants": []}',
        '{"suite": "own", "source": "", "subjects": ["a"], "version": "1", "protocol": "papers"}',
    ],
)
def test_a_damaged_card_of_a_run_is_reported(place: Path, card: str) -> None:
    eval_(*asked(place))
    (place / "run" / "run.json").write_text(card)
    for command in ("judge", "score", "report", "doctor"):
        code, _, remarks = eval_(command, place / "run")
        assert (code, "run.json is damaged: " in remarks) == (EXIT_FAILED, True)
        assert "delete it and give the same `eval run` command again" in remarks
    (place / "run" / "run.json").unlink()
    assert eval_(*asked(place))[1].startswith("0 replies, 40 kept from before")


def test_a_judge_that_is_down_or_rambles_leaves_errors_behind_and_the_next_one_judges(place: Path) -> None:
    run, library = place / "run", ("--library", place / "library")
    with openai_server([says("Red.")]) as server:
        eval_(*asked(place, f"question-only:m@{server.url}"), settings=library)
    by = ("--by", "endpoint", "--model")
    code, reported, remarks = eval_("judge", run, *by, "down", "--url", "http://127.0.0.1:9/v1", settings=library)
    assert (code, reported.partition(";")[0]) == (EXIT_PARTIAL, "0 verdicts, 0 kept from before, 1 undecided")
    assert "q39, reply: The judge at http://127.0.0.1:9/v1 " in remarks
    assert "Check its --url and --model." in remarks
    with openai_server([says("It is hard to say.")]) as server:
        code, _, remarks = eval_("judge", run, *by, "rambler", "--url", server.url, settings=library)
    assert code == EXIT_PARTIAL
    assert "gave no verdict in 3 replies, at last 'It is hard to say.'" in remarks
    with openai_server([says('{"same": true}')]) as server:
        assert eval_("judge", run, *by, "jurist", "--url", server.url, settings=library)[0] == 0
    assert eval_("score", run)[0] == 0
