"""Makes the demo video: an MP4 file with H.264 pictures and AAC sound, and a subtitle file."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
from av.error import FFmpegError
from PIL import Image

from longtake.errors import LibraryError
from longtake.preprocess.demo.demo_script import DEMO, DemoScript, load_script
from longtake.preprocess.demo.demo_truth import load_truth, webvtt
from longtake.preprocess.demo.slides import pictures
from longtake.preprocess.demo.sound import RATE, Samples, soundtrack

VIDEO = "demo.mp4"
SUBTITLES = "demo.en.vtt"
VOICE = "voice.opus"
# One thread gives the same bytes each time. Still pictures lose nothing with the fastest preset, but it turns off
# scene-cut detection, which puts a keyframe at every cut.
X264 = {"preset": "ultrafast", "sc_threshold": "40", "crf": "20", "threads": "1"}


def make_demo(folder: Path) -> Path:
    """Write `demo.mp4` and `demo.en.vtt` to a folder, unless they already exist, and return the video's path.

    Raises:
        LibraryError: if the folder can't be written.
    """
    target = folder / VIDEO
    mark = _mark()
    if (folder / SUBTITLES).is_file() and _is_complete(target, mark):
        return target
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".demo-", dir=folder) as temporary:
            truth = load_truth()
            encode(load_script(), soundtrack(truth), Path(temporary) / VIDEO, mark)
            (Path(temporary) / SUBTITLES).write_text(webvtt(truth.cues), encoding="utf-8", newline="\n")
            os.replace(Path(temporary) / SUBTITLES, folder / SUBTITLES)
            os.replace(Path(temporary) / VIDEO, target)
    except OSError as error:
        reason = error.strerror or error
        raise LibraryError(f"Couldn't write the demo video to {folder}: {reason}. Choose another folder.") from error
    return target


def copy_voice(folder: Path) -> Path:
    """Write the demo's speech to `voice.opus`, without picture or subtitles, and return its path."""
    target = folder / VOICE
    target.write_bytes((DEMO / "speech.opus").read_bytes())
    return target


def encode(script: DemoScript, sound: Samples, path: Path, mark: str) -> None:
    """Write pictures and sound, one second of each at a time, to an MP4 file with `mark` as its comment."""
    with av.open(path, "w", format="mp4") as container:
        container.metadata["comment"] = mark
        video = container.add_stream("libx264", rate=script.fps, options=X264)
        video.width, video.height, video.pix_fmt = script.width, script.height, "yuv420p"
        audio = container.add_stream("aac", rate=RATE, layout="mono", bit_rate=64_000)
        for number, frame in enumerate(_frames(script)):
            if number % script.fps == 0:
                first = number // script.fps * RATE
                container.mux(audio.encode(_audio_frame(sound[first : first + RATE], first)))
            frame.pts = number
            container.mux(video.encode(frame))
        container.mux(video.encode())
        container.mux(audio.encode())


def _frames(script: DemoScript) -> Iterator[av.VideoFrame]:
    """Every frame in order; converts an unchanged picture once."""
    for shot in script.shots:
        shown = pictures(script, shot)
        picture = next(shown)
        frame = _video_frame(picture)
        yield frame
        for following in shown:
            if following is not picture:
                picture, frame = following, _video_frame(following)
            yield frame


def _video_frame(picture: Image.Image) -> av.VideoFrame:
    return av.VideoFrame.from_image(picture).reformat(format="yuv420p")


def _audio_frame(samples: Samples, first: int) -> av.AudioFrame:
    frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(samples[np.newaxis]), format="fltp", layout="mono")
    frame.sample_rate, frame.pts = RATE, first
    return frame


def _mark() -> str:
    """A fingerprint of the video's sources, so that an outdated video is regenerated."""
    digest = hashlib.blake2b(digest_size=8)
    for name in ("script.yaml", "speech.opus"):
        digest.update((DEMO / name).read_bytes())
    return f"Longtake demo {digest.hexdigest()}"


def _is_complete(path: Path, mark: str) -> bool:
    """Whether the file exists, is complete and has the mark, which is in MP4's index and so is written last."""
    if not path.is_file():
        return False
    try:
        with av.open(path) as container:
            return bool(container.metadata.get("comment") == mark)
    except FFmpegError:
        return False
