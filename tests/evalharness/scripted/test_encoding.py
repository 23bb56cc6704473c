"""The written video, decoded: what its truth says is there, to the frame and to a few milliseconds."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import av
import cv2
import numpy as np
import numpy.typing as npt
import pytest

from longtake.errors import LibraryError
from longtake.evalharness.scripted.draw import Draw, Tape
from longtake.evalharness.scripted.encoding import box_at, write_video
from longtake.evalharness.scripted.script import (
    Begin,
    Camera,
    Move,
    Plain,
    ScriptedScene,
    ScriptedVideo,
    ScriptTruth,
    truth_of,
)
from longtake.evalharness.scripted.suite import KINDS, follow
from longtake.preprocess.demo.sound import RATE, Samples
from longtake.preprocess.media.subtitle_formats import parse_subtitles

pytestmark = pytest.mark.usefixtures("voice")
SCENES: tuple[tuple[str, Begin], ...] = (
    ("prices", "cut"),
    ("flash", "dissolve"),
    ("listening", "cut"),
    ("sign", "fade"),
    ("signal", "cut"),
)
STRONG = 12.0  # mean difference of the luma of two frames between which something changes
ALIKE = 2.5  # mean difference that encoding makes at most
QUIET = 1e-3  # root mean square of what counts as silence
ONSET = 0.02  # seconds that a codec may smear a sound past its start


class Seen(NamedTuple):
    """A written video, its truth, its frames as (height, width, 3) and its sound as (samples,)."""

    path: Path
    truth: ScriptTruth
    frames: list[npt.NDArray[np.uint8]]
    heard: Samples


def written(folder: Path, scenes: tuple[ScriptedScene, ...], name: str = "v") -> Seen:
    script = ScriptedVideo(name=name, seed=1, number=0, subtitled=True, scenes=scenes)
    path = write_video(script, folder)
    with av.open(path) as container:
        frames = [np.asarray(frame.to_ndarray(format="rgb24"), np.uint8) for frame in container.decode(video=0)]
    with av.open(path) as container:
        heard = np.concatenate([frame.to_ndarray()[0] for frame in container.decode(audio=0)])
    return Seen(path, truth_of(script), frames, heard)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    draw = Draw(1, 0)
    made = (KINDS[kind](draw) for kind, _ in SCENES)
    scenes = [follow(scene, begins, place) for place, (scene, (_, begins)) in enumerate(zip(made, SCENES, strict=True))]
    return written(tmp_path_factory.mktemp("scripted"), tuple(scenes))


def difference(seen: Seen, number: int) -> float:
    """How much a frame differs from the one before."""
    now, before = (cv2.cvtColor(seen.frames[place], cv2.COLOR_RGB2GRAY).astype(int) for place in (number, number - 1))
    return float(np.abs(now - before).mean())


def loudness(seen: Seen, start: float, end: float) -> float:
    part = seen.heard[round(start * RATE) : round(end * RATE)]
    return float(np.sqrt(np.mean(part**2)))


def test_the_file_is_as_long_as_large_and_as_fast_as_its_truth(seen: Seen) -> None:
    with av.open(seen.path) as container:
        picture = container.streams.video[0]
        assert (picture.width, picture.height, picture.average_rate) == (640, 360, 25)
        assert container.duration == pytest.approx(seen.truth.duration * 1e6, abs=0.1e6)
    assert len(seen.frames) == seen.truth.frames
    assert seen.truth.duration == seen.truth.frames / 25
    read = ScriptTruth.model_validate_json(seen.path.with_name("v.truth.json").read_text(encoding="utf-8"))
    assert read == seen.truth


def test_beside_slow_changes_strong_ones_are_at_the_cuts_and_at_both_ends_of_the_flash(seen: Seen) -> None:
    cuts = {scene.first_frame for scene in seen.truth.scenes[1:] if scene.begins == "cut"}
    flashes = {place for one in seen.truth.flashes for place in (one.first, one.first + one.frames)}
    slow = {number for scene in seen.truth.scenes for number in range(scene.first_frame, scene.changed_frame + 1)}
    changes = {number for number in range(1, len(seen.frames)) if difference(seen, number) > STRONG}
    assert changes - (slow - cuts) == cuts | flashes


def test_a_slow_change_goes_evenly_from_what_was_there_to_what_comes(seen: Seen) -> None:
    slow = [scene for scene in seen.truth.scenes if scene.begins != "cut"]
    assert [scene.begins for scene in slow] == ["dissolve", "fade"]
    for scene in slow:
        after = seen.frames[scene.changed_frame + 5].astype(float)
        before = seen.frames[scene.first_frame - 1] * (scene.begins == "dissolve")
        steps = scene.changed_frame - scene.first_frame + 1
        for number in range(scene.first_frame, scene.changed_frame + 1):
            share = (number - scene.first_frame + 1) / steps
            blend = before * (1 - share) + after * share
            assert np.abs(seen.frames[number] - blend).mean() < ALIKE


def test_sounds_and_lines_begin_where_the_truth_says(seen: Seen) -> None:
    starts = [one.start for one in (*seen.truth.sounds, *seen.truth.cues)]
    assert len(starts) > 8
    for start in starts:
        assert loudness(seen, start - 0.3, start - ONSET) < QUIET
        assert loudness(seen, start, start + 0.1) > 10 * QUIET


def test_between_sounds_and_lines_all_is_quiet(seen: Seen) -> None:
    heard = sorted((one.start, one.end) for one in (*seen.truth.sounds, *seen.truth.cues))
    gaps = [(end, start) for (_, end), (start, _) in pairwise(heard)]
    assert all(loudness(seen, end + 0.1, start - ONSET) < QUIET for end, start in gaps)
    assert all(loudness(seen, start, end) > QUIET for start, end in heard)


def test_subtitles_beside_it_give_the_words_and_times(seen: Seen) -> None:
    read = parse_subtitles(seen.path.with_name("v.en.vtt").read_bytes(), "v.en.vtt")
    assert [(cue.start, cue.end, cue.text) for cue in read] == [
        (cue.start, cue.end, cue.text) for cue in seen.truth.cues
    ]


def test_shapes_are_where_their_tracks_say_in_the_frames_they_say(seen: Seen) -> None:
    assert len(seen.truth.shapes) == 3
    for track in seen.truth.shapes:
        wanted = np.array([int(track.colour[place : place + 2], 16) for place in (1, 3, 5)])
        for number in (track.first + 3, (track.first + track.until) // 2, track.until - 3):
            left, top, right, bottom = box_at(track, number)
            colour = seen.frames[number][round((top + bottom) / 2), round((left + right) / 2)].astype(int)
            assert np.abs(colour - wanted).max() < 40
        assert seen.frames[track.first - 1].std(axis=(0, 1)).max() < 3
        assert seen.frames[track.until].std(axis=(0, 1)).max() < 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("move", "grows", "shift"), [("pan left", 0, 1), ("pan right", 0, -1), ("zoom in", 1, 0), ("zoom out", -1, 0)]
)
def test_the_camera_moves_as_instructed(move: Move, grows: int, shift: int, tmp_path: Path) -> None:
    camera = Tape("en-gb").scene("camera", Camera(move=move, seed=4), {}, least=2.0)
    frames = written(tmp_path, (camera,)).frames
    first, last = (cv2.cvtColor(frames[place], cv2.COLOR_RGB2GRAY) for place in (10, 14))
    points = cv2.goodFeaturesToTrack(first, 200, 0.01, 8)
    moved, found, _ = cv2.calcOpticalFlowPyrLK(first, last, points, np.empty_like(points))
    kept = found.ravel() == 1
    matrix, _ = cv2.estimateAffinePartial2D(points[kept], moved[kept])
    scale, sideways = float(np.hypot(*matrix[:, 0])), float((moved - points)[kept][..., 0].mean())
    assert np.sign(round((scale - 1) * 100)) == grows
    assert np.sign(round(sideways / 2)) == shift


def test_a_video_that_is_there_stays_and_a_folder_that_cannot_be_is_named(tmp_path: Path) -> None:
    script = ScriptedVideo(
        name="v",
        seed=1,
        number=1,
        subtitled=False,
        scenes=(ScriptedScene(kind="x", frames=25, picture=Plain(colour="#fff")),),
    )
    path = write_video(script, tmp_path)
    before = path.stat().st_mtime_ns
    assert write_video(script, tmp_path).stat().st_mtime_ns == before
    longer = script.model_copy(update={"scenes": script.scenes * 2})
    assert write_video(longer, tmp_path).stat().st_mtime_ns != before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["v.mp4", "v.truth.json"]
    with pytest.raises(LibraryError, match="choose another --out"):
        write_video(script, path / "below")
