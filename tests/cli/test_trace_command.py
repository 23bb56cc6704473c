"""`longtake trace`."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from helpers.asking import ask_endpoint
from helpers.data.recorded import COST, EVENTFUL, PRICE, alone, forked, lines_of, recorded
from helpers.servers.openai_server import says
from typer.testing import CliRunner, Result

from longtake.agent.traces.lenient_run import LenientRun
from longtake.cli.trace_command import trace
from longtake.console import Session
from longtake.errors import ConfigError, LibraryError
from longtake.memory.library import LibraryStore
from longtake.preprocess.pipeline.workspace import Workspace

ESCAPING = "Is it [red]\x1b]0;mine\x07 or\n blue?"


@pytest.fixture(scope="module")
def runs(small_workspace: Workspace) -> list[LenientRun]:
    odd = recorded(small_workspace, says("NOT FOUND: it is \x1b[2Jnot said."), question=ESCAPING)
    return [odd, recorded(small_workspace, *EVENTFUL)]


@pytest.fixture(scope="module")
def library(runs: list[LenientRun], tmp_path_factory: pytest.TempPathFactory) -> LibraryStore:
    return alone(tmp_path_factory.mktemp("alone"), *runs)


def invoke(library: LibraryStore, *arguments: str) -> Result:
    return CliRunner().invoke(trace, list(arguments), obj=Session(library=library.root), catch_exceptions=False)


def reported(library: LibraryStore, *arguments: str) -> Any:
    return json.loads(invoke(library, *arguments, "--json").stdout)


def test_runs_are_listed_newest_first(library: LibraryStore, runs: list[LenientRun]) -> None:
    lines = invoke(library, "list").stdout.splitlines()
    assert [line[:24] for line in lines] == [runs[1].id, runs[0].id]
    assert "  answered   " in lines[0]
    assert lines[0].endswith(f" 5 rounds      840 tokens  0.00252 cost  {COST}")
    listed = reported(library, "list")["runs"]
    assert [each["run"] for each in listed] == [runs[1].id, runs[0].id]
    assert (listed[0]["question"], listed[0]["status"], listed[0]["usage"]["cost"]) == (COST, "answered", 0.00252)


def test_a_library_without_traces_says_what_leaves_one(tmp_path: Path) -> None:
    assert "`longtake ask`" in invoke(LibraryStore(tmp_path), "list").stdout
    assert reported(LibraryStore(tmp_path), "list") == {"runs": [], "more": 0}


def test_the_newest_runs_are_listed_and_how_many_more_there_are(runs: list[LenientRun], tmp_path: Path) -> None:
    library, lines = alone(tmp_path, runs[1]), lines_of(runs[1])
    ids = [f"20200101-000000-{number:08x}" for number in range(1_000, 0, -1)]
    for age, run in enumerate(ids):
        (library.trace_root / f"{run}.jsonl").write_text("".join(lines), encoding="utf-8")
        os.utime(library.trace_root / f"{run}.jsonl", (0, len(ids) - age))
    listed = invoke(library, "list")
    assert [line[:24] for line in listed.stdout.splitlines()] == [runs[1].id, *ids[:19]]
    assert listed.stderr == "longtake: 981 older runs not listed; `--limit 1001` lists all.\n"
    few = reported(library, "list", "--limit", "3")
    assert ([each["run"] for each in few["runs"]], few["more"]) == ([runs[1].id, *ids[:2]], 998)
    assert invoke(library, "list", "--limit", "0").exit_code == 2


def test_where_all_are_listed_no_more_are_spoken_of(library: LibraryStore) -> None:
    listed = invoke(library, "list", "--limit", "2")
    assert (len(listed.stdout.splitlines()), listed.stderr) == (2, "")
    assert reported(library, "list", "--limit", "2")["more"] == 0


def test_show_tells_what_was_done_found_mended_and_spent(library: LibraryStore) -> None:
    shown = invoke(library, "show", "last").stdout
    assert "5 rounds, 5 tool calls, 840 tokens, 0.00252 cost" in shown.splitlines()[0]
    for words in (
        "3 model calls cross_modal_search, transcribe_speech",
        "100 + 20 tokens, 0.00036 cost",
        "says I look for the price.",
        "repaired: tool 'transcribe_speach' taken for 'transcribe_speech'",
        'transcribe_speech(timestamp="00:00:03-00:00:07")',
        "looked at 00:00:03-00:00:07",
        "00:00:04-00:00:06  speech  The blue kettle costs 249 dollars.",
        "failed: bad_arguments: There is no tool 'nonsense'.",
        "  cached",
        "judge: 2 claims, 1 unsupported",
        "supported: The blue kettle costs 249 dollars [00:00:04].",
    ):
        assert words in shown


def test_a_fork_is_marked_in_the_list_and_tells_what_it_was_forked_from(
    runs: list[LenientRun], small_workspace: Workspace, tmp_path: Path
) -> None:
    fork = forked(small_workspace, runs[1], "transcribe_speech", timestamp=[0, 2])
    assert fork.forked_from is not None
    library = alone(tmp_path, runs[1], fork)
    lines = {line[:24]: line for line in invoke(library, "list").stdout.splitlines()}
    assert lines[fork.id].endswith(f"  (fork) {COST}")
    assert lines[runs[1].id].endswith(f"  {COST}")
    sentence = f"Forked from {runs[1].id} at step {fork.forked_from.step}, with timestamp=[0, 2]"
    assert sentence in invoke(library, "show", fork.id).stdout
    assert "Forked" not in invoke(library, "show", runs[1].id).stdout
    origin = {"run": runs[1].id, "step": fork.forked_from.step, "set": {"timestamp": [0, 2]}}
    assert reported(library, "show", fork.id)["forked_from"] == origin
    origins = {run["run"]: run["forked_from"] for run in reported(library, "list")["runs"]}
    assert origins == {fork.id: origin, runs[1].id: None}


def test_show_names_the_video_where_there_are_several(two_videos: Workspace, tmp_path: Path) -> None:
    search = says(None, ("cross_modal_search", {"query": "kettle", "modalities": []}))
    draft = says("The blue kettle costs 99 dollars [my trip.mp4 00:00:04].")
    asked = ask_endpoint(two_videos, [search, draft], videos=("talk.mp4", "my trip.mp4"))
    shown = invoke(two_videos.library, "show", asked.answer.trace or "").stdout
    assert "looked at talk.mp4 00:00:00-00:00:08, my trip.mp4 00:00:00-00:00:08" in shown
    assert "my trip.mp4 00:00:04-00:00:06  speech  The blue kettle costs 99 dollars." in shown


def test_show_tells_the_whole_run_as_json(library: LibraryStore, runs: list[LenientRun]) -> None:
    shown = reported(library, "show", runs[1].id)
    assert (shown["run"], shown["question"], shown["videos"]) == (runs[1].id, COST, list(runs[1].asked.videos))
    assert [step["type"] for step in shown["steps"]] == ["orient", "brief", *["model"] * 5, "answer"]
    assert shown["steps"][2]["steps"][1]["output"]["transcript"] == "The blue kettle costs 249 dollars."
    assert runs[1].answer is not None
    assert shown["answer"] == runs[1].answer.model_dump(mode="json")
    assert shown["problems"] == []


@pytest.mark.parametrize("command", [("list",), ("show",), ("diff",)])
def test_what_is_said_commands_no_terminal(library: LibraryStore, runs: list[LenientRun], command: tuple[str]) -> None:
    named = {"list": (), "show": (runs[0].id,), "diff": (runs[0].id, runs[0].id)}[command[0]]
    shown = invoke(library, *command, *named).stdout
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "Is it [red] ]0;mine or blue?" in shown


def test_what_a_run_was_forked_from_commands_no_terminal(runs: list[LenientRun], tmp_path: Path) -> None:
    library, (first, *lines) = alone(tmp_path, runs[1]), lines_of(runs[1])
    begun = json.loads(first)
    begun["data"]["forked_from"] = {"run": ESCAPING, "step": 3, "set": {ESCAPING: ESCAPING}}
    path = library.trace_root / f"{runs[1].id}.jsonl"
    path.write_text("".join([json.dumps(begun) + "\n", *lines]), encoding="utf-8")
    shown = invoke(library, "show", "last").stdout
    assert "Forked from Is it [red] ]0;mine or blue? at step 3" in shown
    assert "\x1b" not in shown


def test_a_torn_trace_is_shown_as_far_as_it_goes(runs: list[LenientRun], tmp_path: Path) -> None:
    library = alone(tmp_path, runs[1])
    lines = lines_of(runs[1])
    (library.trace_root / f"{runs[1].id}.jsonl").write_text("".join(lines[:5]) + lines[5][:30], encoding="utf-8")
    assert "  unfinished " in invoke(library, "list").stdout
    shown = invoke(library, "show", "last").stdout
    assert "3 model calls cross_modal_search, transcribe_speech" in shown
    assert "is cut off" in shown


def test_stats_measure_all_runs_or_those_named_and_draw_them(
    library: LibraryStore, runs: list[LenientRun], tmp_path: Path
) -> None:
    assert invoke(library, "stats").stdout.startswith("2 runs: 1 answered, 1 abstained\n")
    named = reported(library, "stats", runs[1].id, "--plot", str(tmp_path / "tools.svg"))
    assert (named["runs"], named["statuses"]) == (1, {"answered": 1})
    drawn = ElementTree.parse(tmp_path / "tools.svg").getroot()
    assert "transcribe_speech" in [each.text for each in drawn.iter("{http://www.w3.org/2000/svg}text")]


def test_a_plot_of_another_kind_is_refused(library: LibraryStore, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="plots are SVG"):
        invoke(library, "stats", "--plot", str(tmp_path / "tools.png"))
    assert not (tmp_path / "tools.png").exists()


def test_diff_compares_two_runs(library: LibraryStore, runs: list[LenientRun]) -> None:
    shown = invoke(library, "diff", runs[1].id, "last").stdout
    assert '= transcribe_speech(timestamp="00:00:03-00:00:07"), 1 found' in shown
    assert "The answer is the same:\n= The blue kettle costs 249 dollars [00:00:04]." in shown
    compared = reported(library, "diff", "last", "last")
    assert {call["change"] for call in compared["calls"]} == {"same"}
    with pytest.raises(LibraryError, match="only runs of one question"):
        invoke(library, "diff", runs[0].id, runs[1].id)


def test_html_writes_one_file_named_after_the_run(
    library: LibraryStore, runs: list[LenientRun], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert invoke(library, "html", "last").stdout == f"{runs[1].id}.html\n"
    assert PRICE.partition(" [")[0] in (tmp_path / f"{runs[1].id}.html").read_text(encoding="utf-8")
    written = reported(library, "html", runs[0].id, "--out", "odd.html")
    assert written == {"run": runs[0].id, "file": str(tmp_path / "odd.html")}
    assert (tmp_path / "odd.html").is_file()


def test_an_unknown_run_is_one_sentence(library: LibraryStore) -> None:
    for command in ("show", "stats", "html"):
        with pytest.raises(LibraryError, match="begins with 'xyz': `longtake trace list` lists them"):
            invoke(library, command, "xyz")
