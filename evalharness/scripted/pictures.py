"""The pictures of a scripted video, frame by frame."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from random import Random

from PIL import Image, ImageDraw, ImageFont

from longtake.evalharness.scripted.script import (
    CHANGE_FRAMES,
    HEIGHT,
    WIDTH,
    Camera,
    Code,
    Deck,
    Move,
    Photograph,
    Plain,
    Scene,
    Script,
    Shapes,
    Track,
)
from longtake.preprocess.demo.slides import ACCENT, MARGIN, PALETTES, draw_slide

SIZE = (WIDTH, HEIGHT)
_DRAWN = (854, 480)  # slides are laid out for this size and scaled to that of the video
_GROUND = "#ECE8DC"
_WIDE = 1.5  # size of the landscape relative to the camera's view
_INDENT = 12  # width of a space in a program in pixels

Box = tuple[float, float, float, float]


def frames_of(script: Script) -> Iterator[Image.Image]:
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


def _pictures(scene: Scene) -> Iterator[Image.Image]:
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


def box_at(track: Track, number: int) -> Box:
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
