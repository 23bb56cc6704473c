"""Threads, notes and readings in a real PostgreSQL server."""

from __future__ import annotations

import socket
import sys
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
from helpers.command import longtake
from helpers.libraries import SETTINGS
from helpers.servers.postgres_server import PASSWORD
from helpers.servers.web_server import web_server

from longtake.agent.graph.agent import Agent
from longtake.config import load
from longtake.errors import LibraryError, LibraryUnavailable, LongtakeError
from longtake.memory import postgres as memory_server
from longtake.memory.conversations import Conversations
from longtake.memory.notes import Notes
from longtake.memory.postgres import Postgres
from longtake.preprocess.pipeline.workspace import Workspace

COST = "What does the blue kettle cost?"
VIDEO = "talk.mp4"


@pytest.fixture
def opened(own_workspace: Workspace, postgres: str) -> Workspace:
    """The library of the small video, with its memory in a server."""
    root = own_workspace.library.root
    return Workspace(
        root, SETTINGS.model_copy(update={"library": load(overrides=[f"library.database={postgres}"]).library})
    )


def _count(url: str, table: str) -> int:
    with psycopg.connect(url) as connection:
        row: Any = connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()
        return int(row[0])


def test_threads_are_in_the_server_and_go_on_in_another_process_of_the_library(
    opened: Workspace, postgres: str
) -> None:
    first = Agent(opened).ask([VIDEO], COST, thread="kettles")
    second = Agent(Workspace(opened.library.root, opened.settings))
    for _ in range(2):
        assert second.ask([VIDEO], "And how much is that?", thread="kettles").status != "failed"
    assert _count(postgres, "checkpoints") == 1
    kept = Conversations(opened.library.memory).exchanges("kettles")
    assert kept[0].answer == first
    assert len(kept) == 3
    assert not opened.library.memory_file.exists()
    second.forget("kettles")
    assert _count(postgres, "checkpoints") == _count(postgres, "checkpoint_blobs") == _count(postgres, "exchanges") == 0


def test_the_password_is_in_no_record(opened: Workspace) -> None:
    Agent(opened).ask([VIDEO], COST, thread="kettles")
    for file in opened.library.root.rglob("*"):
        assert not file.is_file() or PASSWORD.encode() not in file.read_bytes()
    assert PASSWORD not in repr(opened.settings) + opened.settings.model_dump_json()


def test_it_is_set_by_a_variable(postgres: str, own_workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LONGTAKE_DATABASE", postgres)
    done = longtake("ask", VIDEO, COST, "--thread", "kettles", library=own_workspace.library.root)
    assert done.code == 0
    assert Conversations(Postgres(postgres)).get("kettles")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda url: url.replace(PASSWORD, f"{PASSWORD}-wrong"), "authentication"),
        (lambda url: url.rpartition("/")[0] + "/elsewhere", "elsewhere"),
        (lambda url: url.replace("postgresql://", "mysql://"), "postgresql://"),
        (lambda url: url.replace("@127.0.0.1:", "@127.0.0.1:port"), "library.database"),
        (lambda url: url.replace(PASSWORD, f"x/{PASSWORD}"), "library.database"),
        (lambda url: url.replace(PASSWORD, f"1/{PASSWORD}"), "library.database"),
        (lambda url: "postgresql://longtake:" + PASSWORD + "@127.0.0.1:1/longtake", "127.0.0.1:1"),
        (lambda url: "postgresql://longtake:" + PASSWORD + "@[::1]:1,[::1]:2/longtake", "[::1]:1,[::1]:2/"),
    ],
    ids=[
        *("wrong password", "no such database", "other server", "no url", "cut", "cut at a digit", "not there"),
        "none of two is there",
    ],
)
def test_what_is_wrong_is_one_sentence_without_the_password(
    change: Any, said: str, postgres: str, own_workspace: Workspace
) -> None:
    setting = f"library.database={change(postgres)}"
    done = longtake("--set", setting, "ask", VIDEO, COST, "--thread", "t", library=own_workspace.library.root)
    assert done.code != 0
    assert said in done.stderr
    assert PASSWORD not in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_the_page_says_that_its_server_is_down(own_workspace: Workspace) -> None:
    url = "postgresql://longtake@127.0.0.1:1/longtake"
    workspace = Workspace(own_workspace.library.root, load(overrides=[f"library.database={url}"]))
    with web_server(workspace) as server, server.client() as client:
        response = client.get("/api/threads")
    assert response.status_code == 503
    assert "127.0.0.1:1" in response.json()["error"]["message"]


def test_a_missing_package_is_named(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(LongtakeError, match=r"longtake\[postgres\]"):
        Notes(Postgres(postgres)).add("t", "kettle")


def test_a_server_that_comes_back_is_used_again(postgres: str) -> None:
    notes = Notes(Postgres(postgres))
    notes.add("t", "kettle")
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE pid != pg_backend_pid() AND datname = current_database()"
        )
    assert [note.text for note in notes.search("t", "", 9)] == ["kettle"]


@pytest.mark.parametrize("hosts", ["127.0.0.1:1,127.0.0.1:{port}", "[::1]:{port},127.0.0.1:{port}"])
def test_a_database_has_several_hosts_one_of_which_answers(hosts: str, postgres: str) -> None:
    port = urlsplit(postgres).port
    several = Postgres(postgres.replace(f"127.0.0.1:{port}", hosts.format(port=port)))
    with several.session("notes") as session:
        assert not session.has("notes")
    several.pool().close()


@pytest.mark.parametrize(
    ("hosts", "shown"),
    [
        ("a,b", "a:5432,b:5432"),
        ("a,b:5433", "a:5432,b:5433"),
        ("a:5432,b:5433", "a:5432,b:5433"),
        ("[::1]", "[::1]:5432"),
    ],
)
def test_each_host_is_shown_with_its_port(hosts: str, shown: str) -> None:
    assert str(Postgres(f"postgresql://u:p@{hosts}/db")) == f"postgresql://{shown}/db"


def test_a_writer_waits_for_another_one_only_so_long(postgres: str, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = Notes(Postgres(postgres))
    notes.add("t", "kettle")
    with psycopg.connect(postgres) as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", (memory_server._WRITERS,))
        monkeypatch.setattr(memory_server, "_LOCK_WAIT", 0.2)
        with pytest.raises(LibraryUnavailable, match="still writing"):
            notes.add("t", "pot")
    assert [note.text for note in notes.search("t", "", 9)] == ["kettle"]


def test_both_ends_of_a_connection_notice_a_machine_that_is_gone(postgres: str) -> None:
    with Postgres(postgres).pool().connection() as connection:
        server = [
            int(connection.execute(f"SHOW tcp_{name}".encode()).fetchone()[0])
            for name in ("keepalives_idle", "keepalives_interval", "keepalives_count")
        ]
        with socket.fromfd(connection.fileno(), socket.AF_INET, socket.SOCK_STREAM) as ours:
            options = (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT)
            client = [ours.getsockopt(socket.IPPROTO_TCP, option) for option in options]
    for idle, interval, count in (server, client):
        assert idle + interval * count <= 60


def test_threads_that_are_lost_in_the_middle_are_one_sentence(opened: Workspace, postgres: str) -> None:
    agent = Agent(opened)
    agent.ask([VIDEO], COST, thread="lost")
    with psycopg.connect(postgres) as connection:
        connection.execute("DROP TABLE checkpoint_writes")
    with pytest.raises(LibraryError, match="checkpoint_writes") as told:
        agent.ask([VIDEO], COST, thread="lost")
    assert PASSWORD not in str(told.value)
