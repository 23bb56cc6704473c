"""Draws, synthesises and encodes a script: H.264 and AAC in an MP4 file, with subtitles and truth next to it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random

import av
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from longtake.errors import LibraryError
from longtake.evalharness.edits.rendering import sound_frame
from longtake.evalharness.scripted.script import (
    CHANGE_FRAMES,
    FPS,
    HEIGHT,
    WIDTH,
    Camera,
    Code,
    Deck,
    Move,
    Photograph,
    Plain,
    ScriptedScene,
    ScriptedSound,
    ScriptedTrack,
    ScriptedVideo,
    Shapes,
    truth_of,
)
from longtake.evalharness.scripted.voices import samples_of
from longtake.memory.layers import write_atomic
from longtake.preprocess.demo.demo_truth import webvtt
from longtake.preprocess.demo.slides import ACCENT, MARGIN, PALETTES, draw_slide
from longtake.preprocess.demo.sound import RATE, Samples, synthesise

SIZE = (WIDTH, HEIGHT)
_DRAWN = (854, 480)  # slides are laid out for this size and scaled to that of the video
_GROUND = "#ECE8DC"
_WIDE = 1.5  # size of the landscape relative to the camera's view
_INDENT = 12  # width of a space in a program in pixels

Box = tuple[float, float, float, float]
_SPOKEN = 0.5  # the peak that lines are brought to
_SIREN = (600.0, 1200.0, 0.5)  # hertz at both ends of its glide, and how often a second it goes to and fro
_CLAPS_A_SECOND = 90
_CLAP = 0.004  # seconds in which a clap dies away to a third
_X264 = {"preset": "ultrafast", "sc_threshold": "40", "crf": "22"}
_BLOCK = RATE // FPS  # samples of sound in a frame


def frames_of(script: ScriptedVideo) -> Iterator[Image.Image]:
    """Every frame in order; identical frames are the same object."""
    before = Image.new("RGB", SIZE)
    for scene in script.scenes:
        from_ = before if scene.begins == "dissolve" else Image.new("RGB", SIZE)
        for number, picture in enumerate(_pictures(scene)):
            before = picture
            if scene.flash and 0 <= number - scene.flash.first < scene.flash.frames:
                yield _flashed(scene.flash.text)
            elif scene.begins != "cut" and number < CHANGE_FRAMES:
                yield Image.blend(from_, picture, (number + 1) / (CHANGE_FRAMES + 1))
            else:
                yield picture


def _pictures(scene: ScriptedScene) -> Iterator[Image.Image]:
    """The frames of a scene, without the transition to the next."""
    shown = scene.picture
    if isinstance(shown, Shapes):
        yield from _moving(shown, scene.frames)
    elif isinstance(shown, Camera):
        yield from _travelling(shown, scene.frames)
    else:
        still = _still(shown)
        yield from (still for _ in range(scene.frames))


def _still(shown: Deck | Code | Photograph | Plain) -> Image.Image:
    match shown:
        case Deck():
            picture = Image.new("RGB", _DRAWN, PALETTES[shown.theme].ground)
            draw_slide(picture, shown.slide, PALETTES[shown.theme])
            return picture.resize(SIZE, Image.Resampling.LANCZOS)
        case Code():
            return _program(shown.lines)
        case Photograph():
            with Image.open(shown.path) as photograph:
                photograph.thumbnail(SIZE)
                picture = Image.new("RGB", SIZE, "#303030")
                picture.paste(photograph, ((WIDTH - photograph.width) // 2, (HEIGHT - photograph.height) // 2))
            return picture
        case Plain():
            return Image.new("RGB", SIZE, shown.colour)


def _program(lines: tuple[str, ...]) -> Image.Image:
    palette = PALETTES["dark"]
    picture = Image.new("RGB", SIZE, palette.ground)
    draw = ImageDraw.Draw(picture)
    for row, line in enumerate(lines):
        x = MARGIN + _INDENT * (len(line) - len(line.lstrip()))
        draw.text((x, 90 + 50 * row), line.strip(), font=_font(28), fill=palette.text, anchor="lm")
    return picture


def _moving(shown: Shapes, frames: int) -> Iterator[Image.Image]:
    empty = Image.new("RGB", SIZE, _GROUND)
    for number in range(frames):
        seen = [track for track in shown.tracks if track.first <= number < track.until]
        if not seen:
            yield empty
            continue
        picture = empty.copy()
        draw = ImageDraw.Draw(picture)
        for track in seen:
            (draw.ellipse if track.shape == "circle" else draw.rectangle)(box_at(track, number), fill=track.colour)
        yield picture


def box_at(track: ScriptedTrack, number: int) -> Box:
    """The position of a shape in a frame of its scene, in pixels: left, top, right, bottom."""
    share = (number - track.first) / max(1, track.until - 1 - track.first)
    x, y = (round(start + share * (end - start)) for start, end in zip(track.start, track.end, strict=True))
    return x - track.radius, y - track.radius, x + track.radius, y + track.radius


def _travelling(shown: Camera, frames: int) -> Iterator[Image.Image]:
    still = _landscape(shown.seed)
    for number in range(frames):
        yield still.resize(SIZE, Image.Resampling.BILINEAR, box=_window(shown.move, number / (frames - 1)))


def _window(move: Move, share: float) -> Box:
    """The camera's view of the landscape at a fraction of its path."""
    if move in ("pan left", "zoom out"):
        share = 1 - share
    room = _WIDE - 1
    if move.startswith("pan"):
        left, top = share * room * WIDTH, room / 2 * HEIGHT
        return left, top, left + WIDTH, top + HEIGHT
    side = _WIDE - share * room
    left, top = (_WIDE - side) / 2 * WIDTH, (_WIDE - side) / 2 * HEIGHT
    return left, top, left + side * WIDTH, top + side * HEIGHT


def _landscape(seed: int) -> Image.Image:
    """Hills, houses and trees under a sky, with enough detail to show every movement."""
    random = Random(seed)
    width, height = round(_WIDE * WIDTH), round(_WIDE * HEIGHT)
    picture = Image.new("RGB", (width, height), "#BFD9EA")
    draw = ImageDraw.Draw(picture)
    for _ in range(25):
        x, y = random.randrange(width), random.randrange(height // 3)
        draw.ellipse((x, y, x + random.randrange(40, 110), y + random.randrange(12, 30)), fill="#F4F8FB")
    for base, colour in ((0.45, "#8FB08C"), (0.6, "#6F9A6B"), (0.78, "#527F52")):
        ridge = [(x, height * base + random.randrange(-35, 35)) for x in range(0, width + 80, 80)]
        for (x0, y0), (x1, y1) in pairwise(ridge):
            draw.polygon([(x0, y0), (x1, y1), (x1, height), (x0, height)], fill=colour)
    for _ in range(60):
        x, y, side = random.randrange(width), random.randrange(height // 2, height), random.randrange(10, 28)
        fill = random.choice(("#B5533C", "#E3D3B2", "#3E6B41", "#7A5C3E"))
        draw.rectangle((x, y - side, x + side, y), fill=fill, outline="#3A3A3A")
    return picture


@cache
def _flashed(text: str) -> Image.Image:
    picture = Image.new("RGB", SIZE, ACCENT)
    draw = ImageDraw.Draw(picture)
    draw.text((WIDTH // 2, HEIGHT // 2), text, font=_font(84), fill=PALETTES["dark"].ground, anchor="mm")
    return picture


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)


def soundtrack(script: ScriptedVideo) -> Samples:
    """The sound track, (samples,) between -1 and 1 at `RATE`, as long as the picture."""
    track = np.zeros(script.firsts[-1] * RATE // FPS, dtype=np.float32)
    for start, part in _parts(script):
        first = round(start * RATE)
        room = track[first : first + len(part)]
        room += part[: len(room)]
    return np.clip(track, -1.0, 1.0)


def _parts(script: ScriptedVideo) -> Iterator[tuple[float, Samples]]:
    """Each line and sound with the second at which it starts."""
    for scene, first in zip(script.scenes, script.firsts, strict=False):
        for line in scene.lines:
            voice = samples_of(line)
            yield first / FPS + line.at, voice * (_SPOKEN / float(np.abs(voice).max()))
        for sound in scene.sounds:
            yield first / FPS + sound.at, sound_of(sound)


def sound_of(sound: ScriptedSound) -> Samples:
    """One sound as (samples,) at `RATE`."""
    seconds = sound.until - sound.at
    if sound.kind == "siren":
        return _siren(seconds)
    if sound.kind == "applause":
        return _applause(seconds)
    return synthesise(sound.kind, seconds)


def _siren(seconds: float) -> Samples:
    """A wail: one pitch that glides up and down, with an octave above it."""
    low, high, rate = _SIREN
    times = np.arange(round(seconds * RATE)) / RATE
    pitch = low * (high / low) ** (0.5 - 0.5 * np.cos(2 * np.pi * rate * times))
    phase = 2 * np.pi * np.cumsum(pitch) / RATE
    return (0.25 * np.sin(phase) + 0.08 * np.sin(2 * phase)).astype(np.float32)


def _applause(seconds: float) -> Samples:
    """Claps at random: short bursts of noise of the middle range, of many hands, that die away."""
    random = np.random.default_rng(seed=2)
    count = round(seconds * RATE)
    grain = np.arange(round(6 * _CLAP * RATE)) / RATE
    heard = np.zeros(count + len(grain))
    # The first clap comes immediately, so that the sound starts when the script says.
    places = np.append(0, random.integers(0, count, round(seconds * _CLAPS_A_SECOND)))
    for place in places:
        clap = random.normal(size=len(grain)) * np.exp(-grain / _CLAP)
        clap *= np.sin(2 * np.pi * random.uniform(900, 1900) * grain)
        heard[place : place + len(grain)] += random.uniform(0.3, 1.0) * clap
    loudest = float(np.abs(heard).max())
    return (0.6 / loudest * heard[:count]).astype(np.float32)


def write_video(script: ScriptedVideo, folder: Path) -> Path:
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
            at = number * _BLOCK
            container.mux(audio.encode(sound_frame(sound[at : at + _BLOCK], at, RATE)))
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
