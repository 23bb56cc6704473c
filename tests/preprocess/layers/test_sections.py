"""The chapters of a video: where its topic changes."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from helpers.media.talk_of_topics import SECONDS, TOPICS
from typer.testing import CliRunner

from longtake.cli.main import app
from longtake.preprocess.layers.sections import sections_of
from longtake.preprocess.pipeline.workspace import Workspace


def test_chapters_begin_where_the_topic_changes_and_are_titled_with_a_line_of_theirs(
    topics_workspace: Workspace,
) -> None:
    library = topics_workspace.library
    chapters = sections_of(library, library.resolve("topics.wav"))
    assert [chapter.start for chapter in chapters] == [0.0, 8 * SECONDS, 16 * SECONDS]
    for chapter, topic in zip(chapters, TOPICS, strict=True):
        assert chapter.title in topic


def test_chapters_of_slides_are_titled_like_them_and_fill_the_video(demo_workspace: Workspace) -> None:
    library = demo_workspace.library
    video = library.resolve("demo.mp4")
    chapters = sections_of(library, video)
    shots = library.layer(video, "shots")
    assert shots is not None
    assert {"What the storm broke", "What we have ordered", "Roof panels cost more"} <= {
        each.title for each in chapters
    }
    assert {chapter.start for chapter in chapters} <= {item["start"] for item in shots.items()}
    assert all(one.end == other.start for one, other in pairwise(chapters))
    assert (chapters[0].start, chapters[-1].end) == (0.0, video.duration)


def test_one_topic_a_clip_and_a_video_without_words_have_no_chapters(
    topics_workspace: Workspace, small_workspace: Workspace
) -> None:
    library = topics_workspace.library
    topics = library.resolve("topics.wav")
    assert sections_of(library, library.resolve("bread.wav")) == []
    assert sections_of(library, topics.model_copy(update={"layers": {}})) == []
    assert sections_of(small_workspace.library, small_workspace.library.resolve("talk.mp4")) == []


@pytest.mark.parametrize(
    ("arguments", "begins", "code"),
    [
        (["topics.wav"], "00:00:00 ", 0),
        (["topics.wav", "--vtt"], "WEBVTT\n\n00:00:00.000 --> 00:01:04.000\n", 0),
        (["bread.wav"], "", 1),
        (["topics.wav", "--srt"], "", 1),
    ],
)
def test_the_terminal_prints_chapters(
    topics_workspace: Workspace, arguments: list[str], begins: str, code: int
) -> None:
    command = ["--library", str(topics_workspace.library.root), "show", "--chapters", *arguments]
    done = CliRunner().invoke(app, command)
    assert (done.exit_code, done.stdout.startswith(begins)) == (code, True)


def test_the_terminal_prints_chapters_as_json(topics_workspace: Workspace) -> None:
    command = ["--library", str(topics_workspace.library.root), "show", "--chapters", "--json", "topics.wav"]
    chapters = json.loads(CliRunner().invoke(app, command).stdout)
    assert [sorted(chapter) for chapter in chapters] == [["end", "start", "title"]] * 3
