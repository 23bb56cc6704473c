"""`longtake index`: what may be given, and what is shown meanwhile."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.command import Done, longtake
from helpers.media.clips import flat, write_clip, written
from helpers.media.sound import noise, write_pieces
from helpers.servers.loopback import Handler, listening

from longtake.config import load
from longtake.memory.layers import Layer, LayerStore
from longtake.preprocess.layers.step import IndexJob, Step
from longtake.preprocess.media.media_files import is_media
from longtake.preprocess.pipeline.progress import Watcher
from longtake.preprocess.pipeline.step_run import run_step
from longtake.preprocess.pipeline.workspace import Workspace


@pytest.fixture
def folder(tone: Path, tmp_path: Path) -> Path:
    """A folder with two sounds, another in a folder inside, and files that are no media."""
    for name in ("one.wav", "two.wav", "inside/three.wav", ".hidden.wav"):
        target = tmp_path / "media" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(tone, target)
    # Another content, so another video.
    for number, name in enumerate(("two.wav", "inside/three.wav"), 1):
        with (tmp_path / "media" / name).open("ab") as file:
            file.write(b"\0" * number)
    (tmp_path / "media" / "notes.txt").write_text("nothing to index")
    return tmp_path / "media"


def names(done: Done) -> list[str]:
    return [json.loads(line)["name"] for line in done.stdout.splitlines()]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("given", "found"),
    [
        (".", ["one.wav", "two.wav", "three.wav"]),
        ("*.wav", ["one.wav", "two.wav"]),
        ("**/t*.wav", ["three.wav", "two.wav"]),
    ],
)
def test_folders_and_patterns_stand_for_their_media_files(folder: Path, given: str, found: list[str]) -> None:
    done = longtake("index", folder / given, "--json", library=folder.parent / "library")
    assert names(done) == found


CUE = "1\n00:00:00,000 --> 00:00:02,000\nThe ferry leaves at nine.\n"


def test_subtitles_that_no_video_takes_are_named_and_can_be_given(folder: Path) -> None:
    library = folder.parent / "library"
    (folder / "inside" / "other.en.srt").write_text(CUE)
    video = folder / "inside" / "three.wav"
    done = longtake("index", video, library=library)
    assert done.code == 0
    assert "Not read: other.en.srt. The subtitles of a video have its name" in done.stdout
    by_itself = longtake("index", video, folder / "inside" / "other.en.srt", library=folder.parent / "another")
    assert (by_itself.code, "Not read" in by_itself.stdout) == (0, False)
    # The copy is used from now on, whatever becomes of the file.
    given = longtake("index", video, "--subtitles", folder / "inside" / "other.en.srt", library=library)
    assert (given.code, "Not read" in given.stdout) == (0, False)
    (folder / "inside" / "other.en.srt").unlink()
    [report] = map(json.loads, longtake("index", video, "--json", library=library).stdout.splitlines())
    assert report["notes"] == []
    assert "The ferry leaves at nine." in longtake("show", "three.wav", library=library).stdout
    assert longtake("index", folder, "--subtitles", "x.srt", library=library).stderr.count("one video") == 1
    missing = longtake("index", video, "--subtitles", folder / "none.srt", library=library)
    assert (missing.code, "none.srt can't be read" in missing.stderr) == (1, True)


def test_what_no_video_of_a_folder_takes_is_named_once_after_them(folder: Path) -> None:
    inside = folder / "inside"
    (inside / "Subs").mkdir()
    (inside / "Subs" / "2_English.srt").write_text(CUE)
    (inside / "minutes.txt").write_text("00:01 Ann: Who has the key?\n00:04 Bob: I have.\n")
    (inside / "read me.txt").write_text("Made in spring.\nBegins at 10:30.\n")
    for name in ("one.wav", "two.wav"):
        (inside / name).write_bytes((inside / "three.wav").read_bytes() + bytes(2 * len(name[:1]) * ord(name[0])))
    lines = longtake("index", inside, library=folder.parent / "library").stdout.splitlines()
    [told] = [line for line in lines if "Not read" in line]
    assert ("Subs/2_English.srt" in told, "minutes.txt" in told, "read me.txt" in told) == (True, True, False)
    assert str(inside) in told
    assert not [line for line in lines[lines.index(told) :] if ".wav  00:" in line]


def test_the_same_bytes_under_another_name_are_told(folder: Path) -> None:
    library, video = folder.parent / "library", folder / "inside" / "three.wav"
    assert "same bytes" not in longtake("index", video, library=library).stdout
    copy = video.with_name("copy.wav")
    copy.write_bytes(video.read_bytes())
    assert "same bytes as three.wav" in longtake("index", copy, library=library).stdout


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        (b"", "no words"), (b"\x7fELF\x02\x01\x01\x00" * 9, "binary"), (b"hello\n", "no times"),
        ("".join(f"00:{n}:00,000 --> 00:{n}:01,000\nAway.\n\n" for n in range(10, 30)).encode(), "another recording"),
    ],
    ids=["empty", "binary", "no times", "of another recording"],
)  # fmt: skip
def test_subtitles_that_arent_read_are_named_with_the_reason(folder: Path, written: bytes, reason: str) -> None:
    library, video = folder.parent / "library", folder / "inside" / "three.wav"
    video.with_suffix(".srt").write_bytes(written)
    to_come = longtake("doctor", video, library=library)
    video.with_suffix(".srt").unlink()
    longtake("index", video, library=library)
    video.with_suffix(".srt").write_bytes(written)
    shown = longtake("videos", "show", "three.wav", library=library)
    for done, outcome in ((to_come, "won't be read: "), (shown, "not read: ")):
        [line] = [line for line in done.stdout.splitlines() if "beside it" in line]
        assert (outcome in line, reason in line) == (True, True)


def test_subtitles_are_called_read_once_they_are_indexed(folder: Path) -> None:
    library, video = folder.parent / "library", folder / "inside" / "three.wav"
    outcomes = list[str]()
    for said in ("The key is under the mat.", "The key is in the shed."):
        longtake("index", video, library=library)
        video.with_suffix(".srt").write_text(f"1\n00:00:00,000 --> 00:00:01,000\n{said}\n")
        for index in (False, True):
            if index:
                longtake("index", video, library=library)
            for done in (
                longtake("doctor", video, library=library),
                longtake("videos", "show", "three.wav", library=library),
            ):
                [line] = [line for line in done.stdout.splitlines() if "beside it" in line]
                outcomes.append(line.split(": ")[1])
    assert outcomes == ["not read", "not read", "read", "read"] * 2


def test_a_transcript_alone_is_asked_and_has_neither_picture_nor_sound(tmp_path: Path) -> None:
    library = tmp_path / "library"
    (tmp_path / "talks").mkdir()
    (tmp_path / "talks" / "meeting.vtt").write_text(
        "WEBVTT\n\n00:02.000 --> 00:05.000\n<v Edith Marlow>Who has the key?\n\n"
        "00:06.000 --> 00:10.000\n<v Bob Tarn>The ladder is in the small shed.\n"
    )
    [report] = map(json.loads, longtake("index", tmp_path / "talks", "--json", library=library).stdout.splitlines())
    assert (report["name"], report["duration"]) == ("meeting.vtt", 10.0)
    answer = longtake("ask", "meeting.vtt", "What does Bob Tarn say about the ladder?", library=library).stdout
    assert answer.startswith("“Bob Tarn: The ladder is in the small shed.” [00:00:06]")
    shown = longtake("ask", "meeting.vtt", "What is shown in the picture?", library=library).stdout
    assert "The file is a transcript: it has no picture and no sound." in shown
    clip = longtake("clip", "meeting.vtt", "6-10", library=library)
    assert (clip.code, clip.stderr.count("it has no picture and no sound to save")) == (1, 1)


def test_a_name_that_is_not_utf8_costs_its_file_alone(folder: Path) -> None:
    bad = Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.wav"))
    (folder / "two.wav").rename(bad)
    library = folder.parent / "library"
    done = longtake("index", folder, "--json", library=library)
    assert done.code == 3
    assert [json.loads(line).get("error", "") != "" for line in done.stdout.splitlines()] == [True, False, False]
    assert "the name caf?.wav isn't UTF-8. Rename it." in done.stderr
    (done.stdout + done.stderr).encode()  # can be written anywhere
    alone = longtake("ask", bad, "What is said?", library=library)
    assert (alone.code, "isn't UTF-8" in alone.stderr) == (1, True)


@pytest.mark.parametrize(
    ("name", "head", "found"),
    [
        ("a.gif", b"GIF89a\x01\x00\x01\x00\x80\x00\x00!\xff\x0bNETSCAPE2.0", True),
        ("a.gif", b"GIF89a\x01\x00\x01\x00\x80\x00\x00", False),
        ("a.png", b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x08acTL", True),
        ("a.webp", b"RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02ANIM", True),
        ("a.webp", b"RIFF\x00\x00\x00\x00WEBPVP8 ", False),
    ],
)
def test_a_folder_holds_pictures_that_move(tmp_path: Path, name: str, head: bytes, found: bool) -> None:
    (tmp_path / name).write_bytes(head)
    assert is_media(tmp_path / name) == found


def test_an_animated_webp_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "a.webp").write_bytes(b"RIFF\x1a\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x02\x00\x00\x00ANIM")
    done = longtake("index", tmp_path, library=tmp_path / "library")
    assert done.code == 1
    assert "Animated WebP can't be decoded: convert it to MP4 or GIF." in done.stderr


def test_silence_that_was_listened_to_is_no_reason_to_index_again(tmp_path: Path) -> None:
    path = write_pieces(tmp_path / "silent.wav", [(0.0, np.zeros(32_000, np.float32))])
    library = tmp_path / "library"
    assert longtake("index", path, library=library).code == 0
    assert "No speech in silent.wav." in longtake("show", "silent.wav", library=library).stderr


@pytest.mark.parametrize("given", ["*.mp4", "empty"])
def test_a_folder_or_pattern_without_media_is_an_error(folder: Path, given: str) -> None:
    (folder / "empty").mkdir()
    done = longtake("index", folder / given, library=folder.parent / "library")
    assert done.code == 1
    assert str(folder / given) in done.stderr


@pytest.fixture
def site(tone: Path) -> Iterator[str]:
    """A server with a sound at /talk.wav."""

    class Site(Handler):
        def do_GET(self) -> None:
            data = tone.read_bytes() if self.path == "/talk.wav" else b""
            headers = {"Content-Type": "audio/wav", "Content-Length": str(len(data))}
            self.send(200 if data else 404, headers)
            self.wfile.write(data)

        def do_HEAD(self) -> None:
            self.send(200, {"Content-Type": "audio/wav"})

    with listening(Site) as url:
        yield url


def test_a_link_is_fetched_and_indexed(site: str, tmp_path: Path) -> None:
    pytest.importorskip("yt_dlp")
    done = longtake("index", f"{site}/talk.wav", "--json", library=tmp_path)
    assert done.code == 0, done.stderr
    (name,) = names(done)
    assert name.startswith("talk")
    gone = longtake("index", f"{site}/gone.wav", library=tmp_path)
    assert gone.code == 1
    assert f"{site}/gone.wav can't be fetched" in gone.stderr


def test_offline_no_link_is_fetched(site: str, tmp_path: Path) -> None:
    # In a process of its own: what --offline forbids is forbidden for the rest of it.
    command = [sys.executable, "-m", "longtake", "--library", tmp_path, "--offline", "index", f"{site}/talk.wav"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "offline" in done.stderr


def test_what_is_missing_of_a_file_is_told_once_and_in_the_same_words_everywhere(tmp_path: Path) -> None:
    pieces = [(start, noise(4.0, 0.1).astype(np.float32)) for start in (0.0, 9.0)]
    path, library = write_pieces(tmp_path / "gap.mka", pieces), tmp_path / "library"
    first = longtake("index", path, library=library)
    (missing,) = (line.split("!")[1].strip() for line in first.stdout.splitlines() if "!" in line)
    assert (first.code, "4.0 s and 9.0 s" in missing) == (3, True)
    second = longtake("index", path, library=library)
    assert (second.code, missing in second.stdout, "Up to date" in second.stdout) == (0, False, True)
    for told in (
        longtake("videos", "show", "gap", library=library),
        longtake("ask", "gap", "What sound is heard at 6 s?", library=library),
        longtake("tools", "call", "detect_audio_events", "gap", "--args", '{"timestamp": "0-13"}', library=library),
    ):
        assert told.stdout.count(missing) == 1
    (shown,) = {tuple(layer["left_out"]) for layer in facts_of("gap", library)["layers"].values()} - {()}
    assert shown == (missing,)
    seen = longtake("ask", "gap", "What is written on the sign?", library=library)
    assert missing not in seen.stdout


def test_text_on_screen_is_not_shown_as_speech(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "slide.mp4", [written(flat((30, 25, 28)), "Quarterly results")] * 50)
    assert longtake("index", path, library=tmp_path / "library").code == 0
    done = longtake("show", "slide.mp4", library=tmp_path / "library")
    assert ("Quarterly results" in done.stdout, "No speech in slide.mp4" in done.stderr) == (True, True)


def test_a_track_that_ends_early_is_told(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "short.mp4", [flat((number, 0, 0)) for number in range(150)], sound_seconds=2.0)
    done = longtake("index", path, library=tmp_path / "library")
    assert (done.code, "there is no sound after 00:00:02" in done.stdout) == (0, True)
    assert "there is no sound after 00:00:02" in longtake("doctor", path, library=tmp_path / "library").stdout


@pytest.mark.parametrize("complete_before", [False, True])
def test_what_is_missing_of_a_file_is_told_also_if_who_found_it_was_killed(
    tmp_path: Path, complete_before: bool
) -> None:
    pieces = [(start, noise(4.0, 0.1).astype(np.float32)) for start in (0.0, 9.0)]
    path, library = write_pieces(tmp_path / "gap.mka", pieces), tmp_path / "library"
    if complete_before:
        assert longtake("--set", "engines.sounds=[]", "index", path, library=library).code == 0

    def killed(
        step: Step, job: IndexJob, store: LayerStore, watcher: Watcher, check_source: Callable[[], None]
    ) -> list[Layer] | None:
        layers = run_step(step, job, store, watcher, check_source)
        if step.name == "sounds":
            raise KeyboardInterrupt
        return layers

    with pytest.raises(KeyboardInterrupt):
        Workspace(library, load()).add(path, runner=killed)
    told = [longtake("index", path, library=library) for _ in range(2)]
    assert [(done.code, "4.0 s and 9.0 s" in done.stdout) for done in told] == [(3, True), (0, False)]


def facts_of(video: str, library: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(longtake("videos", "show", video, "--json", library=library).stdout)
    return facts
