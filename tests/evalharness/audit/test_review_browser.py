"""The page of an audit's review in a real browser: decisions are kept, resume, and are taken over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.audits import write_audit, write_votes
from helpers.browser import LAPTOP, come_back, faults
from helpers.command import longtake

from longtake.evalharness.runs.run_folder import RunFolder

pytestmark = pytest.mark.slow


@pytest.fixture
def audit(tmp_path: Path) -> RunFolder:
    """Shuffled frames alone solve `b` and `c`, and all models differ on `d`: three items to review."""
    right = {**{("frame-shuffling", model): "bc" for model in "mno"}, **{("standard", model): "abc" for model in "mno"}}
    return write_audit(tmp_path / "run", "abcd", right, {"m": 0, "n": 1, "o": 3})


def test_a_review_by_keyboard_and_mouse_is_kept_resumed_and_taken_over(
    browser: Any, audit: RunFolder, tmp_path: Path
) -> None:
    page_file, saved = tmp_path / "review.html", tmp_path / "review.jsonl"
    assert longtake("eval", "audit", "review", audit.path, "--page", page_file).code == 0
    context = browser.new_context(viewport=LAPTOP, accept_downloads=True)
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(page_file.as_uri())
    assert page.locator("fieldset").count() == 3
    assert page.get_by_role("status").inner_text() == "0 decided"
    assert faults(page) == []

    # By keyboard alone: from the button to the first item's decisions, to the second of them, and to its note.
    page.get_by_role("button", name="Save review.jsonl").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    page.keyboard.type("two options are right")
    # With the mouse: the second item.
    page.locator("fieldset[data-item=c]").get_by_label("keep").click()
    assert page.get_by_role("status").inner_text() == "2 decided"
    # Left before anything was saved.
    come_back(page, page_file.as_uri(), "2 decided")
    assert page.get_by_role("status").inner_text() == "2 decided"
    first = page.locator("fieldset[data-item=b]")
    assert first.get_by_label("drop").is_checked()
    assert first.get_by_label("Note").input_value() == "two options are right"
    assert page.locator("fieldset[data-item=c]").get_by_label("keep").is_checked()
    assert page.locator("fieldset[data-item=d] input:checked").count() == 0
    with page.expect_download() as download:
        page.get_by_role("button", name="Save review.jsonl").click()
    download.value.save_as(saved)
    context.close()
    assert complaints == []

    done = longtake("eval", "audit", "review", audit.path, "--decisions", saved)
    assert done.code == 0, done.stderr
    assert done.stdout.startswith("2 decisions recorded")
    assert "1 left" in done.stdout
    lines = [json.loads(line) for line in (audit.path / "review.jsonl").read_text().splitlines()]
    assert [(line["item"], line["decision"], line["note"]) for line in lines] == [
        ("b", "drop", "two options are right"),
        ("c", "keep", ""),
    ]
    assert longtake("eval", "audit", "review", audit.path, "--page", page_file).code == 0
    assert 'data-item="d"' in page_file.read_text()
    assert 'data-item="b"' not in page_file.read_text()


def test_an_item_without_a_category_is_decided_only_with_one(browser: Any, audit: RunFolder, tmp_path: Path) -> None:
    write_votes(audit, "abcd", {"v": dict.fromkeys("abc", 2)})
    page_file = tmp_path / "review.html"
    assert longtake("eval", "audit", "review", audit.path, "--page", page_file).code == 0
    context = browser.new_context(viewport=LAPTOP)
    page = context.new_page()
    page.goto(page_file.as_uri())
    item = page.locator("fieldset[data-item=d]")
    decided = page.get_by_role("status")
    item.get_by_label("keep", exact=True).click()
    assert decided.inner_text().startswith("0 decided")
    come_back(page, page_file.as_uri(), decided.inner_text())
    assert item.get_by_label("keep", exact=True).is_checked()
    item.get_by_role("combobox").select_option(index=1)
    assert decided.inner_text() == "1 decided"
    context.close()
