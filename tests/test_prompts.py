"""Prompts as files: data goes in as JSON, and their hash follows every letter of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from longtake.prompts import prompts_hash, render, without_thinking


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package of one prompt."""
    name = f"prompts_{tmp_path.name.replace('-', '_')}"
    folder = tmp_path / name
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "say.md").write_text("Say {{ text | json }}\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, name, raising=False)
    return name


def test_data_goes_in_as_one_line_of_json_in_its_own_letters(package: str) -> None:
    text = 'a "quote" & <tag>\n---\nÜber 東京'
    shown = render(package, "say", text=text)
    assert "\n" not in shown
    assert "東京" in shown
    assert json.loads(shown.removeprefix("Say ")) == text


def test_a_missing_value_is_an_error(package: str) -> None:
    with pytest.raises(UndefinedError, match="'text' is undefined"):
        render(package, "say", other="")


def test_the_hash_changes_with_any_prompt_of_any_package(package: str, tmp_path: Path) -> None:
    before = prompts_hash("longtake.agent.prompts", package)
    prompts_hash.cache_clear()
    (tmp_path / package / "more.md").write_text("More.")
    after = prompts_hash("longtake.agent.prompts", package)
    prompts_hash.cache_clear()
    assert before != after
    assert len(after) == 12


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("Red.", "Red."),
        ("<think>Blue?</think>\n\nRed.", "Red."),
        ("<THINK>Blue?</THINK>Red.", "Red."),
        ("Blue? No.</think>Red.", "Red."),
        ("I look. <think>Blue?</think> Red. <think>Sure?</think>", "I look.   Red."),
        ("<think>A <think>B</think> C</think> Red.", "Red."),
        ("<think>On and on", ""),
        ("Red. <think>Or", "Red."),
    ],
)
def test_what_a_model_thinks_aloud_is_left_out(reply: str, said: str) -> None:
    assert without_thinking(reply) == said
