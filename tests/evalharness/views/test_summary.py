"""Summary: eight parts of a drawn video, sixteen frames of each to the captioner, and its captions to the models."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from helpers.command import longtake
from helpers.media.clips import flat, write_clip
from helpers.servers.openai_server import Endpoint, Reply, openai_server, refuses, says

from longtake.config import load
from longtake.errors import EngineError
from longtake.evalharness.items import Item, Turn
from longtake.evalharness.views.part_captions import PartCaptions
from longtake.preprocess.pipeline.workspace import Workspace

PARTS, FRAMES = 8, 16
TURN = Turn(question="What is it?", options=("a cup", "a pen"), gold=0)


def pictures(request: dict[str, Any]) -> int:
    content = request["messages"][-1]["content"]
    return 0 if isinstance(content, str) else sum(part["type"] == "image_url" for part in content)


def described(request: dict[str, Any]) -> Reply:
    """A captioner that names the number of its pictures and the time of the first, and a reader that says A."""
    if request["model"] != "seer":
        return says("A")
    first = next(part["text"] for part in request["messages"][-1]["content"] if "Picture at" in str(part.get("text")))
    return says(f"A red wall, {pictures(request)} times, {first.removeprefix('Picture at ').rstrip(':')}.")


@pytest.fixture
def server() -> Iterator[Endpoint]:
    with openai_server([described]) as endpoint:
        yield endpoint


@pytest.fixture
def card(tmp_path: Path) -> Path:
    """Two questions about one video of 32 seconds and one shot: 160 frames, a part has 4 seconds and 20 of them."""
    write_clip(tmp_path / "wall.mp4", [flat((20, 20, 180), 64, 64)] * 160, times=lambda number: number / 5)
    rows = [{"q": f"What is it, {n}?", "o": ["a cup", "a pen"], "a": "A", "v": "wall.mp4"} for n in (1, 2)]
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    fields = {"question": "q", "options": "o", "answer": "a", "video": "v"}
    tree = {"name": "wall", "file": "questions.jsonl", "videos": ".", "fields": fields}
    (tmp_path / "card.yaml").write_text(yaml.safe_dump(tree), encoding="utf-8")
    return tmp_path / "card.yaml"


def audit(card: Path, server: Endpoint, *more: object) -> tuple[str, Counter[str]]:
    """What an audit with two models prints, and the requests that it sent, by model."""
    server.requests.clear()
    models = [word for name in "mn" for word in ("--model", f"text:model:{name}@{server.url}")]
    settings = ("--set", f"captions.base_url={server.url}", "--set", "captions.model=seer")
    tests = ("--test", "summary", "--out", card.parent / "run")
    done = longtake(*settings, "eval", "audit", card, *models, *tests, *more, library=card.parent / "library")
    assert done.code == 0, done.stderr
    return done.stdout, Counter(request["model"] for request in server.requests)


def test_eight_captions_of_sixteen_frames_are_made_once_for_all_models_and_questions(
    card: Path, server: Endpoint
) -> None:
    # Two models and two questions: four replies without pictures, eight captions of sixteen pictures.
    told, sent = audit(card, server, "--dry-run")
    assert (sent, "captions for the summaries: 8 calls with about 128 pictures" in told) == (Counter(), True)
    assert "about 0 pictures in the requests to models" in told
    told, sent = audit(card, server)
    assert sent == {"seer": PARTS, "m": 2, "n": 2}
    captioned = [request for request in server.requests if request["model"] == "seer"]
    assert [pictures(request) for request in captioned] == [FRAMES] * PARTS
    asked = [request["messages"][0]["content"] for request in server.requests if request["model"] == "m"]
    # Of 160 frames number k * 159 / 127 is taken, and part n begins with k = 16 (n - 1): 0, 20, 40 and so on to 140.
    starts = [asked[0].index(f"{FRAMES} times, 00:00:{4 * part:02}.0") for part in range(PARTS)]
    assert starts == sorted(starts)
    assert "Context (Summary):" in asked[0]
    assert "transcript" not in asked[0]
    again, sent = audit(card, server, "--dry-run")
    assert (sent, "captions" in again) == (Counter(), False)


def test_what_only_reads_gets_the_captions_too(card: Path, server: Endpoint) -> None:
    rows = [{"q": "What is it?", "o": ["a blue door", "a red wall"], "a": "B", "v": "wall.mp4"}]
    (card.parent / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    audit(card, server, "--model", "text:lexical")
    scores = json.loads(longtake("eval", "audit", "score", card.parent / "run", "--json").stdout)
    assert scores["accuracy"]["summary"]["lexical"] == {"value": 1.0, "items": 1}


@pytest.mark.slow
def test_what_has_nothing_to_show_is_no_wrong_answer(card: Path) -> None:
    """Nobody speaks in the video, and no model is set that describes pictures."""
    tests = ("--test", "audio", "--test", "summary", "--out", card.parent / "run")
    done = longtake("eval", "audit", card, "--model", "text:lexical", *tests, library=card.parent / "library")
    assert (done.code, "longtake setup" in done.stderr) == (3, True)
    shown = longtake("eval", "audit", "score", card.parent / "run").stdout
    for test in ("audio", "summary"):
        assert f"  {test:<16} 0 flagged, 0 by it alone; right: -\n" in shown
        assert f"  {test}: nothing to show of 2 items\n" in shown
    assert "shortcuts at consensus 1: 0 (0.0%); guessing alone gives 0.0%" in shown
    (card.parent / "wall.en.vtt").write_text("WEBVTT\n\n00:00:01.000 --> 00:00:03.000\nThis is a cup of tea.\n")
    again = ("eval", "audit", card, "--model", "text:lexical", *tests, "--retry-errors")
    longtake(*again, library=card.parent / "library")
    scores = json.loads(longtake("eval", "audit", "score", card.parent / "run", "--json").stdout)
    assert scores["accuracy"]["audio"]["lexical"] == {"value": 1.0, "items": 2}
    assert scores["unable"] == {"summary": 2}


def test_the_cost_of_an_audit_counts_pictures_and_indexing(card: Path) -> None:
    tests = ("--test", "audio", "--test", "center-frame", "--out", card.parent / "run")
    told = longtake(
        *("eval", "audit", card, "--model", "model:m@http://127.0.0.1:9/v1", *tests, "--dry-run"),
        library=card.parent / "library",
    ).stdout
    # Two questions: 32 seconds at one frame a second, one frame in the middle, none with the transcript, and eight
    # parts of sixteen frames: 2 * (32 + 1 + 0 + 128) pictures in 2 * (3 + 8) requests.
    assert "about 322 pictures in the requests to models" in told
    assert "22 predictions, 22 turns; about 22 calls" in told
    assert "videos must be indexed first" in told
    assert not (card.parent / "run" / "run.json").exists()


def test_the_cost_of_an_audit_counts_only_the_parts_that_are_shown(card: Path) -> None:
    row = {"q": "What is it?", "o": ["a cup", "a pen"], "a": "A", "v": "wall.mp4"}
    rows = [{**row, "e": [[2, 5], [4, 8], [30, 32]], "c": [0, 32]}, {**row, "e": [0, 30], "c": [1, 13]}]
    (card.parent / "questions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    tree = yaml.safe_load(card.read_text())
    tree["fields"] |= {"evidence": "e", "clip": "c"}
    card.write_text(yaml.safe_dump(tree), encoding="utf-8")
    model = ("--model", "consistency:model:m@http://127.0.0.1:9/v1")
    tests = ("--test", "blind", "--no-parts", "--out", card.parent / "run", "--dry-run")
    done = longtake("eval", "audit", card, *model, *tests)
    # At one frame a second: clips of 32 and 12 seconds, of which 2 to 8 and 30 to 32 s and all 12 show the answer.
    assert "about 64 pictures in the requests to models" in done.stdout, done.stderr


def test_captions_survive_a_failure_and_another_model_makes_its_own(card: Path, tmp_path: Path) -> None:
    with openai_server([described, described, described, refuses(400, "no more")]) as broken:
        settings = ("captions.model=seer", "captions.at_once=1")
        workspace = Workspace(tmp_path / "library", load(overrides=(f"captions.base_url={broken.url}", *settings)))
        video = card.parent / "wall.mp4"
        item = Item(suite="own", id="i", video="v", media=str(video), format="choice", turns=(TURN,))
        with pytest.raises(EngineError, match="no more"):
            PartCaptions(workspace).of(item)
        assert PartCaptions(workspace).missing([item, item]) == PARTS - 3
    with openai_server([described]) as endpoint:
        for model, calls in (("seer", PARTS - 3), ("seer", 0), ("other", PARTS)):
            settings = (f"captions.base_url={endpoint.url}", f"captions.model={model}", "captions.at_once=1")
            endpoint.requests.clear()
            assert len(PartCaptions(Workspace(tmp_path / "library", load(overrides=settings))).of(item)) == PARTS
            assert len(endpoint.requests) == calls
