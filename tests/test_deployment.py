"""What `deploy/` holds is valid, and starts Longtake with options that exist."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from longtake.cli.main import app
from longtake.web.http import http_server

ROOT = Path(__file__).resolve().parent.parent
DEPLOY = ROOT / "deploy"
UNIT = (DEPLOY / "longtake.service").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
TOKEN = "a token for the tests".replace(" ", "-")


def _instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions with their arguments, as Docker joins their lines."""
    text = re.sub(r"^#.*\n", "", (DEPLOY / "Dockerfile").read_text(encoding="utf-8"), flags=re.MULTILINE)
    lines = text.replace("\\\n", " ").splitlines()
    return [(name, arguments) for name, _, arguments in (line.partition(" ") for line in lines) if name]


def _of_the_image(name: str) -> list[str]:
    return [arguments for found, arguments in _instructions() if found == name]


def _serves(arguments: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch, token: str | None) -> tuple[int, str]:
    """Exit code and output of a command line that starts a server, with a folder and a port of the test."""
    monkeypatch.setattr(http_server.Server, "run", lambda self, sockets: [socket.close() for socket in sockets])
    monkeypatch.setenv("LONGTAKE_LIBRARY", str(folder / "library"))
    monkeypatch.setenv("LONGTAKE_TOKEN", token or "")
    arguments = [str(folder) if each in ("/videos", "%h/Videos") else each for each in arguments]
    done = CliRunner().invoke(app, [*arguments, "--port", "0"])
    return done.exit_code, done.output + str(done.exception or "")


def test_the_container_serves_to_others_and_only_with_a_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [entry], [command] = _of_the_image("ENTRYPOINT"), _of_the_image("CMD")
    assert json.loads(entry) == ["longtake"]
    arguments = json.loads(command)
    code, said = _serves(arguments, tmp_path, monkeypatch, None)
    assert code
    assert "without a token" in said
    assert _serves(arguments, tmp_path, monkeypatch, TOKEN)[0] == 0


def test_the_service_serves_to_this_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [start] = re.findall(r"^ExecStart=(.*)$", UNIT, re.MULTILINE)
    program, *arguments = shlex.split(start)
    assert Path(program).name == "longtake"
    assert _serves(arguments, tmp_path, monkeypatch, None)[0] == 0


def test_the_container_runs_as_a_user_without_rights_and_keeps_its_data_in_a_volume() -> None:
    assert _of_the_image("USER") == ["1000"]
    [volume], [environment] = _of_the_image("VOLUME"), _of_the_image("ENV")
    places = dict(setting.split("=", 1) for setting in shlex.split(environment) if setting.startswith("LONGTAKE_"))
    assert set(places) == {"LONGTAKE_LIBRARY", "LONGTAKE_MODELS", "LONGTAKE_CONFIG"}
    assert all(place.startswith(f"{volume}/") for place in places.values())


def test_everything_the_package_is_built_from_reaches_the_container() -> None:
    kept = {line[1:] for line in (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines() if line[0] == "!"}
    links = {link.readlink().name for link in (ROOT / "src" / "longtake").iterdir() if link.is_symlink()}
    links -= {"benchmarks"}  # in the repository only
    assert links | {"src", "pyproject.toml", "README.md", "LICENSE"} == kept
    assert all((ROOT / name).exists() for name in kept)


def test_the_services_are_built_of_what_is_there_and_ask_for_a_token() -> None:
    longtake, ollama = COMPOSE["services"]["longtake"], COMPOSE["services"]["ollama"]
    context = (DEPLOY / longtake["build"]["context"]).resolve()
    assert (context / longtake["build"]["dockerfile"]).samefile(DEPLOY / "Dockerfile")
    assert longtake["environment"]["LONGTAKE_TOKEN"].startswith("${LONGTAKE_TOKEN:?")
    assert ollama["profiles"] == ["model"]
    named = {volume.split(":")[0] for service in (longtake, ollama) for volume in service["volumes"]}
    assert set(COMPOSE["volumes"]) == {name for name in named if name.isalnum()}
    mounted = {volume.rsplit(":/", 1)[1].removesuffix(":ro") for volume in longtake["volumes"]}
    assert {f"/{name}" for name in mounted} == {*_of_the_image("VOLUME"), "/videos"}
    [port] = longtake["ports"]
    assert port.startswith("127.0.0.1:")
    assert port.endswith(f":{_of_the_image('EXPOSE')[0]}")


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="needs systemd")
def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    home = tmp_path / "home"
    program = home / ".local" / "bin" / "longtake"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unit = tmp_path / "longtake.service"
    unit.write_text(UNIT.replace("%h", str(home)))  # systemd takes the home from the user database
    environment = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", "--man=no", str(unit)], capture_output=True, text=True, env=environment
    )
    assert (done.returncode, done.stderr) == (0, "")
