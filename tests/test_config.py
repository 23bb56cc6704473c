"""Settings: profiles, a user's file, --set, and what is said when they are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.config import PROFILES, load
from longtake.errors import ConfigError


@pytest.mark.parametrize("profile", PROFILES)
def test_every_profile_loads(profile: str) -> None:
    assert load(profile).budget.rounds >= 1


def test_set_overrides_one_key_and_keeps_its_neighbours() -> None:
    settings = load("longshot", ["budget.rounds=3", "controller.temperature=0.5"])
    assert (settings.budget.rounds, settings.budget.seconds) == (3, 1800)
    assert (settings.controller.temperature, settings.controller.model) == (0.5, "Qwen/Qwen3-4B")


def test_a_file_builds_on_the_profile_it_names(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("profile: longshot\nbudget: {rounds: 2}\n")
    settings = load(str(file))
    assert (settings.budget.rounds, settings.controller.engine) == (2, "openai")


@pytest.mark.parametrize(
    ("profile", "overrides", "message"),
    [
        ("embeded", [], "Did you mean 'embedded'"),
        ("embedded", ["budget.round=3"], r"budget.round is not a setting \(did you mean 'rounds'\?\)"),
        ("embedded", ["budget.rounds=0"], "budget.rounds: Input should be greater than or equal to 1"),
        ("embedded", ["budget.rounds"], "--set needs key=value, got 'budget.rounds'"),
        ("embedded", ["controller.engine=gpt"], "controller.engine: Input should be 'extractive', 'openai'"),
        ("embedded", ["budget.rounds=[1"], "is not a valid value"),
        ("embedded", ["search.chroma=localhost:8000"], "search.chroma: write it as http://host:port/name"),
        ("embedded", ["search.chroma=ftp://localhost/name"], "search.chroma: write it"),
        ("embedded", ["search.chroma=http://localhost:8000"], "search.chroma: write it"),
        ("embedded", ["search.chroma=http://localhost:0"], "search.chroma: write it"),
        ("embedded", ["search.chroma=http://localhost/a/b"], "search.chroma: write it"),
        ("embedded", ["search.chroma=http://localhost/ab"], "a name of three letters or digits or more"),
        ("embedded", ["search.chroma=http://localhost/name?x"], "search.chroma: write it"),
        ("embedded", ["search.chroma=http://me:secret@localhost/name"], "search.chroma: write it"),
    ],
)
def test_a_wrong_setting_is_named_with_what_is_right(profile: str, overrides: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load(profile, overrides)


def test_all_problems_are_reported_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        load("embedded", ["budget.rounds=0", "search.q=1", "nonsense=1"])
    assert all(key in str(caught.value) for key in ("budget.rounds", "search.q", "nonsense"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [1\n", "line 2: expected ',' or ']', but got the end"),
        ("a: 1\n: : [\n", "line 2: expected the end of the block, but found ':'"),
        ("a: 1\nb: c: d\n", "line 2: mapping values are not allowed here"),
        ("a: 1\nb: \x07\n", "line 2: the character #7 isn't allowed"),
    ],
)
def test_a_file_that_is_not_yaml_is_named_with_its_line(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load(str(file))
    assert str(caught.value).startswith(f"{file} is not valid YAML: {problem}")


def test_a_file_that_is_not_text_is_named(tmp_path: Path) -> None:
    file = tmp_path / "demo.mp4"
    file.write_bytes(b"\x00\x00\x00\x1cftyp\xff\xfe\x81")
    with pytest.raises(ConfigError, match=r"demo\.mp4 isn't a UTF-8 text file"):
        load(str(file))


def test_offline_is_a_setting() -> None:
    assert load("embedded", offline=True).offline


def test_a_bare_off_is_a_mode_of_verification() -> None:
    assert load(overrides=["verification.mode=off"]).verification.mode == "off"
