"""What a person decides about built items flows into the set: in the terminal, and from the page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.browser import LAPTOP, PHONE, come_back, faults
from helpers.building import build, rows
from helpers.command import Done, longtake
from helpers.models.builder import builds, turns_in
from helpers.servers.openai_server import openai_server

from longtake.console import EXIT_FAILED, EXIT_PARTIAL
from longtake.preprocess.pipeline.workspace import Workspace

FIRST, TALK, SECOND, OTHER = (
    f"talk_s0_{name}" for name in ("t0_single", "t0_conversation", "t1_single", "t1_conversation")
)


@pytest.fixture
def made(own_workspace: Workspace) -> Path:
    """A set of four items about the small video, which is beside it."""
    place = own_workspace.library.root
    with openai_server([builds()]) as endpoint:
        assert build(endpoint, place, place / "talk.mp4", "--out", place / "set").code == 0
    return place / "set"


def review(made: Path, *options: object, typed: str = "") -> Done:
    return longtake("eval", "build", "review", made, *options, stdin=typed)


def texts(made: Path) -> dict[str, list[str]]:
    return {row["sample_id"]: [turn["content"] for turn in row["conversations"]] for row in rows(made / "items.jsonl")}


def test_items_are_accepted_corrected_and_dropped(made: Path) -> None:
    before = texts(made)
    # A drop needs its reason; of the second task's question the answer is corrected, and its second criterion goes.
    typed = ["a", "x", "d", "d two answers are right", "c", "", "It says so.", "", "-", "", "q"]
    done = review(made, typed="\n".join(typed) + "\n")
    assert done.code == 0, done.stderr
    assert "Dropping an item needs a reason." in done.stdout
    assert "3 items with 5 questions; 2 items with tool calls" in done.stdout
    after = texts(made)
    assert list(after) == [FIRST, SECOND, OTHER]
    assert after[FIRST] == before[FIRST]
    assert after[SECOND] == [before[SECOND][0], "It says so."]
    corrected = rows(made / "items.jsonl")[1]["conversations"][1]["criteria"]
    assert [each["name"] for each in corrected] == ["the_fact", "factual_error"]
    assert SECOND not in str(rows(made / "agentic.jsonl"))  # its calls found another answer
    assert rows(made / "dropped.jsonl") == [{"of": TALK, "stage": "review", "why": "two answers are right"}]
    card = json.loads((made / "card.json").read_text())
    assert card["decisions"] == {"accept": 1, "correct": 1, "drop": 1}
    assert "People have checked 3: 1 accepted, 1 corrected, 1 dropped." in (made / "card.md").read_text()
    # Only the last one is left to ask about.
    assert review(made, typed="s\n").stdout.startswith(f"1 of 1  {OTHER}")


def test_decisions_outlive_another_build_unless_the_item_changes(made: Path) -> None:
    review(made, typed="a\nd no good\nq\n")
    place = made.parent

    def rubrics(prompt: str) -> Any:
        line = {"name": "all", "description": "States all.", "category": "high_priority"}
        return {"turns": [{"criteria": [line]}]} if "is alone?" in prompt else None

    with openai_server([builds(rubrics=rubrics)]) as endpoint:
        assert build(endpoint, place, place / "talk.mp4", "--out", made).code == 0
        assert list(texts(made)) == [FIRST, SECOND, OTHER]
        (made / "stages/rubrics.jsonl").unlink()
        done = build(endpoint, place, place / "talk.mp4", "--out", made)
    # The first item has another rubric now, so that its acceptance is void; the second one is still dropped.
    assert done.code == EXIT_PARTIAL
    assert "1 of 2 decisions are about items that are no more, or are other ones by now." in done.stderr
    assert json.loads((made / "card.json").read_text())["decisions"] == {"accept": 0, "correct": 0, "drop": 1}


def test_what_lost_a_turn_before_it_went_counts_once(own_workspace: Workspace) -> None:
    def verdicts(prompt: str) -> Any:
        return {"turns": [{"reason": "no", "verdict": number < 2} for number in range(len(turns_in(prompt)))]}

    place = own_workspace.library.root
    with openai_server([builds(verdicts=verdicts)]) as endpoint:
        assert build(endpoint, place, place / "talk.mp4", "--out", place / "set").code == 0
    assert json.loads((place / "set/card.json").read_text())["partly"] == {"support": 2}
    review(place / "set", typed="a\nd no good\nq\n")
    card = json.loads((place / "set/card.json").read_text())
    assert (card["dropped"], card["partly"]) == ({"review": 1}, {"support": 1})
    assert sum(card["dropped"].values()) + card["items"] == 4


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"item": "talk_s9_t0_single"}, "the set has no such item"),
        ({"hash": "0"}, "it is another one by now"),
        ({"decision": "drop", "reason": " "}, "dropping an item needs a reason"),
        ({"decision": "correct"}, "it has 0 turns, and the item 1"),
        (
            {"decision": "correct", "turns": [{"question": "", "answer": "x", "criteria": []}]},
            "turn 1 needs a question",
        ),
        ({"decision": "correct", "turns": [{"question": "x", "answer": "x", "criteria": []}]}, "turn 1, criteria"),
        ({"decision": "maybe"}, "Input should be 'accept', 'correct' or 'drop'"),
    ],
)
def test_a_decision_that_cannot_be_followed_is_told_and_left_out(
    made: Path, tmp_path: Path, changed: dict[str, Any], why: str
) -> None:
    (hash_,) = [json.loads(line)["hash"] for line in _hashes(made) if FIRST in line]
    file = tmp_path / "saved.jsonl"
    file.write_text(json.dumps({"item": FIRST, "hash": hash_, "decision": "accept"} | changed) + "\n")
    done = review(made, "--decisions", file)
    assert done.code == EXIT_FAILED
    assert why in done.stderr
    assert "no decision that can be followed" in done.stderr
    assert len(rows(made / "items.jsonl")) == 4


def _hashes(made: Path) -> list[str]:
    """The lines that accepting every item writes, taken back."""
    review(made, typed="a\n" * 4)
    lines = (made / "review.jsonl").read_text().splitlines()
    (made / "review.jsonl").unlink()
    return lines


def test_a_folder_without_a_set_is_told(tmp_path: Path) -> None:
    done = review(tmp_path)
    assert done.code == EXIT_FAILED
    assert "Make them with `longtake eval build longshot`" in done.stderr


@pytest.mark.nightly
def test_the_page_keeps_saves_and_hands_over_what_is_decided(browser: Any, made: Path, tmp_path: Path) -> None:
    page_file, saved = tmp_path / "review.html", tmp_path / "review.jsonl"
    assert review(made, "--page", page_file).code == 0
    context = browser.new_context(viewport=LAPTOP, accept_downloads=True)
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(page_file.as_uri())
    assert page.locator("fieldset").count() == 4
    assert faults(page) == []
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    page.set_viewport_size(LAPTOP)
    decided = page.get_by_role("status")

    first, talk, second = (page.locator(f"fieldset[data-item={name}]") for name in (FIRST, TALK, SECOND))
    first.get_by_label("accept").check()
    talk.get_by_label("drop", exact=True).check()
    assert decided.inner_text() == "1 decided, 1 without a reason"
    talk.get_by_label("Reason").fill("unclear")
    second.get_by_label("Answer").fill("It says so.")
    second.get_by_label("description").nth(1).fill("")
    second.get_by_label("accept").check()
    assert decided.inner_text() == "3 decided"
    come_back(page, page_file.as_uri(), "3 decided")
    assert second.get_by_label("Answer").input_value() == "It says so."
    with page.expect_download() as download:
        page.get_by_role("button", name="Save review.jsonl").click()
    download.value.save_as(saved)
    context.close()
    assert complaints == []

    assert [line["decision"] for line in rows(saved)] == ["accept", "drop", "correct"]
    done = review(made, "--decisions", saved)
    assert done.code == 0, done.stderr
    assert texts(made)[SECOND][1] == "It says so."
    assert list(texts(made)) == [FIRST, SECOND, OTHER]
    assert json.loads((made / "card.json").read_text())["decisions"] == {"accept": 1, "correct": 1, "drop": 1}
