"""`longtake eval check`: what models say about the questions of a set, against a server whose replies are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.eval_command import eval_
from helpers.media.clips import flat, write_clip
from helpers.servers.openai_server import Reply, openai_server, says

from longtake.evalharness.suites.video_tt import WAYS, load_video_tt

CARD = """
name: demo
file: questions.csv
videos: clips
fields: {id: id, question: question, options: [a, b], answer: right, video: clip}
format: choice
answer: letter
"""
QUESTIONS = """id,question,a,b,right,clip
blind,Is it blind?,yes,no,A,x
easy,Is it easy?,yes,no,A,x
never,Is it never?,yes,no,A,x
dense,Is it dense?,yes,no,A,x
luck,Is it luck?,yes,no,A,x
"""


def parts(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The texts and pictures of a request."""
    [message] = request["messages"]
    content: str | list[dict[str, Any]] = message["content"]
    return [{"text": content}] if isinstance(content, str) else content


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Five questions about a clip of 100 frames."""
    (tmp_path / "card.yaml").write_text(CARD)
    (tmp_path / "questions.csv").write_text(QUESTIONS)
    (tmp_path / "clips").mkdir()
    write_clip(tmp_path / "clips" / "x.mp4", [flat((0, 0, 255))] * 100)
    return tmp_path


@pytest.mark.nightly
def test_items_are_sorted_by_what_solves_them(made: Path) -> None:
    """Of 80 frames two models always know `blind` and `easy`; `dense` is known to one with all 100 frames.

    `luck` is right in one blind attempt of one model, and never else: it is solved by none with frames.
    """
    lucky: list[str] = []

    def reply(request: dict[str, Any]) -> Reply:
        sent = parts(request)
        pictures = sum("image_url" in part for part in sent)
        asked = sent[-1]["text"]
        assert request["temperature"] == 1.0
        right = "blind" in asked or ("easy" in asked and pictures == 80)
        right |= "dense" in asked and pictures == 100 and request["model"] == "two"
        if "luck" in asked and not pictures and not lucky:
            lucky.append(asked)
            right = True
        return says("A" if right else "B")

    with openai_server([reply]) as server:
        models = [("--model", f"{name}=model:{name}@{server.url}") for name in ("one", "two")]
        command = ("check", made / "card.yaml", "--out", made / "run", *models[0], *models[1])
        library = ("--library", made / "library")
        code, shown, _ = eval_(*command, settings=library)
        asked = len(server.requests)
        assert (code, asked) == (0, 5 * 2 * 3 * 3)  # items, models, conditions, attempts
        _, again, _ = eval_(*command, "--json", settings=library)
        assert len(server.requests) == asked
    assert shown.splitlines() == [
        "5 items, 2 models, 3 attempts each",
        *("1 solved by all without the video", "  blind"),
        *("2 solved by all with 80 frames in every attempt", "  blind", "  easy"),
        *("2 solved by none", "  never", "  luck"),
        *("1 solved only with more than 80 frames", "  dense"),
    ]
    assert json.loads(again) == {
        "items": 5,
        "unjudged": 0,
        "models": ["one", "two"],
        "blind": ["blind"],
        "easy": ["blind", "easy"],
        "never": ["never", "luck"],
        "frames": ["dense"],
    }


def test_models_are_asked_as_the_suite_asks_and_an_answer_without_a_verdict_is_in_no_list(made: Path) -> None:
    rows = [
        {"video_id": "x", "question_type": "Primary Open-ended", "question": "What?", "answer": "A cup"},
        {"video_id": "x", "question_type": "Multiple-choice", "question": "What?\nA. A cup\nB. A jug", "answer": "A"},
    ]
    file = made / "tt.json"
    file.write_text(json.dumps([row | {"question_prompt": "Be short."} for row in rows]))
    with openai_server([says("A")]) as server:
        command = ("check", file, "--suite", "video-tt", "--media", made / "clips", "--out", made / "run")
        _, shown, _ = eval_(*command, "--model", f"model:one@{server.url}", settings=("--library", made / "library"))
        texts = {json.dumps([part["text"] for part in parts(request) if "text" in part]) for request in server.requests}
    # Neither the number of the frames nor their times are told.
    assert texts == {'["What?\\nBe short."]', '["What?\\nA. A cup\\nB. A jug\\nBe short."]'}
    assert shown.splitlines() == [
        "2 items, 1 model, 3 attempts each",
        "1 item without all verdicts, in no list",
        *("1 solved by all without the video", "  x/multiple choice"),
        *("1 solved by all with 80 frames in every attempt", "  x/multiple choice"),
        *("0 solved by none", "0 solved only with more than 80 frames"),
    ]


@pytest.mark.parametrize(
    ("model", "reported"),
    [("random", "random isn't a model"), ("model:m@http://127.0.0.1:9/v1?frames=4", "names its own input")],
)
def test_only_models_that_take_the_frames_of_the_check_are_asked(made: Path, model: str, reported: str) -> None:
    assert reported in eval_("check", made / "card.yaml", "--out", made / "run", "--model", model)[2]


def test_questions_that_a_model_failed_are_drafted_in_five_ways(made: Path) -> None:
    """`easy` is answered rightly and stays out. The first draft repeats the right answer as an option."""
    rows = [{"video_id": name, "question_type": "Primary", "capability": "Counting"} for name in ("easy", "hard")]
    said = {"easy": "A cup", "hard": "A jug"}
    for name in said:
        write_clip(made / "clips" / f"{name}.mp4", [flat((0, 0, 255))] * 100)
    file = made / "tt.json"
    file.write_text(json.dumps([row | {"question": f"Lifted, {row['video_id']}?", "answer": "A cup"} for row in rows]))
    led = {"question": "Is it a jug?", "answer": "No, a cup."}
    draft = {"paraphrased": led, "correctly_led": led, "wrongly_led": led, "options": ["A jug", "A pan", "a cup"]}
    drafts = [says(json.dumps(draft)), says(json.dumps(draft | {"options": ["A jug", "A pan", "A tin"]}))]

    def reply(request: dict[str, Any]) -> Reply:
        return says(next(said[name] for name in said if name in json.dumps(request["messages"])))

    library = ("--library", made / "library")
    with openai_server([reply]) as server:
        command = ("check", file, "--suite", "video-tt", "--out", made / "run", "--model", f"model:one@{server.url}")
        eval_(*command, "--media", made / "clips", settings=library)
    assert eval_("judge", made / "run", "--by", "rules", settings=library)[0] == 0
    with openai_server(drafts) as server:
        model = ("controller.engine=openai", f"controller.base_url={server.url}", "controller.model=m")
        settings = (*library, *(each for setting in model for each in ("--set", setting)))
        code, shown, errors = eval_("expand", made / "run", "--out", made / "five.csv", settings=settings)
        assert (code, len(server.requests)) == (0, 2), errors
        asked = json.dumps(server.requests[0]["messages"])
    assert "A jug" in asked
    assert "easy" not in asked
    assert shown.startswith("1 question in five ways")
    items = load_video_tt(made / "five.csv", None, pytest.fail)
    assert [item.id for item in items] == [f"hard/{way}" for way in WAYS]
    assert {item.task for item in items} == {"Counting"}
    choice = items[-1].turns[0]
    assert choice.question == "Lifted, hard?"
    assert choice.options[choice.gold or 0] == "A cup"
    assert sorted(choice.options) == ["A cup", "A jug", "A pan", "A tin"]
    assert "choose another file" in eval_("expand", made / "run", "--out", made / "five.csv", settings=settings)[2]
