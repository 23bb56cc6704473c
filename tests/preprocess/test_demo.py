from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import av
import numpy as np
import numpy.typing as npt
import pytest

from longtake.errors import LibraryError, LongtakeError
from longtake.memory.timespan import clock
from longtake.preprocess.demo import make, speak
from longtake.preprocess.demo.demo_script import DEMO, DemoScript, load_script
from longtake.preprocess.demo.demo_truth import Timed, Truth, load_truth, webvtt
from longtake.preprocess.demo.sound import BEEP_HERTZ, RATE, Samples, soundtrack

QUIET = 1e-3  # root mean square of what counts as silence
EDGE = 0.05  # seconds that a codec may smear a sound past its ends


class Frame(NamedTuple):
    """A quarter of a frame's size: its time, its brightness and how red it is (128 is grey)."""

    time: float
    luma: npt.NDArray[np.int16]
    red: npt.NDArray[np.int16]


@pytest.fixture(scope="module")
def truth() -> Truth:
    return load_truth()


@pytest.fixture(scope="module")
def video(demo_video: Path) -> Path:
    return demo_video


@pytest.fixture(scope="module")
def heard(video: Path) -> Samples:
    with av.open(video, "r") as container:
        return np.concatenate([frame.to_ndarray()[0] for frame in container.decode(audio=0)])


@pytest.fixture(scope="module")
def frames(video: Path) -> list[Frame]:
    with av.open(video, "r") as container:
        return [_frame(frame) for frame in container.decode(video=0)]


def _frame(frame: av.VideoFrame) -> Frame:
    """The planes lie one behind the other: Y in full size, U and V at half of it."""
    planes = np.asarray(frame.to_ndarray(format="yuv420p")).ravel()
    luma = planes[: frame.height * frame.width].reshape(frame.height, frame.width)
    red = planes[-luma.size // 4 :].reshape(frame.height // 2, frame.width // 2)
    return Frame(float(frame.time or 0.0), luma[::4, ::4].astype(np.int16), red[::2, ::2].astype(np.int16))


def _changes(frames: list[Frame]) -> list[int]:
    """Numbers of the frames that differ strongly from the one before."""
    return [n for n in range(1, len(frames)) if np.abs(frames[n].luma - frames[n - 1].luma).mean() > 20]


def _loudness(sound: Samples, start: float, end: float) -> float:
    part = sound[round(start * RATE) : round(end * RATE)]
    return float(np.sqrt(np.mean(part**2)))


def test_the_video_is_a_few_minutes_of_h264_and_aac_with_its_cues_beside_it(video: Path, truth: Truth) -> None:
    with av.open(video, "r") as container:
        picture, sound = container.streams.video[0], container.streams.audio[0]
        assert (picture.codec_context.name, sound.codec_context.name) == ("h264", "aac")
        assert (picture.width, picture.height, picture.average_rate) == (truth.width, truth.height, truth.fps)
        assert container.duration == pytest.approx(truth.duration * 1e6, abs=0.1e6)
    assert 150 <= truth.duration <= 170
    assert video.with_name("demo.en.vtt").read_text(encoding="utf-8") == webvtt(truth.cues)
    assert sorted(path.name for path in video.parent.iterdir()) == ["demo.en.vtt", "demo.mp4"]


def test_a_finished_video_is_kept(video: Path) -> None:
    before = video.stat()
    assert make.make_demo(video.parent) == video
    assert (video.stat().st_ino, video.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


@pytest.mark.nightly
@pytest.mark.parametrize("flaw", ["cut short", "of another script"])
def test_a_video_that_is_not_whole_or_not_of_this_script_is_made_anew(video: Path, tmp_path: Path, flaw: str) -> None:
    (tmp_path / "demo.en.vtt").write_bytes(video.with_name("demo.en.vtt").read_bytes())
    if flaw == "cut short":
        (tmp_path / "demo.mp4").write_bytes(video.read_bytes()[:500_000])
    else:
        make.encode(_short_script(), np.zeros(2 * RATE, dtype=np.float32), tmp_path / "demo.mp4", "another script")
    assert make.make_demo(tmp_path).read_bytes() == video.read_bytes()


@pytest.mark.slow
def test_the_same_script_gives_the_same_bytes(tmp_path: Path) -> None:
    sound = soundtrack(load_truth())
    paths = [tmp_path / "first.mp4", tmp_path / "second.mp4"]
    for path in paths:
        make.encode(_short_script(), sound[: 2 * RATE], path, "mark")
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with pytest.raises(LibraryError, match="file: "):
        make.make_demo(blocked)


def test_cuts_lie_at_the_stated_frames_and_the_flash_fills_exactly_one(frames: list[Frame], truth: Truth) -> None:
    assert len(frames) == truth.frames
    assert frames[0].time == 0.0
    assert frames[truth.flash.frame].time == pytest.approx(truth.flash.start, abs=1e-3)
    cuts = [shot.first_frame for shot in truth.shots[1:]]
    assert _changes(frames) == sorted([*cuts, truth.flash.frame, truth.flash.frame + 1])
    before, after = (frames[truth.flash.frame + step].luma for step in (-1, 1))
    assert np.abs(before - after).mean() < 2


def test_the_ball_is_where_the_path_says(frames: list[Frame], truth: Truth) -> None:
    ball, scale = truth.ball, 1 / 4
    inside = [frame for frame in frames if ball.start <= frame.time < ball.end]
    for number in (0, len(inside) // 3, len(inside) - 1):
        share = number / (len(inside) - 1)
        rows, columns = np.nonzero(inside[number].red > 170)
        assert columns.mean() == pytest.approx((ball.first[0] + share * (ball.last[0] - ball.first[0])) * scale, abs=1)
        assert rows.mean() == pytest.approx(ball.first[1] * scale, abs=1)


def test_the_empty_picture_is_black_and_nothing_else_is(frames: list[Frame], truth: Truth) -> None:
    (empty,) = truth.empty
    black = [frame.time for frame in frames if frame.luma.max() <= 16]
    assert black == [frame.time for frame in frames if empty.start <= frame.time < empty.end]


def test_every_cue_is_full_of_speech_and_begins_and_ends_with_it(heard: Samples, truth: Truth) -> None:
    for cue in truth.cues:
        assert _loudness(heard, cue.start, cue.start + 0.25) > 20 * QUIET, cue
        assert _loudness(heard, cue.end - speak.SLACK - 0.2, cue.end) > 10 * QUIET, cue


def test_nothing_is_heard_outside_cues_and_sounds(heard: Samples, truth: Truth) -> None:
    loud: list[Timed] = [*truth.cues, *(sound for sound in truth.sounds if sound.kind != "silence")]
    edges = sorted(loud, key=lambda item: item.start)
    gaps = list(zip([0.0, *(item.end for item in edges)], [*(i.start for i in edges), truth.duration], strict=True))
    assert all(end > start for start, end in gaps)
    for start, end in gaps:
        if end - start > 2 * EDGE:
            assert _loudness(heard, start + EDGE, end - EDGE) < QUIET, (start, end)


def test_each_sound_is_of_its_kind(heard: Samples, truth: Truth) -> None:
    spans = {sound.kind: sound for sound in truth.sounds}
    assert set(spans) == {"music", "beep", "bang", "silence"}
    assert spans["silence"].span.length >= 6
    assert _loudness(heard, spans["silence"].start, spans["silence"].end) < QUIET / 10

    beep = heard[round(spans["beep"].start * RATE) : round(spans["beep"].end * RATE)]
    power = np.abs(np.fft.rfft(beep)) ** 2
    near = np.abs(np.fft.rfftfreq(len(beep), 1 / RATE) - BEEP_HERTZ) < 10
    assert power[near].sum() / power.sum() > 0.95

    bang = spans["bang"]
    assert _loudness(heard, bang.start, bang.start + 0.05) > 20 * _loudness(heard, bang.start + 0.3, bang.end)

    music = spans["music"]
    assert 10 <= music.span.length <= 15
    assert _loudness(heard, music.start, music.end) > 50 * QUIET


def test_each_slide_says_what_the_questions_about_its_text_ask(truth: Truth) -> None:
    texts = {slide.start: slide.texts for slide in truth.slides}
    written = [item for item in truth.questions if item.modality == "scene_text" and item.start in texts]
    assert len(written) >= 4
    for item in written:
        answer = truth.sum.expression if item.answer == str(truth.sum.value) else item.answer
        assert any(answer in text for text in texts[item.start or 0.0]), item
    assert 8 <= len(truth.slides) <= 10


def test_answers_are_true(truth: Truth) -> None:
    questions = {item.question: item for item in truth.questions}
    assert len(questions) == 12
    assert truth.sum.value == 37 * 12 + 56
    assert truth.sum.expression == "37 x 12 + 56"
    spoken = [item for item in truth.questions if item.modality == "speech" and not item.also]
    assert len(spoken) >= 2
    for item in spoken:
        (cue,) = [cue for cue in truth.cues if (cue.start, cue.end) == (item.start, item.end)]
        assert item.answer in cue.text
    beep = next(sound for sound in truth.sounds if sound.kind == "beep")
    assert questions["When does the warning tone sound?"].answer == clock(beep.start)
    assert questions["What does one roof panel cost now?"].answer == f"${180 + 35}"
    assert next(item for item in truth.questions if "flashes" in item.question).answer == truth.flash.text
    assert all(item.answer in item.options for item in truth.questions if item.options)


def test_the_first_three_questions_need_speech_text_and_a_sum_and_two_have_no_answer(truth: Truth) -> None:
    first = truth.questions[:3]
    assert [item.modality for item in first] == ["speech", "scene_text", "scene_text"]
    assert first[2].answer == str(truth.sum.value)
    unanswerable = [item for item in truth.questions if not item.answerable]
    assert [(item.start, item.end) for item in unanswerable] == [
        (None, None),
        (truth.empty[0].start, truth.empty[0].end),
    ]


@pytest.mark.skipif(not shutil.which("espeak-ng"), reason="needs espeak-ng, as maintainers have it")
def test_a_sentence_that_does_not_fill_its_cue_is_named(truth: Truth) -> None:
    cue = truth.cues[0].model_copy(update={"end": truth.cues[0].start + 1.0})
    with pytest.raises(LongtakeError, match=r"takes \d\.\d\d s, .* 1\.00 s: change `until`"):
        speak.speak(truth.model_copy(update={"cues": (cue,)}))


@pytest.mark.skipif(
    not (shutil.which("espeak-ng") and shutil.which("opusenc")), reason="needs espeak-ng and opusenc, as maintainers do"
)
@pytest.mark.nightly
def test_the_spoken_track_can_be_made_again_from_the_script(truth: Truth, tmp_path: Path) -> None:
    track = speak.speak(truth)
    assert len(track) == round(truth.duration * speak.RATE)
    made = tmp_path / "speech.opus"
    subprocess.run([*speak.OPUSENC, "-", made], input=speak._as_wav(track), check=True)
    assert made.stat().st_size == pytest.approx(len((DEMO / "speech.opus").read_bytes()), rel=0.05)


def _short_script() -> DemoScript:
    """Two seconds: a slide and the start of the ball's way."""
    script = load_script()
    shots = [shot.model_copy(update={"seconds": 1.0}) for shot in script.shots if shot.name in ("storm", "ball")]
    return script.model_copy(update={"shots": tuple(shots)})
