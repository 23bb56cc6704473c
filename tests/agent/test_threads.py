"""Threads: what one question leaves for the next, in the library's SQLite file."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

from helpers.asking import VIDEO, endpoint_asker
from helpers.openai_server import openai_server, says

from longtake.agent.ask import Asker
from longtake.config import load
from longtake.memory.records import Answer
from longtake.preprocess.workspace import Workspace

LISTEN = ("transcribe_speech", {"timestamp": "00:00:03-00:00:07"})
PRICE = "The blue kettle costs 249 dollars [00:00:04]."
COST = "What does the blue kettle cost?"


def _asked_again(workspace: Workspace, thread: str) -> str:
    """The words a second question of a thread is put in."""
    with openai_server([says("NOT FOUND: nothing.")]) as endpoint:
        endpoint_asker(workspace, endpoint.url).ask([VIDEO], "And the red one?", thread=thread)
        return str(endpoint.requests[0]["messages"][1]["content"])


def test_a_second_question_knows_the_first_also_after_a_restart(small_workspace: Workspace) -> None:
    with openai_server([says(None, LISTEN), says(PRICE)]) as endpoint:
        endpoint_asker(small_workspace, endpoint.url).ask([VIDEO], COST, thread="kettles")
    told = _asked_again(small_workspace, "kettles")
    assert f"Q: {COST}" in told
    assert "A: The blue kettle costs 249 dollars. [00:00:04]" in told
    assert "And the red one?" in told


def test_threads_do_not_hear_of_each_other(small_workspace: Workspace) -> None:
    Asker(small_workspace).ask([VIDEO], COST, thread="one")
    assert "Earlier in this thread" not in _asked_again(small_workspace, "another")


def test_a_thread_lies_in_the_librarys_file(small_workspace: Workspace) -> None:
    Asker(small_workspace).ask([VIDEO], COST, thread="kept")
    with sqlite3.connect(small_workspace.library.memory_file) as connection:
        (count,) = connection.execute("SELECT count(*) FROM checkpoints WHERE thread_id = 'kept'").fetchone()
    connection.close()
    assert count > 0


def test_another_process_goes_on_with_a_thread(small_workspace: Workspace) -> None:
    Asker(small_workspace).ask([VIDEO], COST, thread="handed over")
    program = (
        "import sys; from pathlib import Path; from longtake.agent.ask import Asker; from longtake.config import load\n"
        "from longtake.preprocess.workspace import Workspace\n"
        "asker = Asker(Workspace(Path(sys.argv[1]), load()))\n"
        "state = asker._graph.get_state({'configurable': {'thread_id': 'handed over'}})\n"
        "print(state.values['turns'][0].question)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(small_workspace.library.root)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == COST


def _noted(workspace: Workspace, thread: str | None) -> str:
    """What a run finds that searches the notes of its conversation."""
    with openai_server([says(None, ("memory_tool", {"func": "search", "data": "kettle"})), says(PRICE)]) as endpoint:
        endpoint_asker(workspace, endpoint.url).ask([VIDEO], COST, thread=thread)
        return str(endpoint.requests[1]["messages"][-1]["content"])


def test_a_note_is_found_again_in_its_thread_only(small_workspace: Workspace) -> None:
    note = ("memory_tool", {"func": "add", "data": "the kettle is on page 7"})
    for thread in ("noting", None):
        with openai_server([says(None, note), says(PRICE)]) as endpoint:
            endpoint_asker(small_workspace, endpoint.url).ask([VIDEO], COST, thread=thread)
    assert "page 7" in _noted(small_workspace, "noting")
    assert "page 7" not in _noted(small_workspace, "another one")
    assert "page 7" not in _noted(small_workspace, None)
    with sqlite3.connect(small_workspace.library.memory_file) as connection:
        assert connection.execute("SELECT DISTINCT thread FROM notes").fetchall() == [("noting",)]
    connection.close()


def test_askers_that_open_a_new_library_at_once_do_not_lock_each_other_out(
    small_workspace: Workspace, tmp_path: Path
) -> None:
    root = tmp_path / "library"
    shutil.copytree(small_workspace.library.root, root, ignore=shutil.ignore_patterns("memory.sqlite*"))
    answers: list[Answer] = []
    together = threading.Barrier(4)

    def ask(name: str) -> None:
        workspace = Workspace(root, load())
        together.wait()
        asker = Asker(workspace)
        answers.extend(asker.ask([VIDEO], COST, thread=name) for _ in range(3))

    askers = [threading.Thread(target=ask, args=(f"at once {number}",)) for number in range(4)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert [answer.status for answer in answers] == ["answered"] * 12
