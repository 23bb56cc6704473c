"""Prompt sets: how models and judges are asked, by what a paper or its repository has, or by a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from longtake.errors import ConfigError
from longtake.evalharness.items import Criterion, Item, Reply, Turn, Variant
from longtake.evalharness.judges.judge_endpoint import OWN, read_finding
from longtake.evalharness.judges.judging import Case
from longtake.evalharness.prompts.prompt_set import PromptSet, prompts_named
from longtake.evalharness.views.view import Transcript, TranscriptLine
from longtake.prompts import render_text

KETTLE = Turn(question="What is lifted?", options=("A kettle", "A lamp"), gold=0)
GIVEN = {"video": False, "frames": 2, "timed": True, "words": None, "captions": (), "guess": True, "instruction": ""}


def published(suite: str, name: str | None = None) -> PromptSet:
    found = prompts_named(name, suite, "repo")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("suite", "asked"),
    [
        (
            "moment-video",
            "What is lifted?\n(a) A kettle\n(b) A lamp\n\n"
            "Give the label of one option in parentheses, such as (a), and nothing else. Explain nothing.",
        ),
        ("video-tt", "What is lifted?\nA. A kettle\nB. A lamp"),
        ("longshot", "What is lifted?"),
    ],
)
def test_published_prompts_show_frames_without_a_word_and_ask_as_the_code_does(suite: str, asked: str) -> None:
    prompts = published(suite)
    options = [("A", "A kettle"), ("B", "A lamp")]
    assert prompts.part("question", question=KETTLE.question, options=options, **GIVEN) == asked
    assert prompts.part("material", question=KETTLE.question, options=options, **GIVEN) == ""
    assert prompts.part("frame", number=1, time="00:00:01.00") == ""


def case(asks: str, criterion: Criterion | None = None) -> Case:
    item = Item(suite="s", id="i", video="v", format="open", turns=(Turn(question="What?", reference="A kettle."),))
    return Case(item, 0, Reply(text="The lamp."), asks, criterion)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("suite", "asks", "said", "met", "points"),
    [
        ("moment-video", "whole", '{"is_consistent": false, "reason": "another thing"}', False, None),
        ("video-tt", "grade", "{'pred': 'yes', 'score': 4.8}", True, 4.8),
        ("video-tt", "grade", "{'pred': 'no', 'score': 2}", False, 2.0),
        ("longshot", "criterion", '{"criteria_met": true}', True, None),
        # The released code asks of a prohibition, too, whether the reply satisfies it.
        ("longshot", "penalty", '{"criteria_met": true}', True, None),
        ("longshot", "penalty", '{"criteria_met": false}', False, None),
    ],
)
def test_published_judges_reply_in_the_form_of_their_source(
    suite: str, asks: str, said: str, met: bool, points: float | None
) -> None:
    prompt = published(suite).judges[asks]
    found = read_finding(said, asks, prompt)  # type: ignore[arg-type]
    assert found is not None
    assert (found.met, found.points) == (met, points)
    criterion = Criterion(name="c", description="It names the kettle.", weight=1)
    shown = render_text(prompt.text, case=case(asks, criterion if suite == "longshot" else None))
    assert "The lamp." in shown
    assert "A kettle." in shown
    assert ("What?" in shown) == (suite == "video-tt")  # only this judge sees the question
    assert ("It names the kettle." in shown) == (suite == "longshot")


def test_what_a_file_lacks_is_asked_in_our_words(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("question: 'Say it: {{ question }}'\n", encoding="utf-8")
    found = prompts_named(str(file), "video-tt", "repo")
    assert found is not None
    assert found.part("question", question="What?", options=[], **GIVEN) == "Say it: What?"
    assert found.part("material", question="What?", options=[], **GIVEN) is None
    assert {**OWN, **found.judges} == OWN
    file.write_text("question: 'Say: {{ question }}'\n", encoding="utf-8")
    changed = prompts_named(str(file), "video-tt", "repo")
    assert changed is not None
    assert changed.hash != found.hash
    assert Variant(prompts=changed) != Variant(prompts=found)


def test_without_a_name_the_published_prompts_of_the_protocol_hold() -> None:
    assert published("moment-video").name == "repo"
    assert prompts_named(None, "longshot", "paper") is None  # which prints none
    assert prompts_named("longtake", "moment-video", "repo") is None
    assert prompts_named(None, "own", "repo") is None


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("question: '{{ question'", "template"),
        ("question: [1]", "question"),
        ("quetsion: a", "quetsion"),
        ("judges: {whole: {text: a}}", "field"),
        ("a: [", "YAML"),
    ],
)
def test_a_file_that_is_wrong_is_told_with_the_place(tmp_path: Path, text: str, wrong: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=wrong):
        prompts_named(str(file), "video-tt", "repo")


@pytest.mark.parametrize("name", ["paper", "none.yaml"])
def test_a_set_that_is_not_there_is_told(name: str) -> None:
    with pytest.raises(ConfigError, match="longtake"):
        prompts_named(name, "longshot", "repo")


@pytest.mark.parametrize(
    ("given", "context"),
    [
        ({"frames": 0}, "Context (Empty):\nEmpty\n\n"),
        ({"frames": 0, "captions": ("A yard.", "A gate.")}, "Context (Summary):\nA yard.\nA gate.\n\n"),
        (
            {"frames": 0, "words": Transcript((TranscriptLine("00:01", "Come in."),), 0)},
            "Context (Audio Transcript):\nCome in.\n\n",
        ),
        ({"frames": 8}, ""),
    ],
)
def test_a_shortcut_test_shows_its_context_and_a_standard_one_none(given: dict[str, object], context: str) -> None:
    asked = published("video-oasis").part(
        "question", question="What?", options=[("A", "x"), ("B", "y")], **{**GIVEN, **given}
    )
    assert asked is not None
    assert f"What?\n\n{context}Options:\nA. x\nB. y\n" in asked
    assert ("Context" in asked) == bool(context)
    assert asked.endswith("(A, B) of the right option, and put your final answer in \\boxed{}.")
