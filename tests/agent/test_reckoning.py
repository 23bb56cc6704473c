"""A real video of slides, asked through the whole graph: programs, prices, sums, notes, signs and the web."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from helpers.clips import Picture, write_clip
from helpers.searxng_server import finds, searxng_server
from PIL import Image, ImageDraw, ImageFont

from longtake.agent.ask import Asker
from longtake.agent.state import Turn
from longtake.config import load
from longtake.memory.records import Answer
from longtake.preprocess.engines.apertium import Apertium
from longtake.preprocess.workspace import Workspace

pytestmark = pytest.mark.slow
ABSENT = shutil.which("apertium") is None or Apertium(load()).missing("es", "en") is not None
SECONDS, RATE = 4, 5
SLIDES = (
    ("", ("product = 1", "for n in range(1, 5):", "    product = product * n", "print(product)")),
    ("Price list", ("Bucket    $12", "Shovel    $30", "Lantern    $25")),
    ("Homework", ("14 * 6 + 9 = ?",)),
    ("Atencion", ("El gato negro duerme en la casa",)),
    ("The old coin", ("Metal: silver", "Found in May")),
)
SUBTITLES = """WEBVTT

00:00:05.000 --> 00:00:07.000
By now we have bought seven of the buckets.

00:00:17.000 --> 00:00:19.000
La puerta de la casa es roja.
"""


def slide(title: str, lines: tuple[str, ...]) -> Picture:
    """Black on white; what stands behind four spaces inside a line is a column at the right."""
    picture = Image.new("RGB", (960, 540), "white")
    draw, font = ImageDraw.Draw(picture), ImageFont.load_default(44)
    draw.text((60, 40), title, "black", font)
    for row, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        for column, cell in enumerate(line.strip().split("    ")):
            draw.text((60 + 24 * indent + 560 * column, 140 + 90 * row), cell, "black", font)
    return np.asarray(picture, np.uint8)[:, :, ::-1].copy()


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    folder = tmp_path_factory.mktemp("slides")
    pictures = [picture for title, lines in SLIDES for picture in [slide(title, lines)] * (SECONDS * RATE)]
    write_clip(folder / "slides.mp4", pictures, times=lambda number: number / RATE)
    (folder / "slides.en.vtt").write_text(SUBTITLES, encoding="utf-8")
    workspace = Workspace(folder / "library", load())
    workspace.add(folder / "slides.mp4")
    return workspace


@pytest.fixture(scope="module")
def asker(workspace: Workspace) -> Asker:
    return Asker(workspace)


def answered(asker: Asker, question: str, *earlier: Turn) -> Answer:
    answer = asker.ask(["slides.mp4"], question, earlier=earlier)
    assert answer.status == "answered", answer.answer
    return answer


@pytest.mark.parametrize(
    ("question", "held", "start"),
    [
        ("What does the program in the video print?", "It prints “24”.", 0),
        ("What would the code print with 4 in place of 5?", "It would print “6”.", 0),
        ("If every price fell by 2 dollars, what would all three come to in total?", "Together that would be 61.", 4),
        ("How much was spent on buckets?", "7 * 12 = 84", 5),
        ("By how much is the dearest article more expensive than the cheapest?", "30 - 12 = 18", 4),
        ("Which calculation is written on the slide?", "“14 * 6 + 9 = ?”", 8),
        ("What does the calculation come to?", "= 93", 8),
    ],
)
def test_what_is_worked_out_of_a_slide_is_told_with_its_moment(
    asker: Asker, question: str, held: str, start: int
) -> None:
    answer = answered(asker, question)
    assert held.replace(" ", "") in answer.answer.replace(" ", "")
    assert min(abs(citation.start - start) for citation in answer.citations) < 0.6


def test_a_result_is_kept_and_told_again_with_its_proof(asker: Asker) -> None:
    turns: list[Turn] = []
    for question in (
        "What does the calculation come to?",
        "Please keep that result in mind.",
        "Which number did I ask you to keep?",
    ):
        answer = answered(asker, question, *turns)
        assert "= 93" in answer.answer
        assert [round(citation.start) for citation in answer.citations] == [8]
        turns.append(Turn(question=question, answer=answer.answer))
    assert "Kept: " in turns[1].answer


def test_a_kept_result_is_a_note_of_its_thread(asker: Asker) -> None:
    for question in ("What does the calculation come to?", "Remember this result, please."):
        asker.ask(["slides.mp4"], question, thread="homework")
    kept = asker.ask(["slides.mp4"], "What are my notes?", thread="homework")
    assert "= 93”" in kept.answer


@pytest.mark.parametrize("question", ["Remember that number.", "Which number did you keep?"])
def test_without_an_answer_before_nothing_is_kept(asker: Asker, question: str) -> None:
    assert asker.ask(["slides.mp4"], question).status == "abstained"
    unanswered = Turn(question="Who painted the moon?", answer="Nothing tells it.")
    assert asker.ask(["slides.mp4"], question, earlier=[unanswered]).status == "abstained"


@pytest.mark.skipif(ABSENT, reason="needs the system packages apertium and apertium-eng-spa")
@pytest.mark.parametrize(
    ("question", "original", "words", "start"),
    [
        ("What does the Spanish sign mean in English?", "“El gato negro duerme", {"black cat", "house"}, 12),
        (
            "Translate the sentence that is spoken in Spanish into English.",
            "“La puerta de la casa",
            {"door", "red"},
            17,
        ),
    ],
)
def test_only_what_is_in_the_other_language_is_translated(
    asker: Asker, question: str, original: str, words: set[str], start: int
) -> None:
    answer = answered(asker, question)
    assert original in answer.answer
    assert "translated by apertium" in answer.answer
    assert all(word in answer.answer for word in words)
    assert "bought" not in answer.answer
    assert round(answer.citations[-1].start) == start


def test_what_the_slide_names_is_told_where_the_web_is_silent_and_looked_up_where_it_answers(
    workspace: Workspace,
) -> None:
    question = "What is the density of the metal of the old coin? Look it up on the web."
    page = {"title": "Silver", "content": "The density of silver is 10.5.", "url": "https://silver.example/"}
    with searxng_server(finds(page)) as server:
        online = Workspace(workspace.library.root, load(overrides=[f"web.searxng_url={server.url}"]))
        answer = answered(Asker(online), question)
    assert [query["q"] for query in server.queries] == [["density silver"]]
    assert answer.answer == (
        "“Metal: silver” [00:00:16] On the web, not in the video: “The density of silver is 10.5.”"
        " (https://silver.example/)."
    )
    assert [claim.text for claim in answer.claims] == ["“Metal: silver”"]
    offline = Workspace(workspace.library.root, load(overrides=["offline=true"]))
    assert answered(Asker(offline), question).answer == "“Metal: silver” [00:00:16] Not found: “density”."
