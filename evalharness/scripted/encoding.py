"""Encodes a script as a video: H.264 and AAC in an MP4 file, with subtitles and truth next to it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import av
import numpy as np
from PIL import Image

from longtake.errors import LibraryError
from longtake.evalharness.scripted.pictures import frames_of
from longtake.evalharness.scripted.script import FPS, HEIGHT, WIDTH, Script
from longtake.evalharness.scripted.sound_synthesis import soundtrack
from longtake.evalharness.scripted.truth import truth_of
from longtake.memory.layers import write_atomic
from longtake.preprocess.demo.demo_truth import webvtt
from longtake.preprocess.demo.sound import RATE, Samples

_X264 = {"preset": "ultrafast", "sc_threshold": "40", "crf": "22"}
_BLOCK = RATE // FPS  # samples of sound in a frame


def write_video(script: Script, folder: Path) -> Path:
    """Write `NAME.mp4`, `NAME.truth.json` and, for subtitled videos, `NAME.en.vtt`. A video with this truth is kept.

    Raises:
        LibraryError: if the folder cannot be written to.
    """
    target, known = folder / f"{script.name}.mp4", folder / f"{script.name}.truth.json"
    truth = truth_of(script)
    serialized = truth.model_dump_json(indent=1) + "\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if target.exists() and known.exists() and known.read_text(encoding="utf-8") == serialized:
            return target
        unfinished = folder / f".{script.name}.part"
        _encode(unfinished, frames_of(script), soundtrack(script))
        os.replace(unfinished, target)
        if script.subtitled:
            write_atomic(folder / f"{script.name}.en.vtt", webvtt(truth.cues))
        # Written last: if it exists, the video is complete.
        write_atomic(known, serialized)
    except OSError as error:
        raise LibraryError(f"{folder} cannot be written to: {error.strerror}; choose another --out.") from error
    return target


def _encode(path: Path, pictures: Iterable[Image.Image], sound: Samples) -> None:
    with av.open(path, "w", format="mp4") as container:
        video = container.add_stream("libx264", rate=FPS, options=_X264)
        video.width, video.height, video.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        audio = container.add_stream("aac", rate=RATE, layout="mono", bit_rate=64_000)
        for number, frame in enumerate(_frames(pictures)):
            heard = av.AudioFrame.from_ndarray(
                np.ascontiguousarray(sound[np.newaxis, number * _BLOCK : (number + 1) * _BLOCK]),
                format="fltp",
                layout="mono",
            )
            heard.sample_rate, heard.pts = RATE, number * _BLOCK
            container.mux(audio.encode(heard))
            frame.pts = number
            container.mux(video.encode(frame))
        container.mux(video.encode())
        container.mux(audio.encode())


def _frames(pictures: Iterable[Image.Image]) -> Iterator[av.VideoFrame]:
    """The frames of pictures; an unchanged picture is converted once."""
    shown, frame = None, None
    for picture in pictures:
        if picture is not shown or frame is None:
            shown, frame = picture, av.VideoFrame.from_image(picture).reformat(format="yuv420p")
        yield frame
