"""Of several sound tracks the one with speech is read, and what is said of the others and of the whole file."""

from __future__ import annotations

from fractions import Fraction
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import av
import numpy as np
import pytest
from av.stream import Disposition
from av.video.frame import VideoFrame
from helpers.command import longtake
from helpers.media.clips import flat
from helpers.media.sound import Wave, noise, silence
from helpers.media.speech import read_samples

from longtake.preprocess.layers.sound_track import with_track
from longtake.preprocess.media.contents import contents
from longtake.preprocess.media.media import MediaInfo, survey

SECONDS = 8
RATE = 16_000


class Track(NamedTuple):
    """`sound` is one of `SOUNDS`, `flag` the name of a disposition."""

    sound: str
    flag: str = ""
    title: str = ""
    language: str = ""


@pytest.fixture(scope="module")
def sounds() -> dict[str, Wave]:
    spoken = read_samples(Path(str(files("longtake.preprocess.demo") / "speech.opus")))
    spoken = spoken[3 * RATE : (3 + SECONDS) * RATE]  # it begins with silence
    short = np.concatenate([spoken[: 2 * RATE], silence(SECONDS - 2)])
    return {"speech": spoken, "a word": short, "silence": silence(SECONDS), "noise": noise(SECONDS, 0.2)}


def film(
    path: Path, tracks: list[Track], sounds: dict[str, Wave], *, cover: bool = False, camera: bool = False
) -> Path:
    """A grey picture with these sound tracks, and perhaps a cover and a second picture."""
    with av.open(str(path), "w") as container:
        pictures: list[Any] = [container.add_stream("libx264", rate=5)]
        if camera:
            pictures.append(container.add_stream("libx264", rate=5))
            pictures[1].disposition, pictures[1].metadata["title"] = Disposition(0), "Camera"
        if cover:
            pictures.append(container.add_stream("mjpeg", rate=5))
            pictures[-1].disposition = Disposition.attached_pic
        for stream in pictures:
            stream.width, stream.height = 64, 48
            stream.pix_fmt = "yuvj420p" if stream.codec_context.name == "mjpeg" else "yuv420p"
        written = list[tuple[Any, Wave]]()
        for track in tracks:
            stream: Any = container.add_stream(
                "pcm_s16le" if path.suffix == ".mkv" else "aac", rate=RATE, layout="mono"
            )
            stream.disposition = Disposition[track.flag] if track.flag else Disposition(0)
            stream.metadata.update({"title": track.title, "language": track.language})
            written.append((stream, sounds[track.sound]))
        container.start_encoding()
        for stream in pictures:
            for number in range(1 if stream.codec_context.name == "mjpeg" else SECONDS * 5):
                frame = VideoFrame.from_ndarray(flat((90, 90, 90), 64, 48), format="bgr24")
                frame = frame.reformat(format=stream.pix_fmt)
                frame.pts, frame.time_base = number, Fraction(1, 5)
                container.mux(stream.encode(frame))
            container.mux(stream.encode())
        for stream, samples in written:
            for first in range(0, len(samples), 1024):
                piece = (samples[first : first + 1024] * 32767).astype(np.int16)[None]
                sound = av.AudioFrame.from_ndarray(piece, format="s16", layout="mono")
                sound.sample_rate, sound.pts = RATE, first
                container.mux(stream.encode(sound))
            container.mux(stream.encode())
    return path


def read(path: Path, wanted: str | None = None) -> MediaInfo:
    return with_track(path, survey(path), wanted, lambda: None)


def number(media: MediaInfo) -> int:
    """The track that is read, from 1 on."""
    assert media.sound
    return 1 + media.audio.index(media.sound)


COMMENT, BLIND, DEAF = "comment", "visual_impaired", "hearing_impaired"


@pytest.mark.parametrize(
    ("tracks", "expected"),
    [
        ([Track("silence"), Track("speech")], 2),
        ([Track("speech"), Track("silence")], 1),
        ([Track("noise"), Track("speech")], 2),
        ([Track("silence"), Track("silence"), Track("speech"), Track("silence")], 3),
        ([Track("speech"), Track("speech", "default")], 2),  # as good as each other: the one that players play
        ([Track("a word", "default"), Track("speech")], 2),  # a quarter of the speech or less
        ([Track("speech", COMMENT), Track("speech")], 2),
        ([Track("speech", BLIND), Track("speech")], 2),
        ([Track("speech", DEAF), Track("speech")], 2),
        ([Track("speech", title="Director's Commentary"), Track("speech", title="Main")], 2),
        ([Track("speech", title="Audio description"), Track("a word", title="Main")], 2),
        ([Track("silence"), Track("speech", COMMENT)], 2),  # the only one with speech
        ([Track("silence", COMMENT), Track("silence")], 2),
    ],
)
def test_the_track_with_speech_is_read(
    tmp_path: Path, sounds: dict[str, Wave], tracks: list[Track], expected: int
) -> None:
    assert number(read(film(tmp_path / "a.mkv", tracks, sounds))) == expected


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [("1", 1), ("2", 2), ("deu", 2), ("German", 2), ("English", 1), ("mic", 2), ("9", 1), ("Spanish", 1)],
)
def test_the_setting_names_a_track_by_number_language_or_title(
    tmp_path: Path, sounds: dict[str, Wave], wanted: str, expected: int
) -> None:
    tracks = [Track("speech", "default", "Desktop", "eng"), Track("silence", title="My mic", language="deu")]
    assert number(read(film(tmp_path / "a.mkv", tracks, sounds), wanted)) == expected


@pytest.mark.parametrize(
    "title",
    [
        "Audiokommentar des Regisseurs", "Commentaire audio", "Comentarios del director", "Commento del regista",
        "Komentarz reżysera", "Комментарии режиссёра", "コメンタリー", "Audiodeskription", "Ho\u0308rfilmfassung",
        "Audiodescripción", "Audiodeskrypcja", "Commentary, no. 2", "Syntolkning", "音声解説", "English AD 2.0",
    ],
)  # fmt: skip
def test_a_title_in_another_language_tells_that_a_track_is_not_the_ordinary_sound(
    tmp_path: Path, sounds: dict[str, Wave], title: str
) -> None:
    tracks = [Track("speech", title=title), Track("speech", title="Ad astra, a moment")]
    assert number(read(film(tmp_path / "a.mkv", tracks, sounds))) == 2


@pytest.mark.parametrize("title", ["Without the commentary", "Film ohne Audiokommentar"])
def test_a_title_that_denies_a_role_is_that_of_the_ordinary_sound(
    tmp_path: Path, sounds: dict[str, Wave], title: str
) -> None:
    tracks = [Track("speech", title="Audio commentary"), Track("speech", title=title)]
    assert number(read(film(tmp_path / "a.mkv", tracks, sounds))) == 2


def test_speech_between_the_samples_of_a_long_track_is_found(tmp_path: Path, sounds: dict[str, Wave]) -> None:
    # Twelve spans of 10 s are sampled from 240 s, the first two from 0 s and from 20.9 s on; the word is at 13 s.
    word = np.concatenate([silence(13), sounds["speech"][: 4 * RATE], silence(223)])
    tracks = {"silence": silence(240), "a word": word}
    assert number(read(film(tmp_path / "a.mkv", [Track("silence"), Track("a word")], tracks))) == 2


def test_every_part_of_a_file_is_told(tmp_path: Path, sounds: dict[str, Wave]) -> None:
    tracks = [Track("silence", title="Desktop", language="eng"), Track("speech", title="Mic"), Track("speech", COMMENT)]
    told = contents(read(film(tmp_path / "a.mkv", tracks, sounds, camera=True)), {"a.en.srt": None})
    outcomes = {part.name: (part.about, part.outcome.split(",")[0].split(";")[0], part.noted) for part in told}
    assert outcomes == {
        "picture 1": ("h264, 64 x 48", "read", False),
        "sound 1": ("pcm_s16le, English, “Desktop”", "not read", True),
        "sound 2": ("pcm_s16le, “Mic”", "read", True),
        "sound 3": ("pcm_s16le, commentary", "not read", True),
        "picture 2": ("h264, “Camera”", "not read: only one picture is read", True),
        "beside it": ("a.en.srt", "read", False),
    }
    assert "speech.track=3 chooses it" in next(part.text for part in told if part.name == "sound 3")


def test_a_cover_is_told_and_is_no_picture(tmp_path: Path, sounds: dict[str, Wave]) -> None:
    media = read(film(tmp_path / "a.mp4", [Track("speech")], sounds, cover=True))
    assert media.video
    assert media.video.codec == "h264"
    [cover] = [part for part in contents(media) if part.noted]
    assert (cover.name, cover.about) == ("cover 1", "mjpeg")
    assert number(media) == 1


@pytest.mark.nightly
def test_index_show_and_doctor_tell_the_same(tmp_path: Path, sounds: dict[str, Wave]) -> None:
    path = film(tmp_path / "a.mkv", [Track("silence", title="Desktop"), Track("speech", title="Mic")], sounds)
    library = tmp_path / "library"
    wrong = longtake("--set", "speech.track=9", "index", path, library=library)
    assert "there is no sound track '9'" in wrong.stdout
    assert wrong.code == 3
    before = longtake("doctor", path, library=tmp_path / "another library")
    done = longtake("index", path, library=library)
    assert done.code == 0
    to_come, read = [" won't be read", " will be read"], [" not read", " read"]
    shown, again = longtake("videos", "show", "a.mkv", library=library), longtake("doctor", path, library=library)
    for printed, expected in ((before, to_come), (done, read), (shown, read), (again, read)):
        lines = [line for line in printed.stdout.splitlines() if line.startswith("  sound ")]
        assert [line.split(":")[1].split(",")[0] for line in lines] == expected
        assert "“Desktop”" in lines[0]
    assert "Dome" in longtake("show", "a.mkv", library=library).stdout  # of the demo
