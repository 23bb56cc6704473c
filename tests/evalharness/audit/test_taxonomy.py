"""Categories derived by a model from the tasks of what remains, edited by people and voted on."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from helpers.audits import items_named, write_audit
from helpers.command import longtake
from helpers.servers.openai_server import openai_server, says

from longtake.errors import ConfigError
from longtake.evalharness.audit.audit_report import audit_grids
from longtake.evalharness.audit.audit_state import audit_state
from longtake.evalharness.audit.taxonomy import read_categories
from longtake.evalharness.runs.journal import Journal
from longtake.evalharness.runs.run_folder import RunFolder

TASKS = {"a": "naming", "b": "counting", "c": "ordering", "d": "ordering"}


@pytest.fixture
def audit(tmp_path: Path) -> RunFolder:
    """`a` is solved blind; b, c and d remain."""
    run = write_audit(tmp_path / "run", "abcd", {("blind", "m"): "a"}, {"m": 0})
    run.items_file.unlink()
    with Journal(run.items_file) as journal:
        for item in items_named("abcd"):
            journal.append(item.model_copy(update={"task": TASKS[item.id]}))
    return run


def test_derived_categories_are_voted_on_and_counted(audit: RunFolder, tmp_path: Path) -> None:
    out = tmp_path / "categories.yaml"
    with openai_server([says("**Number**: how many things there are.\n**Sequence**: what comes first.\n")]) as server:
        model = f"model:m@{server.url}"
        done = longtake("eval", "audit", "taxonomy", audit.path, "--model", model, "--out", out)
        assert done.code == 0, done.stderr
        (request,) = server.requests
    asked = request["messages"][0]["content"]
    assert "own: counting, ordering\n" in asked
    assert "naming" not in asked  # of a question that is gone
    assert yaml.safe_load(out.read_text()) == {"Number": "how many things there are.", "Sequence": "what comes first."}
    with openai_server([says("B")]) as server:
        model = f"model:m@{server.url}"
        done = longtake("eval", "audit", "vote", audit.path, "--model", model, "--categories", out)
        assert done.code == 0, done.stderr
    state = audit_state(audit, print)
    assert state.votes.accepted == dict.fromkeys("bcd", "Sequence")
    [grid] = [grid for grid in audit_grids([state]) if grid.title == "Remaining items by category"]
    assert grid.columns == ("benchmark", "Number", "Sequence", "total")
    assert grid.rows == (("own", "0", "3", "3"), ("share %", "0.0", "100.0", "100.0"))
    out.write_text("x: one\ny: two\n")
    other = longtake("eval", "audit", "vote", audit.path, "--model", "random", "--categories", out)
    assert (other.code, "has votes on other categories" in other.stderr) == (1, True)


def test_what_is_no_list_of_categories_is_one_sentence(audit: RunFolder, tmp_path: Path) -> None:
    with openai_server([says("I would rather not.")]) as server:
        model = f"model:m@{server.url}"
        done = longtake("eval", "audit", "taxonomy", audit.path, "--model", model, "--out", tmp_path / "c.yaml")
    assert (done.code, "gave no list of categories" in done.stderr) == (1, True)
    bare = write_audit(tmp_path / "bare", "ab", {("blind", "m"): "a"}, {"m": 0})
    done = longtake("eval", "audit", "taxonomy", bare.path, "--model", "random", "--out", tmp_path / "c.yaml")
    assert (done.code, "Name the column of the tasks" in done.stderr) == (1, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- a\n- b\n", "definition by name"),
        ("a: one\n", "names 1 instead of 2"),
        ("a: [\n", "valid YAML"),
        ("'a: b': one\nc: two\n", "has a colon"),
    ],
)
def test_a_file_without_categories_is_refused(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "categories.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=said):
        read_categories(file)
    with pytest.raises(ConfigError, match="can't be read"):
        read_categories(tmp_path / "none.yaml")
