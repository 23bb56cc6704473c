"""The command line as a person meets it: fast help, one sentence for bad input, exit codes, JSON."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from helpers.command import longtake
from helpers.media.speech import write_spoken

from longtake.cli.main import COMMANDS


def test_help_lists_every_command_and_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom longtake.cli.main import main\nsys.argv = ['longtake', '--help']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'langgraph', 'chromadb', 'faiss', 'cv2', 'av', 'numpy', 'pydantic', 'langsmith'} & set(sys.modules)\n"
        "sys.exit(f'imported: {heavy}' if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert all(command in done.stdout for command in COMMANDS)


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_command_of_the_table_can_be_loaded(command: str, tmp_path: Path) -> None:
    done = longtake(command, "--help", library=tmp_path)
    assert done.code == 0, done.stderr
    assert "Usage" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["ask", "nothing.mp4", "What?"], 1, "'nothing.mp4' is neither a file nor a video in the library."),
        (["ask", "{folder}", "What?"], 1, "is a folder"),
        (["ask", "{text}", "What?"], 1, "isn't a video or audio file"),
        (["ask", "{empty}", "What?"], 1, "is empty"),
        (["index", "{text}"], 1, "isn't a video or audio file"),
        (["ask", "{tone}", "  "], 1, "The question is empty"),
        (["ask", "{tone}", "x" * 20_000], 1, "has 20,000 characters; at most 4,000"),
        (["ask", "{tone}", "What is heard at 9:00?"], 1, "00:09:00"),
        (["ask", "{tone}", "Which?", "--options", "one"], 1, "takes 2 to 10 options, got 1"),
        (["ask", "{tone}"], 2, "add the question"),
        (["videos", "show", "nothing"], 1, "neither a file nor a video"),
        (["search", "nothing", "word"], 1, "is empty; add a video with `longtake index FILE`"),
        (["search", "word", "-k", "0"], 1, "give 1 or more"),
        (["search", " ", "--library", "{folder}"], 1, "The query is empty"),
        (["videos", "list", "--library", "{tone}"], 2, "is a file"),
        (["--set", "budget.round=2", "doctor"], 1, "did you mean 'rounds'"),
        (["--config", "nothing.yaml", "doctor"], 1, "No profile or file named 'nothing.yaml'"),
    ],
)
def test_bad_input_gets_one_sentence_and_no_traceback(
    arguments: list[str], code: int, said: str, tmp_path: Path, tone: Path
) -> None:
    (tmp_path / "text.mp4").write_text("hello\n")
    (tmp_path / "empty.mp4").touch()
    (tmp_path / "folder").mkdir()
    places = {
        "text": tmp_path / "text.mp4",
        "empty": tmp_path / "empty.mp4",
        "folder": tmp_path / "folder",
        "tone": tone,
    }
    done = longtake(*(argument.format(**places) for argument in arguments), library=tmp_path / "library")
    assert done.code == code
    assert said in " ".join(done.stderr.replace("│", " ").split())
    if code == 1:
        sentences = [line for line in done.stderr.splitlines() if line.startswith("longtake: ")]
        assert len(sentences) == 1


def test_a_refused_file_leaves_nothing_in_the_library(tmp_path: Path) -> None:
    (tmp_path / "text.mp4").write_text("hello\n")
    longtake("index", tmp_path / "text.mp4", library=tmp_path / "library")
    assert not list((tmp_path / "library").glob("videos/*"))


def test_index_speaks_json_and_reuses_what_is_there(tmp_path: Path, tone: Path) -> None:
    first = json.loads(longtake("index", tone, "--json", library=tmp_path).stdout)
    assert set(first) >= {"video", "layers", "seconds", "duration"}
    assert set(first["layers"][0]) >= {"name", "engine", "key", "items", "seconds", "reused"}
    again = json.loads(longtake("index", tone, "--json", library=tmp_path).stdout)
    assert all(layer["reused"] or layer["unavailable"] for layer in again["layers"])
    assert {layer["key"] for layer in again["layers"]} == {layer["key"] for layer in first["layers"]}


@pytest.mark.nightly
def test_index_all_builds_what_new_engines_offer_and_nothing_twice(tmp_path: Path) -> None:
    spoken = write_spoken(tmp_path / "spoken.wav")
    deaf = longtake("--set", "engines.speech=[]", "index", spoken, library=tmp_path / "library")
    assert "longtake index --all" in deaf.stdout
    for reused in (False, True):
        done = longtake("index", "--all", "--json", library=tmp_path / "library")
        layers = {layer["name"]: layer for layer in json.loads(done.stdout)["layers"]}
        assert layers["speech"]["reused"] is reused
        assert layers["speech"]["items"] > 0
        assert layers["sounds"]["reused"]


@pytest.mark.parametrize("arguments", [["index"], ["index", "talk.mp4", "--all"], ["index", "--all"]])
def test_index_needs_files_or_a_library_with_videos(tmp_path: Path, arguments: list[str]) -> None:
    done = longtake(*arguments, library=tmp_path)
    assert done.code == 1
    assert len(done.stderr.splitlines()) == 1


def test_ask_speaks_json_of_a_stable_shape(tmp_path: Path, tone: Path) -> None:
    done = longtake("ask", tone, "Is there any sound?", "--json", library=tmp_path)
    answer = json.loads(done.stdout)
    shape = {"status", "answer", "option", "citations", "claims", "coverage", "usage", "trace", "error"}
    assert set(answer) >= shape
    assert set(answer["usage"]) == {"rounds", "tool_calls", "seconds", "input_tokens", "output_tokens", "cost"}
    assert (done.code, answer["status"]) == (0, "answered")
    assert set(answer["citations"][0]) == {"video", "start", "end", "modality", "quote"}
    assert (tmp_path / "traces" / f"{answer['trace']}.jsonl").is_file()


def test_a_budget_that_runs_out_ends_in_part_and_exits_3(tmp_path: Path, tone: Path) -> None:
    longtake("index", tone, library=tmp_path)
    done = longtake("ask", tone, "When does the tone sound?", "--max-rounds", "1", "--json", library=tmp_path)
    assert (done.code, json.loads(done.stdout)["status"]) == (3, "partial")


def test_without_its_model_an_answer_is_one_in_part_and_names_the_endpoint(tmp_path: Path, tone: Path) -> None:
    settings = ["controller.engine=openai", "controller.base_url=http://127.0.0.1:9/v1", "controller.model=small"]
    flags = [part for setting in settings for part in ("--set", setting)]
    done = longtake(*flags, "ask", tone, "When does the tone sound?", "--json", library=tmp_path)
    answer = json.loads(done.stdout)
    assert (done.code, answer["error"]) == (3, None)
    assert "http://127.0.0.1:9/v1" in answer["controller_error"]
    assert "The language model gave no answer" in answer["answer"]


def test_chat_answers_a_line_at_a_time(tmp_path: Path, tone: Path) -> None:
    questions = "Is there any sound?\nHow long is the recording?\n"
    done = longtake("chat", tone, "--json", library=tmp_path, stdin=questions)
    assert done.code == 0
    decoder, text, answers = json.JSONDecoder(), done.stdout.strip(), []
    while text:
        answer, end = decoder.raw_decode(text)
        answers.append(answer["status"])
        text = text[end:].strip()
    assert answers == ["answered", "answered"]


@pytest.mark.nightly
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send")
def test_ctrl_c_keeps_what_is_finished_and_says_so(tmp_path: Path, long_tone: Path) -> None:
    command = [sys.executable, "-m", "longtake", "--library", str(tmp_path), "index", str(long_tone)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob("videos/*/layers/probe/*/layer.json")):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped" in error
    assert not [file for file in tmp_path.glob("videos/*/layers/*/.*") if file.name != ".lock"]
    silent = ("--set", "engines.sounds=[]")  # what takes long is not asked for again
    done = json.loads(longtake(*silent, "index", long_tone, "--json", library=tmp_path).stdout)
    assert next(layer for layer in done["layers"] if layer["name"] == "probe")["reused"]


def test_a_damaged_file_of_threads_is_named_to_a_thread(tmp_path: Path, tone: Path) -> None:
    (tmp_path / "memory.sqlite").write_bytes(b"no database at all" * 100)
    done = longtake("ask", tone, "When does the tone sound?", "--thread", "tones", library=tmp_path)
    assert done.code == 1
    assert "memory.sqlite" in done.stderr
    assert "Traceback" not in done.stderr


def test_bad_input_speaks_json_too(tmp_path: Path) -> None:
    done = longtake("ask", "nothing.mp4", "What?", "--json", library=tmp_path)
    answer = json.loads(done.stdout)
    assert (done.code, answer["status"]) == (1, "failed")
    assert "nothing.mp4" in answer["error"]


def test_chat_about_nothing_says_so_at_once(tmp_path: Path) -> None:
    done = longtake("chat", "nothing.mp4", library=tmp_path)
    assert done.code == 1
    assert "neither a file nor a video" in done.stderr


def test_a_video_that_was_stopped_half_way_is_completed_when_it_is_asked_by_name(tmp_path: Path, tone: Path) -> None:
    longtake("ask", tone, "Is there any sound?", "--max-seconds", "0.1", library=tmp_path)
    answer = json.loads(longtake("ask", "tone", "Is there any sound?", "--json", library=tmp_path).stdout)
    assert answer["status"] == "answered"


def test_a_copy_is_found_by_both_names(tmp_path: Path, tone: Path) -> None:
    copy = tmp_path / "copy.wav"
    copy.write_bytes(tone.read_bytes())
    longtake("index", tone, copy, library=tmp_path / "library")
    shown = [
        json.loads(longtake("videos", "show", name, "--json", library=tmp_path / "library").stdout)
        for name in ("tone", "copy")
    ]
    assert shown[0]["id"] == shown[1]["id"]


@pytest.mark.nightly
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_one_sentence(tmp_path: Path, tone: Path) -> None:
    command = [sys.executable, "-m", "longtake", "--library", str(tmp_path), "ask", str(tone), "Is there a tone?"]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_doctor_says_that_an_endpoint_is_down_and_what_would_help(tmp_path: Path) -> None:
    settings = ["controller.engine=openai", "controller.base_url=http://127.0.0.1:9/v1", "controller.model=small"]
    flags = [part for setting in settings for part in ("--set", setting)]
    facts = json.loads(longtake(*flags, "doctor", "--json", library=tmp_path).stdout)
    assert "http://127.0.0.1:9/v1 does not answer" in facts["controller"]["problem"]
    speech = next(row for row in facts["capabilities"] if row["capability"] == "speech")
    assert "NAME.srt" in speech["better"]


def test_doctor_asks_the_judge_too_if_it_is_another_model(tmp_path: Path) -> None:
    settings = ["verification.base_url=http://127.0.0.1:9/v1", "verification.model=strict"]
    flags = [part for setting in settings for part in ("--set", setting)]
    facts = json.loads(longtake(*flags, "doctor", "--json", library=tmp_path).stdout)
    assert "http://127.0.0.1:9/v1 does not answer" in facts["servers"]["verification"]["problem"]
