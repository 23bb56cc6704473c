"""`longtake tools` and `longtake search`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from longtake.cli.main import app
from longtake.errors import ConfigError, LibraryError
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.tools.catalogue import ALL_TOOLS
from longtake.tools.core.registry import SPECS


def run(library: Path, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["--library", str(library), *arguments], catch_exceptions=False)


@pytest.fixture
def library(workspace: Workspace) -> Path:
    return workspace.library.root


def test_tools_list_gives_schemas_and_engines(library: Path) -> None:
    rows = json.loads(run(library, "tools", "list", "--json").stdout)["tools"]
    assert [row["name"] for row in rows] == [SPECS[function].name for function in ALL_TOOLS]
    assert {tuple(row) for row in rows} == {("name", "group", "description", "schema", "engines")}
    assert rows[1]["engines"] == {"scene_text": "rapidocr"}
    plain = run(library, "tools", "list").stdout
    assert all(row["name"] in plain for row in rows)


def test_tools_list_says_what_is_unavailable(library: Path) -> None:
    assert "summary: unavailable" in run(library, "--set", "engines.summary=[]", "tools", "list").stdout


def test_tools_list_says_that_subtitles_serve_where_no_recogniser_does(library: Path) -> None:
    without = run(library, "--set", "engines.speech=[]", "tools", "list").stdout
    assert "speech: subtitles; without them unavailable (no engine in the profile)\n" in without
    assert "speech: subtitles; without them unavailable (faster_whisper: no Whisper model" in (
        run(library, "--set", "engines.speech=[faster_whisper]", "tools", "list").stdout
    )


def test_a_tool_is_called_on_a_video(library: Path) -> None:
    arguments = ("tools", "call", "transcribe_speech", "talk", "--args", '{"timestamp": "0:04-0:06"}')
    whole = json.loads(run(library, *arguments, "--json").stdout)
    assert "heron" in whole["output"]["transcript"]
    assert whole["evidence"][0]["span"] == {"start": 4.0, "end": 6.0}
    plain = run(library, *arguments)
    assert plain.exit_code == 0
    assert "  00:00:04-00:00:06  speech          A heron stands in the river." in plain.stdout


def test_a_tool_that_needs_no_video_is_called_without_one(library: Path) -> None:
    arguments = ("tools", "call", "calculator", "--args", '{"expression": "6*7"}')
    assert json.loads(run(library, *arguments).stdout) == {"result": "42"}
    assert json.loads(run(library, *arguments, "--json").stdout)["output"] == {"result": "42"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("transcribe_speech", "--args", '{"timestamp": 1}'), "No video is open"),
        (("transcribe_speach",), "Did you mean 'transcribe_speech'?"),
        (("calculator",), "The argument 'expression' is missing"),
        (("transcribe_speech", "talk", "--args", '{"timestamp": "soon"}'), "00:12:3"),
    ],
)
def test_a_call_that_fails_says_why_and_exits_1(library: Path, arguments: tuple[str, ...], said: str) -> None:
    result = run(library, "tools", "call", *arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert said in result.stderr
    failed = json.loads(run(library, "tools", "call", *arguments, "--json").stdout)
    assert said in failed["failure"]["message"]


@pytest.mark.parametrize("text", ["{", "[1]", "3"])
def test_arguments_that_are_no_object_are_refused(library: Path, text: str) -> None:
    result = run(library, "tools", "call", "calculator", "--args", text)
    assert result.exit_code == 2
    assert "--args" in result.stderr
    assert "JSON" in result.stderr


def test_search_gives_hits_with_times(library: Path, workspace: Workspace) -> None:
    found = json.loads(run(library, "search", "talk.mp4", "heron in the river", "--json").stdout)["results"]
    reported = {"video", "start", "end", "modality", "text", "score", "signals", "terms", "weak", "event", "also"}
    assert set(found[0]) == reported
    assert (found[0]["video"], found[0]["text"]) == (
        workspace.library.resolve("talk").id,
        "A heron stands in the river.",
    )
    assert "talk.mp4\n  00:00:04-00:00:06  speech          A heron" in run(library, "search", "heron").stdout


def test_search_without_a_hit(library: Path) -> None:
    assert run(library, "search", "mute", "kettle").stdout == "Nothing found.\n"
    assert json.loads(run(library, "search", "mute", "kettle", "--json").stdout) == {"results": []}


def test_search_by_modality_and_number(library: Path) -> None:
    arguments = ("search", "kettle", "--json", "--modality", "scene_text", "--modality", "speech", "-k", "1")
    assert len(json.loads(run(library, *arguments).stdout)["results"]) == 1
    only = json.loads(run(library, *arguments[:5]).stdout)["results"]
    assert {hit["modality"] for hit in only} == {"scene_text"}
    with pytest.raises(ConfigError, match=r"'smell' isn't one of speech, scene_text"):
        run(library, "search", "kettle", "--modality", "smell")


@pytest.mark.parametrize("within", ["0:00-0:03", "00:00:00-00:00:03", "0 to 3", "[0, 3]", "3-0", "2", "2.5"])
def test_search_within_a_span(within: str, library: Path) -> None:
    found = json.loads(
        run(library, "search", "kettle heron", "--within", within, "--json", "--modality", "speech").stdout
    )
    assert [hit["text"] for hit in found["results"]] == ["The copper kettle costs forty dollars."]


def test_what_was_changed_in_within_is_said(library: Path) -> None:
    result = run(library, "search", "talk", "heron", "--within", "0:02-5:00", "--json")
    assert "--within: clipped to the end of the video at 00:00:08.0" in result.stderr
    assert json.loads(result.stdout)["results"]


@pytest.mark.parametrize(("within", "reason"), [("soon", "'soon' is not a time"), ("1:00-2:00", "ends at 00:00:08.0")])
def test_within_must_be_a_time_of_the_video(within: str, reason: str, library: Path) -> None:
    with pytest.raises(ConfigError, match=f"--within: .*{reason}"):
        run(library, "search", "heron", "--within", within)


def test_an_unknown_video_gets_the_near_match(library: Path) -> None:
    with pytest.raises(LibraryError, match=r"'tlak.mp4' is neither a file nor a video.* Did you mean 'talk.mp4'\?"):
        run(library, "search", "tlak.mp4", "heron")


@pytest.mark.parametrize("query", ["", "   "])
def test_an_empty_query_is_refused(query: str, library: Path) -> None:
    with pytest.raises(ConfigError, match="The query is empty"):
        run(library, "search", "talk", query)


def test_a_library_without_videos_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match=r"is empty; add a video with `longtake index FILE`"):
        run(tmp_path, "search", "heron")


def test_no_query_at_all_is_wrong_usage(library: Path) -> None:
    result = run(library, "search")
    assert result.exit_code == 2
    assert "QUERY" in result.stderr


def test_the_command_prints_one_sentence_and_exits_1(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "longtake", "--library", str(tmp_path), "search", "heron"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"longtake: The library {tmp_path} is empty")
