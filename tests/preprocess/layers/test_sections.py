"""The chapters of a video: where its topic changes."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from helpers.media.clips import flat, write_clip
from helpers.media.talk_of_topics import SECONDS, TOPICS, write_talk
from helpers.servers.openai_server import openai_server, says
from typer.testing import CliRunner

from longtake.cli.main import app
from longtake.config import load
from longtake.preprocess.layers.entities import entities_of
from longtake.preprocess.layers.sections import overview_of, sections_of
from longtake.preprocess.pipeline.progress import Watcher
from longtake.preprocess.pipeline.workspace import Workspace


def test_chapters_begin_where_the_topic_changes_and_are_titled_with_a_line_of_theirs(
    topics_workspace: Workspace,
) -> None:
    library = topics_workspace.library
    chapters = sections_of(library, library.resolve("topics.wav"))
    assert [chapter.start for chapter in chapters] == [0.0, 8 * SECONDS, 16 * SECONDS]
    for chapter, topic in zip(chapters, TOPICS, strict=True):
        assert chapter.title in topic
        told = [line for line in topic if line in chapter.text]
        assert chapter.text == " … ".join(told)
        assert len(told) == 2


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


@pytest.mark.nightly
def test_a_long_talk_of_one_thing_has_chapters_and_bounded_ones(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "library", load(offline=True))
    talk = write_talk(tmp_path / "long.wav", *[TOPICS[0]] * 30)  # of half an hour
    chapters = sections_of(workspace.library, workspace.add(talk).video)
    assert len(chapters) <= 25
    assert max(chapter.end - chapter.start for chapter in chapters) <= 300
    assert all(one.end == other.start for one, other in pairwise(chapters))


def test_a_name_that_is_said_takes_no_chapter_away(tmp_path: Path) -> None:
    named = tuple(line.replace("I show", "I and Edith Marlow show") for line in TOPICS[0])
    workspace = Workspace(tmp_path / "library", load(offline=True))
    video = workspace.add(write_talk(tmp_path / "talk.wav", named, *TOPICS[1:])).video
    assert [entity.name for entity in entities_of(workspace.library, video)] == ["Edith Marlow"]
    chapters = sections_of(workspace.library, video)
    assert [chapter.start for chapter in chapters] == [0.0, 8 * SECONDS, 16 * SECONDS]


def test_while_somebody_waits_no_model_is_asked_and_what_it_told_of_other_chapters_is_not_used(tmp_path: Path) -> None:
    talk = write_talk(tmp_path / "talk.wav", *TOPICS)
    with openai_server([says("By the model\nAll of it.")]) as endpoint:
        controller = ("controller.engine=openai", "controller.model=scripted", f"controller.base_url={endpoint.url}")
        workspace = Workspace(tmp_path / "library", load(overrides=controller))
        library, told = workspace.library, workspace.add(talk).video
        assert {chapter.title for chapter in sections_of(library, told)} == {"By the model"}
        asked = len(endpoint.requests)
        write_talk(talk, *TOPICS[::-1])
        changed = workspace.add(talk, Watcher(hurried=True)).video
        assert len(endpoint.requests) == asked
        assert "By the model" not in {chapter.title for chapter in sections_of(library, changed)}
        assert (bool(overview_of(library, told)), overview_of(library, changed)) == (True, "")


@pytest.mark.nightly
def test_a_picture_that_hardly_changes_hides_no_change_of_topic(tmp_path: Path) -> None:
    talk = write_talk(tmp_path / "talk.wav", *(topic[:4] for topic in TOPICS), *(topic[4:] for topic in TOPICS))
    room = flat((90, 120, 100), 160, 90).astype(int)
    grain = np.random.default_rng(1)
    pictures = [np.clip(room + grain.integers(-9, 10, room.shape), 0, 255).astype(np.uint8) for _ in range(192)]
    write_clip(tmp_path / "filmed.mp4", pictures, times=float, sound_seconds=192.0)
    shutil.copy(talk.with_suffix(".vtt"), tmp_path / "filmed.vtt")
    workspace = Workspace(tmp_path / "library", load(offline=True))
    filmed, heard = (
        sections_of(workspace.library, workspace.add(tmp_path / name).video) for name in ("filmed.mp4", "talk.wav")
    )
    assert len(heard) == 2 * len(TOPICS)
    assert [chapter.start for chapter in filmed] == [chapter.start for chapter in heard]


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
