"""The whole profile `longshot`, with a small or tiny model in the place of each of its models."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Collection
from pathlib import Path

import pytest
import yaml
from helpers.command import longtake
from helpers.media.small_video import write_small_video
from helpers.models.smollm2 import smollm2
from helpers.models.tiny_owlv2 import write_tiny_owlv2
from helpers.models.tiny_pictures import write_tiny_siglip
from helpers.models.tiny_projector import write_tiny_projector
from helpers.models.tiny_taggers import write_tiny_ast
from helpers.models.tiny_whisper import write_tiny_whisper
from helpers.servers.vllm_program import write_vllm

from longtake.config import load
from longtake.models.serving import running, servers_of

pytestmark = pytest.mark.nightly
CARD = """
name: own
file: questions.jsonl
videos: clips
fields: {id: id, question: question, options: options, answer: right, video: clip}
"""
QUESTION = {
    "id": "q1",
    "question": "What does the blue kettle cost?",
    "options": ["249 dollars", "17 dollars"],
    "right": "A",
    "clip": "talk",
}


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """A file that lays tiny models over the profile."""
    weights = tmp_path / "weights"
    weights.mkdir()
    settings = {
        "profile": "longshot",
        # A model beside other tests, which may never end by itself.
        "controller": {"base_url": f"http://127.0.0.1:{free_port()}/v1", "timeout": 600, "reply_tokens": 200},
        "visual_question": {"base_url": f"http://127.0.0.1:{free_port()}/v1"},
        "speech": {"model": str(write_tiny_whisper(weights / "whisper")), "closer_model": None},
        "objects": {"model": str(write_tiny_owlv2(weights / "owlv2"))},
        "image_text": {"model": str(write_tiny_siglip(weights / "siglip"))},
        "sounds": {"model": str(write_tiny_ast(weights / "ast"))},
        "engines": {"speakers": []},
        "gathering": {"tokens": 200},
        "budget": {"rounds": 2},
        "tools": {"timeout": 600},  # the first call loads a model, beside other tests
    }
    file = tmp_path / "tiny.yaml"
    file.write_text(yaml.safe_dump(settings))
    return file


def test_index_ask_trace_and_evaluate(profile: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "clips").mkdir()
    clip = write_small_video(tmp_path / "clips" / "talk.mp4")
    program = write_vllm(tmp_path / "bin", smollm2(), write_tiny_projector(tmp_path))
    monkeypatch.setenv("PATH", f"{program}{os.pathsep}{os.environ['PATH']}")
    library = tmp_path / "library"

    def run(*arguments: object, codes: Collection[int] = (0,)) -> str:
        done = longtake("--config", profile, *arguments, library=library)
        assert done.code in codes, f"{done.stdout}\n{done.stderr}"
        return done.stdout

    with running(servers_of(load(str(profile))), lambda line: None):
        facts = json.loads(run("doctor", "--json"))
        engines = {row["capability"]: row["engine"] for row in facts["capabilities"]}
        assert engines["speech"] == "faster_whisper"
        assert engines["objects"] == "owlv2"
        assert engines["image_text_embedding"] == "siglip"
        assert engines["sounds"] == "ast"
        assert engines["visual_question"] == "endpoint"
        assert {row["problem"] for row in facts["servers"].values()} == {None}

        layers = {row["name"]: row for row in json.loads(run("index", clip, "--json"))["layers"]}
        assert layers["frame_vectors"]["items"] == 8
        assert "ast/" in layers["sounds"]["engine"]

        looked = run("tools", "call", "watch_segment", clip.name, "--args", '{"timestamp": "0:05", "question": "Why?"}')
        assert looked
        answer = json.loads(run("ask", clip.name, QUESTION["question"], "--json", codes=(0, 3)))
        assert answer["answer"]  # whatever so small a model says, and however sure it is
        assert answer["usage"]["input_tokens"] > 0
        assert "ends as recorded" in run("trace", "replay", answer["trace"])

        (tmp_path / "card.yaml").write_text(CARD)
        (tmp_path / "questions.jsonl").write_text(json.dumps(QUESTION) + "\n")
        out = tmp_path / "run"
        run("eval", "run", tmp_path / "card.yaml", "--suite", "own", "--out", out, "--subject", f"agent:{profile}")
        assert json.loads(run("eval", "score", out, "--json"))
