"""The vLLM servers that settings name: their commands, a compose file, and running them until they answer."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import httpx
import yaml

from longtake.errors import ConfigError, EngineError
from longtake.models.servers import ModelTrial, try_model
from longtake.offline import is_loopback
from longtake.settings import MAX_PICTURES, Settings

_IMAGE = "vllm/vllm-openai:v0.33.0"
_CONTEXT = 32_768  # tokens
_GPU_SHARE = 0.9  # of a GPU's memory, for all servers together
_START_SECONDS = 1_800.0  # the first start may download the model
_END_SECONDS = 20.0
_CACHE = "~/.cache/huggingface"


@dataclass(frozen=True)
class ModelServer:
    """One server: the sections of the settings that name it, its model and port, and what vLLM is told."""

    sections: tuple[str, ...]
    model: str
    url: str
    options: tuple[str, ...]

    @property
    def port(self) -> int:
        """Where it listens on this machine."""
        return httpx.URL(self.url).port or 80

    def command(self, host: str = "127.0.0.1") -> list[str]:
        """The program and its arguments."""
        return ["vllm", "serve", self.model, "--host", host, "--port", str(self.port), *self.options]


def servers_of(settings: Settings) -> list[ModelServer]:
    """The servers on this machine that the settings name.

    Raises:
        ConfigError: if they name none, or two models for one address.
    """
    sections: dict[str, list[str]] = {}
    models: dict[str, str] = {}
    for section in ("controller", "captions", "visual_question"):
        own = getattr(settings, section)
        if not own.base_url or not own.model or not is_loopback(own.base_url):
            continue
        known = models.setdefault(own.base_url, own.model)
        if known != own.model:
            raise ConfigError(f"{own.base_url} is to serve {known} and {own.model}: give each a URL of its own.")
        sections.setdefault(own.base_url, []).append(section)
    if not models:
        raise ConfigError("The settings name no model server on this machine: try --profile longshot.")
    share = round(_GPU_SHARE / len(models), 2)
    return [
        ModelServer(tuple(sections[url]), model, url, _options(sections[url], share)) for url, model in models.items()
    ]


def compose_file(servers: Sequence[ModelServer]) -> str:
    """A compose file that starts the servers, checks their health, and keeps what they download."""
    services: dict[str, dict[str, Any]] = {}
    for server in servers:  # one after the other, as in `running`
        earlier = {name: {"condition": "service_healthy"} for name in services}
        services[server.sections[0].replace("_", "-")] = _service(server) | {"depends_on": earlier}
    return yaml.safe_dump({"services": services}, sort_keys=False)


@contextmanager
def running(servers: Sequence[ModelServer], notify: Callable[[str], None]) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Start the servers, each once the one before is ready, and end them afterwards.

    Raises:
        EngineError: if vLLM isn't installed, or a server ends or doesn't become ready.
    """
    if shutil.which("vllm") is None:
        raise EngineError("vLLM isn't on the PATH: install it in an environment of its own, with pip install vllm.")
    started: list[subprocess.Popen[bytes]] = []
    try:
        for server in servers:  # one after the other: each measures how much of the GPU's memory is free
            notify(f"starting {server.model} at {server.url}")
            started.append(subprocess.Popen(server.command()))
            _wait_until_ready(server, started[-1])
        yield started
    finally:
        for process in started:
            process.terminate()
        for process in started:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_END_SECONDS)
            process.kill()
            process.wait()


def tried(servers: Sequence[ModelServer]) -> list[ModelTrial]:
    """Ask each server for one tool call and about one picture."""
    return [try_model(server.url, server.model) for server in servers]


def _options(sections: Sequence[str], share: float) -> tuple[str, ...]:
    options = ["--max-model-len", str(_CONTEXT), "--gpu-memory-utilization", str(share)]
    if "controller" in sections:
        options += ["--enable-auto-tool-choice", "--tool-call-parser", "hermes"]
    if sections != ["controller"]:
        options += ["--limit-mm-per-prompt", json.dumps({"image": MAX_PICTURES})]
    return tuple(options)


def _service(server: ModelServer) -> dict[str, Any]:
    gpu = {"driver": "nvidia", "count": "all", "capabilities": ["gpu"]}
    return {
        "image": _IMAGE,
        "entrypoint": ["vllm", "serve"],
        "command": server.command("0.0.0.0")[2:],
        "ports": [f"127.0.0.1:{server.port}:{server.port}"],
        "volumes": [f"{_CACHE}:/root/.cache/huggingface"],
        "ipc": "host",
        "restart": "unless-stopped",
        "deploy": {"resources": {"reservations": {"devices": [gpu]}}},
        "healthcheck": {
            "test": ["CMD", "curl", "--fail", "--silent", f"http://127.0.0.1:{server.port}/health"],
            "interval": "10s",
            "timeout": "5s",
            "retries": 3,
            "start_period": f"{_START_SECONDS:.0f}s",
        },
    }


def _wait_until_ready(server: ModelServer, process: subprocess.Popen[bytes]) -> None:
    health = str(httpx.URL(server.url).copy_with(path="/health"))
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            raise EngineError(f"vLLM ended while loading {server.model}; its last lines above say why.")
        with suppress(httpx.HTTPError):
            if httpx.get(health, trust_env=False, timeout=5).is_success:
                return
        time.sleep(0.5)
    raise EngineError(f"{server.model} wasn't ready after {_START_SECONDS / 60:.0f} minutes: try a smaller model.")
