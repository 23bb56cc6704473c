"""`longtake chat`, and how a command line is read as videos and a question."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from helpers.command import longtake
from helpers.doubted import NOT_SHOWN, PUBLISHED, QUESTION, doubted_script, doubting
from helpers.libraries import copied
from helpers.servers.openai_server import openai_server

from longtake.agent.graph import agent
from longtake.api import Library
from longtake.cli import ask
from longtake.cli.ask import asked_about
from longtake.memory.conversations import Conversations
from longtake.memory.library import file_id
from longtake.preprocess.pipeline.workspace import Workspace

LONG = "?" * 100_000
NO_TEXT = b"What \xff costs it?"
ERASED = "\x1b[1A\x1b[2K"  # one line up, and cleared
PRICE = "How much does the blue kettle cost?"


def test_commands_of_a_conversation(small_workspace: Workspace) -> None:
    typed = f"/sources\n/videos\n{PRICE}\n/sources\n/trace\n/moment 9\n/nothing\n/help\n/quit\nnot read\n"
    done = longtake("chat", "talk.mp4", library=small_workspace.library.root, stdin=typed)
    assert done.code == 0
    assert "talk.mp4  00:00:08" in done.stdout
    assert "1  00:00:04-00:00:06  speech  The blue kettle costs 249 dollars." in done.stdout
    assert done.stdout.count(PRICE) == 1  # in the trace
    assert "/moment N" in done.stdout
    assert "not read" not in done.stdout
    problems = [line for line in done.stderr.splitlines() if line.startswith("longtake: ")]
    assert len(problems) == 3  # no answer yet, no source 9, no such command


@pytest.mark.parametrize("word", ["quit", "Exit", "/quit", "/exit"])
def test_a_word_ends_the_conversation(small_workspace: Workspace, word: str) -> None:
    done = longtake("chat", "talk.mp4", library=small_workspace.library.root, stdin=f"{word}\n/videos\n")
    assert (done.code, done.stdout.count("talk.mp4"), done.stderr) == (0, 0, "")


@pytest.mark.slow
def test_each_video_has_its_own_conversation_unless_one_is_named(small_workspace: Workspace, tmp_path: Path) -> None:
    other = tmp_path / "other.txt"
    other.write_text("0:01 Ann: The ferry leaves at nine.\n0:05 Bob: I have the tickets.\n")
    root = copied(small_workspace, tmp_path / "library")
    for named in ((), ("--thread", "trip")):
        for videos in (("talk.mp4",), (other,), ("talk.mp4", other), ("other.txt", "talk.mp4")):
            assert longtake("chat", *videos, *named, library=root, stdin=f"{PRICE}\n").code == 0
    asked = {each.thread: each.questions for each in Conversations(root / "memory.sqlite").all()}
    assert sorted(asked.values()) == [1, 1, 2, 4]
    assert asked["trip"] == 4


@pytest.mark.parametrize(
    ("lines", "code", "statuses"),
    [
        ((PRICE, LONG), 3, ["answered", "failed"]),
        ((LONG, PRICE), 3, ["failed", "answered"]),
        ((NO_TEXT, PRICE), 3, ["failed", "answered"]),
        ((NO_TEXT, LONG), 1, ["failed", "failed"]),
        ((LONG, b"/nothing"), 1, ["failed"]),
        ((PRICE, b"/nothing"), 0, ["answered"]),
    ],
)
def test_questions_from_a_pipe_that_fail_end_in_1_or_3(
    small_workspace: Workspace, lines: tuple[str | bytes, ...], code: int, statuses: list[str]
) -> None:
    typed = b"".join((line.encode() if isinstance(line, str) else line) + b"\n" for line in lines)
    read = longtake("chat", "talk.mp4", library=small_workspace.library.root, stdin=typed)
    assert (read.code, "249 dollars" in read.stdout) == (code, "answered" in statuses)
    assert read.stderr.count("longtake: ") == statuses.count("failed") + (b"/nothing" in lines)
    done = longtake("chat", "talk.mp4", "--json", library=small_workspace.library.root, stdin=typed)
    assert done.code == code
    answers = _documents(done.stdout.encode())  # which is UTF-8, whatever was typed
    assert [(answer["status"], bool(answer["error"])) for answer in answers] == [
        (status, status == "failed") for status in statuses
    ]
    assert all(answer["question"] for answer in answers)


def _documents(printed: bytes) -> list[Any]:
    decoder, text, found = json.JSONDecoder(), printed.decode(), []
    while text.strip():
        document, end = decoder.raw_decode(text)
        found.append(document)
        text = text[end:].lstrip()
    return found


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_question_that_is_no_text_is_refused_before_a_large_library_is_searched(
    small_workspace: Workspace, form: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agent, "MAX_VIDEOS", 0)
    done = longtake("ask", NO_TEXT.decode(errors="surrogateescape"), *form, library=small_workspace.library.root)
    assert done.code == 1
    assert b"UTF-8" in (done.stdout if form else done.stderr).encode()


def test_the_picture_of_a_source_is_drawn(small_workspace: Workspace) -> None:
    pytest.importorskip("textual_image")
    done = longtake("chat", "talk.mp4", library=small_workspace.library.root, stdin=f"{PRICE}\n/moment 1\n")
    plain = longtake("chat", "talk.mp4", library=small_workspace.library.root, stdin=f"{PRICE}\n")
    assert "longtake: " not in done.stderr
    assert len(done.stdout.splitlines()) > len(plain.stdout.splitlines()) + 5


@pytest.mark.nightly
@pytest.mark.parametrize("columns", [0, 80])
def test_a_terminal_that_cannot_show_pictures_says_so(small_workspace: Workspace, columns: int) -> None:
    pytest.importorskip("textual_image")
    ours, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", columns // 4, columns, 0, 0))
    command = [sys.executable, "-m", "longtake", "--library", small_workspace.library.root, "chat", "talk.mp4"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=terminal, stderr=subprocess.PIPE, text=True) as chat:
        os.close(terminal)
        reading = threading.Thread(target=_read_all, args=(ours,))
        reading.start()
        _, problems = chat.communicate(f"{PRICE}\n/moment 1\n", timeout=60)
        reading.join()
        os.close(ours)
    assert chat.returncode == 0, problems
    assert "Traceback" not in problems
    assert "can't show pictures" in problems


def _read_all(terminal: int) -> bytes:
    read = b""
    with suppress(OSError):  # nobody holds its other end any more
        while piece := os.read(terminal, 4096):
            read += piece
    return read


@pytest.mark.nightly
@pytest.mark.parametrize("command", [["ask", "talk.mp4", QUESTION], ["chat", "talk.mp4"]])
def test_a_terminal_shows_the_answer_while_it_is_written_and_then_its_verdicts(
    small_workspace: Workspace, command: list[str]
) -> None:
    with openai_server(doubted_script(pause=0.03), doubting) as endpoint:
        settings = ["controller.engine=openai", f"controller.base_url={endpoint.url}", "controller.model=scripted"]
        flags = [part for setting in settings for part in ("--set", setting)]
        ours, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 200, 0, 0))
        started = [sys.executable, "-m", "longtake", *flags, "--library", str(small_workspace.library.root), *command]
        environment = {**os.environ, "TERM": "xterm-256color"}
        with subprocess.Popen(started, stdin=subprocess.PIPE, stdout=terminal, stderr=terminal, env=environment) as run:
            os.close(terminal)
            assert run.stdin is not None
            run.stdin.write(f"{QUESTION}\n".encode())
            run.stdin.close()
            printed = _read_all(ours).decode()
        os.close(ours)
    assert run.returncode == 0
    drawn, _, final = printed.rpartition(ERASED)
    assert "costs 99" in drawn
    assert "costs 99" not in final
    assert "249 dollars** [00:00:04]. It was made" in drawn
    assert "[not shown]" not in drawn
    assert "\x1b[1;33m[not shown]\x1b[0m" in final
    assert NOT_SHOWN.rstrip(".") in final


def test_a_pipe_gets_the_answer_once_and_a_model_is_not_asked_to_stream(small_workspace: Workspace) -> None:
    with openai_server(doubted_script(), doubting) as endpoint:
        settings = ["controller.engine=openai", f"controller.base_url={endpoint.url}", "controller.model=scripted"]
        flags = [part for setting in settings for part in ("--set", setting)]
        done = longtake(*flags, "ask", "talk.mp4", QUESTION, library=small_workspace.library.root)
    assert not any(request.get("stream") for request in endpoint.requests)
    assert done.stdout.startswith(f"{PUBLISHED}\n")
    assert "\x1b" not in done.stdout


def test_without_a_video_the_whole_library_is_asked(small_workspace: Workspace) -> None:
    for arguments in (["ask", PRICE, "--json"], ["ask", *PRICE.split(), "--json"]):
        answer = json.loads(longtake(*arguments, library=small_workspace.library.root).stdout)
        assert (answer["question"], answer["citations"][0]["quote"]) == (PRICE, "The blue kettle costs 249 dollars.")


@pytest.mark.parametrize(
    ("words", "count"),
    [
        (["talk.mp4", PRICE], 1),
        (["talk.mp4", *PRICE.split()], 1),
        (["talk.mp4", "talk.mp4", "Price?"], 2),
        ([PRICE], 0),
        (PRICE.split(), 0),
    ],
)
def test_the_question_begins_after_the_videos(small_workspace: Workspace, words: list[str], count: int) -> None:
    with Library(small_workspace.library.root) as library:
        videos, question = asked_about(library, words)
        assert question == " ".join(words[count:])
        assert videos == (words[:count] or [video.id for video in library.videos()])


def test_a_first_answer_comes_while_a_new_file_is_indexed(
    small_workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With no patience at all, the subtitles answer before the picture is read."""
    monkeypatch.setattr(ask, "PATIENCE", 0.0)
    (video,) = small_workspace.library.videos()
    done = longtake("ask", video.path, PRICE, library=tmp_path / "new")
    assert done.code == 0
    answers = [line for line in done.stdout.splitlines() if line.startswith("“The blue kettle costs 249 dollars.”")]
    assert len(answers) == 2
    assert "final answer follows" in done.stderr


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_a_question_does_not_wait_for_another_process_that_indexes(
    tone: Path, tmp_path: Path, form: tuple[str, ...]
) -> None:
    indexing = Library(tmp_path / "library").workspace.library.lock(file_id(tone))
    indexing.acquire()
    impatience = threading.Timer(60, indexing.release, [True])
    impatience.start()
    try:
        longtake("ask", tone, "What is heard?", *form, library=tmp_path / "library")
        assert indexing.is_locked
    finally:
        impatience.cancel()
        indexing.release(force=True)


def test_a_chat_about_the_library_names_its_videos(small_workspace: Workspace) -> None:
    done = longtake("chat", library=small_workspace.library.root, stdin=f"/videos\n{PRICE}\n")
    assert "talk.mp4  00:00:08" in done.stdout
    assert "249 dollars" in done.stdout
