"""What a sandbox runs and tells, and what it says where it cannot be used."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import pytest
from helpers.sandboxes import SANDBOXES, sandbox_or_skip, settings_for

from longtake.errors import Cancelled, EngineError
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.sandbox.bubblewrap import Bubblewrap, missing_bubblewrap
from longtake.preprocess.engines.sandbox.sandbox import MAX_OUTPUT, Ran, Sandbox
from longtake.settings import Settings

every_sandbox = pytest.mark.parametrize("name", SANDBOXES)


def run(name: str, code: str, seconds: float = 10.0, **inputs: object) -> Ran:
    return sandbox_or_skip(name).run(code, inputs, seconds, lambda: None)


@every_sandbox
def test_code_computes_with_its_inputs_and_prints(name: str) -> None:
    code = "import sys\nprint(sum(inputs['prices']), inputs['of'])\nprint('done', file=sys.stderr)"
    assert run(name, code, prices=[249, 12.5], of={"cover": None}) == Ran("261.5 {'cover': None}\n", "done\n")


@every_sandbox
def test_inputs_are_data_and_never_code(name: str) -> None:
    hostile = "'); print('MINE'); ('\n\"\"\"\nprint('MINE')\n{inputs}\\"
    assert run(name, "print(repr(inputs['text']))", text=hostile).stdout == f"{hostile!r}\n"


@every_sandbox
def test_a_failure_is_reported_with_its_line(name: str) -> None:
    ran = run(name, "def share(whole):\n    return 1 / whole\nprint('before')\nshare(0)")
    assert ran.stdout == "before\n"
    assert "line 2" in ran.stderr
    assert "return 1 / whole" in ran.stderr
    assert ran.stderr.endswith("ZeroDivisionError: division by zero\n" if name == "bubblewrap" else "by zero")
    assert "bubblewrap_guest" not in ran.stderr


@every_sandbox
def test_source_that_is_no_python_is_reported(name: str) -> None:
    assert "SyntaxError" in run(name, "puts 'hello'").stderr


@every_sandbox
def test_the_time_limit_is_reported(name: str) -> None:
    ran = run(name, "print('first')\nwhile True:\n    pass", seconds=0.8)
    assert ran.ended == "it ran for 0.8 s"


@every_sandbox
def test_the_limit_of_the_settings_holds_where_it_is_shorter(name: str) -> None:
    sandbox = sandbox_or_skip(name, seconds=0.7)
    assert sandbox.run("while True: pass", {}, 60, lambda: None).ended == "it ran for 0.7 s"


@every_sandbox
def test_the_limit_of_memory_holds(name: str) -> None:
    code = "taken = 'x' * (inputs['megabytes'] * 1024 * 1024)\nprint(len(taken))"
    sandbox = sandbox_or_skip(name, megabytes=200)
    assert sandbox.run(code, {"megabytes": 20}, 10, lambda: None).stdout == f"{20 * 1024 * 1024}\n"
    assert "MemoryError" in sandbox.run(code, {"megabytes": 250}, 10, lambda: None).stderr


@every_sandbox
def test_output_beyond_the_limit_is_cut_and_reported(name: str) -> None:
    ran = run(name, "print('a' * 1000000)")
    assert ran.ended == f"it wrote more than {MAX_OUTPUT} bytes"
    assert ran.stdout == "a" * MAX_OUTPUT


@every_sandbox
def test_runs_know_nothing_of_each_other(name: str) -> None:
    sandbox = sandbox_or_skip(name)
    sandbox.run(
        "left = 1\ntry:\n    open('/tmp/left', 'w').write('1')\nexcept OSError:\n    pass", {}, 10, lambda: None
    )
    assert "NameError" in sandbox.run("print(left)", {}, 10, lambda: None).stderr
    assert "1" not in sandbox.run("print(open('/tmp/left').read())", {}, 10, lambda: None).stdout


def test_several_run_at_once() -> None:
    sandbox = sandbox_or_skip("bubblewrap")
    reported: dict[int, str] = {}

    def one(number: int) -> None:
        reported[number] = sandbox.run("print(inputs['number'])", {"number": number}, 20, lambda: None).stdout

    threads = [threading.Thread(target=one, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert reported == {number: f"{number}\n" for number in range(4)}


def test_bubblewrap_has_the_packages_installed_here() -> None:
    assert run("bubblewrap", "import numpy\nprint(numpy.arange(4).sum())").stdout == "6\n"


def test_inputs_larger_than_a_pipe_arrive() -> None:
    assert run("bubblewrap", "print(len(inputs['text']))", text="a" * 1_000_000).stdout == "1000000\n"


def descendants(pid: int) -> set[int]:
    """Processes below one, by /proc."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found, below = set[int](), {pid}
    while below:
        below = {child for child, parent in parents.items() if parent in below} - found
        found |= below
    return found


@pytest.mark.nightly
@pytest.mark.parametrize("stop", [False, True], ids=["out of time", "stopped"])
def test_nothing_is_left_running(stop: bool) -> None:
    """All that was started for a loop is gone, whether its time ran out or somebody stopped it."""
    sandbox = sandbox_or_skip("bubblewrap")
    before, seen = descendants(os.getpid()), set[int]()

    def watch() -> None:
        seen.update(descendants(os.getpid()) - before)
        if stop and len(seen) > 2:  # two of bubblewrap and the interpreter
            raise Cancelled("The work was stopped.")

    try:
        sandbox.run("while True: pass", {}, 60 if stop else 1.5, watch)
    except Cancelled:
        assert stop
    else:
        assert not stop
    assert len(seen) > 2
    over = time.monotonic() + 20
    while any(Path(f"/proc/{pid}").exists() for pid in seen) and time.monotonic() < over:
        time.sleep(0.02)
    assert [pid for pid in seen if Path(f"/proc/{pid}").exists()] == []


def forbidden_bwrap(folder: Path) -> Path:
    """A bubblewrap as it fares where namespaces are forbidden."""
    program = folder / "bwrap"
    program.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    program.chmod(0o755)
    return program


def test_bubblewrap_that_is_forbidden_gives_way_to_monty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(forbidden_bwrap(tmp_path).parent))
    report = EngineTable(Settings()).report("sandbox")
    assert report.engine == "monty"
    assert "No permissions to create new namespace" in report.reasons["bubblewrap"]
    assert "allow unprivileged user namespaces" in report.reasons["bubblewrap"]


def test_bubblewrap_that_is_not_there_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    reason = missing_bubblewrap(Settings())
    assert reason
    assert "apt-get install bubblewrap" in reason


def test_without_a_sandbox_nothing_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(forbidden_bwrap(tmp_path).parent))
    mark = tmp_path / "ran"
    sandbox: Sandbox = Bubblewrap(Settings())
    with pytest.raises(EngineError, match="No permissions to create new namespace"):
        sandbox.run(f"open({str(mark)!r}, 'w')", {}, 10, lambda: None)
    with pytest.raises(EngineError, match="No engine for sandbox"):
        EngineTable(settings_for("bubblewrap")).load("sandbox")
    assert not mark.exists()
