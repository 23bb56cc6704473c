"""The real program with its English-Spanish pair, where both are installed."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from helpers.apertium import needs_apertium

from longtake.errors import EngineError
from longtake.preprocess.engines.text.apertium import Apertium, missing_apertium
from longtake.settings import Settings


@pytest.fixture
def apertium() -> Apertium:
    return Apertium(Settings())


@needs_apertium
def test_texts_come_back_one_by_one_and_in_order(apertium: Apertium) -> None:
    assert apertium.translate(["A cat eats", "Hello", "The house is red."], "en", "es") == [
        "Un gato come",
        "Hola",
        "La casa es roja.",
    ]
    assert apertium.translate(["La casa es roja."], "es", "en-US") == ["The house is red."]
    assert apertium.id.startswith("apertium-3.")


@needs_apertium
@pytest.mark.parametrize("text", ["[x] {y} @ * ~ # 42", "-h", "$(touch x); `id`", "^a<n>$", "\\"])
def test_signs_of_its_own_stream_and_of_a_shell_are_text(text: str, apertium: Apertium) -> None:
    [translated] = apertium.translate([text], "en", "es")
    assert [sign for sign in translated if not sign.isalpha()] == [sign for sign in text if not sign.isalpha()]


@needs_apertium
def test_it_tells_texts_of_one_language_from_those_of_the_other(apertium: Apertium) -> None:
    texts = ["El gato duerme.", "The cat sleeps.", "Metal", "Prohibido el paso", "No entry", "a * b"]
    assert apertium.foreign(texts, "es", "en") == [True, False, False, True, False, False]
    assert apertium.foreign(texts, "en", "es") == [False, True, False, False, True, False]
    assert apertium.foreign(texts, "eu", "en") is None
    assert "es" in apertium.sources("en")
    assert "en" in apertium.sources("es")


@needs_apertium
def test_an_absent_pair_is_named_with_those_there_are(apertium: Apertium) -> None:
    assert missing_apertium(Settings()) is None
    assert "no pair for eu into zu (installed: " in (apertium.missing("eu", "zu") or "")
    with pytest.raises(EngineError, match="no pair for eu into zu"):
        apertium.translate(["Kaixo"], "eu", "zu")


def _program(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Put a program called apertium before all others."""
    program = folder / "apertium"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=":")


def test_without_the_program_or_a_pair_it_says_how_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _program(tmp_path, monkeypatch, "exit 0")
    assert "no language pair: on Debian" in (missing_apertium(Settings()) or "")
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert "apt-get install apertium" in (missing_apertium(Settings()) or "")


@pytest.mark.parametrize(
    ("target", "direction"), [("pt", "cat-por"), ("pt-BR", "cat-por_BR"), ("pt-PT", "cat-por"), ("ca", None)]
)
def test_the_direction_is_that_of_the_region_where_there_is_one(
    target: str, direction: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = "cat-por cat-por_BR cat-por_PTpre1990"
    _program(tmp_path, monkeypatch, f'if [ "$1" = -l ]; then echo {names}; else echo "$2"; fi')
    apertium = Apertium(Settings())
    assert (apertium.missing("ca", target) is None) == (direction is not None)
    if direction:
        assert apertium.translate(["Hola"], "ca", target) == [direction]


def test_a_program_that_fails_or_hangs_is_reported_and_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed = 'if [ "$1" = -l ]; then echo eng-spa; exit; fi'
    _program(tmp_path, monkeypatch, f"{listed}; echo broken data >&2; exit 3")
    with pytest.raises(EngineError, match="broken data"):
        Apertium(Settings()).translate(["Hello"], "en", "es")
    _program(tmp_path, monkeypatch, f"{listed}; sleep 60 & echo $! > {tmp_path}/child; wait")
    monkeypatch.setattr("longtake.preprocess.engines.text.apertium._SECONDS", 0.5)
    with pytest.raises(EngineError, match="within"):
        Apertium(Settings()).translate(["Hello"], "en", "es")
    with suppress(psutil.NoSuchProcess, psutil.TimeoutExpired):  # a zombie stays until its parent reaps it
        child = psutil.Process(int((tmp_path / "child").read_text()))
        child.wait(5)
        assert child.status() == psutil.STATUS_ZOMBIE


def test_where_texts_cannot_be_told_apart_each_is_translated_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _program(tmp_path, monkeypatch, 'if [ "$1" = -l ]; then echo eng-spa; exit; fi; tr -s "\\n" | tr a-z A-Z')
    assert Apertium(Settings()).translate(["one", "two"], "en", "es") == ["ONE", "TWO"]
