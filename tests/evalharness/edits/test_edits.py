"""Edits, read back from the files they make: every frame of the source carries its number as a row of squares."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Literal

import cv2
import numpy as np
import pytest
from helpers.command import longtake
from helpers.media.clips import Picture, flat, noise, write_clip

from longtake.errors import ConfigError, MediaError
from longtake.evalharness.edits.camera import CameraEdit
from longtake.evalharness.edits.edit import Edit, EditPlan, EditTruth, Piece, Source
from longtake.evalharness.edits.edit_table import EDITS, edit_named
from longtake.evalharness.edits.hiding import Occlusion
from longtake.evalharness.edits.rendering import compare, make_edit, render, truth_file
from longtake.evalharness.edits.timeline import PlannedFrame, play
from longtake.preprocess.media.audio import read_audio
from longtake.preprocess.media.frames import Frame, read_frames
from longtake.preprocess.media.media import probe

BITS, SIDE, FRAMES, FPS = 10, 32, 150, 25
BODY = np.s_[SIDE:, :]  # the part of a picture without squares


def numbered(number: int, seed: int = 1) -> Picture:
    picture = noise(seed)
    for bit in range(BITS):
        picture[:SIDE, bit * SIDE : (bit + 1) * SIDE] = 235 if number >> bit & 1 else 20
    return picture


def number_of(picture: Picture) -> int:
    return sum(int(picture[8:24, bit * SIDE + 8 : bit * SIDE + 24].mean() > 128) << bit for bit in range(BITS))


def never() -> None:
    pass


def shown(file: Path) -> list[Frame]:
    return list(read_frames(file, probe(file), None, never))


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("source")
    return write_clip(folder / "clip.mp4", (numbered(number) for number in range(FRAMES)), sound_seconds=6.0)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("other")
    return write_clip(folder / "other.mp4", (numbered(512 + number, 2) for number in range(100)))


def made(
    name: str, sources: Sequence[Path], out: Path, seed: int = 0, **parameters: Any
) -> tuple[EditTruth, list[int]]:
    """An edit's truth, and the numbers of the frames that its file shows."""
    truth = make_edit(edit_named(name, parameters), name, sources, out, seed, never)
    assert EditTruth.model_validate_json(truth_file(out).read_text(encoding="utf-8")) == truth
    return truth, [number_of(frame.bgr()) for frame in shown(out)]


def frames_in(start: float, end: float) -> list[int]:
    return list(range(round(start * FPS), round(end * FPS)))


def test_a_reversal_shows_every_frame_backwards(clip: Path, tmp_path: Path) -> None:
    truth, numbers = made("reversal", [clip], tmp_path / "x.mp4")
    assert numbers == list(reversed(range(FRAMES)))
    assert [span.start for span in truth.altered] == [0.0]


def test_sound_is_reversed_with_the_picture(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "clip.mp4", (flat((9, 9, 9)) for _ in range(100)), sound_seconds=1.0)
    made("reversal", [clip], tmp_path / "x.mp4")
    loud = np.zeros(5)
    for block in read_audio(tmp_path / "x.mp4", probe(tmp_path / "x.mp4"), rate=1000):
        for at, sample in enumerate(block.samples):
            loud[min(4, int(block.start + at / 1000))] += sample**2
    assert loud[3] > 100 * max(loud[0], loud[1], 1e-6)  # the tone of the first second of four now sounds in the last


def test_shuffled_segments_play_in_the_order_of_the_truth(clip: Path, tmp_path: Path) -> None:
    truth, numbers = made("segment-shuffle", [clip], tmp_path / "x.mp4", at=[1.0, 3.0])
    parts = [frames_in(0, 1), frames_in(1, 3), frames_in(3, 6)]
    assert truth.facts["order"] != [0, 1, 2]
    assert numbers == [number for part in truth.facts["order"] for number in parts[part]]


def test_shuffled_frames_are_those_of_their_span(clip: Path, tmp_path: Path) -> None:
    truth, numbers = made("frame-shuffle", [clip], tmp_path / "x.mp4", seconds=2)
    (span,) = truth.altered
    first, last = (next(n for n in range(FRAMES) if n / FPS + 0.02 > at) for at in (span.start, span.end))
    assert numbers[: first - 1] == list(range(first - 1))
    assert numbers[last + 1 :] == list(range(FRAMES))[len(range(FRAMES)) - len(numbers[last + 1 :]) :]
    assert numbers != sorted(numbers)
    assert set(numbers) == set(range(FRAMES))


@pytest.mark.parametrize(("name", "given"), [("cut", {"seconds": [2, 2]}), ("gap", {"start": 1.2, "end": 2.4})])
def test_a_removed_block_is_missing_and_nothing_else(
    clip: Path, tmp_path: Path, name: str, given: dict[str, Any]
) -> None:
    truth, numbers = made(name, [clip], tmp_path / "x.mp4", **given)
    start, end = truth.facts["removed"]
    kept = [number for number in range(FRAMES) if number / FPS < start - 0.001 or (number + 1) / FPS > end + 0.001]
    assert list(dict.fromkeys(numbers)) == kept
    assert truth.altered[0].start == truth.altered[0].end == start


def test_mixing_plays_the_second_video_where_the_truth_says(clip: Path, other: Path, tmp_path: Path) -> None:
    truth, _ = made("mixing", [clip, other], tmp_path / "x.mp4", parts=2, seconds=1)
    for frame in shown(tmp_path / "x.mp4"):
        foreign = any(span.start - 0.01 <= frame.time < span.end - 0.01 for span in truth.altered)
        assert (number_of(frame.bgr()) >= 512) == foreign


@pytest.mark.nightly
@pytest.mark.parametrize("colour", ["green", "cyan", "blue", "yellow", "magenta", "red"])
def test_a_tint_shifts_its_span_towards_its_colour(clip: Path, tmp_path: Path, colour: str) -> None:
    truth, _ = made("tint", [clip], tmp_path / "x.mp4", colour=colour, seconds=[2, 2])
    (span,) = truth.altered
    usual = noise(1)[BODY].reshape(-1, 3).mean(axis=0)
    for frame in shown(tmp_path / "x.mp4"):
        moved = frame.bgr()[BODY].reshape(-1, 3).mean(axis=0) - usual
        if span.start <= frame.time < span.end:
            up = [channel in colour_channels(colour) for channel in range(3)]
            assert [bool(each > 10) for each in moved] == up
        else:
            assert np.abs(moved).max() < 7


def colour_channels(colour: str) -> set[int]:
    return {"green": {1}, "cyan": {0, 1}, "blue": {0}, "yellow": {1, 2}, "magenta": {0, 2}, "red": {2}}[colour]


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["salt and pepper", "gaussian", "speckle", "uniform"])
def test_noise_grains_its_span_only(clip: Path, tmp_path: Path, kind: str) -> None:
    truth, _ = made("noise", [clip], tmp_path / "x.mkv", noise=kind, seconds=[2, 2])
    (span,) = truth.altered
    for frame in shown(tmp_path / "x.mkv"):
        grain = np.abs(frame.bgr()[BODY].astype(float) - noise(1)[BODY]).mean()
        assert (grain > 4) == (span.start <= frame.time < span.end)


def test_an_inserted_object_covers_one_place(clip: Path, tmp_path: Path) -> None:
    truth, _ = made("insertion", [clip], tmp_path / "x.mp4", thing="bus", seconds=[2, 2])
    (span,) = truth.altered
    for frame in shown(tmp_path / "x.mp4"):
        changed = np.abs(frame.bgr()[BODY].astype(float) - noise(1)[BODY]).max(axis=2) > 40
        assert (changed.mean() > 0.02) == (span.start <= frame.time < span.end)
        assert changed.mean() < 0.3


def test_a_blank_video_is_black_and_as_long_as_asked(clip: Path, tmp_path: Path) -> None:
    made("blank", [clip], tmp_path / "x.mp4", seconds=10)
    media = probe(tmp_path / "x.mp4")
    assert media.duration == pytest.approx(10, abs=0.1)
    assert not media.audio
    assert max(frame.bgr().max() for frame in shown(tmp_path / "x.mp4")) < 20


@pytest.mark.nightly
@pytest.mark.parametrize("direction", ["vertical", "horizontal"])
def test_occluded_copies_show_disjoint_strips_that_make_up_the_frame(
    clip: Path, tmp_path: Path, direction: str
) -> None:
    truth, _ = made("occlusion", [clip], tmp_path / "x.mkv", strips=16, visible=4, direction=direction)
    assert sorted(strip for each in truth.facts["sets"] for strip in each) == list(range(16))
    copies = [frame.bgr() for frame in shown(tmp_path / "x.mkv")]
    assert len(copies) == 4 * FRAMES
    for number in (0, 40, FRAMES - 1):
        four = np.stack(copies[4 * number : 4 * number + 4])
        assert ((four.max(axis=3) > 8).sum(axis=0) <= 1).mean() > 0.99  # each pixel in one copy
        assert np.abs(four.max(axis=0).astype(float) - numbered(number)).mean() < 6
    assert not probe(tmp_path / "x.mkv").audio


def test_a_gap_between_strips_is_kept_or_refused() -> None:
    sets = Occlusion(strips=32, visible=4, gap=3).deal(Random(1))
    assert all(b - a >= 3 for each in sets[:-1] for a, b in itertools.pairwise(each))
    with pytest.raises(ConfigError, match="gap"):
        Occlusion(strips=8, visible=4, gap=3).deal(Random(1))


def test_a_mosaic_shows_one_quadrant_at_a_time_and_its_control_all(clip: Path, tmp_path: Path) -> None:
    made("mosaic", [clip], tmp_path / "x.mp4", rounds=2)
    still = numbered(0)
    for number, frame in enumerate(shown(tmp_path / "x.mp4")):
        picture = frame.bgr()
        down, across = divmod(number % 4, 2)
        part = np.s_[90 * down : 90 * down + 90, 160 * across : 160 * across + 160]
        assert np.abs(picture[part].astype(float) - still[part]).mean() < 8
        assert picture.astype(int).sum() - picture[part].astype(int).sum() < 0.03 * still.sum()
    made("mosaic", [clip], tmp_path / "y.mp4", rounds=2, control=True)
    assert all(np.abs(frame.bgr().astype(float) - still).mean() < 8 for frame in shown(tmp_path / "y.mp4"))


MOVES = {"pan left": (1, 0), "pan right": (-1, 0), "tilt up": (0, 1), "tilt down": (0, -1)}


@pytest.mark.parametrize("name", ["camera", "camera-3d"])
@pytest.mark.parametrize("move", MOVES)
def test_content_moves_against_the_camera(tmp_path: Path, name: str, move: str) -> None:
    file = write_clip(tmp_path / "still.mp4", [busy()] * 5)
    truth, _ = made(name, [file], tmp_path / "x.mp4", move=move, seconds=1, fps=10)
    assert (truth.facts["content_dx"], truth.facts["content_dy"]) == MOVES[move]
    across, down = shift(shown(tmp_path / "x.mp4"))
    dx, dy = MOVES[move]
    assert across * dx > 1.0 if dx else abs(across) < 1.0
    assert down * dy > 1.0 if dy else abs(down) < 1.0


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["camera", "camera-3d"])
@pytest.mark.parametrize(("move", "grows"), [("zoom in", True), ("zoom out", False)])
def test_zooming_in_moves_content_outwards(tmp_path: Path, name: str, move: str, grows: bool) -> None:
    file = write_clip(tmp_path / "still.mp4", [busy()] * 5)
    made(name, [file], tmp_path / "x.mp4", move=move, seconds=2, fps=10)
    frames = [cv2.cvtColor(frame.bgr(), cv2.COLOR_BGR2GRAY) for frame in shown(tmp_path / "x.mp4")]
    flow = np.zeros((*frames[0].shape, 2), np.float32)
    for one, following in itertools.pairwise(frames):
        flow += cv2.calcOpticalFlowFarneback(one, following, flow * 0, 0.5, 4, 21, 3, 7, 1.5, 0)
    _, width = frames[0].shape
    x = np.arange(width) - width / 2
    outwards = float((flow[..., 0] * np.sign(x)).mean())
    assert (outwards > 0.3) if grows else (outwards < -0.3)


@pytest.mark.parametrize(("rate", "edges"), [("linear", [60, 138]), ("exponential", [50, 148])])
def test_a_zoom_grows_evenly_or_by_its_factor(rate: Literal["linear", "exponential"], edges: list[int]) -> None:
    """Half way to 4 times: 1 + 3 / 2 = 2.5 times shows columns 30 to 69 of 100, the square root of 4 shows 25 to 74.

    The picture gets brighter by 2 a column.
    """
    picture = np.repeat(np.arange(0, 200, 2, dtype=np.uint8)[None, :, None], 100, axis=0).repeat(3, axis=2)
    shown_then = CameraEdit(move="zoom in", zoom=4, rate=rate).frame(picture, "zoom in", 0.5)
    assert shown_then[50, [0, -1], 0].tolist() == edges


def test_a_zoom_beyond_the_pixels_of_the_picture_shows_one_of_them(clip: Path, tmp_path: Path) -> None:
    _, numbers = made("camera", [clip], tmp_path / "x.mp4", move="zoom in", zoom=1e6, seconds=0.5, fps=10)
    assert len(numbers) == 5


def busy() -> Picture:
    random = np.random.default_rng(5)
    picture = noise(4, 640, 360)
    for _ in range(60):
        x, y, side = (int(random.integers(*span)) for span in ((0, 600), (0, 330), (10, 60)))
        colour = tuple(int(each) for each in random.integers(0, 256, 3))
        cv2.rectangle(picture, (x, y), (x + side, y + side), colour, -1)
    return picture


def shift(frames: Sequence[Frame]) -> tuple[float, float]:
    """Mean shift between neighbouring frames in pixels, right and down."""
    grey = [cv2.cvtColor(frame.bgr(), cv2.COLOR_BGR2GRAY).astype(np.float32) for frame in frames]
    window = cv2.createHanningWindow(grey[0].shape[::-1], cv2.CV_32F)
    moves = [cv2.phaseCorrelate(a, b, window)[0] for a, b in itertools.pairwise(grey)]
    across, down = np.median(np.array(moves), axis=0)
    return float(across), float(down)


@pytest.mark.nightly
def test_the_same_seed_makes_the_same_video_and_another_one_another(clip: Path, tmp_path: Path) -> None:
    truths = [made("segment-shuffle", [clip], tmp_path / f"{n}.mp4", seed)[0] for n, seed in enumerate((1, 1, 2, 3, 4))]
    assert truths[0].facts == truths[1].facts
    assert any(truth.facts != truths[0].facts for truth in truths[2:])
    assert (tmp_path / "0.mp4").read_bytes() == (tmp_path / "1.mp4").read_bytes()


def test_variable_frame_times_are_kept(tmp_path: Path) -> None:
    times = [0.0, 0.1, 0.5, 0.6, 1.4, 1.5, 1.6]
    clip = write_clip(tmp_path / "clip.mp4", map(numbered, range(len(times))), times=lambda number: times[number])
    _, numbers = made("reversal", [clip], tmp_path / "x.mp4")
    assert numbers == [6, 5, 4, 3, 2, 1, 0]
    length = probe(clip).duration
    expected = [length - (times[number + 1] if number < 6 else length) for number in numbers]
    assert [frame.time for frame in shown(tmp_path / "x.mp4")] == pytest.approx(expected, abs=0.01)


@pytest.mark.nightly
def test_a_picture_within_a_longer_sound_fills_the_new_video(tmp_path: Path) -> None:
    def late(number: int) -> float:
        return 0.5 + number / FPS

    clip = write_clip(tmp_path / "clip.mp4", map(numbered, range(50)), times=late, sound_seconds=3.5)
    short = {"gap": {"start": 1.0, "end": 2.0}, "occlusion": {"strips": 16, "visible": 4}}
    short |= {name: {"seconds": 0.4} for name in ("blank", "camera", "camera-3d")}
    for name in EDITS:
        made(name, [clip] * EDITS[name].sources, tmp_path / "x.mp4", **short.get(name, {}))
    truth, numbers = made("reversal", [clip], tmp_path / "x.mp4", sound=False)
    times = [frame.time for frame in shown(tmp_path / "x.mp4")]
    assert list(dict.fromkeys(numbers)) == list(reversed(range(50)))
    assert times[0] == 0.0
    assert times[numbers.index(48)] == pytest.approx(truth.seconds - late(49), abs=0.01)


def test_reversing_holds_only_a_block_of_frames(clip: Path) -> None:
    frames = play((Piece(start=0.0, end=6.0, order="backwards"),), [Source(clip, probe(clip))], never)
    first = next(frames)
    assert number_of(first.picture) == FRAMES - 1  # without having decoded the rest into memory: it is a generator
    assert sum(1 for _ in frames) >= FRAMES - 1


def test_a_file_that_does_not_show_its_plan_is_refused(clip: Path, tmp_path: Path) -> None:
    source = Source(clip, probe(clip))
    frames = [PlannedFrame(numbered(number), number / FPS, 1 / FPS) for number in range(FRAMES)]
    compare(clip, iter(frames), never)
    for wrong in (
        [*frames[:50], frames[50]._replace(picture=flat((0, 0, 0))), *frames[51:]],
        frames[:-1],
        [*frames, frames[-1]._replace(time=6.0)],
        [each._replace(time=each.time * 1.1) for each in frames],
    ):
        with pytest.raises(MediaError):
            compare(clip, iter(wrong), never)
    render(EditPlan((Piece(start=0, end=1),), ()), [source], tmp_path / "part.mp4", never)
    assert [number_of(frame.bgr()) for frame in shown(tmp_path / "part.mp4")] == frames_in(0, 1)


def test_the_docs_name_every_edit_with_its_parameters() -> None:
    page = (Path(__file__).parents[3] / "docs" / "perturbations.md").read_text(encoding="utf-8")
    table, _, _ = page.partition("## Stress tests")
    rows = dict(re.findall(r"^\| `([\w-]+)` \| .*? \| (.*) \|$", table, re.MULTILINE))
    assert {name: re.findall(r"`(\w+)` ?\(?", row) for name, row in rows.items()} == {
        name: list(edit.model_fields) for name, edit in EDITS.items()
    }


@pytest.mark.parametrize("name", EDITS)
def test_every_edit_describes_itself(name: str) -> None:
    edit = EDITS[name]
    assert issubclass(edit, Edit)
    assert edit.__doc__
    assert edit.kind in ("spatial", "temporal")


def test_perturb_edits_a_video_from_the_command_line(clip: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "tinted.mp4"
    done = longtake("perturb", "tint", clip, out, "--param", "colour=red", "--param", "seconds=[1, 1]", "--json")
    assert done.code == 0, done.stderr
    truth = json.loads(done.stdout)
    assert truth == json.loads(truth_file(out).read_text(encoding="utf-8"))
    assert (truth["edit"], truth["facts"], truth["sources"]) == ("tint", {"colour": "red"}, ["clip.mp4"])
    listed = longtake("perturb")
    assert listed.code == 0
    assert all(name in listed.stdout for name in EDITS)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["tints", "IN", "OUT"], "tint"),
        (["tint", "IN", "OUT", "--param", "colour=mauve"], "colour"),
        (["tint", "IN", "OUT", "--param", "hue=1"], "strength"),
        (["tint", "IN", "OUT", "--param", "colour"], "value"),
        (["tint", "IN"], "OUT"),
        (["tint", "IN", "IN"], "source"),
        (["tint", "IN", "x.avi"], ".mp4"),
        (["mixing", "IN", "OUT"], "2 videos"),
        (["gap", "IN", "OUT", "--param", "start=50", "--param", "end=60"], "ends at"),
        (["segment-shuffle", "IN", "OUT", "--param", "at=[4, 2]"], "at: "),
        (["segment-shuffle", "IN", "OUT", "--param", "at=[-1, 2]"], "at: "),
        (["segment-shuffle", "IN", "OUT", "--param", "at=[2, 60]"], "ends at"),
        *(
            ([name, "IN", "OUT", "--param", f"seconds={seconds}"], "seconds")
            for name in ("tint", "cut", "insertion", "noise")
            for seconds in ("[-5, -1]", "[3, 2]", "[0, 1]", "[1, .inf]")
        ),
        (["camera", "IN", "OUT", "--param", "seconds=.inf"], "seconds"),
        *(([name, "IN", "OUT", "--param", "at=6.5"], "ends at") for name in ("camera", "camera-3d", "mosaic")),
        (["frame-shuffle", "IN", "OUT", "--param", "seconds=0.001"], "two frames"),
        (["tint", "SOUND", "OUT"], "no picture"),
        (["tint", "TEXT", "OUT"], "TEXT"),
    ],
)
def test_a_wrong_perturb_is_one_sentence(clip: Path, tmp_path: Path, arguments: list[str], says: str) -> None:
    text = tmp_path / "TEXT"
    text.write_text("no video", encoding="utf-8")
    named = {
        "IN": clip,
        "OUT": tmp_path / "x.mp4",
        "TEXT": text,
        "SOUND": Path(__file__).parents[3] / "preprocess/demo/speech.opus",
    }
    done = longtake("perturb", *(named.get(each, each) for each in arguments))
    assert done.code in (1, 2)
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "x.mp4").exists()
