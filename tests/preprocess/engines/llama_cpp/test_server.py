"""llama.cpp's server in a child process, with a real model: shared, guarded by a key, cancelled, restarted, ended."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
from helpers.command import longtake
from helpers.models.smollm2 import cut_off, of_unknown_architecture, smollm2

from longtake.config import load
from longtake.errors import EngineError
from longtake.preprocess.engines.llama_cpp import server as module
from longtake.preprocess.engines.llama_cpp.gguf_header import read_header
from longtake.preprocess.engines.llama_cpp.server import LlamaServer, missing_gguf, shared_server
from longtake.preprocess.engines.llama_cpp.transport import dropped_when

pytestmark = pytest.mark.nightly
LONG = "Write a very long story about the sea."


@pytest.fixture(scope="module")
def server() -> LlamaServer:
    return shared_server(load(), str(smollm2()))


def ask(server: LlamaServer, text: str, tokens: int) -> dict[str, Any]:
    """The tokens that one prompt took."""
    body = {"messages": [{"role": "user", "content": text}], "max_tokens": tokens}
    with server.client() as client:
        reply = client.post("http://any.host/v1/chat/completions", json=body).raise_for_status().json()
    return dict(reply["usage"])


def process_of(server: LlamaServer) -> psutil.Process:
    assert server._process is not None
    return psutil.Process(server._process.pid)


def until(holds: Callable[[], bool], seconds: float = 30) -> bool:
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)
    return holds()


def test_one_server_for_all_who_name_a_file(server: LlamaServer) -> None:
    assert shared_server(load(), str(smollm2())) is server
    assert server.ready() == server.ready()
    assert ask(server, "Say hello.", 3)["completion_tokens"] <= 3


def test_nobody_else_is_served(server: LlamaServer) -> None:
    url = server.ready().url
    assert httpx.URL(url).host == "127.0.0.1"
    assert httpx.post(f"{url}/v1/chat/completions", json={"messages": []}, trust_env=False).status_code == 401


def test_the_beginning_of_a_prompt_is_read_once(server: LlamaServer) -> None:
    beginning = "The sea is wide and blue. " * 20
    ask(server, beginning, 1)
    kept = ask(server, f"{beginning} The end.", 1)
    assert kept["prompt_tokens_details"]["cached_tokens"] > 100


def test_a_cancelled_reply_ends_at_once_and_frees_the_model(server: LlamaServer) -> None:
    server.ready()
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    with dropped_when(stop.is_set), pytest.raises(httpx.TransportError):
        ask(server, LONG, 7_000)
    assert stop.is_set()
    process = process_of(server)

    def idle() -> bool:
        before = process.cpu_times().user
        time.sleep(0.5)
        return process.cpu_times().user - before < 0.1

    assert until(idle)


def test_a_server_that_died_is_started_again(server: LlamaServer) -> None:
    server.ready()
    first = server._process
    assert first
    first.kill()
    first.wait()
    assert ask(server, "Say hello.", 1)["completion_tokens"] == 1
    assert process_of(server).pid != first.pid


def test_an_idle_model_leaves_the_memory_and_comes_back() -> None:
    server = LlamaServer(smollm2(), None, 2_048, 1)
    try:
        ask(server, "Say hello.", 1)
        process, size = process_of(server), smollm2().stat().st_size
        loaded = process.memory_info().rss
        assert until(lambda: process.memory_info().rss < loaded - size)
        assert ask(server, "Say hello.", 1)["completion_tokens"] == 1
        assert process_of(server).pid == process.pid
    finally:
        server.close()
    assert not process.is_running()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("killed", [False, True])
def test_a_server_ends_with_the_process_that_started_it(*, killed: bool) -> None:
    program = (
        "import sys; from longtake.config import load\n"
        "from longtake.preprocess.engines.llama_cpp.server import shared_server\n"
        "server = shared_server(load(), sys.argv[1]); server.ready()\n"
        "print(server._process.pid, flush=True); sys.stdin.readline()"
    )
    command = [sys.executable, "-c", program, str(smollm2())]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdin
        assert parent.stdout
        child = psutil.Process(int(parent.stdout.readline()))
        if killed:
            parent.send_signal(signal.SIGKILL)
        else:
            parent.stdin.close()
        parent.wait()
    assert until(lambda: not child.is_running())


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda folder: folder / "none.gguf", "can't be read"),
        (lambda folder: cut_off(folder, 0), "isn't a GGUF file"),
        (lambda folder: cut_off(folder, 500), "damaged or incomplete"),
        (lambda folder: cut_off(folder, 20_000_000), "download the file again"),
        (of_unknown_architecture, "pip install --upgrade xllamacpp"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_sentence(make: Callable[[Path], Path], said: str, tmp_path: Path) -> None:
    smollm2()
    server = LlamaServer(make(tmp_path), None, 2_048, 60)
    for _ in range(2):
        with pytest.raises(EngineError, match=said) as raised:
            server.ready()
        assert "\n" not in str(raised.value)


def test_too_little_memory_is_found_before_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "memory_left", lambda: 300_000_000)
    problem = missing_gguf(load(), str(smollm2()), "controller.model")
    assert problem
    assert "0.3 GB are available" in problem
    server = LlamaServer(smollm2(), None, 8_192, 60)
    with pytest.raises(EngineError, match=r"lower gguf\.context"):
        server.ready()


def test_the_estimate_covers_what_the_model_takes(server: LlamaServer) -> None:
    ask(server, "word " * 6_000, 1)
    taken = process_of(server).memory_info().rss
    assert taken < read_header(smollm2()).needed_bytes(8_192) < 4 * taken


def test_memory_and_time_are_estimated_before_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    """106 million weights read a token: two operations each, and a little for attention."""
    header = read_header(smollm2())
    assert 2 * 106e6 < header.operations(1) < 2 * 108e6
    assert 2 * header.operations(800) < header.operations(1_600) < 3 * header.operations(800)
    monkeypatch.setattr(module, "operations_a_second", lambda: 1e9)
    memory, seconds = module.expected_costs(load(), str(smollm2()))
    assert memory == header.needed_bytes(8_192)
    assert seconds == pytest.approx(header.operations(module.FIRST_MESSAGE) / 1e9)


def test_doctor_tells_what_a_model_in_process_takes(tmp_path: Path) -> None:
    command = ("--set", "controller.engine=gguf", "--set", f"controller.model={smollm2()}", "doctor")
    told = longtake(*command, library=tmp_path).stdout
    assert re.search(r"needs about \d+\.\d MB of memory; the first word takes about \d+ s on this CPU", told)
    facts = json.loads(longtake(*command, "--json", library=tmp_path).stdout)["controller"]
    assert facts["memory"] > 1e8
    assert facts["first_word_seconds"] > 0


@pytest.mark.parametrize("package", module.PACKAGES)
def test_a_missing_package_is_named_with_its_extra(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: None if name == package else name)
    assert missing_gguf(load(), "any.gguf", "controller.model") == (
        f"{package} not installed: pip install 'longtake[gguf]'"
    )
