"""The examples run, and the pages show them as they are."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.media.clips import noise, write_clip

from longtake.preprocess.engines.text.minilm import MODEL
from longtake.preprocess.pipeline.workspace import Workspace
from longtake.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
TEMPLATE = EXAMPLES / "plugin-template"
PAGE = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
CODE = [file for pattern in ("*.toml", "*/[!_]*.py") for file in sorted(TEMPLATE.glob(pattern))]
WITH_WEIGHTS = pytest.mark.skipif(bool(MODEL.missing(Settings())), reason="what is shown needs the extra `weights`")


@pytest.fixture
def in_demo(demo_workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library of the demo is that of every command."""
    monkeypatch.setenv("LONGTAKE_LIBRARY", str(demo_workspace.library.root))


@pytest.mark.slow
@pytest.mark.usefixtures("in_demo")
def test_the_script_writes_a_table_of_answers() -> None:
    questions = "What is the price of the telescope cover?\n\nWhich phone extension is given?\n"
    command = [sys.executable, str(EXAMPLES / "ask_many.py"), "demo.mp4"]
    done = subprocess.run(command, input=questions, capture_output=True, text=True, check=True)
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert [row["question"] for row in rows] == questions.split("\n")[:3:2]
    assert "249" in rows[0]["answer"]
    assert "4417" in rows[1]["answer"]
    command[-1] = "nothing.mp4"
    failed = subprocess.run(command, input="What?\n", capture_output=True, text=True, check=False)
    assert (failed.returncode, len(failed.stderr.splitlines())) == (1, 1)


@pytest.mark.slow
@pytest.mark.usefixtures("in_demo")
def test_the_notebook_runs_and_a_saved_one_holds_its_players(monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    notebook = nbformat.read(EXAMPLES / "ask.ipynb", as_version=4)
    assert all(cell.outputs == [] for cell in notebook.cells if cell.cell_type == "code")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    nbclient.NotebookClient(notebook, kernel_name="python3", timeout=120).execute()
    saved = json.loads(nbformat.writes(notebook))
    said = [output for cell in saved["cells"] for output in cell.get("outputs", [])]
    texts = ["".join(output.get("text", output.get("data", {}).get("text/plain", ""))) for output in said]
    assert any("249" in text for text in texts)
    assert any("4417" in text for text in texts)
    pages = ["".join(output["data"]["text/html"]) for output in said if "text/html" in output.get("data", {})]
    assert len(pages) == 3  # a video, an answer that is proven, one that isn't
    assert all("data:video/mp4;base64," in page for page in pages[1:])


@WITH_WEIGHTS
@pytest.mark.usefixtures("in_demo")
def test_the_readme_prints_what_its_comments_say(
    demo_video: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(demo_video.parent)
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out.splitlines()
    shown = re.findall(r"print\(.*\)  # (.*)", code)
    assert shown
    assert all(line in printed for line in shown)


@pytest.mark.parametrize("file", CODE, ids=lambda file: file.name)
def test_the_page_on_plugins_shows_the_template(file: Path) -> None:
    assert f"```{'toml' if file.suffix == '.toml' else 'python'}\n{file.read_text(encoding='utf-8')}```\n" in PAGE


Longtake = Callable[..., str]


@pytest.fixture(scope="session")
def with_template(tmp_path_factory: pytest.TempPathFactory, demo_workspace: Workspace) -> Longtake:
    """Runs `longtake` on the library of the demo, with the template installed beside it."""
    folder = tmp_path_factory.mktemp("template")
    source = shutil.copytree(TEMPLATE, folder / "source")  # a build leaves files behind
    flags = ["--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-build-isolation"]
    pip = [sys.executable, "-m", "pip", "install", *flags, "--target", str(folder / "site"), str(source)]
    subprocess.run(pip, check=True)
    path = os.pathsep.join(filter(None, [str(folder / "site"), os.environ.get("PYTHONPATH")]))

    def longtake(*arguments: object) -> str:
        command = [sys.executable, "-m", "longtake", "--library", str(demo_workspace.library.root)]
        environment = {**os.environ, "PYTHONPATH": path}
        done = subprocess.run(
            [*command, *map(str, arguments)], capture_output=True, text=True, env=environment, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return longtake


@pytest.mark.slow
def test_doctor_says_where_every_part_comes_from(with_template: Longtake) -> None:
    project = tomllib.loads((TEMPLATE / "pyproject.toml").read_text())["project"]
    declared = {
        (group.removeprefix("longtake."), name) for group, names in project["entry-points"].items() for name in names
    }
    facts = json.loads(with_template("doctor", "--json"))
    source = f"{project['name']} {project['version']}"
    assert {(part["kind"], part["name"]) for part in facts["parts"] if part["source"] == source} == declared
    assert [part for part in facts["parts"] if part["problem"]] == []
    plain = with_template("doctor").splitlines()
    assert {f"tools     {source}: count_word", f"engines   {source}: summary.first_sentences"} <= set(plain)


@pytest.mark.slow
def test_the_tool_and_the_engine_of_the_template_are_used(with_template: Longtake) -> None:
    arguments = ("demo", "--json", "--args")
    counted = json.loads(
        with_template("tools", "call", "count_word", *arguments, '{"timestamp": "all", "word": "dome"}')
    )
    assert counted["output"] == {"count": len(counted["evidence"]) - 1} == {"count": 3}
    given = '{"timestamp": "all", "text": "One. Two. Three.", "length": "short"}'
    engine = ("--set", "engines.summary=[first_sentences]")
    reported = json.loads(with_template(*engine, "tools", "call", "summarize_segment", *arguments, given))
    assert reported["output"] == {"summary": "One. Two."}


@pytest.mark.slow
def test_the_edit_of_the_template_makes_a_video(with_template: Longtake, tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "clip.mp4", [noise(1)] * 25)
    truth = json.loads(with_template("perturb", "upside-down", clip, tmp_path / "turned.mp4", "--json"))
    assert (truth["edit"], truth["seconds"]) == ("upside-down", 1.0)


@pytest.mark.slow
def test_the_suite_of_the_template_is_asked_judged_and_scored(
    with_template: Longtake, demo_video: Path, tmp_path: Path
) -> None:
    questions = tmp_path / "questions.csv"
    rows = ["question,answer,video", "Is it extension 4417?,4417,demo", "Which day is it?,Someday,demo"]
    questions.write_text("\n".join(rows))
    asked = ("--suite", "word-answers", "--media", demo_video.parent, "--subject", "parrot")
    with_template("eval", "run", questions, *asked, "--out", tmp_path / "run")
    with_template("eval", "judge", tmp_path / "run", "--by", "contains")
    scores = json.loads(with_template("eval", "score", tmp_path / "run", "--json"))["parrot"]
    assert scores["headline"]["value"] == 50.0
    assert list(scores["groups"]["video"]) == ["demo"]
