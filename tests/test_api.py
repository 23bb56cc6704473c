"""The public API: what a program writes that uses Longtake."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import longtake
from longtake.cli.main import app
from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.workspace import Workspace

COST = "What does the blue kettle cost?"


@pytest.fixture
def folder(own_workspace: Workspace) -> Path:
    """A library that holds `talk.mp4`."""
    return own_workspace.library.root


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_importing_it_imports_nothing_heavy() -> None:
    done = python(
        "import sys, longtake\n"
        "heavy = {'langgraph', 'chromadb', 'faiss', 'cv2', 'av', 'numpy', 'pydantic'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    assert done.returncode == 0, done.stderr


def test_every_public_name_is_there_and_no_other() -> None:
    assert all(hasattr(longtake, name) for name in longtake.__all__)
    assert not hasattr(longtake, "no_such_name")


@pytest.mark.parametrize("videos", ["talk.mp4", ["talk.mp4"], Path("talk.mp4")], ids=["one", "several", "path"])
def test_a_question_is_answered_with_its_proof(folder: Path, videos: str) -> None:
    with longtake.Library(folder) as library:
        answer = library.ask(videos, COST)
        assert [video.name for video in library.videos()] == ["talk.mp4"]
    assert (answer.status, "249" in answer.answer) == ("answered", True)
    assert answer.citations


def test_a_video_is_searched_read_summarised_and_cut(folder: Path, tmp_path: Path) -> None:
    with longtake.Library(folder) as library:
        found = library.search("what the kettle costs", "talk.mp4", modalities=["speech"], k=1)
        said = [line for line in library.transcript("talk.mp4") if "kettle" in line.text]
        summary = library.summary("talk.mp4")
        cut = library.clip("talk.mp4", "0:04-0:06", tmp_path / "kettle.mp4")
    assert "249" in found[0].moment.text
    assert found[0].moment.span.start == said[0].start
    assert summary.places
    assert (cut.span.start, cut.span.end, cut.name) == (4.0, 6.0, "talk.mp4")
    assert probe(cut.file).duration == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("span", ["0:04", "9:00-9:10", "soon"])
def test_a_span_that_cannot_be_cut_is_told_and_writes_nothing(folder: Path, tmp_path: Path, span: str) -> None:
    with longtake.Library(folder) as library, pytest.raises(longtake.LongtakeError, match="12:30-13:00"):
        library.clip("talk.mp4", span, tmp_path / "no.mp4")
    assert not list(tmp_path.glob("*.mp4"))


def test_a_thread_goes_on_when_the_library_is_opened_again(folder: Path) -> None:
    answers = []
    for question in (COST, "When is it mentioned?"):
        with longtake.Library(folder) as library:
            answers.append(library.ask("talk.mp4", question, thread="kettle"))
    alone = longtake.ask("talk.mp4", "When is it mentioned?", folder=folder)
    assert "kettle" in answers[1].places[0].quote.lower()
    assert answers[1].answer != alone.answer


def test_one_question_and_one_file_need_no_library_object(folder: Path, tmp_path: Path, tone: Path) -> None:
    chosen = longtake.ask("talk.mp4", COST, options=["99 dollars", "249 dollars"], folder=folder)
    assert chosen.option
    assert chosen.option.letter == "B"
    report = longtake.index(tone, folder=tmp_path / "new")
    assert (report.complete, report.video.name) == (True, tone.name)
    with longtake.Library(tmp_path / "new") as library:
        assert library.videos() == [report.video]
        assert library.index(tone.name).video == report.video


def test_settings_are_those_that_are_given(tmp_path: Path, tone: Path) -> None:
    longtake.index(tone, folder=tmp_path)
    one_round = longtake.load_settings(overrides=["budget.rounds=1"])
    statuses = [
        longtake.ask(tone, "When does the tone sound?", folder=tmp_path, settings=settings).status
        for settings in (None, one_round)
    ]
    assert statuses[0] != statuses[1] == "partial"


def test_the_command_line_gives_the_same_answer(folder: Path) -> None:
    reported = CliRunner().invoke(app, ["--library", str(folder), "ask", "talk.mp4", COST, "--json"])
    printed = longtake.Answer.model_validate_json(reported.stdout)
    given = longtake.ask("talk.mp4", COST, folder=folder)
    differing = {"usage", "trace", "claims"}  # times, ids of the run
    assert printed.model_dump(exclude=differing) == given.model_dump(exclude=differing)


@pytest.mark.parametrize(("video", "question"), [("nothing.mp4", COST), ("talk.mp4", "  "), ("talk.mp4", "x" * 5_000)])
def test_what_cannot_be_asked_is_an_error_with_a_sentence(folder: Path, video: str, question: str) -> None:
    with longtake.Library(folder) as library, pytest.raises(longtake.LongtakeError):
        library.ask(video, question)


def test_a_closed_library_cannot_be_asked(folder: Path) -> None:
    library = longtake.Library(folder)
    library.ask("talk.mp4", COST)
    library.close()
    library.close()
    with pytest.raises(longtake.LongtakeError, match="closed"):
        library.ask("talk.mp4", COST)


def test_offline_settings_hold_for_the_whole_process(tmp_path: Path) -> None:
    done = python(
        "import longtake, socket\n"
        f"longtake.Library({str(tmp_path)!r}, longtake.load_settings(offline=True))\n"
        "try:\n    socket.getaddrinfo('longtake.invalid', 80)\n"
        "except longtake.LongtakeError:\n    raise SystemExit(0)\n"
        "raise SystemExit('it looked for a host')"
    )
    assert done.returncode == 0, done.stderr
