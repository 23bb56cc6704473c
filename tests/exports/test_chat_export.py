"""Chats as Markdown and as one HTML file."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.doubted import doubted
from helpers.media.small_video import write_small_video

from longtake.agent.graph.agent import Agent
from longtake.config import load
from longtake.exports import chat_export
from longtake.exports.chat_export import chat_html, chat_markdown
from longtake.memory.conversations import Conversation, Exchange
from longtake.preprocess.media.media import probe
from longtake.preprocess.pipeline.workspace import Workspace

COST = "What does the blue kettle cost?"
CLIP = re.compile(r'<video[^>]* src="data:video/mp4;base64,([^"]+)" poster="data:image/jpeg;base64,')


@pytest.fixture
def exchange(small_workspace: Workspace) -> Exchange:
    return Exchange(number=0, asked=0.0, answer=Agent(small_workspace).ask(["talk.mp4"], COST))


def _chat(exchange: Exchange, title: str = COST) -> Conversation:
    videos = tuple(cited.video for cited in exchange.answer.citations)
    return Conversation(thread="t", title=title, videos=videos, questions=1, changed=0.0)


def test_markdown_has_the_questions_the_answers_and_the_places(exchange: Exchange, small_workspace: Workspace) -> None:
    text = chat_markdown(_chat(exchange), [exchange], small_workspace.library)
    assert text.startswith(f"# {COST}\n\n## {COST}\n\n")
    assert "- talk.mp4, 00:00:04-00:00:06 speech: “The blue kettle costs 249 dollars.”" in text
    assert text.count("\n## ") == 1


def test_the_page_holds_its_clips_and_loads_nothing(
    exchange: Exchange, small_workspace: Workspace, tmp_path: Path
) -> None:
    page = chat_html(_chat(exchange, "<b>Prices</b>"), [exchange], small_workspace.library)
    (clip,) = CLIP.findall(page)
    (tmp_path / "clip.mp4").write_bytes(b64decode(clip))
    assert probe(tmp_path / "clip.mp4").duration == pytest.approx(4.0, abs=0.3)  # a second on either side
    assert "<b>" not in page
    assert "http" not in re.sub(r'"data:[^"]+"', "", page).replace("http-equiv", "")
    assert "1 clip " in page


@pytest.mark.parametrize("form", [chat_markdown, chat_html])
def test_what_is_doubted_is_said_with_its_reason(small_workspace: Workspace, form: Callable[..., str]) -> None:
    [video] = small_workspace.library.videos()
    exchange = Exchange(number=0, asked=0.0, answer=doubted(video.id))
    text = form(_chat(exchange), [exchange], small_workspace.library)
    assert "Option B: 249 dollars (not proven)" in text
    assert "contradicted: The red one costs 249. (It is the blue one)" in text
    assert "against it, 00:00:04-00:00:06" in text
    assert "not shown: It is big. (No size is told)" in text


@pytest.mark.parametrize("limit", ["MAX_CLIPS", "MAX_MEDIA"])
def test_what_does_not_fit_is_left_out_and_said(
    exchange: Exchange, small_workspace: Workspace, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(chat_export, limit, 0)
    page = chat_html(_chat(exchange), [exchange], small_workspace.library)
    assert "<video" not in page
    assert "249 dollars" in page
    assert "1 other place" in page


def test_a_video_that_is_gone_leaves_its_still_and_its_words(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", load())
    clip = write_small_video(tmp_path / "talk.mp4")
    workspace.add(clip)
    exchange = Exchange(number=0, asked=0.0, answer=Agent(workspace).ask(["talk.mp4"], COST))
    clip.unlink()
    page = chat_html(_chat(exchange), [exchange], workspace.library)
    assert "<video" not in page
    assert '<img src="data:image/jpeg;base64,' in page
    assert "is gone or has changed" in page
    (video,) = workspace.library.videos()
    workspace.library.delete(video)
    assert "a deleted video, 00:00:04" in chat_markdown(_chat(exchange), [exchange], workspace.library)
