"""Parts of other packages: each is found by its entry point, and one that is broken costs nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from longtake import plugins
from longtake.errors import PluginError
from longtake.plugins import BUILT_IN, Origin, Table, strays, usable

MODULE = """
number = 7
word = "seven"
def other(): pass
"""
BROKEN = {"raises": "raise RuntimeError('no luck')", "leaves": "raise SystemExit(3)", "absent": "import no_such_module"}


def install(folder: Path, package: str, groups: Mapping[str, Mapping[str, str]]) -> None:
    """Write what an installer leaves behind for a package with these entry points."""
    info = folder / f"{package}-1.2.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.2\n")
    lines = [line for group, names in groups.items() for line in (f"[{group}]", *map(" = ".join, names.items()))]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on the path of modules, with good and broken ones."""
    for name, code in {"parts_of_a_test": MODULE, **BROKEN}.items():
        (tmp_path / f"{name}.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    plugins._installed.cache_clear()
    yield tmp_path
    plugins._installed.cache_clear()


def numbers(built_in: Mapping[str, int] | None = None) -> Table[int]:
    def read(name: str, declared: object) -> int:
        if not isinstance(declared, int):
            raise TypeError(f"{name} is no number")
        return declared

    return Table("numbers", {"one": 1} if built_in is None else built_in, read)


def test_a_table_holds_its_own_parts_and_those_of_packages(place: Path) -> None:
    install(place, "seven", {"longtake.numbers": {"seven": "parts_of_a_test:number"}})
    table = numbers()
    assert dict(table) == {"one": 1, "seven": 7}
    assert (len(table), "seven" in table, "two" in table) == (2, True, False)
    assert list(table.origins()) == [Origin("numbers", "one", BUILT_IN), Origin("numbers", "seven", "seven 1.2")]
    with pytest.raises(KeyError):
        table["two"]


@pytest.mark.parametrize(
    "target", ["raises:x", "leaves:x", "absent:x", "no_module:x", "parts_of_a_test:no", "parts_of_a_test:word"]
)
def test_a_broken_part_is_named_with_its_package_and_the_others_stay(place: Path, target: str) -> None:
    install(place, "bad", {"longtake.numbers": {"broken": target, "seven": "parts_of_a_test:number"}})
    table, reported = numbers(), list[str]()
    assert usable(table, reported.append) == [1, 7]
    (sentence,) = reported
    assert {"'broken'", "bad"} <= set(sentence.replace(",", "").split())
    assert [part.problem for part in table.origins() if part.problem] == [sentence]
    for _ in range(2):
        with pytest.raises(PluginError):
            table["broken"]


def test_nothing_takes_the_name_of_another(place: Path) -> None:
    declared = {"longtake.numbers": {"one": "parts_of_a_test:number", "two": "parts_of_a_test:number"}}
    install(place, "first", declared)
    install(place, "second", {"longtake.numbers": {"two": "raises:x"}})
    table = numbers()
    assert dict(table) == {"one": 1, "two": 7}
    problems = {(part.name, part.source): part.problem for part in table.origins()}
    assert problems["one", BUILT_IN] is None
    assert "Longtake" in (problems["one", "first 1.2"] or "")
    assert problems["two", "first 1.2"] is None
    assert "first" in (problems["two", "second 1.2"] or "")


def test_a_group_that_does_not_exist_is_reported(place: Path) -> None:
    install(place, "slip", {"longtake.nubmers": {"seven": "parts_of_a_test:number"}, "other.group": {"x": "y"}})
    (stray,) = strays([numbers()])
    assert (stray.kind, stray.name, stray.source) == ("nubmers", "seven", "slip 1.2")
    assert "longtake.numbers" in (stray.problem or "")


@pytest.mark.slow
def test_with_every_kind_broken_the_command_line_works(place: Path) -> None:
    kinds = ("engines.summary", "tools", "suites", "judges", "subjects", "edits", "stress", "views")
    install(
        place, "bad", {f"longtake.{kind}": {"broken": "raises:x", "plain": "parts_of_a_test:number"} for kind in kinds}
    )
    install(place, "core", {"longtake.tools": {"other": "parts_of_a_test:other"}})
    path = os.pathsep.join(filter(None, [str(place), os.environ.get("PYTHONPATH")]))

    def longtake(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "longtake", "--library", str(place / "library")]
        chosen = ["--set", "engines.summary=[broken, textrank]"]
        environment = {**os.environ, "PYTHONPATH": path}
        return subprocess.run(
            [*command, *chosen, *arguments], capture_output=True, text=True, env=environment, check=False
        )

    done = longtake("doctor", "--json")
    facts = json.loads(done.stdout)
    broken = {(part["kind"], part["name"]) for part in facts["parts"] if part["problem"]}
    assert broken == {(kind, name) for kind in kinds for name in ("broken", "plain")} | {("tools", "other")}
    (summary,) = (row for row in facts["capabilities"] if row["capability"] == "summary")
    assert (summary["engine"], list(summary["unavailable"])) == ("textrank", ["broken"])
    called = longtake("tools", "call", "calculator", "--args", '{"expression": "6*7"}', "--json")
    assert json.loads(called.stdout)["output"] == {"result": "42"}
    asked = longtake("eval", "run", "x.jsonl", "--suite", "broken", "--out", str(place / "run"), "--subject", "agent")
    assert (asked.returncode, asked.stderr.count("\n")) == (1, 1)
    assert "bad 1.2" in asked.stderr
