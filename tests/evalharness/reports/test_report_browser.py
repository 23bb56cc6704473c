"""The report in a real browser, opened from the disk: what comes first, what is found and sorted, and what opens."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.browser import faults, opened
from typer.testing import CliRunner

from longtake.cli.eval.reports import reports
from longtake.console import Session
from longtake.evalharness.runs.run_folder import RunFolder

pytestmark = pytest.mark.slow
NARROW = {"width": 1280, "height": 900}
LONG = "model:Qwen/Qwen3-VL-30B-A3B-Instruct@http://127.0.0.1:8000/v1?frames=64&transcript=1"


@pytest.fixture
def page_file(choices: Callable[..., RunFolder]) -> Path:
    """Two subjects, one with a long name; the first item's question tries to run something."""
    folder = choices({"sharp": ["right"] * 4 + ["abstains", "fails"], LONG: ["right"] + ["wrong"] * 5})
    items = [json.loads(line) for line in folder.items_file.read_text().splitlines()]
    items[0]["turns"][0]["question"] = "<img src=x onerror=\"document.title='run'\"></script>Which gate?"
    folder.items_file.write_text("".join(json.dumps(item) + "\n" for item in items))
    session = Session(library=folder.path.parent / "library")
    assert CliRunner().invoke(reports, ["report", str(folder.path)], obj=session).exit_code == 0
    return folder.path / "report.html"


def listed(page: Any) -> list[str]:
    return [item.get_attribute("id") for item in page.locator("details.item").all()]


@pytest.mark.nightly
def test_the_conclusion_and_the_headline_are_on_the_first_screen_and_nothing_is_off_it(
    browser: Any, page_file: Path
) -> None:
    with opened(browser, page_file.as_uri(), viewport=NARROW) as page:
        page.locator("details.item").first.wait_for()
        assert "sharp leads with 66.7" in page.locator(".conclusion").first.inner_text()
        for part in (page.locator(".conclusion").first, page.locator("main table").first):
            box = part.bounding_box()
            assert box["y"] + box["height"] <= NARROW["height"]
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
        wide = "[...document.querySelectorAll('.wide')].filter(one => one.scrollWidth > one.clientWidth).length"
        assert page.evaluate(wide) == 0
        assert faults(page) == []


def test_items_are_found_sorted_and_opened_from_the_folder_beside_the_page(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file.as_uri(), viewport=NARROW) as page:
        page.locator("details.item").first.wait_for()
        assert listed(page) == [f"item-q{number}" for number in range(6)]
        page.get_by_label("Show").select_option(label="items on which scores differ")
        assert listed(page) == ["item-q1", "item-q2", "item-q3"]
        page.get_by_label("Show").select_option("all")
        page.get_by_label("Sort by").select_option(label="score of sharp")
        assert listed(page)[:2] == ["item-q4", "item-q5"]
        page.get_by_label("Words", exact=True).fill("number 3")
        assert listed(page) == ["item-q3"]
        page.locator("details.item summary").first.click()
        page.get_by_text("chose A (Gate 4), right").wait_for()
        assert page.evaluate("document.querySelector('#item-q3 img').naturalWidth") > 0


def test_what_a_question_says_is_not_run(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file.as_uri()) as page:
        page.locator("#item-q0 summary").click()
        page.locator("#item-q0 blockquote").first.wait_for()
        assert "onerror" in page.locator("#item-q0 blockquote").first.inner_text()
        assert page.title() != "run"


def test_a_table_is_sorted_by_a_column(browser: Any, page_file: Path) -> None:
    with opened(browser, page_file.as_uri()) as page:
        table = page.locator("table.grid").first
        first = table.locator("tbody th").first
        assert first.inner_text() == "sharp"
        for _ in range(2):
            table.get_by_role("button", name="Score", exact=True).click()
        assert first.inner_text() == LONG
        assert table.locator("thead th[aria-sort=ascending]").inner_text().startswith("Score")


def test_a_page_without_its_folder_says_so(browser: Any, page_file: Path) -> None:
    shutil.rmtree(page_file.parent / "report")
    with opened(browser, page_file.as_uri()) as page:
        page.get_by_text("The folder report is missing beside this page.").wait_for()
