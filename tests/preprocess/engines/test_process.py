"""Engines in processes of their own: killed when they hang, started anew once, then reported."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from longtake.errors import EngineError
from longtake.preprocess.engines.process import EngineProcess
from longtake.settings import Settings

TARGET = "helpers.models.engines:Obedient"
# Fresh processes find the tests' helpers as pytest does.
pytestmark = pytest.mark.usefixtures("_helpers_in_fresh_processes")


@pytest.fixture
def _helpers_in_fresh_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).resolve().parents[2]))


def test_calls_are_answered_elsewhere_and_the_rest_here() -> None:
    engine = EngineProcess(TARGET, Settings())
    assert engine.process() == engine.process() != os.getpid()
    assert engine.here() == os.getpid()
    assert engine.id == "obedient-1"
    engine.close()


def test_an_engine_that_dies_once_is_started_anew(tmp_path: Path) -> None:
    engine = EngineProcess(TARGET, Settings())
    before = engine.process()
    assert engine.die_until(tmp_path / "marks", 2) not in (before, os.getpid())
    engine.close()


def test_an_engine_that_dies_twice_is_reported(tmp_path: Path) -> None:
    engine = EngineProcess(TARGET, Settings())
    with pytest.raises(EngineError, match="obedient-1 died twice in `die_until`"):
        engine.die_until(tmp_path / "marks", 9)
    assert len((tmp_path / "marks").read_text()) == 2
    assert engine.process() != os.getpid()  # the next question is a new one
    engine.close()


@pytest.mark.slow
def test_an_engine_that_hangs_is_killed_and_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longtake.preprocess.engines.process._START_SECONDS", 10.0)
    engine = EngineProcess(TARGET, Settings())
    before = engine.process()
    assert engine.hang_until(tmp_path / "marks", 2) not in (before, os.getpid())
    with pytest.raises(ProcessLookupError):
        os.kill(before, 0)
    engine.close()


def test_an_internal_error_is_reported_as_one_sentence() -> None:
    engine = EngineProcess(TARGET, Settings())
    process = engine.process()
    with pytest.raises(EngineError, match=r"failed \(ValueError: no such tensor\)"):
        engine.fail("no such tensor")
    with pytest.raises(EngineError, match="no model"):
        engine.refuse("no model")
    assert engine.process() == process  # and costs no new process
    engine.close()


def test_the_process_ends_with_the_one_that_started_it(tmp_path: Path) -> None:
    """A script needs no guard against being run again in the engine's process."""
    script = tmp_path / "script.py"
    script.write_text(
        "import os\n"
        "from longtake.config import Settings\n"
        "from longtake.preprocess.engines.process import EngineProcess\n"
        f"print(EngineProcess({TARGET!r}, Settings()).process(), flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, env=found)
    worker = int(done.stdout)
    for _ in range(100):
        if not _is_alive(worker):
            return
        time.sleep(0.1)
    pytest.fail("the engine's process outlived its owner by 10 s")


def _is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
