"""Engines are made once, also when several tools want the same one at the same time."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from longtake.config import load
from longtake.errors import EngineError, EngineUnavailable
from longtake.preprocess.engines import engine_table as table
from longtake.preprocess.engines.built_in_engines import BUILT_IN, PROTOCOLS, EngineEntry
from longtake.preprocess.engines.capabilities import PURPOSES
from longtake.settings import Settings

made: list[object] = []


class Slow:
    """An engine that takes a moment to make."""

    def __init__(self, settings: Settings) -> None:
        time.sleep(0.05)
        made.append(self)


@pytest.fixture
def slow_engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mapping[str, Mapping[str, EngineEntry]]]:
    engines = {
        **table.ENGINES,
        "summary": {**table.ENGINES["summary"], "textrank": EngineEntry(f"{__name__}:Slow", "slow to make")},
    }
    monkeypatch.setattr(table, "ENGINES", engines)
    yield engines
    made.clear()


@pytest.mark.usefixtures("slow_engine")
def test_calls_at_once_get_the_same_engine() -> None:
    engines = table.EngineTable(Settings())
    loaded: list[object] = []
    together = threading.Barrier(4)

    def load() -> None:
        together.wait()
        loaded.append(engines.load("summary"))

    threads = [threading.Thread(target=load) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert loaded == made * 4


def test_an_engine_says_whether_it_uses_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = EngineEntry(f"{__name__}:Slow", "computes on a GPU", gpu=True)
    monkeypatch.setattr(table, "ENGINES", {**table.ENGINES, "summary": {"textrank": entry}})
    engines = table.EngineTable(Settings())
    assert [engines.on_gpu(capability) for capability in ("summary", "scene_text", "captions")] == [True, False, False]


def test_the_profile_turns_the_search_for_people_off() -> None:
    assert table.EngineTable(load()).report("people").engine == "cascades"
    off = table.EngineTable(load(overrides=["engines.people=[]"]))
    assert off.report("people").engine is None
    with pytest.raises(EngineUnavailable, match=r"engines\.people"):
        off.load("people")


@pytest.mark.parametrize(
    ("setting", "capability", "engine"),
    [("speech.model", "speech", "faster_whisper"), ("translation.model", "translation", "ctranslate2")],
)
def test_no_engine_takes_the_place_of_a_model_that_the_settings_name(
    setting: str, capability: str, engine: str, tmp_path: Path
) -> None:
    engines = table.EngineTable(load(overrides=[f"{setting}={tmp_path}"]))
    assert engines.report(capability).engine is None
    with pytest.raises(EngineError, match=f"{engine}: .*{tmp_path}"):
        engines.load(capability)


@pytest.mark.parametrize("capability", PROTOCOLS)
def test_the_engines_of_a_capability_implement_its_protocol(capability: str) -> None:
    read = table._reader(capability)
    for name, entry in table.ENGINES[capability].items():
        assert read(name, entry) is entry


def test_an_engine_without_the_methods_of_its_protocol_is_refused() -> None:
    entry = EngineEntry(f"{__name__}:Slow", "summarizes nothing")
    with pytest.raises(TypeError, match="summarize"):
        table._reader("summary")("slow", entry)


def test_every_capability_has_a_protocol() -> None:
    assert set(PROTOCOLS) == set(table.ENGINES)


def test_every_capability_has_a_purpose() -> None:
    assert list(PURPOSES) == list(BUILT_IN)
