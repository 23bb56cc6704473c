"""What of a file was examined, and that an index says what was not: in its report, once."""

from __future__ import annotations

import pickle
from pathlib import Path

import av
import numpy as np
import pytest
from helpers.data.visual_pass import look_through
from helpers.media.clips import noise, write_clip
from helpers.media.odd_files import cut_short, index_first, overwritten
from helpers.media.sound import silence, write_sound

from longtake.config import load
from longtake.memory.layers import LayerStore
from longtake.memory.timespan import TimeSpan
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.layers.sounds import Sounds
from longtake.preprocess.layers.step import IndexJob, Step
from longtake.preprocess.media.coverage import CoveredSpans
from longtake.preprocess.media.media import probe, survey
from longtake.preprocess.media.stream_ends import promised_end
from longtake.preprocess.pipeline.progress import LayerReport, Watcher
from longtake.preprocess.pipeline.step_run import run_step
from longtake.preprocess.visual_pass.visual_pass import LAYERS_OF_PASS, VisualPass

SECONDS = 12


def even_clip(path: Path) -> Path:
    """A picture and a tone whose bytes lie evenly in the file; of an MP4 the index stands first, as on the web."""
    source = write_clip(
        path.with_suffix(".source.mkv"),
        [noise(1)] * SECONDS * 10,
        times=lambda number: number / 10,
        codec="mjpeg",
        pixels="yuvj420p",
        sound_seconds=SECONDS,
    )
    return index_first(source, path)


def index(step: Step, path: Path, root: Path) -> list[LayerReport]:
    settings, watcher = load(), Watcher()
    job = IndexJob(path, probe(path), settings, EngineTable(settings))
    run_step(step, job, LayerStore(root), watcher, lambda: None)
    return watcher.reports


def test_subtitles_that_outlast_the_picture_do_not_make_a_file_cut(media: Path, tmp_path: Path) -> None:
    path = tmp_path / "late.mkv"
    with av.open(str(media / "auto-editor" / "webvtt.mkv")) as source, av.open(str(path), "w") as target:
        tracks = [target.add_stream_from_template(track) for track in source.streams]
        for packet in source.demux():
            if packet.dts is not None and packet.pts is not None and packet.time_base is not None:
                if packet.stream.type == "subtitle":
                    packet.pts = packet.dts = packet.pts + round(20 / packet.time_base)
                packet.stream = tracks[packet.stream.index]
                target.mux(packet)
    described = probe(path)
    assert described.duration < 10
    index = described.video.index if described.video else described.audio[0].index
    assert promised_end(path, described, index) == 0.0


def test_sound_without_times_is_as_long_as_its_packets_and_promises_nothing(tmp_path: Path) -> None:
    path = tmp_path / "noisy then still.mp3"
    with av.open(str(path), "w", options={"write_xing": "0"}) as container:
        stream = container.add_stream("libmp3lame", rate=16_000, layout="mono")
        stream.codec_context.options = {"compression_level": "9", "qscale": "4"}
        stream.codec_context.qscale = True
        samples = np.concatenate([np.random.default_rng(0).normal(0, 0.3, 160_000), np.zeros(480_000)])
        frame = av.AudioFrame.from_ndarray(samples.astype("<f4")[np.newaxis], format="fltp", layout="mono")
        frame.rate = 16_000
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    media = probe(path)
    assert media.duration == pytest.approx(40.0, abs=0.3)
    assert promised_end(path, media, media.audio[0].index) == 0.0


@pytest.mark.parametrize(("declared", "promised"), [(None, 4.0), (0xFFFF_FFFF, 3.0), (0, 0.0)])
def test_a_cut_wav_file_promises_what_its_header_says(tmp_path: Path, declared: int | None, promised: float) -> None:
    data = bytearray(write_sound(tmp_path / "a.wav", silence(4)).read_bytes())
    place = data.index(b"data") + 4
    if declared is not None:  # a program that writes to a pipe doesn't know
        data[place : place + 4] = declared.to_bytes(4, "little")
    path = tmp_path / "cut.wav"
    path.write_bytes(data[: place + 4 + (len(data) - place - 4) * 3 // 4])
    assert promised_end(path, probe(path), 0) == pytest.approx(promised, abs=0.01)


@pytest.mark.parametrize("name", ["a.mp4", "a.mkv"])
@pytest.mark.parametrize(("step", "what"), [(VisualPass(), "picture"), (Sounds(), "sound")])
def test_a_lost_tail_is_reported_and_not_logged(
    tmp_path: Path, name: str, step: Step, what: str, caplog: pytest.LogCaptureFixture
) -> None:
    whole = even_clip(tmp_path / name)
    assert {report.left_out for report in index(step, whole, tmp_path / "whole")} == {()}
    cut = cut_short(whole, tmp_path / f"cut{whole.suffix}", 0.6)
    reports = index(step, cut, tmp_path / "cut")
    assert {report.name for report in reports} == (set(LAYERS_OF_PASS) if what == "picture" else {"sounds"})
    [(sentence,)] = {report.left_out for report in reports}
    ends, promised = (float(word) for word in sentence.split() if word[0].isdigit())
    assert sentence == f"the {what} ends at {ends:.1f} s, but the file says {promised:.1f} s: it may be incomplete"
    assert 4 < ends < 9
    assert promised == pytest.approx(SECONDS, abs=0.2)
    assert index(step, cut, tmp_path / "cut")[0].left_out == (sentence,)
    assert not [record for record in caplog.records if record.name.startswith("longtake")]


def test_what_a_lost_tail_held_is_not_covered(tmp_path: Path) -> None:
    path = cut_short(even_clip(tmp_path / "a.mp4"), tmp_path / "cut.mp4", 0.5)
    reports = [*index(VisualPass(), path, tmp_path / "layers"), *index(Sounds(), path, tmp_path / "layers")]
    for report in reports:
        layer = LayerStore(tmp_path / "layers").get(report.name, str(report.key))
        assert layer is not None
        assert 0.3 < layer.share(probe(path).duration) < 0.7


def test_a_stream_that_says_no_length_promises_none(tmp_path: Path) -> None:
    path = even_clip(tmp_path / "a.mkv")
    assert promised_end(path, probe(path), 0) == 0.0


def test_lost_pieces_too_short_to_divide_what_is_covered_are_reported(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "a.mkv", [noise(1)] * 100, codec="mjpeg", pixels="yuvj420p")
    damaged = overwritten(path, tmp_path / "damaged.mkv", 0.5, 0.53)
    [(sentence,)] = {report.left_out for report in index(VisualPass(), damaged, tmp_path / "layers")}
    assert 0.05 < float(sentence.split(" s of ")[0].split()[-1]) < 0.5
    assert " s of the picture, in pieces of under a second" in sentence


def test_covered_spans_join_what_touches_and_survive_a_pickle() -> None:
    spans = CoveredSpans()
    for time in (0.5, 1.0, 1.7, 9.0):
        spans.observe(time, 0.5)
        spans = pickle.loads(pickle.dumps(spans))
    spans.observe(9.5, 20.0)
    assert spans.spans() == [TimeSpan(start=0.5, end=2.2), TimeSpan(start=9.0, end=29.5)]
    assert spans.lost() == pytest.approx(0.2)


def test_a_file_with_few_pictures_is_not_taken_for_a_cut_one(tmp_path: Path) -> None:
    path = write_clip(tmp_path / "a.mkv", [noise(0), noise(1)], times=lambda number: 4.0 * number, sound_seconds=12.0)
    media = survey(path)
    assert [promised_end(path, media, index) for index in media.used] == [0.0, 0.0]
    assert [layer.left_out for layer in index(VisualPass(), path, tmp_path / "layers")] == [()] * len(LAYERS_OF_PASS)
    assert look_through(path, tmp_path / "pass").layers["changes"].covered[-1].end == media.duration


def test_the_last_slide_of_a_cut_file_does_not_last_to_its_end(tmp_path: Path) -> None:
    slides = write_clip(
        tmp_path / "a.mkv",
        [noise(n) for n in range(8)],
        times=lambda n: 4.0 * n,
        codec="mjpeg",
        pixels="yuvj420p",
        sound_seconds=32.0,
    )
    path = cut_short(index_first(slides, tmp_path / "a.mp4"), tmp_path / "cut.mp4", 0.6)
    covered = look_through(path, tmp_path / "pass").layers["changes"].covered
    assert 12.0 < covered[-1].end < 28.0


def test_a_file_of_which_no_picture_decodes_has_no_shots(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "a.mkv", [noise(n) for n in range(8)], times=lambda n: 4.0 * n)
    found = look_through(index_first(clip, tmp_path / "a.mp4"), tmp_path / "pass")  # without its first picture
    assert found.items("shots") == []
    assert found.layers["shots"].covered == ()


def test_a_cut_avi_without_its_index_promises_what_its_header_says(tmp_path: Path) -> None:
    whole = even_clip(tmp_path / "whole.avi")
    cut = cut_short(whole, tmp_path / "cut.avi", 0.6)
    assert [promised_end(path, survey(path), 0) for path in (whole, cut)] == [pytest.approx(SECONDS, abs=0.2)] * 2
    assert survey(cut).duration < SECONDS - 2
