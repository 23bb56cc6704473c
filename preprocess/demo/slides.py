"""Draws the pictures of the demo video: slides, the rolling ball, the flash and the black picture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from PIL import Image, ImageDraw, ImageFont

from longtake.preprocess.demo.demo_script import Ball, DemoScript, Shot, Slide, Theme

MARGIN = 64
ACCENT = "#E8A33D"
RED = "#D62828"


@dataclass(frozen=True)
class Palette:
    """The colours of a theme; slides alternate between light and dark, so that every cut is a hard cut."""

    ground: str
    title: str
    text: str
    quiet: str


PALETTES: dict[Theme, Palette] = {
    "light": Palette(ground="#F6F3EC", title="#14213D", text="#2B3448", quiet="#5F6B7E"),
    "dark": Palette(ground="#14213D", title="#FFFFFF", text="#ECE9E1", quiet="#A9B4C8"),
    "black": Palette(ground="#000000", title="#000000", text="#000000", quiet="#000000"),
}


def pictures(script: DemoScript, shot: Shot) -> Iterator[Image.Image]:
    """The RGB frames of a shot, in order; equal frames are the same object."""
    size = (script.width, script.height)
    still = Image.new("RGB", size, PALETTES[shot.theme].ground)
    if shot.slide:
        draw_slide(still, shot.slide, PALETTES[shot.theme])
    count = script.frames(shot)
    flashes_at = round(shot.flash.at * script.fps) if shot.flash else None
    for number in range(count):
        if shot.ball:
            yield _with_ball(still, shot.ball, number / (count - 1))
        elif shot.flash and number == flashes_at:
            yield _flash(size, shot.flash.text)
        else:
            yield still


def draw_slide(picture: Image.Image, slide: Slide, palette: Palette) -> None:
    """Draw a slide's text onto a picture of its background colour."""
    draw = ImageDraw.Draw(picture)
    if slide.is_cover:
        _draw_cover(draw, slide, palette, picture.height)
        return
    draw.text((MARGIN, 48), slide.title, font=_font(40), fill=palette.title, stroke_width=0.5)
    draw.rectangle((MARGIN, 108, MARGIN + 72, 113), fill=ACCENT)
    if slide.figure:
        _draw_figure(draw, slide, palette, picture.size)
    for row, point in enumerate(slide.points):
        middle = 180 + row * 74
        picture.paste(ACCENT, (MARGIN, middle - 6), _disc(6))
        draw.text((MARGIN + 36, middle), point, font=_font(31), fill=palette.text, anchor="lm")
    if slide.table:
        _draw_table(draw, slide.table, palette, picture.width)


def _draw_cover(draw: ImageDraw.ImageDraw, slide: Slide, palette: Palette, height: int) -> None:
    middle = height // 2
    draw.rectangle((MARGIN, middle - 104, MARGIN + 72, middle - 98), fill=ACCENT)
    draw.text((MARGIN, middle - 44), slide.title, font=_font(56), fill=palette.title, anchor="lm", stroke_width=0.5)
    draw.text((MARGIN, middle + 30), slide.subtitle, font=_font(34), fill=palette.text, anchor="lm")
    draw.text((MARGIN, height - 72), slide.note, font=_font(24), fill=palette.quiet, anchor="lm")


def _draw_figure(draw: ImageDraw.ImageDraw, slide: Slide, palette: Palette, size: tuple[int, int]) -> None:
    width, height = size
    draw.text((width // 2, height // 2 + 16), slide.figure, font=_font(84), fill=palette.title, anchor="mm")
    draw.text((width // 2, height - 100), slide.note, font=_font(28), fill=palette.quiet, anchor="mm")


def _draw_table(draw: ImageDraw.ImageDraw, rows: tuple[tuple[str, ...], ...], palette: Palette, width: int) -> None:
    """Draw a table: the first column left-aligned, the last right-aligned, the others on an even grid."""
    columns = len(rows[0])
    for number, row in enumerate(rows):
        head = number == 0
        middle = 164 + number * 70
        font, colour = (_font(24), palette.quiet) if head else (_font(31), palette.text)
        for column, cell in enumerate(row):
            last = column == columns - 1
            x = width - MARGIN if last else MARGIN + column * (width - 2 * MARGIN) * 2 // (2 * columns - 1)
            draw.text((x, middle), cell, font=font, fill=colour, anchor="rm" if last else "lm")
        draw.line((MARGIN, middle + 35, width - MARGIN, middle + 35), fill=ACCENT if head else palette.quiet)


def _with_ball(ground: Image.Image, ball: Ball, share: float) -> Image.Image:
    """The ball after this share of its path, 0 to 1, centred on the nearest pixel."""
    x, y = (round(start + (end - start) * share) for start, end in zip(ball.start, ball.end, strict=True))
    mask = _disc(ball.radius)
    picture = ground.copy()
    picture.paste(RED, (x - ball.radius, y - ball.radius), mask)
    return picture


@cache
def _disc(radius: int) -> Image.Image:
    """An antialiased disc: drawn four times as large, then shrunk."""
    side = 2 * radius + 1
    large = Image.new("L", (4 * side, 4 * side))
    ImageDraw.Draw(large).ellipse((0, 0, 4 * side - 1, 4 * side - 1), fill=255)
    return large.resize((side, side), Image.Resampling.LANCZOS)


def _flash(size: tuple[int, int], text: str) -> Image.Image:
    picture = Image.new("RGB", size, ACCENT)
    centre = (size[0] // 2, size[1] // 2)
    ImageDraw.Draw(picture).text(centre, text, font=_font(120), fill=PALETTES["dark"].ground, anchor="mm")
    return picture


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
