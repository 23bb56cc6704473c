"""`longtake eval form`: what people answer on a page is a subject of a run, and they have a range."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from helpers.browser import LAPTOP, come_back, faults
from helpers.command import longtake
from helpers.media.clips import flat, write_clip

CARD = """
name: demo
file: questions.csv
videos: clips
fields: {id: id, question: question, options: [a, b], answer: right, video: clip}
format: mixed
answer: letter
"""
QUESTIONS = """id,question,a,b,right,clip
q1,Is it red?,yes & more,no,A,one
q2,Is it blue?,yes,no,B,one
q3,What is it?,,,A gate,two
"""


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Three questions about two clips."""
    (tmp_path / "card.yaml").write_text(CARD)
    (tmp_path / "questions.csv").write_text(QUESTIONS)
    (tmp_path / "clips").mkdir()
    for name in ("one", "two"):
        write_clip(tmp_path / "clips" / f"{name}.mp4", [flat((0, 0, 255))] * 50)
    return tmp_path


def asked(made: Path, *more: object) -> list[str]:
    """The ids on a page, in its order."""
    done = longtake("eval", "form", made / "card.yaml", "--out", made / "forms" / "ann.html", *more)
    assert done.code == 0, done.stderr
    page = (made / "forms" / "ann.html").read_text()
    assert "A gate" not in page
    assert page.count('src="../clips/') == page.count("<fieldset")
    return re.findall(r'data-item="(q\d)"', page)


def test_a_page_has_all_questions_or_some_about_different_videos(made: Path) -> None:
    assert sorted(asked(made)) == ["q1", "q2", "q3"]
    drawn = [asked(made, "--n", 2, "--seed", seed) for seed in range(6)]
    assert all("q3" in ids for ids in drawn)  # the other two are about one video
    assert len({frozenset(ids) for ids in drawn}) == 2
    assert asked(made, "--n", 2, "--seed", 4) == drawn[4]
    (made / "clips" / "two.mp4").unlink()
    done = longtake("eval", "form", made / "card.yaml", "--out", made / "forms" / "ann.html")
    assert done.code == 3
    assert "2 questions" in done.stdout


def test_what_people_answered_is_read_back_with_their_range(made: Path) -> None:
    """Ann is right in both choices, bo in one of two: 100 and 50."""
    said = {"ann": {"q1": "A", "q2": "B"}, "bo": {"q1": "A", "q2": "A"}}
    for name, replies in said.items():
        lines = [json.dumps({"id": item, "reply": reply}) + "\n" for item, reply in replies.items()]
        (made / f"{name}.jsonl").write_text("".join(lines))
    people = [each for name in said for each in ("--subject", f"{name}=replies:{made / name}.jsonl")]
    longtake("eval", "run", made / "card.yaml", "--suite", "own", "--out", made / "run", *people)
    assert longtake("eval", "report", made / "run").code == 0
    report = (made / "run" / "report.md").read_text()
    assert "| Lowest and highest |  | 50.0 to 100.0 |" in report
    assert "| All answers | 4 | 75.0 |" in report


@pytest.mark.slow
def test_a_person_answers_in_a_browser_leaves_comes_back_and_saves(browser: Any, made: Path) -> None:
    asked(made)
    page_file = made / "forms" / "ann.html"
    context = browser.new_context(viewport=LAPTOP, accept_downloads=True)
    page = context.new_page()
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(page_file.as_uri())
    assert faults(page) == []
    page.locator("fieldset[data-item=q1]").get_by_label("A. yes & more").check()
    page.locator("fieldset[data-item=q3]").get_by_label("Answer").fill('A "gate"')
    come_back(page, page_file.as_uri(), "2 of 3 answered")
    assert page.locator("fieldset[data-item=q1] input:checked").get_attribute("value") == "A"
    with page.expect_download() as download:
        page.get_by_role("button", name="Save ann.jsonl").click()
    saved = [json.loads(line) for line in download.value.path().read_text().splitlines()]
    context.close()
    assert complaints == []
    assert sorted(saved, key=lambda line: line["id"]) == [
        {"id": "q1", "reply": "A"},
        {"id": "q3", "reply": 'A "gate"'},
    ]
