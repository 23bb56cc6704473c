"""Servers for the models that settings name: commands, a compose file, and real servers that are tried and ended."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import pytest
import yaml
from helpers.command import longtake
from helpers.models.smollm2 import smollm2
from helpers.servers.vllm_program import write_vllm

from longtake.config import load
from longtake.models.serving import servers_of


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def test_the_profile_of_the_paper_has_a_planner_and_a_seer() -> None:
    planner, seer = servers_of(load("longshot"))
    assert planner.command()[:3] == ["vllm", "serve", "Qwen/Qwen3-4B"]
    assert "--tool-call-parser" in planner.options
    assert "--limit-mm-per-prompt" in seer.options
    assert planner.port != seer.port


def test_one_server_may_do_everything() -> None:
    url = "http://127.0.0.1:8000/v1"
    named = (f"{section}.{key}" for section in ("controller", "captions") for key in (f"base_url={url}", "model=vl"))
    (server,) = servers_of(load(overrides=tuple(named)))
    assert server.sections == ("controller", "captions")
    assert {"--tool-call-parser", "--limit-mm-per-prompt"} <= set(server.options)


def test_the_compose_file_runs_the_same_commands(tmp_path: Path) -> None:
    file = tmp_path / "compose.yaml"
    done = longtake("models", "serve", "--profile", "longshot", "--compose", file, library=tmp_path)
    assert done.code == 0, done.stderr
    services = yaml.safe_load(file.read_text())["services"]
    for server, (name, service) in zip(servers_of(load("longshot")), services.items(), strict=True):
        assert name.replace("-", "_") in server.sections
        assert ["vllm", "serve", *service["command"]] == server.command("0.0.0.0")
        assert service["ports"] == [f"127.0.0.1:{server.port}:{server.port}"]
        assert f"127.0.0.1:{server.port}/health" in service["healthcheck"]["test"][-1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--profile longshot"),
        (("--profile", "longshot", "--run"), "pip install vllm"),
        (("--profile", "longshot", "--compose", "/no/such/folder/file"), "can't be written"),
        (("--profile", "wrong"), "No profile or file named 'wrong'"),
    ],
)
def test_what_is_missing_is_one_sentence(
    arguments: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = longtake("models", "serve", *arguments, library=tmp_path)
    assert (done.code, len(done.stderr.splitlines())) == (1, 1)
    assert said in done.stderr


@contextmanager
def started(folder: Path, *models: str) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """`models serve --run` of a controller and a seer, and their ports."""
    ports = [free_port() for _ in models]
    settings = [
        part
        for section, model, port in zip(("controller", "visual_question"), models, ports, strict=False)
        for part in ("--set", f"{section}.base_url=http://127.0.0.1:{port}/v1", "--set", f"{section}.model={model}")
    ]
    environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    command = [sys.executable, "-m", "longtake", *settings, "models", "serve", "--run"]
    piped = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with piped as process:
        try:
            yield process, ports
        finally:
            process.send_signal(signal.SIGINT)  # ends its servers too


@pytest.mark.nightly
def test_servers_are_started_tried_and_ended(tmp_path: Path) -> None:
    with started(write_vllm(tmp_path / "bin", smollm2()), "planner", "seer") as (process, ports):
        assert process.stdout
        lines = [process.stdout.readline() for _ in range(3)]
        assert [line.split()[0] for line in lines[:2]] == ["planner", "seer"]
        assert all("it answered in" in line for line in lines[:2])
        assert all(httpx.get(f"http://127.0.0.1:{port}/health", trust_env=False).is_success for port in ports)
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 130
    assert not any(child.is_running() for child in children)


@pytest.mark.slow
def test_a_server_that_ends_is_named_and_the_others_end_too(tmp_path: Path) -> None:
    with started(write_vllm(tmp_path / "bin", smollm2()), "planner", "broken") as (process, _):
        _, said = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "broken" in said.splitlines()[-1]
