"""What is known of a model by its name, and what the settings change of it."""

from __future__ import annotations

import pytest

from longtake.config import load
from longtake.models.profiles import profile_named, profile_of


@pytest.mark.parametrize(
    ("name", "limit", "temperature", "thinking", "sees"),
    [
        ("gpt-5-mini-2025-08-07", "max_completion_tokens", None, "hidden", True),
        ("openai/gpt-5.2", "max_completion_tokens", None, "hidden", True),
        ("o3", "max_completion_tokens", None, "hidden", True),
        ("o4-mini", "max_completion_tokens", None, "hidden", True),
        ("gpt-4o", "max_completion_tokens", 0.2, False, True),
        ("gpt-oss:20b", "max_tokens", 1, True, False),
        ("anthropic/claude-sonnet-4.5", "max_tokens", None, False, True),
        ("models/gemini-2.5-flash", "max_tokens", None, "hidden", True),
        ("qwen3:4b", "max_tokens", 0.6, True, False),
        ("Qwen/Qwen3-4B-Instruct-2507", "max_tokens", 0.7, False, False),
        ("Qwen/Qwen3-4B-Thinking-2507", "max_tokens", 0.6, True, False),
        ("/models/qwen3-0.6b/Qwen3-0.6B-Q8_0.gguf", "max_tokens", 0.6, True, False),
        ("Qwen/Qwen2.5-VL-7B-Instruct", "max_tokens", 0.7, False, True),
        ("Qwen2.5-14B-Instruct", "max_tokens", 0.7, False, False),
        ("llama3.2-vision:11b", "max_tokens", 0.6, False, True),
        ("deepseek-r1:8b", "max_tokens", 0.6, True, False),
        ("nobody-knows-it", "max_tokens", 0.3, False, False),
    ],
)
def test_a_name_leads_to_its_family(
    name: str, limit: str, temperature: float | None, thinking: bool | str, sees: bool
) -> None:
    profile = profile_named(name)
    assert (profile.token_field, profile.temperature) == (limit, temperature)
    assert (profile.thinking, profile.sees) == (thinking, sees)
    assert profile.reply_tokens < profile.context


def test_the_settings_override_the_profile() -> None:
    given = ("controller.temperature=0", "controller.sees=true", "controller.price.input=3", "controller.context=4096")
    profile = profile_of(load(overrides=("controller.model=gpt-4.1", *given)).controller)
    assert (profile.temperature, profile.sees, profile.context) == (0, True, 4_096)
    assert (profile.price.input, profile.price.output) == (3, 0)
    assert profile_of(load(overrides=("controller.model=gpt-4.1",)).controller).price.output == 8


def test_a_model_in_a_file_writes_and_reads_what_this_machine_can() -> None:
    settings = load(overrides=("controller.engine=gguf", "controller.model=Qwen3-4B.gguf", "gguf.context=4096"))
    profile = profile_of(settings.controller, settings.gguf)
    assert (profile.context, profile.reply_tokens) == (4_096, 2_048)


def test_a_short_answer_of_a_model_that_thinks_has_room_for_its_thoughts() -> None:
    assert profile_named("gpt-5").fields(300) == {"max_completion_tokens": 16_384}
    assert profile_named("gpt-4.1").fields(300) == {"max_completion_tokens": 300, "temperature": 0.2}
