"""Guards for every test: no network beyond loopback, no ERROR in the log, costly tests only when asked for."""

from __future__ import annotations

import gc
import logging
import os
import socket
import ssl
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from hypothesis import HealthCheck, settings
from openai import _base_client as openai_client

from longtake.agent.controllers import asking

pytest_plugins = [
    "helpers.browser",
    "helpers.libraries",
    "helpers.models.nanodet",
    "helpers.reading",
    "helpers.servers.postgres_server",
    "helpers.tool_library",
    "helpers.media.voice",
]

OPT_IN = {
    "slow": "takes more than a few seconds",
    "nightly": "takes long, or repeats on a real model what others show",
    "gpu": "needs a CUDA device",
}
TESTS = Path(__file__).resolve().parent
MEDIA = TESTS.parent.parent / "shared" / "media"
# Tests run side by side: threads of each that wait for each other busily would more than double the time of all.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# How fast a machine is shows in benchmarks, not in tests.
UNHURRIED = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile("any speed", deadline=None, suppress_health_check=UNHURRIED)
settings.load_profile("any speed")
# A Ray cluster on this machine has the address of its network card.
CARDS = tuple(each.address for card in psutil.net_if_addrs().values() for each in card if "." in each.address)
LOOPBACK = ("127.", "::1", "localhost")


def pytest_addoption(parser: pytest.Parser) -> None:
    for name, reason in OPT_IN.items():
        parser.addoption(f"--{name}", action="store_true", help=f"also run the tests marked {name}: {reason}")
    parser.addoption(
        "--list-skipped", metavar="FILE", type=Path, help="write the skipped tests there, for `pytest @FILE`"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(TESTS / "benchmarks"):
            item.add_marker("nightly")
        for name in {"browser", "media"}.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(name)
        for name, reason in OPT_IN.items():
            if item.get_closest_marker(name) and not config.getoption(f"--{name}"):
                item.add_marker(pytest.mark.skip(reason=f"{reason}; run with --{name}"))


def pytest_collection_finish() -> None:
    """Leave what importing all modules made to no collection of garbage: it would be gone through again and again."""
    gc.collect()
    gc.freeze()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if file := config.getoption("--list-skipped"):
        file.write_text("\n".join(sorted({report.nodeid for report in terminalreporter.getreports("skipped")})))


@pytest.fixture(scope="session", autouse=True)
def _no_needless_waits() -> Iterator[None]:
    """No test speaks TLS or cuts the power, and an endpoint that was busy is asked again at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl.SSLContext, "load_verify_locations", lambda *_, **__: None)  # 0.05 s for each client
        patch.setattr(os, "fsync", lambda _: None)
        patch.setattr(asking, "FIRST_WAIT", 0.01)
        patch.setattr(openai_client, "INITIAL_RETRY_DELAY", 0.01)
        yield


@pytest.fixture(autouse=True)
def _nothing_of_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No models that whoever runs the tests has fetched, and not the settings they keep."""
    nowhere = tmp_path_factory.getbasetemp() / "nowhere"
    monkeypatch.setenv("LONGTAKE_MODELS", str(nowhere / "models"))
    monkeypatch.setenv("LONGTAKE_CONFIG", str(nowhere / "config.yaml"))


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple) and not (address[0] in CARDS or str(address[0]).startswith(LOOPBACK)):
            pytest.fail(f"a test tried to reach {address!r}; tests reach this machine only")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(autouse=True)
def _no_error_log(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    errors = [record for record in caplog.get_records("call") if record.levelno >= logging.ERROR]
    assert not errors, f"the test logged errors: {[record.getMessage() for record in errors]}"


@pytest.fixture(scope="session")
def media() -> Path:
    """The folder of real clips, which lies beside a checkout where it has been provided."""
    if not MEDIA.is_dir():
        pytest.skip(f"no folder of real clips at {MEDIA}")
    return MEDIA


@pytest.fixture(scope="session")
def tone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four seconds of sound without a picture: silence, and a tone of 1000 Hz from 1 to 3 s."""
    return _write_tone(tmp_path_factory.mktemp("tone") / "tone.wav", seconds=4)


@pytest.fixture(scope="session")
def long_tone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty minutes of the same, long enough to be interrupted."""
    return _write_tone(tmp_path_factory.mktemp("tone") / "long.wav", seconds=1200)


def _write_tone(path: Path, *, seconds: int) -> Path:
    rate = 16_000
    times = np.arange(seconds * rate) / rate
    heard = np.where((times >= 1) & (times < 3), 0.4 * np.sin(2 * np.pi * 1000 * times), 0)
    with wave.open(str(path), "wb") as stream:
        stream.setparams((1, 2, rate, 0, "NONE", ""))
        stream.writeframes((heard * 32767).astype("<i2").tobytes())
    return path
