"""One decode of a file, seven layers out of it."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
from helpers.data.visual_pass import look_at, look_through, scenes
from helpers.media.clips import flat, noise, write_clip, written
from helpers.media.sound import silence, write_sound

from longtake.config import load
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.media import probe
from longtake.preprocess.visual_pass.visual_pass import VisualPass

DARK = (30, 25, 28)


def test_each_shot_has_one_keyframe_of_bounded_height_from_inside_it(tmp_path: Path) -> None:
    found = look_at(tmp_path, scenes(25, 50, 30), "visual_pass.keyframe_height=96")
    keyframes = [item for item in found.items("keyframes") if item["kind"] == "shot"]
    assert [(item["start"], item["end"]) for item in keyframes] == found.spans("shots")
    for seed, keyframe in enumerate(keyframes):
        picture = found.picture("keyframes", keyframe)
        assert picture.shape[0] == 96
        wanted = cv2.resize(noise(seed), picture.shape[1::-1], interpolation=cv2.INTER_AREA)
        assert keyframe["start"] <= keyframe["time"] < keyframe["end"]
        assert np.abs(picture.astype(int) - wanted).mean() < 8


def test_a_keyframe_shows_something_where_the_shot_does(tmp_path: Path) -> None:
    dark_middle = [flat((8, 8, 8))] * 60 + [flat((8, 8, 8))] * 5 + [written(flat(DARK), "HELLO", scale=3)] * 20
    found = look_at(tmp_path, dark_middle, "visual_pass.shot_threshold=200")
    (keyframe,) = (item for item in found.items("keyframes") if item["kind"] == "shot")
    assert found.picture("keyframes", keyframe).std() > 12


def test_a_slide_is_read_once_and_a_new_one_again(tmp_path: Path) -> None:
    first = written(written(flat(DARK), "Quarterly results"), "Revenue grew", (20, 140))
    second = written(written(flat(DARK), "Quarterly results"), "Costs fell by half", (20, 140))
    found = look_at(tmp_path, [first] * 75 + [second] * 75)
    assert found.spans("text_frames") == [(0.0, pytest.approx(3.0, abs=0.1)), (pytest.approx(3.0, abs=0.1), 6.0)]
    for item, slide in zip(found.items("text_frames"), (first, second), strict=True):
        assert np.abs(found.picture("text_frames", item).astype(int) - slide).mean() < 4


@pytest.mark.parametrize("shown", [1, 2, 3, 6, 13])
def test_brief_text_is_not_missed(tmp_path: Path, shown: int) -> None:
    plain, caption = noise(2), written(noise(2), "BREAKING NEWS", scale=1)
    found = look_at(tmp_path, [plain] * 40 + [caption] * shown + [plain] * 40)
    brief = [item for item in found.items("text_frames") if 1.5 < item["start"] < 1.75]
    assert len(brief) == 1
    assert brief[0]["end"] == pytest.approx(1.6 + shown / 25, abs=0.15)
    assert np.abs(found.picture("text_frames", brief[0]).astype(int) - caption).mean() < 5


def test_brief_texts_in_a_row_are_each_read_at_their_time(tmp_path: Path) -> None:
    words, frames = ("ALPHA", "BRAVO", "CHARLIE"), (5, 4, 8)
    plain = noise(2)
    shown = [written(plain, word, scale=1) for word, count in zip(words, frames, strict=True) for _ in range(count)]
    found = look_at(tmp_path, [plain] * 40 + shown + [plain] * 40)
    starts = [item["start"] for item in found.items("text_frames") if 1.5 < item["start"] < 2.2]
    assert starts == pytest.approx([1.6, 1.8, 1.96], abs=0.05)


def test_text_over_a_moving_picture_is_read_when_it_changes(tmp_path: Path) -> None:
    wide = noise(5, 1000, 180)
    pictures = [
        written(wide[:, n * 4 : n * 4 + 320], "Chapter one" if n < 50 else "Chapter two, later") for n in range(100)
    ]
    found = look_at(tmp_path, pictures)
    starts = [item["start"] for item in found.items("text_frames")]
    assert any(abs(start - 2.0) < 0.3 for start in starts)  # two looks: a scene that moves has four a second
    assert len(starts) <= 6


@pytest.mark.parametrize(("text", "scale"), [("Total {}", 0.8), ("{}", 4.0)])
def test_one_character_that_is_replaced_is_read(tmp_path: Path, text: str, scale: float) -> None:
    pictures = [written(flat(DARK), text.format(number), scale=scale) for number in (12, 13, 18) for _ in range(75)]
    starts = [item["start"] for item in look_at(tmp_path, pictures).items("text_frames")]
    assert starts == pytest.approx([0.0, 3.0, 6.0], abs=0.3)


@pytest.mark.nightly
def test_a_running_counter_stays_within_the_wanted_rate(tmp_path: Path) -> None:
    pictures = [written(flat(DARK), f"{n * 7919 % 99_991:05d} {n * 104_729 % 99_991:05d}", scale=1) for n in range(250)]
    often = look_at(tmp_path / "a", pictures)
    seldom = look_at(tmp_path / "b", pictures, "visual_pass.text_frames_per_second=0.5")
    assert 8 <= len(often.items("text_frames")) <= 14
    assert 4 <= len(seldom.items("text_frames")) <= 9


def test_pictures_without_text_give_one_frame_for_each_shot(tmp_path: Path) -> None:
    assert look_at(tmp_path, scenes(50, 50, 50)).spans("text_frames") == [(0.0, 2.0), (2.0, 4.0), (4.0, 6.0)]


def test_large_pictures_are_kept_at_1280_for_reading(tmp_path: Path) -> None:
    found = look_at(tmp_path, [noise(1, 1920, 1080)] * 3)
    assert found.picture("text_frames", found.items("text_frames")[0]).shape == (720, 1280, 3)


def test_layers_cover_what_was_decoded_and_no_more(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "a.mkv", [noise(0)] * 50, times=lambda n: 1 + n / 25, sound_seconds=6.0)
    for layer in look_through(path, tmp_path / "layers").layers.values():
        (span,) = layer.covered
        assert (span.start, span.end) == (pytest.approx(1.0, abs=0.1), pytest.approx(3.0, abs=0.1))


def test_two_passes_leave_the_same_bytes(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "a.mp4", [written(noise(n // 30), f"scene {n // 30}") for n in range(120)])
    for root in ("one", "two"):
        look_through(path, tmp_path / root)
    one, two = (
        {file.relative_to(root): file.read_bytes() for file in root.rglob("*") if file.is_file()}
        for root in (tmp_path / "one", tmp_path / "two")
    )
    assert one == two
    assert len([name for name in one if name.suffix == ".jpg"]) >= 8


def test_only_settings_that_change_a_layer_change_its_key(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "a.mp4", [noise(0)] * 5)
    changed = {}
    for override in ("visual_pass.shot_threshold=20", "visual_pass.keyframe_height=240", "budget.rounds=3"):
        before, after = (
            {recipe.name: recipe.key for recipe in VisualPass().recipes(IndexJob(path, probe(path), s, EngineTable(s)))}
            for s in (load(), load("embedded", [override]))
        )
        changed[override] = {name for name in before if before[name] != after[name]}
    assert list(changed.values()) == [{"shots", "keyframes", "text_frames"}, {"keyframes"}, set()]


def test_sound_alone_has_no_visual_layers(tmp_path: Path) -> None:
    path = write_sound(tmp_path / "a.wav", silence(1.0))
    settings = load()
    assert VisualPass().recipes(IndexJob(path, probe(path), settings, EngineTable(settings))) == ()


def test_a_picture_that_stands_for_seconds_is_the_one_of_each(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "slides.mkv", [noise(n) for n in range(3)], times=lambda n: n * 5.0)
    seconds = [item for item in look_through(path, tmp_path / "layers").items("keyframes") if item["kind"] == "second"]
    assert [(item["start"], item["time"]) for item in seconds] == [(0.0, 0.0), (5.0, 5.0), (10.0, 10.0)]
    assert [item["end"] for item in seconds[:2]] == [5.0, 10.0]


def test_a_slide_that_is_one_picture_is_read_at_its_time(tmp_path: Path) -> None:
    slides = [written(flat(DARK), text) for text in ("Quarterly results", "Costs by region", "Plans for spring")]
    path = write_clip(tmp_path / "slides.mp4", [*slides, flat(DARK)], times=lambda number: 3.0 * number)
    found = look_through(path, tmp_path / "layers")
    assert found.spans("text_frames")[:3] == [(0.0, 3.0), (3.0, 6.0), (6.0, 9.0)]
