"""The page of a run needs nothing but itself and the folder beside it, and shows what happened to every item."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import time
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from helpers.data.published import TABLES
from typer.testing import CliRunner

from longtake.agent.traces.trace import Trace
from longtake.cli.eval.reports import reports
from longtake.console import Session
from longtake.evalharness.items import Variant
from longtake.evalharness.reports.grid import Grid
from longtake.evalharness.reports.openable import ITEM_BYTES, Stills
from longtake.evalharness.reports.published_rows import beside_published, published
from longtake.evalharness.reports.run_scores import SubjectScores, read_scores
from longtake.evalharness.runs.run_folder import RunCard, RunFolder
from longtake.evalharness.scoring.choice_scores import replacements
from longtake.evalharness.scoring.estimates import Estimate
from longtake.evalharness.scoring.score_table import ScoreTable
from longtake.evalharness.suites.video_tt import WAYS

Write = Callable[..., RunFolder]
Attributes = dict[str, str | None]
SHORT = ("Core", "Reas", "Info", "Mult")  # names of the categories in Table 3 of LongShOTBench
FULL = Estimate(value=100.0, low=None, high=None, error=None, n=1, videos=1)


class Page(HTMLParser):
    """The tags of a page with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, Attributes]] = []
        self.text, self.source = "", text
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_endtag(self, tag: str) -> None:
        self.text += "\n" if tag in ("th", "td") else ""

    def of(self, tag: str) -> list[Attributes]:
        return [attributes for name, attributes in self.tags if name == tag]


def report(folder: RunFolder) -> tuple[Page, str]:
    """The page of a run and its Markdown; the library lies beside the run."""
    session = Session(library=folder.path.parent / "library")
    result = CliRunner().invoke(reports, ["report", str(folder.path)], obj=session)
    assert result.exit_code == 0, result.stderr
    whole = (folder.path / "report.html").read_text() + "".join(insides(folder.path))
    return Page(whole), (folder.path / "report.md").read_text()


def told(file: Path) -> Any:
    """What a file of the items tells the page: the last argument of its call."""
    call = re.fullmatch(r"report\.\w+\((?:\d+, )?(.*)\);\n", file.read_text(), re.DOTALL)
    assert call
    return json.loads(call[1])


def insides(run: Path) -> list[str]:
    """What is inside each item."""
    rows = told(run / "report" / "items.js")
    return [told(run / "report" / f"{row['file']}.js")[row["place"]] for row in rows]


@pytest.fixture
def page(choices: Write) -> Page:
    return report(choices())[0]


def test_the_page_loads_nothing_and_runs_its_own_script_alone(page: Page) -> None:
    assert {tag for tag, _ in page.tags}.isdisjoint({"link", "iframe", "object"})
    assert page.of("script") == [{}]
    [policy] = [meta["content"] or "" for meta in page.of("meta") if meta.get("http-equiv")]
    script = re.search(r"<script>(.*?)</script>", page.source, re.DOTALL)
    assert script
    assert base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode() in policy
    addresses = [value for _, attributes in page.tags for name, value in attributes.items() if name in ("src", "href")]
    assert addresses
    assert all(address and address.startswith("data:image/jpeg;base64,") for address in addresses)
    assert "url(" not in page.source


def test_what_comes_from_a_run_is_text(page: Page) -> None:
    assert not page.of("b")
    assert "Which gate is number 3, <b>A</b> or another?" in page.text


def test_every_item_opens_to_its_question_answers_calls_and_trace(choices: Write) -> None:
    folder = choices()
    page, _ = report(folder)
    rows = told(folder.path / "report" / "items.js")
    assert [(row["id"], row["values"]) for row in rows[:2]] == [("q0", [1.0, 1.0]), ("q1", [1.0, 0.0])]
    assert [row["id"] for row in rows] == [f"q{number}" for number in range(6)]
    whole = " ".join(page.text.split())
    for reported in (
        "sharp: 100 %",
        "chose B (Gate 5), right",
        "chose C (Gate 6), wrong",
        "error: The server is down.",
        'search_speech(query="gate")',
        "traces/20260101-000000-ab.jsonl",
    ):
        assert reported in whole


def test_a_trace_of_the_library_opens_to_what_was_done(choices: Write, tmp_path: Path) -> None:
    traces = tmp_path / "library" / "traces"
    trace = Trace(traces)
    trace.event("tool", started=time.time(), data={"tool": "search_speech"}, result={"text": "Gate 4 <b>is</b> open."})
    trace.close()
    (traces / f"{trace.run}.jsonl").rename(traces / "20260101-000000-ab.jsonl")
    page, _ = report(choices())
    reported = " ".join(page.text.split())
    assert [one.get("class") for one in page.of("details")].count("trace") == 10  # of twelve replies two made no call
    assert "Trace of 1 event tool" in reported
    assert 'facts {"tool": "search_speech"}' in reported
    assert 'output {"text": "Gate 4 <b>is</b> open."}' in reported
    assert "The whole lies in traces/20260101-000000-ab.jsonl and traces/blobs of the library." in reported


def test_stills_show_the_evidence(page: Page) -> None:
    stills = page.of("img")
    assert len(stills) == 6
    assert {still["alt"] for still in stills} == {"The picture at 00:00:03"}
    jpeg = base64.b64decode((stills[0]["src"] or "").partition(",")[2])
    picture = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None
    blue, _, red = picture.mean(axis=(0, 1))
    assert blue > 200 > 50 > red


def test_a_screen_reader_hears_what_is_drawn(page: Page) -> None:
    assert all(header["scope"] in ("col", "row") for header in page.of("th"))
    drawn = [svg for svg in page.of("svg") if svg.get("class") in ("forest", "scatter", "key")]
    assert all(svg.get("aria-hidden") == "true" or svg.get("aria-label") for svg in drawn)
    assert sum(svg.get("role") == "img" for svg in drawn) == 2
    assert page.of("html") == [{"lang": "en"}]


def test_markdown_holds_the_same_tables(choices: Write) -> None:
    markdown = report(choices())[1]
    assert re.search(
        r"^\| sharp \| 66\.7 \| 16\.7 % \(1 of 6\) \| 80\.0 \(5 observations\) \|$", markdown, re.MULTILINE
    )
    assert re.search(r"^\| unseen \| 2 / 1 \| 100\.0 \| 50\.0 \|$", markdown, re.MULTILINE)
    assert re.search(r"^\| sharp \| 4 \(67 %\) \| 100\.0 \| 0 \| 0 \| none \| 1 \| 0\.0", markdown, re.MULTILINE)


def test_uncertain_items_stand_apart_from_those_answered_and_abstained_from(choices: Write) -> None:
    page, markdown = report(choices({"agent": ["right", "unsure", "unsure", "wrong", "abstains", "fails"]}))
    columns = "Wholly wrong".lower()
    assert re.search(
        rf"{columns} \| Uncertain \| Score of these \| Abstained \| Score of these \| Refused \| Failed \|", markdown
    )
    row = r"^\| agent \| 2 \(33 %\) \| 50\.0 \| 1 \| 2 \| 0\.0 \| 1 \| 0\.0 \| 0 \| 1 \|$"
    assert re.search(row, markdown, re.MULTILINE)
    assert re.search(r"^\| Uncertain replies \| 33.3 % \(2 of 6\) \|$", markdown, re.MULTILINE)
    assert page.text.count("uncertain") >= 2  # of the items that open


def test_who_is_only_uncertain_has_the_table_too(choices: Write) -> None:
    assert "Abstention: what is answered" in report(choices({"agent": ["right"] * 5 + ["unsure"]}))[1]
    assert "Abstention: what is answered" not in report(choices({"agent": ["right"] * 6}))[1]


def test_robustness_is_shown_where_there_are_variants(choices: Write) -> None:
    orders = (Variant(), Variant(name="original/gold-2", gold_at=1))
    page, markdown = report(choices({"sharp": ["right"] * 4 + ["wrong"] * 2}, variants=orders))
    assert "Robustness: each variant by itself" in page.text
    assert re.search(r"^\| original/gold-2 \| 4 / 3 \| 75\.0 ", markdown, re.MULTILINE)


def test_a_replaced_option_is_shown_as_it_was_worded(choices: Write) -> None:
    variants = replacements(Variant(), "None of the others")
    page, _ = report(choices({"sharp": ["right", "wrong"] * 3}, variants=variants))
    shown = re.findall(r"sharp, original/none-(right|wrong)[\s\S]*?chose \w \((.*?)\), (right|wrong)", page.text)
    assert {text for which, text, found in shown if (which, found) == ("right", "right")} == {"None of the others"}
    chosen = [text for which, text, found in shown if (which, found) == ("wrong", "wrong")]
    assert len(chosen) == 3
    assert all("Gate" in text or text == "None of the others" for text in chosen)
    assert all("Gate" in text for which, text, found in shown if which == "wrong" and found == "right")


def test_a_headline_that_lacks_verdicts_is_withheld_and_said(rubric: Write) -> None:
    page, markdown = report(rubric((True, False), (True, None)))
    assert "| agent | none |" in markdown
    for text in (page.text, markdown):
        assert "agent: No headline: 1 of 4 verdicts are missing (25.0 %)" in text


def test_what_is_noted_of_all_subjects_stands_once(choices: Write) -> None:
    folder = choices()
    lines = folder.predictions_file.read_text().splitlines(keepends=True)
    folder.predictions_file.write_text("".join(line for line in lines if '"q5"' not in line))
    _, markdown = report(folder)
    # Of six predictions of each of the two subjects, one isn't made.
    assert markdown.count("1 of 6 predictions are not made yet") == 1
    assert "sharp: 1 of 6" not in markdown


@pytest.mark.parametrize(("met", "reported"), [(True, "met"), (False, "not met"), (None, "no verdict")])
def test_verdicts_stand_beside_their_criteria(rubric: Write, met: bool | None, reported: str) -> None:
    page, _ = report(rubric((met, met)))
    assert re.findall(r"Says the fact\.\s*5\s*(.*?)\s*It is said\. \[rules\]", page.text) == [reported, reported]


def test_stills_stop_where_the_page_has_no_room(choices: Write) -> None:
    items = list(read_scores(choices(), "repo", pytest.fail).items)
    stills = Stills(pytest.fail, most_bytes=ITEM_BYTES + 1)
    assert len(stills.of(items[0], [])) == 1
    assert stills.full
    assert stills.of(items[1], []) == []


def test_a_video_that_cannot_be_read_is_reported_once_and_a_missing_one_is_not(choices: Write, tmp_path: Path) -> None:
    item = next(iter(read_scores(choices(), "repo", pytest.fail).items))
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(b"nothing")
    reported: list[str] = []
    stills = Stills(reported.append)
    for media in (broken, broken, tmp_path / "missing.mp4"):
        assert stills.of(item.model_copy(update={"media": str(media)}), []) == []
    assert len(reported) == 1
    assert "broken.mp4" in reported[0]


def test_a_report_that_cannot_be_written_is_one_sentence(choices: Write) -> None:
    folder = choices()
    (folder.path / "report.html").mkdir()
    result = CliRunner().invoke(reports, ["report", str(folder.path)], obj=Session())
    assert "report.html cannot be written" in str(result.exception)
    assert not (folder.path / "report.html.part").exists()
    (folder.path / "report.part").write_text("")
    result = CliRunner().invoke(reports, ["report", str(folder.path)], obj=Session())
    assert "report cannot be written" in str(result.exception)


def test_a_page_of_many_items_stays_small_and_an_earlier_folder_is_replaced(choices: Write, rubric: Write) -> None:
    folder = rubric(*[(True, False)] * 60)
    report(folder)
    assert len(list((folder.path / "report").iterdir())) == 6
    assert (folder.path / "report.html").stat().st_size < 100_000
    few = choices()
    (folder.path / "items.jsonl").write_bytes((few.path / "items.jsonl").read_bytes())
    for name in ("run.json", "predictions.jsonl", "judgements.jsonl"):
        (folder.path / name).write_bytes((few.path / name).read_bytes())
    report(folder)
    assert {file.name for file in (folder.path / "report").iterdir()} == {"items.js", "1.js"}


@pytest.mark.parametrize(
    ("said", "reported"),
    [
        ({"a": ["right"] * 6, "b": ["wrong"] * 6}, "a leads with 100.0, 100.0 points ahead of b (0.0)."),
        ({"a": ["right"] * 6, "b": ["right"] * 6}, "a and b lead, level at 100.0."),
        ({"a": ["right"] * 3 + ["wrong"] * 3}, "a scores 50.0 of 100 on 6 observations in 3 videos."),
    ],
)
def test_the_conclusion_comes_first(choices: Write, said: dict[str, list[str]], reported: str) -> None:
    page, markdown = report(choices(said))
    assert reported in page.text.partition("Headline")[0]
    assert reported in markdown.partition("## Headline")[0]


def test_the_conclusion_says_whether_a_lead_is_beyond_chance(rubric: Write) -> None:
    """The run of ten videos has one subject; a second of it is put beside it."""
    folder = rubric(*[(True, True)] * 10)
    predictions, judgements = folder.predictions_file.read_text(), folder.judgements_file.read_text()
    card = json.loads((folder.path / "run.json").read_text())
    (folder.path / "run.json").write_text(json.dumps(card | {"subjects": ["agent", "other"]}))
    folder.predictions_file.write_text(predictions + predictions.replace('"agent"', '"other"'))
    for wrong, verdict in (
        (10, "which is beyond chance (p = 0.002"),
        (2, "which is not beyond chance (p = 0.5 over 10"),
    ):
        lines = judgements.splitlines(keepends=True)
        lost = "".join(lines[: 2 * wrong]).replace('"met":true', '"met":false') + "".join(lines[2 * wrong :])
        folder.judgements_file.write_text(judgements + lost.replace('"agent"', '"other"'))
        assert verdict in report(folder)[0].text


def test_published_figures_stand_beside_those_of_their_suite(choices: Write, rubric: Write) -> None:
    page, markdown = report(rubric((True, False)))
    assert "Beside published figures" in page.text
    beside = markdown[markdown.index("## Beside published figures") :]
    place = [beside.index(text) for text in ("| Gemini 2.5 Flash | 52.95 |", "| agent | 50.0 | ", "44.66")]
    assert place == sorted(place)
    tasks = beside[beside.index("## Beside published figures: Tasks") :].splitlines()
    assert tasks[2].split(" | ").index("Summarization") == 11
    assert [line.split(" | ")[11] for line in tasks[4:7]] == ["58.86", "50.0", "60.17"]  # its row of the run and two
    assert "Beside published figures" not in report(choices())[1]


def test_published_figures_are_those_of_the_tables() -> None:
    ways = ("avg", "rb", "primary", "paraphrased", "correctly_led", "wrongly_led", "mcq")
    tables: dict[str, tuple[str, tuple[str, ...]]] = {
        "moment-video": ("moment_t2", ("overall", "TO", "TC", "AD", "TR")),
        "video-tt": ("video_tt_t1", ways),
    }
    for suite, (name, columns) in tables.items():
        printed = [tuple(float(row[column]) for column in columns) for row in TABLES[name].values()]
        held = [figures for figures in published()[suite].rows.values() if len(figures) == len(columns)]
        assert sorted(held) == sorted(printed)
    assert [len(published()[suite].rows) for suite in tables] == [34, 13]  # 33 models and people, 12 models and people
    names = ("Overall", *(f"{category} average" for category in SHORT))
    of_models = [TABLES["longshot_t3"][name] for name in names]
    printed = [tuple(float(row[model]) for row in of_models) for model in list(of_models[0])[2:]]
    assert sorted(figures[:5] for figures in published()["longshot"].rows.values()) == sorted(printed)
    tasks = [row for row in TABLES["longshot_t3"].values() if row["name"] not in names and row["category"] in SHORT]
    printed = [tuple(float(row[model]) for row in tasks) for model in list(tasks[0])[2:]]
    assert sorted(published()["longshot"].parts["Tasks"].rows.values()) == sorted(printed)
    domains = ("AIGC", "GUI", "Nature", "Industry", "Games", "Human", "Animal")
    printed = [tuple(float(row[domain]) for domain in domains) for row in TABLES["moment_t2"].values()]
    assert sorted(published()["moment-video"].parts["Domains"].rows.values()) == sorted(printed)
    for rate, source in ((5, "moment_t3"), (8, "moment_t10"), (16, "moment_t3")):
        [part] = (part for name, part in published()["moment-video"].parts.items() if f"at {rate} frames" in name)
        rows = {name.split()[0]: row for name, row in TABLES[source].items() if name.endswith(f" {rate}fps")}
        columns = ("overall", "TO", "TC", "AD", "TR")
        assert part.rows == {name: tuple(float(row[column]) for column in columns) for name, row in rows.items()}
    tables = {
        "Table 2, false claims rejected": (
            "reveal_t2",
            ("overall", "reordering", "substitution", "reversal", "attribute"),
        ),
        "Table 3, anomalies noticed": ("reveal_t3", ("overall", "spatial", "temporal")),
        # Its tilts are named after the content, and ours after the camera.
        "Table 7, camera motion": (
            "reveal_t7_camera",
            ("avg", "zoom_in", "zoom_out", "pan_left", "pan_right", "tilt_up", "tilt_down"),
        ),
        "Table 7, lane changes": ("reveal_t7_lane", ("accuracy", "f1")),
        "Table 12, mosaic": ("reveal_t12", ("score",)),
    }
    for part, (name, columns) in tables.items():
        printed = [tuple(float(row[column]) for column in columns) for row in TABLES[name].values()]
        assert sorted(published()["stress"].parts[part].rows.values()) == sorted(printed)
    printed = [tuple(float(row[each]) for each in ("raw", "occluded", "tbsr")) for row in TABLES["reveal_t6"].values()]
    held = [part.rows.values() for name, part in published()["stress"].parts.items() if name.startswith("Table 6")]
    assert sorted(figures for rows in held for figures in rows) == sorted(printed)


def all_right(suite: str, groups: dict[str, dict[str, Estimate]]) -> tuple[Grid, ...]:
    """What is published beside a subject of a run whose figures are all 100."""
    table = ScoreTable(
        suite=suite, subject="s", reading="repo", headline=FULL, overall=FULL, excluded=FULL, groups=groups, rates={}
    )
    card = RunCard(suite=suite, source="x", subjects=("s",), version="1")
    empty: dict[str, Any] = {key: {} for key in ("items", "videos", "predictions", "judgements", "values")}
    return beside_published(
        card, [SubjectScores(name="s", card=card, table=table, unasked=(), prediction_values={}, **empty)]
    )


def test_robustness_stands_beside_its_published_figure() -> None:
    """One video with five right answers: the mean of five and RB are 100, in the second and third column."""
    [grid] = all_right("video-tt", {"way": dict.fromkeys(WAYS, FULL), "robustness": {"RB": FULL}})
    assert grid.columns[:3] == ("Name", "Score", "RB")
    assert [row[:3] for row in grid.rows[:2]] == [("s", FULL, FULL), ("People", "83.2", "64.4")]


def test_a_frame_rate_stands_beside_its_published_figures() -> None:
    asked_at = {"frame rate": {"1 fps, at most 110 frames": FULL, "8 fps, at most 64 frames": FULL}}
    *_, grid = all_right("moment-video", asked_at | {"task and frame rate": {"TO, 1 fps": FULL, "TO, 8 fps": FULL}})
    assert grid.columns[:4] == ("Name", "Score", "All", "TO")
    assert grid.rows[0][:4] == ("s", FULL, FULL, FULL)
    assert ("Gemini-3.1-Pro", "26.9", "36.3", "40", "27.75") in [row[:5] for row in grid.rows]
    assert not any("frames a second" in grid.title for grid in all_right("moment-video", {"task": {"TO": FULL}}))


def test_many_rows_are_a_heat_map_of_the_tenths() -> None:
    grid = Grid("By subclass", ("Subclass", "n", "s"), (("x", "1 / 1", FULL),), subjects_from=2, heat=True)
    assert [grid.shade(cell) for cell in (FULL, FULL.model_copy(update={"value": 44.0}), "none")] == [10, 4, None]
    assert replace(grid, heat=False).shade(FULL) is None


def test_a_table_of_many_rows_is_coloured(choices: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longtake.evalharness.reports.content._MOST_DRAWN", 1)
    page, _ = report(choices())
    shades = [cell["class"] for cell in page.of("td") if "heat" in (cell.get("class") or "")]
    assert "short heat h7" in shades  # 2 of 3 right
